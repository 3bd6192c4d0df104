/**
 * Elicitation: the agent asks the user for input, by a form or by leading him to a URL.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Tuple from "effect/Tuple"
import { nullish, orOmit } from "../internal/leniency.ts"
import { Double, Int64, meta, RequestId, SessionId } from "./Common.ts"
import { ElicitationSchema } from "./ElicitationSchema.ts"
import { ToolCallId } from "./ToolCall.ts"
import * as Unknown from "./Unknown.ts"
import * as Variant from "./Variant.ts"

/**
 * The name of an elicitation that leads to a URL.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationId = Schema.String.annotate({ identifier: "ElicitationId" })

/**
 * The name of an elicitation that leads to a URL.
 *
 * @category models
 * @since 0.1.0
 */
export type ElicitationId = typeof ElicitationId.Type

/**
 * Belongs to a session, and perhaps to one of its tool calls.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationSessionScope = Schema.Struct({
  sessionId: SessionId,
  toolCallId: orOmit(ToolCallId)
}).annotate({ identifier: "ElicitationSessionScope" })

/**
 * Belongs to a session, and perhaps to one of its tool calls.
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitationSessionScope extends Schema.Schema.Type<typeof ElicitationSessionScope> {}

/**
 * Belongs to a request outside any session, such as an authentication.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationRequestScope = Schema.Struct({
  requestId: RequestId
}).annotate({ identifier: "ElicitationRequestScope" })

/**
 * Belongs to a request outside any session, such as an authentication.
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitationRequestScope extends Schema.Schema.Type<typeof ElicitationRequestScope> {}

const scopes = Schema.Union([ElicitationSessionScope, ElicitationRequestScope])

const scoped = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  scopes.mapMembers(Tuple.map(Schema.fieldsAssign(fields)))

/**
 * Input by a form, within one of the two scopes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationFormMode = scoped({ requestedSchema: ElicitationSchema }).annotate({
  identifier: "ElicitationFormMode"
})

/**
 * Input by a form, within one of the two scopes.
 *
 * @category models
 * @since 0.1.0
 */
export type ElicitationFormMode = typeof ElicitationFormMode.Type

// An absolute URI in the letters of RFC 3986; whether it leads anywhere is for the client to find out.
const Uri = Schema.String.check(
  Schema.isPattern(
    /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2}|\[[0-9A-Fa-f:.]+\])+(?:#(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?$/
  )
).annotate({ format: "uri" })

/**
 * Input outside the client, at a URL, within one of the two scopes.
 *
 * **Details**
 *
 * The agent tells with `elicitation/complete` when the user is done there.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationUrlMode = scoped({ elicitationId: ElicitationId, url: Uri }).annotate({
  identifier: "ElicitationUrlMode"
})

/**
 * Input outside the client, at a URL, within one of the two scopes.
 *
 * @category models
 * @since 0.1.0
 */
export type ElicitationUrlMode = typeof ElicitationUrlMode.Type

/**
 * A request of a mode that the schema does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class UnknownElicitationRequest extends Unknown.variant("mode") {}

const request = { message: Schema.String, ...meta }

/**
 * Asks the user for input.
 *
 * **Details**
 *
 * A mode is allowed only if the client advertised it. A request of an unknown mode is kept if it says what it is about: a
 * message and a scope.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CreateElicitationRequest = Schema.Union([
  ...ElicitationFormMode.mapMembers(
    Tuple.map(Schema.fieldsAssign({ mode: Schema.Literal("form"), ...request }))
  ).members,
  ...ElicitationUrlMode.mapMembers(
    Tuple.map(Schema.fieldsAssign({ mode: Schema.Literal("url"), ...request }))
  ).members,
  Unknown.member(UnknownElicitationRequest, {
    discriminator: "mode",
    accepts: scoped(request)
  })
]).annotate({ identifier: "CreateElicitationRequest" })

/**
 * Asks the user for input.
 *
 * @category models
 * @since 0.1.0
 */
export type CreateElicitationRequest = typeof CreateElicitationRequest.Type

/**
 * The value of a field.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationContentValue = Schema.Union([
  Schema.String,
  Int64,
  Double,
  Schema.Boolean,
  Schema.Array(Schema.String)
]).annotate({ identifier: "ElicitationContentValue" })

/**
 * The value of a field.
 *
 * @category models
 * @since 0.1.0
 */
export type ElicitationContentValue = typeof ElicitationContentValue.Type

/**
 * What the user has filled in, by the names of the fields.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationAcceptAction = Schema.Struct({
  content: nullish(Schema.Record(Schema.String, ElicitationContentValue))
}).annotate({ identifier: "ElicitationAcceptAction" })

/**
 * What the user has filled in, by the names of the fields.
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitationAcceptAction extends Schema.Schema.Type<typeof ElicitationAcceptAction> {}

/**
 * An answer of a kind that the schema does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class UnknownElicitationResponse extends Unknown.variant("action") {}

/**
 * What the user did: accept, decline or cancel.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CreateElicitationResponse = Schema.Union([
  Schema.Struct({ action: Schema.Literal("accept"), ...ElicitationAcceptAction.fields, ...meta }),
  Schema.Struct({ action: Schema.Literal("decline"), ...meta }),
  Schema.Struct({ action: Schema.Literal("cancel"), ...meta }),
  Unknown.member(UnknownElicitationResponse, { discriminator: "action" })
]).annotate({ identifier: "CreateElicitationResponse" })

/**
 * What the user did: accept, decline or cancel.
 *
 * @category models
 * @since 0.1.0
 */
export type CreateElicitationResponse = typeof CreateElicitationResponse.Type

/**
 * The user is done at the URL.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CompleteElicitationNotification = Schema.Struct({
  elicitationId: ElicitationId,
  ...meta
}).annotate({ identifier: "CompleteElicitationNotification" })

/**
 * The user is done at the URL.
 *
 * @category models
 * @since 0.1.0
 */
export interface CompleteElicitationNotification extends Schema.Schema.Type<typeof CompleteElicitationNotification> {}

/**
 * The request of one mode.
 *
 * @category models
 * @since 0.1.0
 */
export type Mode<Name extends CreateElicitationRequest["mode"]> = Extract<
  CreateElicitationRequest,
  { readonly mode: Name }
>

/**
 * The answer of one kind.
 *
 * @category models
 * @since 0.1.0
 */
export type Action<Name extends CreateElicitationResponse["action"]> = Extract<
  CreateElicitationResponse,
  { readonly action: Name }
>

/**
 * What an elicitation belongs to.
 *
 * @category models
 * @since 0.1.0
 */
export type Scope = ElicitationSessionScope | ElicitationRequestScope

/**
 * Asks for input by a form.
 *
 * @category constructors
 * @since 0.1.0
 */
export const form = (
  scope: Scope,
  message: string,
  requestedSchema: ElicitationSchema
): Mode<"form"> => ({ ...scope, mode: "form", message, requestedSchema })

/**
 * Asks the user to go to a URL.
 *
 * @category constructors
 * @since 0.1.0
 */
export const url = (
  scope: Scope,
  message: string,
  target: { readonly elicitationId: ElicitationId; readonly url: string }
): Mode<"url"> => ({ ...scope, mode: "url", message, elicitationId: target.elicitationId, url: target.url })

/**
 * The user has given this input.
 *
 * @category constructors
 * @since 0.1.0
 */
export const accept = (content?: ElicitationAcceptAction["content"]): Action<"accept"> =>
  content === undefined ? { action: "accept" } : { action: "accept", content }

/**
 * The user does not want to answer.
 *
 * @category constructors
 * @since 0.1.0
 */
export const decline: Action<"decline"> = { action: "decline" }

/**
 * The user has put the question aside.
 *
 * @category constructors
 * @since 0.1.0
 */
export const cancel: Action<"cancel"> = { action: "cancel" }

/**
 * Handles every mode of request, unknown ones included.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<Variant.ByTag<CreateElicitationRequest, "mode">> = Variant.byTag<
  CreateElicitationRequest
>()("mode")

/**
 * Handles both scopes.
 *
 * @category matching
 * @since 0.1.0
 */
export const matchScope: Variant.Match<{
  readonly session: ElicitationSessionScope
  readonly request: ElicitationRequestScope
}> = Variant.matcher((scope) => "sessionId" in scope ? "session" : "request")

/**
 * Handles every kind of answer, unknown ones included.
 *
 * @category matching
 * @since 0.1.0
 */
export const matchResponse: Variant.Match<Variant.ByTag<CreateElicitationResponse, "action">> = Variant.byTag<
  CreateElicitationResponse
>()("action")
