/**
 * The JSON-RPC 2.0 envelope: what a frame is, before any method is known.
 *
 * `classify` sorts an incoming object into exactly one kind of message, and the encoders write the only four shapes that
 * ever leave. Nothing here knows a method, a schema or a transport.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"

/**
 * A JSON-RPC id: an opaque wire value that is echoed with its type and value unchanged (E2).
 *
 * @category models
 * @since 0.1.0
 */
export type Id = string | number | null

/**
 * An incoming JSON object, as parsed.
 *
 * @category models
 * @since 0.1.0
 */
export type JsonObject = { readonly [key: string]: unknown }

/**
 * A message that asks for one response.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly _tag: "Request"
  readonly id: Id
  readonly method: string
  readonly params: unknown
}

/**
 * A message that is never answered.
 *
 * @category models
 * @since 0.1.0
 */
export interface Notification {
  readonly _tag: "Notification"
  readonly method: string
  readonly params: unknown
}

/**
 * The answer to a request that carries its result.
 *
 * @category models
 * @since 0.1.0
 */
export interface Success {
  readonly _tag: "Success"
  readonly id: Id
  readonly result: unknown
}

/**
 * The answer to a request that carries an error.
 *
 * @category models
 * @since 0.1.0
 */
export interface Failure {
  readonly _tag: "Failure"
  readonly id: Id
  readonly error: unknown
}

/**
 * An object that is none of the messages.
 *
 * `id` is what an answer may echo, and `answerable` is false for what looks like a notification or a response: those are
 * never answered (E6, E7).
 *
 * @category models
 * @since 0.1.0
 */
export interface Malformed {
  readonly _tag: "Malformed"
  readonly id: Id
  readonly answerable: boolean
  readonly problem: string
}

/**
 * One message of the wire.
 *
 * @category models
 * @since 0.1.0
 */
export type Message = Request | Notification | Success | Failure

/**
 * The error member of a failed response.
 *
 * @category models
 * @since 0.1.0
 */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * Tells whether a value may be used as an id: a string, a safe integer or null.
 *
 * @category guards
 * @since 0.1.0
 */
export const isId = (u: unknown): u is Id => typeof u === "string" || Number.isSafeInteger(u) || u === null

/**
 * Reads one member of params before they are decoded.
 *
 * @category parsing
 * @since 0.1.0
 */
export const member = (params: unknown, key: string): unknown =>
  Predicate.isObject(params) && Object.hasOwn(params, key) ? (params as JsonObject)[key] : undefined

const members = new Set(["jsonrpc", "id", "method", "params", "result", "error"])

/**
 * Tells whether the object names the protocol version, `"2.0"`.
 *
 * @category guards
 * @since 0.1.0
 */
export const isVersioned = (frame: JsonObject): boolean => frame.jsonrpc === "2.0"

const malformed = (frame: JsonObject, problem: string): Malformed => ({
  _tag: "Malformed",
  id: isId(frame.id) ? frame.id : null,
  answerable: isAnswerable(frame),
  problem
})

/** What looks like a notification or like a response is never answered (E6, E7). */
const isAnswerable = ({ id, method, ...frame }: JsonObject): boolean =>
  typeof method === "string" ? id !== undefined : method !== undefined || !("result" in frame || "error" in frame)

/**
 * Sorts an incoming object by the presence of its members (E1).
 *
 * **Details**
 *
 * `method` with `id` is a request, `method` alone a notification, `result` or `error` with `id` a response; a `null` error
 * beside a result does not count. A missing `jsonrpc` member is tolerated (E8), but then only on an object that has no
 * members besides those of JSON-RPC, so that a log line in JSON is never taken for a message. Any other version is
 * malformed.
 *
 * @category parsing
 * @since 0.1.0
 */
export const classify = (frame: JsonObject): Message | Malformed => {
  if (!isVersioned(frame)) {
    if (frame.jsonrpc !== undefined) return malformed(frame, "jsonrpc must be \"2.0\"")
    if (!Object.keys(frame).every((key) => members.has(key))) return malformed(frame, "not a JSON-RPC message")
  }
  const { id, method } = frame
  if (typeof method === "string") {
    if (id === undefined) return { _tag: "Notification", method, params: frame.params }
    return isId(id)
      ? { _tag: "Request", id, method, params: frame.params }
      : malformed(frame, "id must be a string, an integer or null")
  }
  if (method !== undefined) return malformed(frame, "method must be a string")
  if (!isId(id)) return malformed(frame, "neither a method nor an id")
  if ("error" in frame && frame.error !== null) return { _tag: "Failure", id, error: frame.error }
  if ("result" in frame) return { _tag: "Success", id, result: frame.result }
  return malformed(frame, "neither a method, a result nor an error")
}

/**
 * Reads the error member of a failed response, whatever its shape: a wrong or missing code or message never costs the
 * caller the error itself.
 *
 * @category parsing
 * @since 0.1.0
 */
export const errorObject = (error: unknown): ErrorObject => {
  if (!Predicate.isObject(error)) return { code: 0, message: "The peer answered with an error", data: error }
  const { code, data, message } = error as JsonObject
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : "The peer answered with an error",
    ...(data === undefined ? typeof code === "number" ? {} : { data: error } : { data })
  }
}

// Two plain searches: one by a regular expression takes many times as long in text that is not Latin-1.
const hasLineSeparator = (text: string): boolean => text.includes("\u2028") || text.includes("\u2029")

const escapeLineSeparator = (character: string) => character === "\u2028" ? "\\u2028" : "\\u2029"

/**
 * Writes a value as one line of JSON: no line break of any reader's kind is left raw in it (F6).
 *
 * **Gotchas**
 *
 * Throws what `JSON.stringify` throws, for a BigInt or a cycle.
 *
 * @category encoding
 * @since 0.1.0
 */
export const stringifyUnsafe = (value: unknown): string => {
  const text: string | undefined = JSON.stringify(value)
  return text !== undefined && hasLineSeparator(text) ? text.replaceAll(/[\u2028\u2029]/g, escapeLineSeparator) : text
}

/** `undefined` is no JSON, and a member that is missing is another message. */
const orNull = (value: unknown): unknown => value === undefined ? null : value

/**
 * Writes a request.
 *
 * **Gotchas**
 *
 * Throws what `JSON.stringify` throws, as do {@link notification} and {@link success}.
 *
 * @category encoding
 * @since 0.1.0
 */
export const request = (id: Id, method: string, params: unknown): string =>
  stringifyUnsafe({ jsonrpc: "2.0", id, method, params: orNull(params) })

/**
 * Writes a notification.
 *
 * @category encoding
 * @since 0.1.0
 */
export const notification = (method: string, params: unknown): string =>
  stringifyUnsafe({ jsonrpc: "2.0", method, params: orNull(params) })

/**
 * Writes a response that carries a result.
 *
 * @category encoding
 * @since 0.1.0
 */
export const success = (id: Id, result: unknown): string =>
  stringifyUnsafe({ jsonrpc: "2.0", id, result: orNull(result) })

/**
 * Writes a response that carries an error. Data that is not JSON is left out rather than costing the peer its answer.
 *
 * @category encoding
 * @since 0.1.0
 */
export const failure = (id: Id, { code, data, message }: ErrorObject): string =>
  tryStringify({ jsonrpc: "2.0", id, error: { code, message, data } }) ??
    stringifyUnsafe({ jsonrpc: "2.0", id, error: { code, message } })

const tryStringify = (value: unknown): string | undefined => {
  try {
    return stringifyUnsafe(value)
  } catch {
    return undefined
  }
}
