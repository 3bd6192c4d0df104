/**
 * How a client answers an agent that asks for permission.
 *
 * A decision is one of the offered options, or cancelled: an option that was not offered cannot be named (P2).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  cancelled as cancelledOutcome,
  type PermissionOption,
  type PermissionOptionKind,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  selected
} from "./schema/Permission.ts"

/**
 * What was decided: one of the options of the request, or `"cancelled"`.
 *
 * @category models
 * @since 0.1.0
 */
export type Decision = PermissionOption | "cancelled"

/**
 * Decides the permission requests of an agent; every client needs one.
 *
 * **Details**
 *
 * Requests are decided independently of one another (P3). A request that is never decided waits (P4), until its turn is
 * cancelled: then `decide` is interrupted and the agent is told so. A decision that dies is answered as an error, which
 * allows nothing (P1).
 *
 * @category services
 * @since 0.1.0
 */
export class Permission extends Context.Service<Permission, {
  readonly decide: (request: RequestPermissionRequest) => Effect.Effect<Decision>
}>()("@effect-acp/core/Permission") {}

/**
 * Decides by a function, which may need services and may take as long as a person does.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R>(
  decide: (request: RequestPermissionRequest) => Effect.Effect<Decision, never, R>
): Layer.Layer<Permission, never, R> =>
  Layer.effect(Permission)(Effect.map(Effect.context<R>(), (context) =>
    Permission.of({
      decide: (request) => Effect.provideContext(decide(request), context)
    })))

const first = (
  request: RequestPermissionRequest,
  kinds: ReadonlyArray<PermissionOptionKind>
): Decision => {
  for (const kind of kinds) {
    const option = request.options.find((option) => option.kind === kind)
    if (option !== undefined) return option
  }
  return "cancelled"
}

/**
 * Allows this call only: an option that allows once, or nothing.
 *
 * @category decisions
 * @since 0.1.0
 */
export const allowOnce = (request: RequestPermissionRequest): Decision => first(request, ["allow_once"])

/**
 * Rejects: once if that is offered, else always, else cancelled; never an option that allows.
 *
 * @category decisions
 * @since 0.1.0
 */
export const reject = (request: RequestPermissionRequest): Decision => first(request, ["reject_once", "reject_always"])

/**
 * Allows every request once. For unattended use with an agent that is trusted or confined.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerAllowOnce: Layer.Layer<Permission> = layer((request) => Effect.succeed(allowOnce(request)))

/**
 * Rejects every request.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerDeny: Layer.Layer<Permission> = layer((request) => Effect.succeed(reject(request)))

/**
 * Allows once what only reads or searches, and rejects the rest.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerAllowReads: Layer.Layer<Permission> = layer((request) => {
  const { kind } = request.toolCall
  return Effect.succeed(kind === "read" || kind === "search" ? allowOnce(request) : reject(request))
})

/**
 * The outcome of a decision on the wire. A decision that was not offered counts as cancelled.
 *
 * @category encoding
 * @since 0.1.0
 */
export const outcomeOf = (request: RequestPermissionRequest, decision: Decision): RequestPermissionOutcome =>
  decision !== "cancelled" && request.options.some(({ optionId }) => optionId === decision.optionId)
    ? selected(decision.optionId)
    : cancelledOutcome
