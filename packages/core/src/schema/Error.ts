/**
 * Errors as they are on the wire.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { optionalOrOmit } from "../internal/leniency.ts"
import { Int32 } from "./Common.ts"

const codes = [-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002] as const

/**
 * What kind of error it is; other integers are allowed.
 *
 * **Details**
 *
 * - `-32700` parse error, `-32600` invalid request, `-32601` method not found, `-32602` invalid params, `-32603` internal
 *   error: JSON-RPC's own
 * - `-32800` request cancelled
 * - `-32000` authentication required
 * - `-32002` resource not found
 *
 * @category schemas
 * @since 0.1.0
 */
export const ErrorCode = Schema.Union([Schema.Literals(codes), Int32]).annotate({ identifier: "ErrorCode" })

/**
 * What kind of error it is; other integers are allowed.
 *
 * @category models
 * @since 0.1.0
 */
export type ErrorCode = typeof ErrorCode.Type

/**
 * The error of a failed request.
 *
 * **Details**
 *
 * `data` is the peer's own JSON, passed on by reference.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Error = Schema.Struct({
  code: ErrorCode,
  message: Schema.String,
  data: optionalOrOmit(Schema.Unknown)
}).annotate({ identifier: "Error" })

/**
 * The error of a failed request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Error extends Schema.Schema.Type<typeof Error> {}
