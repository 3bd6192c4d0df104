/**
 * Permission requests for a user interface: those that are open, each with its answer to be given.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Permission from "./Permission.ts"
import type { RequestPermissionRequest } from "./schema/Permission.ts"

/**
 * A request that waits for the user.
 *
 * @category models
 * @since 0.1.0
 */
export interface Question {
  readonly request: RequestPermissionRequest
  /** Answers; `false` when the request is not open any more, because it was answered before or its turn was cancelled. */
  readonly answer: (decision: Permission.Decision) => Effect.Effect<boolean>
}

/**
 * The permission requests that wait for the user.
 *
 * @category services
 * @since 0.1.0
 */
export class PermissionQueue extends Context.Service<PermissionQueue, {
  /** Those that are open now, the oldest first. */
  readonly open: SubscriptionRef.SubscriptionRef<ReadonlyArray<Question>>
  /** Asks by way of the queue. */
  readonly policy: Permission.Policy
}>()("@effect-acp/core/PermissionQueue") {}

/**
 * An empty queue.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<PermissionQueue["Service"]> = Effect.map(
  SubscriptionRef.make<ReadonlyArray<Question>>([]),
  (open) => {
    const ask = (request: RequestPermissionRequest) => {
      const answer = Deferred.makeUnsafe<Permission.Decision>()
      const question: Question = { request, answer: (decision) => Deferred.succeed(answer, decision) }
      return Effect.acquireUseRelease(
        SubscriptionRef.update(open, (questions) => [...questions, question]),
        () => Deferred.await(answer),
        // A click that comes after the turn was cancelled must have no effect.
        () =>
          Effect.andThen(
            Deferred.succeed(answer, "cancelled"),
            SubscriptionRef.update(open, (questions) => questions.filter((other) => other !== question))
          )
      )
    }
    return PermissionQueue.of({ open, policy: ask })
  }
)

/**
 * Asks the user by way of the queue what the given policies, if any, do not decide.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <const Policies extends ReadonlyArray<Permission.Policy<any>> = readonly []>(
  ...before: Policies
): Layer.Layer<PermissionQueue | Permission.Permission, never, Permission.PolicyContext<Policies[number]>> =>
  Layer.unwrap(Effect.map(make, (queue) =>
    Layer.merge(
      Layer.succeed(PermissionQueue, queue),
      Permission.layer(Permission.firstOf(...before, queue.policy))
    ))) as Layer.Layer<PermissionQueue | Permission.Permission, never, Permission.PolicyContext<Policies[number]>>
