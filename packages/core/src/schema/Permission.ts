/**
 * Permission: the agent asks the user before it acts.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { meta, SessionId } from "./Common.ts"
import { ToolCallUpdate } from "./ToolCall.ts"
import * as Variant from "./Variant.ts"

/**
 * The name of an option within its request.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PermissionOptionId = Schema.String.annotate({ identifier: "PermissionOptionId" })

/**
 * The name of an option within its request.
 *
 * @category models
 * @since 0.1.0
 */
export type PermissionOptionId = typeof PermissionOptionId.Type

/**
 * What an option means.
 *
 * **Details**
 *
 * A closed list: a kind from outside it makes the request undecodable, so that nobody allows what he does not understand.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PermissionOptionKind = Schema.Literals(["allow_once", "allow_always", "reject_once", "reject_always"])
  .annotate({ identifier: "PermissionOptionKind" })

/**
 * What an option means.
 *
 * @category models
 * @since 0.1.0
 */
export type PermissionOptionKind = typeof PermissionOptionKind.Type

/**
 * An answer that the user may give.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PermissionOption = Schema.Struct({
  optionId: PermissionOptionId,
  name: Schema.String,
  kind: PermissionOptionKind,
  ...meta
}).annotate({ identifier: "PermissionOption" })

/**
 * An answer that the user may give.
 *
 * @category models
 * @since 0.1.0
 */
export interface PermissionOption extends Schema.Schema.Type<typeof PermissionOption> {}

/**
 * Asks the user whether a tool call may go on.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestPermissionRequest = Schema.Struct({
  sessionId: SessionId,
  toolCall: ToolCallUpdate,
  options: Schema.Array(PermissionOption),
  ...meta
}).annotate({ identifier: "RequestPermissionRequest" })

/**
 * Asks the user whether a tool call may go on.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestPermissionRequest extends Schema.Schema.Type<typeof RequestPermissionRequest> {}

/**
 * The option that the user has chosen.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SelectedPermissionOutcome = Schema.Struct({
  optionId: PermissionOptionId,
  ...meta
}).annotate({ identifier: "SelectedPermissionOutcome" })

/**
 * The option that the user has chosen.
 *
 * @category models
 * @since 0.1.0
 */
export interface SelectedPermissionOutcome extends Schema.Schema.Type<typeof SelectedPermissionOutcome> {}

/**
 * What became of a permission request: an option was selected, or the turn was cancelled.
 *
 * **Details**
 *
 * `selected` does not mean allowed: look up the option's `kind`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestPermissionOutcome = Schema.Union([
  Schema.Struct({ outcome: Schema.Literal("cancelled") }),
  Schema.Struct({ outcome: Schema.Literal("selected"), ...SelectedPermissionOutcome.fields })
]).annotate({ identifier: "RequestPermissionOutcome" })

/**
 * What became of a permission request: an option was selected, or the turn was cancelled.
 *
 * @category models
 * @since 0.1.0
 */
export type RequestPermissionOutcome = typeof RequestPermissionOutcome.Type

/**
 * The answer to a permission request.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestPermissionResponse = Schema.Struct({
  outcome: RequestPermissionOutcome,
  ...meta
}).annotate({ identifier: "RequestPermissionResponse" })

/**
 * The answer to a permission request.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestPermissionResponse extends Schema.Schema.Type<typeof RequestPermissionResponse> {}

const option = (kind: PermissionOptionKind) => (optionId: PermissionOptionId, name: string): PermissionOption => ({
  optionId,
  name,
  kind
})

/**
 * An option that allows this call.
 *
 * @category constructors
 * @since 0.1.0
 */
export const allowOnce = option("allow_once")

/**
 * An option that allows this and later calls.
 *
 * @category constructors
 * @since 0.1.0
 */
export const allowAlways = option("allow_always")

/**
 * An option that rejects this call.
 *
 * @category constructors
 * @since 0.1.0
 */
export const rejectOnce = option("reject_once")

/**
 * An option that rejects this and later calls.
 *
 * @category constructors
 * @since 0.1.0
 */
export const rejectAlways = option("reject_always")

/**
 * The outcome that names the chosen option.
 *
 * @category constructors
 * @since 0.1.0
 */
export const selected = (
  optionId: PermissionOptionId
): Extract<RequestPermissionOutcome, { readonly outcome: "selected" }> => ({ outcome: "selected", optionId })

/**
 * The outcome of a request whose turn was cancelled.
 *
 * @category constructors
 * @since 0.1.0
 */
export const cancelled: Extract<RequestPermissionOutcome, { readonly outcome: "cancelled" }> = { outcome: "cancelled" }

/**
 * Handles both outcomes.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<Variant.ByTag<RequestPermissionOutcome, "outcome">> = Variant.byTag<
  RequestPermissionOutcome
>()("outcome")
