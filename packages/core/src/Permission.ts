/**
 * How a client answers an agent that asks for permission.
 *
 * A decision is one of the offered options, or cancelled: an option that was not offered cannot be named (P2). A policy
 * decides some requests and passes on the others; policies are combined, and what none of them decides is rejected.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import type { PermissionOption, PermissionOptionKind, RequestPermissionRequest } from "./schema/Permission.ts"

// =============================================================================
// Models
// =============================================================================

/**
 * What was decided: one of the options of the request, or `"cancelled"`.
 *
 * @category models
 * @since 0.1.0
 */
export type Decision = PermissionOption | "cancelled"

/**
 * Decides a request or passes it on.
 *
 * The tool call of the request is as known so far: what the request says, completed by what the session's updates have
 * told of it, with a title and a kind in any case.
 *
 * @category models
 * @since 0.1.0
 */
export interface Policy<R = never> {
  (request: RequestPermissionRequest): Effect.Effect<Decision | "pass", never, R>
}

/**
 * Decides the permission requests of an agent; every client needs one.
 *
 * **Details**
 *
 * Requests are decided independently of one another (P3). A request that is never decided waits (P4), until its turn is
 * cancelled or its session closed: then `decide` is interrupted and the agent is told so. A decision that dies is answered
 * as an error, which allows nothing (P1). An option that was not offered is answered as cancelled, with a diagnostic.
 *
 * @category services
 * @since 0.1.0
 */
export class Permission extends Context.Service<Permission, {
  readonly decide: (request: RequestPermissionRequest) => Effect.Effect<Decision>
}>()("@effect-acp/core/Permission") {}

// =============================================================================
// Decisions
// =============================================================================

const first = (
  request: RequestPermissionRequest,
  kinds: ReadonlyArray<PermissionOptionKind>
): PermissionOption | undefined => {
  for (const kind of kinds) {
    const option = request.options.find((option) => option.kind === kind)
    if (option !== undefined) return option
  }
  return undefined
}

/**
 * Allows this call only: an option that allows once, or nothing.
 *
 * @category decisions
 * @since 0.1.0
 */
export const allowOnce = (request: RequestPermissionRequest): Decision => first(request, ["allow_once"]) ?? "cancelled"

/**
 * Rejects: once if that is offered, else always, else cancelled; never an option that allows.
 *
 * @category decisions
 * @since 0.1.0
 */
export const reject = (request: RequestPermissionRequest): Decision =>
  first(request, ["reject_once", "reject_always"]) ?? "cancelled"

/**
 * Tells whether a decision lets the tool call run.
 *
 * @category guards
 * @since 0.1.0
 */
export const isAllowing = (decision: Decision | "pass"): decision is PermissionOption =>
  typeof decision === "object" && (decision.kind === "allow_once" || decision.kind === "allow_always")

// =============================================================================
// Policies
// =============================================================================

/**
 * Allows once what passes the test, where that is offered, and passes the rest on.
 *
 * @category policies
 * @since 0.1.0
 */
export const allowIf = (test: (request: RequestPermissionRequest) => boolean): Policy => (request) =>
  Effect.succeed(test(request) ? first(request, ["allow_once"]) ?? "pass" : "pass")

/**
 * Rejects what passes the test, and passes the rest on.
 *
 * @category policies
 * @since 0.1.0
 */
export const rejectIf = (test: (request: RequestPermissionRequest) => boolean): Policy => (request) =>
  Effect.succeed(test(request) ? reject(request) : "pass")

/**
 * Allows once what only reads or searches, as far as the agent says what it does.
 *
 * @category policies
 * @since 0.1.0
 */
export const allowReads: Policy = allowIf(({ toolCall: { kind } }) => kind === "read" || kind === "search")

/**
 * Allows everything once.
 *
 * @category policies
 * @since 0.1.0
 */
export const allowAll: Policy = allowIf(() => true)

/**
 * Rejects everything.
 *
 * @category policies
 * @since 0.1.0
 */
export const rejectAll: Policy = rejectIf(() => true)

/**
 * Asks the policies in order and takes the first decision: put what rejects before what allows, and what asks a person last.
 *
 * @category combinators
 * @since 0.1.0
 */
export const firstOf =
  <const Policies extends ReadonlyArray<Policy<any>>>(...policies: Policies): Policy<PolicyContext<Policies[number]>> =>
  (request) =>
    policies.reduce<Effect.Effect<Decision | "pass", never, any>>(
      (decided, policy) =>
        Effect.flatMap(decided, (decision) => decision === "pass" ? policy(request) : Effect.succeed(decision)),
      Effect.succeed("pass")
    )

/**
 * The services that a policy needs.
 *
 * @category utility types
 * @since 0.1.0
 */
export type PolicyContext<P> = P extends Policy<infer R> ? R : never

/**
 * Bounds the time of a policy, such as one that asks a person: when it is over, the request is rejected (P4).
 *
 * @category combinators
 * @since 0.1.0
 */
export const rejectAfter: {
  (duration: Duration.Input): <R>(policy: Policy<R>) => Policy<R>
  <R>(policy: Policy<R>, duration: Duration.Input): Policy<R>
} = dual(
  2,
  <R>(policy: Policy<R>, duration: Duration.Input): Policy<R> => (request) =>
    Effect.timeoutOrElse(policy(request), { duration, orElse: () => Effect.succeed(reject(request)) })
)

// =============================================================================
// Layers
// =============================================================================

/**
 * Decides by a policy, which may need services and may take as long as a person does. What it passes on is rejected.
 *
 * **Example**
 *
 * ```ts
 * import * as Permission from "@effect-acp/core/Permission"
 *
 * // Nobody is asked: reading is allowed, deleting and everything else rejected.
 * export const unattended = Permission.layer(Permission.firstOf(
 *   Permission.rejectIf(({ toolCall }) => toolCall.kind === "delete"),
 *   Permission.allowReads
 * ))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never>(policy: Policy<R>): Layer.Layer<Permission, never, R> =>
  Layer.effect(Permission)(Effect.map(Effect.context<R>(), (context) =>
    Permission.of({
      decide: (request) =>
        Effect.map(
          Effect.provideContext(policy(request), context),
          (decision) => decision === "pass" ? reject(request) : decision
        )
    })))

/**
 * Allows every request once. For unattended use with an agent that is trusted or confined.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerAllowOnce: Layer.Layer<Permission> = layer(allowAll)

/**
 * Rejects every request.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerDeny: Layer.Layer<Permission> = layer(rejectAll)

/**
 * Allows once what only reads or searches, and rejects the rest.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerAllowReads: Layer.Layer<Permission> = layer(allowReads)
