/**
 * Files that the client reads and writes for the agent, with its unsaved buffers in front of the disk.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { nullish } from "../internal/leniency.ts"
import { meta, SessionId, UInt32 } from "./Common.ts"

/**
 * Asks for the text of a file.
 *
 * **Details**
 *
 * `path` is absolute. `line` is the first line to read, counted from 1; `limit` is the number of lines.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReadTextFileRequest = Schema.Struct({
  sessionId: SessionId,
  path: Schema.String,
  line: nullish(UInt32),
  limit: nullish(UInt32),
  ...meta
}).annotate({ identifier: "ReadTextFileRequest" })

/**
 * Asks for the text of a file.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadTextFileRequest extends Schema.Schema.Type<typeof ReadTextFileRequest> {}

/**
 * The text of a file.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReadTextFileResponse = Schema.Struct({
  content: Schema.String,
  ...meta
}).annotate({ identifier: "ReadTextFileResponse" })

/**
 * The text of a file.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadTextFileResponse extends Schema.Schema.Type<typeof ReadTextFileResponse> {}

/**
 * Replaces the text of a file, creating it if need be.
 *
 * **Details**
 *
 * `path` is absolute.
 *
 * @category schemas
 * @since 0.1.0
 */
export const WriteTextFileRequest = Schema.Struct({
  sessionId: SessionId,
  path: Schema.String,
  content: Schema.String,
  ...meta
}).annotate({ identifier: "WriteTextFileRequest" })

/**
 * Replaces the text of a file, creating it if need be.
 *
 * @category models
 * @since 0.1.0
 */
export interface WriteTextFileRequest extends Schema.Schema.Type<typeof WriteTextFileRequest> {}

/**
 * The file was written.
 *
 * @category schemas
 * @since 0.1.0
 */
export const WriteTextFileResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "WriteTextFileResponse" })

/**
 * The file was written.
 *
 * @category models
 * @since 0.1.0
 */
export interface WriteTextFileResponse extends Schema.Schema.Type<typeof WriteTextFileResponse> {}
