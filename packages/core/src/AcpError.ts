/**
 * Everything that can go wrong, as one family of tagged errors.
 *
 * `RequestError` is what crosses the wire: the error a handler fails with and the error a peer answered with are the same
 * values. The others arise here: the link ended, a value did not fit its schema, the peer cannot do what was asked.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type {
  AgentLost,
  AuthenticationFailed,
  BacklogExceeded,
  CancelTimeout,
  DeliveryGap,
  HandshakeTimeout,
  NoProgress,
  NotOffered,
  SessionBusy,
  SessionDetached,
  SessionInUse,
  SessionLost,
  SetupTimeout,
  UnsupportedProtocolVersion
} from "./internal/clientErrors.ts"
import { type CloseReason, describeCloseReason } from "./internal/closeReason.ts"
import type * as JsonRpc from "./JsonRpc.ts"

export * from "./internal/clientErrors.ts"

export {
  /**
   * Why a connection ended.
   *
   * @category models
   * @since 0.1.0
   */
  type CloseReason,
  /**
   * Says why a connection ended, in words.
   *
   * @category formatting
   * @since 0.1.0
   */
  describeCloseReason
} from "./internal/closeReason.ts"

// =============================================================================
// Errors that cross the wire
// =============================================================================

const wire = <const Code extends number>(code: Code, message: string) => ({
  code: Schema.Literal(code).pipe(Schema.withConstructorDefault(Effect.succeed(code))),
  message: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(message))),
  data: Schema.optionalKey(Schema.Unknown),
  method: Schema.optionalKey(Schema.String),
  requestId: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Null]))
})

/**
 * The bytes were not JSON (-32700).
 *
 * @category errors
 * @since 0.1.0
 */
export class ParseError extends Schema.TaggedError<ParseError>()("ParseError", wire(-32700, "Parse error")) {}

/**
 * The message is not a request that can be served now (-32600).
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidRequest
  extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", wire(-32600, "Invalid request"))
{}

/**
 * The method does not exist or was not advertised (-32601).
 *
 * @category errors
 * @since 0.1.0
 */
export class MethodNotFound
  extends Schema.TaggedError<MethodNotFound>()("MethodNotFound", wire(-32601, "Method not found"))
{}

/**
 * The params do not fit the method (-32602).
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidParams
  extends Schema.TaggedError<InvalidParams>()("InvalidParams", wire(-32602, "Invalid params"))
{}

/**
 * The handler could not do its work (-32603).
 *
 * @category errors
 * @since 0.1.0
 */
export class InternalError
  extends Schema.TaggedError<InternalError>()("InternalError", wire(-32603, "Internal error"))
{}

/**
 * The request was cancelled before it had a result (-32800).
 *
 * @category errors
 * @since 0.1.0
 */
export class RequestCancelled
  extends Schema.TaggedError<RequestCancelled>()("RequestCancelled", wire(-32800, "Request cancelled"))
{}

/**
 * The agent asks to authenticate first (-32000).
 *
 * @category errors
 * @since 0.1.0
 */
export class AuthRequired
  extends Schema.TaggedError<AuthRequired>()("AuthRequired", wire(-32000, "Authentication required"))
{}

/**
 * A session, file or terminal that was named does not exist (-32002).
 *
 * @category errors
 * @since 0.1.0
 */
export class ResourceNotFound
  extends Schema.TaggedError<ResourceNotFound>()("ResourceNotFound", wire(-32002, "Resource not found"))
{}

/**
 * An error with any other code.
 *
 * @category errors
 * @since 0.1.0
 */
export class OtherError extends Schema.TaggedError<OtherError>()("OtherError", {
  ...wire(0, "Unknown error"),
  code: Schema.Finite
}) {}

/**
 * The schema of the errors that cross the wire, for rows of the method table.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestError = Schema.Union([
  ParseError,
  InvalidRequest,
  MethodNotFound,
  InvalidParams,
  InternalError,
  RequestCancelled,
  AuthRequired,
  ResourceNotFound,
  OtherError
])

/**
 * An error that crosses the wire: a handler fails with it, a caller is failed with it (C3, C7).
 *
 * `code`, `message` and `data` are those of the wire. An error that was received also says which `method` and
 * `requestId` it answers.
 *
 * @category errors
 * @since 0.1.0
 */
export type RequestError = typeof RequestError.Type

const byCode = {
  [-32700]: ParseError,
  [-32600]: InvalidRequest,
  [-32601]: MethodNotFound,
  [-32602]: InvalidParams,
  [-32603]: InternalError,
  [-32800]: RequestCancelled,
  [-32000]: AuthRequired,
  [-32002]: ResourceNotFound
} as const

/**
 * Tells whether a value is an error that crosses the wire.
 *
 * @category guards
 * @since 0.1.0
 */
export const isRequestError: (u: unknown) => u is RequestError = Schema.is(RequestError)

/**
 * The tagged error of an error object that was received for a request.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromWire = (
  error: JsonRpc.ErrorObject,
  request: { readonly method: string; readonly requestId: JsonRpc.Id }
): RequestError => {
  const { code, ...rest } = { ...error, ...request }
  const Known = Object.hasOwn(byCode, code) ? byCode[code as keyof typeof byCode] : undefined
  return Known === undefined ? new OtherError({ code, ...rest }) : new Known(rest)
}

// =============================================================================
// The end of a connection
// =============================================================================

/**
 * The connection ended, so this call has no answer and no later call can be made (C2).
 *
 * During the handshake, `noise` is the last line that the agent wrote and that was no message.
 *
 * @category errors
 * @since 0.1.0
 */
export class ConnectionClosed extends Schema.TaggedError<ConnectionClosed>()("ConnectionClosed", {
  reason: Schema.Unknown as unknown as Schema.Codec<CloseReason>,
  noise: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const noise = this.noise === undefined ? "" : `; the last line that was no message: ${this.noise}`
    return `The connection is closed: ${describeCloseReason(this.reason)}${noise}`
  }
}

// =============================================================================
// Errors of this side
// =============================================================================

/**
 * What the peer sent for `method` does not fit its schema; the connection lives (C4).
 *
 * @category errors
 * @since 0.1.0
 */
export class DecodeError extends Schema.TaggedError<DecodeError>()("DecodeError", {
  method: Schema.String,
  issue: Schema.String,
  received: Schema.Unknown
}) {
  override get message(): string {
    return `The peer's answer to ${this.method} does not fit the protocol: ${this.issue}`
  }
}

/**
 * What was to be sent with `method` does not fit its schema or is not JSON; nothing was written (C5).
 *
 * @category errors
 * @since 0.1.0
 */
export class EncodeError extends Schema.TaggedError<EncodeError>()("EncodeError", {
  method: Schema.String,
  issue: Schema.String
}) {
  override get message(): string {
    return `${this.method} was not sent, its params do not fit the protocol: ${this.issue}`
  }
}

/**
 * The peer did not advertise what this needs; nothing was written (G4).
 *
 * @category errors
 * @since 0.1.0
 */
export class CapabilityMissing extends Schema.TaggedError<CapabilityMissing>()("CapabilityMissing", {
  method: Schema.String,
  side: Schema.Literals(["agent", "client"]),
  capability: Schema.String
}) {
  override get message(): string {
    return `${this.method} was not sent: the ${this.side} did not advertise ${this.capability}`
  }
}

/**
 * The turn is over: nothing of it can be sent any more (O8).
 *
 * @category errors
 * @since 0.1.0
 */
export class TurnOver extends Schema.TaggedError<TurnOver>()("TurnOver", {
  sessionId: Schema.String
}) {
  override get message(): string {
    return `The turn of session ${this.sessionId} is over; fork work that belongs to it with turn.fork`
  }
}

/**
 * The user did not allow a tool call: by rejecting it, or because the request was cancelled (P1).
 *
 * @category errors
 * @since 0.1.0
 */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", {
  toolCallId: Schema.String,
  outcome: Schema.Literals(["rejected", "cancelled"])
}) {
  override get message(): string {
    return `permission denied: the request for tool call ${this.toolCallId} was ${this.outcome}`
  }
}

/**
 * What a call to the peer can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type CallError = RequestError | ConnectionClosed | DecodeError | EncodeError | CapabilityMissing

/**
 * What a notification to the peer can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type NotifyError = ConnectionClosed | EncodeError | CapabilityMissing

/**
 * What a prompt turn can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type TurnError = CallError | DeliveryGap | BacklogExceeded | CancelTimeout | SessionBusy | SessionDetached

/**
 * What setting a session up can fail with; `BacklogExceeded` when its replay is beyond the backlog.
 *
 * @category errors
 * @since 0.1.0
 */
export type SetupError = CallError | SessionInUse | BacklogExceeded | AuthenticationFailed | SetupTimeout

/**
 * What changing a session can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type ChangeError = CallError | NotOffered | SessionDetached

/**
 * What building a client can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type ConnectError = CallError | UnsupportedProtocolVersion | HandshakeTimeout

/**
 * Every error of this library.
 *
 * @category errors
 * @since 0.1.0
 */
export type AcpError =
  | TurnError
  | NoProgress
  | SetupError
  | ChangeError
  | ConnectError
  | AgentLost
  | SessionLost
  | AgentError

/**
 * What an agent's work in a turn can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type AgentError = CallError | TurnOver | PermissionDenied

const dataBound = 2_000

const describeData = (data: unknown): string => {
  if (data === undefined) return ""
  const text = typeof data === "string" ? data : JSON.stringify(data) ?? String(data)
  return `: ${text.length > dataBound ? `${text.slice(0, dataBound)}… (${text.length} characters)` : text}`
}

/**
 * Says what went wrong in one text for a person, the peer's code and data (bounded) included.
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = (error: AcpError): string =>
  isRequestError(error)
    ? `${error.method ?? "the request"} was answered with error ${error.code} ${error.message}${
      describeData(error.data)
    }`
    : error.message
