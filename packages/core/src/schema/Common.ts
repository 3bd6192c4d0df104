/**
 * What every page of the protocol uses: identifiers, numbers, metadata and free JSON.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { orOmit } from "../internal/leniency.ts"

const isObject = (u: object): u is JsonObject => !Array.isArray(u) && typeof u !== "function"

/**
 * A JSON object whose members are nobody's business but the two peers'.
 *
 * @category models
 * @since 0.1.0
 */
export interface JsonObject {
  readonly [key: string]: unknown
}

/**
 * An opaque JSON object, passed on by reference.
 *
 * **Details**
 *
 * It is never copied and never merged into anything, so members named `__proto__` or `constructor` are plain data. What
 * cannot be written as JSON is found when the frame is written.
 *
 * @category schemas
 * @since 0.1.0
 */
// A refined keyword and not a declaration: the compiler inlines the one and gives up on the other.
export const JsonObject: Schema.Codec<JsonObject> = Schema.make(
  Schema.ObjectKeyword.check(Schema.makeFilter<object>(isObject, { expected: "a JSON object" })).ast
)

/**
 * Metadata that peers attach to any value of the protocol.
 *
 * **Details**
 *
 * Opaque: it takes no part in the protocol, reaches the other side unchanged, and never overrides a real member. Keys that
 * the protocol reserves are `traceparent`, `tracestate` and `baggage`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Meta = JsonObject

/**
 * @category models
 * @since 0.1.0
 */
export type Meta = JsonObject

/**
 * The `_meta` member that every definition carries.
 *
 * @category fields
 * @since 0.1.0
 */
export const meta = { _meta: orOmit(Meta) }

/**
 * An unsigned 16 bit integer.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UInt16 = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 })).annotate({ format: "uint16" })

/**
 * An unsigned 32 bit integer.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UInt32 = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4294967295 }))
  .annotate({ format: "uint32" })

/**
 * An unsigned 64 bit integer, as far as JavaScript numbers are exact: at most 2^53 − 1.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UInt64 = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ format: "uint64" })

/**
 * A signed 32 bit integer.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Int32 = Schema.Int.check(Schema.isBetween({ minimum: -2147483648, maximum: 2147483647 }))
  .annotate({ format: "int32" })

/**
 * A signed 64 bit integer, as far as JavaScript numbers are exact: between −(2^53 − 1) and 2^53 − 1.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Int64 = Schema.Int.annotate({ format: "int64" })

/**
 * A finite double.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Double = Schema.Finite.annotate({ format: "double" })

/**
 * The name of a session, chosen by the agent.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionId = Schema.String.annotate({ identifier: "SessionId" })

/**
 * @category models
 * @since 0.1.0
 */
export type SessionId = typeof SessionId.Type

/**
 * The id of a JSON-RPC request: a string, an integer or null.
 *
 * **Details**
 *
 * Opaque: `1` and `"1"` are two ids.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestId = Schema.Union([Schema.Null, Int64, Schema.String]).annotate({ identifier: "RequestId" })

/**
 * @category models
 * @since 0.1.0
 */
export type RequestId = typeof RequestId.Type

/**
 * The version of the protocol, which changes with breaking changes only.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProtocolVersion = UInt16.annotate({ identifier: "ProtocolVersion" })

/**
 * @category models
 * @since 0.1.0
 */
export type ProtocolVersion = typeof ProtocolVersion.Type

/**
 * The name and version of a program that speaks the protocol.
 *
 * **Details**
 *
 * `name` is for programs, `title` for people; a client without a `title` shows the `name`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Implementation = Schema.Struct({
  name: Schema.String,
  title: orOmit(Schema.String),
  version: Schema.String,
  ...meta
}).annotate({ identifier: "Implementation" })

/**
 * @category models
 * @since 0.1.0
 */
export interface Implementation extends Schema.Schema.Type<typeof Implementation> {}
