/**
 * Sessions: how they begin, are found again, and end.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import {
  list,
  listOrNull,
  nullish,
  nullishList,
  optionalList,
  optionalListOrNull,
  orOmit
} from "../internal/leniency.ts"
import { meta, SessionId } from "./Common.ts"
import { McpServer } from "./McpServer.ts"
import { SessionConfigOption } from "./SessionConfig.ts"
import { SessionModeState } from "./SessionMode.ts"

const directories = { cwd: Schema.String, additionalDirectories: optionalListOrNull(Schema.String) }

const settings = { modes: orOmit(SessionModeState), configOptions: nullishList(SessionConfigOption) }

/**
 * Creates a session.
 *
 * **Details**
 *
 * `cwd` and `additionalDirectories` are absolute paths. `mcpServers` must be written, if only as `[]`; a missing or null
 * one is taken as `[]`, with a report.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NewSessionRequest = Schema.Struct({
  ...directories,
  mcpServers: listOrNull(McpServer),
  ...meta
}).annotate({ identifier: "NewSessionRequest" })

/**
 * Creates a session.
 *
 * @category models
 * @since 0.1.0
 */
export interface NewSessionRequest extends Schema.Schema.Type<typeof NewSessionRequest> {}

/**
 * The session that was created.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NewSessionResponse = Schema.Struct({
  sessionId: SessionId,
  ...settings,
  ...meta
}).annotate({ identifier: "NewSessionResponse" })

/**
 * The session that was created.
 *
 * @category models
 * @since 0.1.0
 */
export interface NewSessionResponse extends Schema.Schema.Type<typeof NewSessionResponse> {}

/**
 * Opens a session again; its history is sent before the answer.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LoadSessionRequest = Schema.Struct({
  mcpServers: listOrNull(McpServer),
  ...directories,
  sessionId: SessionId,
  ...meta
}).annotate({ identifier: "LoadSessionRequest" })

/**
 * Opens a session again; its history is sent before the answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface LoadSessionRequest extends Schema.Schema.Type<typeof LoadSessionRequest> {}

/**
 * The session is open, and its history was sent.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LoadSessionResponse = Schema.Struct({
  ...settings,
  ...meta
}).annotate({ identifier: "LoadSessionResponse" })

/**
 * The session is open, and its history was sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface LoadSessionResponse extends Schema.Schema.Type<typeof LoadSessionResponse> {}

/**
 * Opens a session again, without its history.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ResumeSessionRequest = Schema.Struct({
  sessionId: SessionId,
  ...directories,
  mcpServers: optionalListOrNull(McpServer),
  ...meta
}).annotate({ identifier: "ResumeSessionRequest" })

/**
 * Opens a session again, without its history.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResumeSessionRequest extends Schema.Schema.Type<typeof ResumeSessionRequest> {}

/**
 * The session is open.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ResumeSessionResponse = Schema.Struct({
  ...settings,
  ...meta
}).annotate({ identifier: "ResumeSessionResponse" })

/**
 * The session is open.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResumeSessionResponse extends Schema.Schema.Type<typeof ResumeSessionResponse> {}

/**
 * Ends a session's work and frees what it holds; it can be opened again.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CloseSessionRequest = Schema.Struct({
  sessionId: SessionId,
  ...meta
}).annotate({ identifier: "CloseSessionRequest" })

/**
 * Ends a session's work and frees what it holds; it can be opened again.
 *
 * @category models
 * @since 0.1.0
 */
export interface CloseSessionRequest extends Schema.Schema.Type<typeof CloseSessionRequest> {}

/**
 * The session is closed.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CloseSessionResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "CloseSessionResponse" })

/**
 * The session is closed.
 *
 * @category models
 * @since 0.1.0
 */
export interface CloseSessionResponse extends Schema.Schema.Type<typeof CloseSessionResponse> {}

/**
 * Deletes a session for good.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DeleteSessionRequest = Schema.Struct({
  sessionId: SessionId,
  ...meta
}).annotate({ identifier: "DeleteSessionRequest" })

/**
 * Deletes a session for good.
 *
 * @category models
 * @since 0.1.0
 */
export interface DeleteSessionRequest extends Schema.Schema.Type<typeof DeleteSessionRequest> {}

/**
 * The session is deleted.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DeleteSessionResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "DeleteSessionResponse" })

/**
 * The session is deleted.
 *
 * @category models
 * @since 0.1.0
 */
export interface DeleteSessionResponse extends Schema.Schema.Type<typeof DeleteSessionResponse> {}

/**
 * Asks for the sessions that the agent remembers, page by page.
 *
 * **Details**
 *
 * `cwd` keeps those of one directory; `cursor` is the `nextCursor` of the page before.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListSessionsRequest = Schema.Struct({
  cwd: nullish(Schema.String),
  cursor: nullish(Schema.String),
  ...meta
}).annotate({ identifier: "ListSessionsRequest" })

/**
 * Asks for the sessions that the agent remembers, page by page.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListSessionsRequest extends Schema.Schema.Type<typeof ListSessionsRequest> {}

/**
 * What a list tells of a session.
 *
 * **Details**
 *
 * `updatedAt` is an ISO 8601 timestamp; the paths are absolute.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionInfo = Schema.Struct({
  sessionId: SessionId,
  cwd: Schema.String,
  additionalDirectories: optionalList(Schema.String),
  title: orOmit(Schema.String),
  updatedAt: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "SessionInfo" })

/**
 * What a list tells of a session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionInfo extends Schema.Schema.Type<typeof SessionInfo> {}

/**
 * A page of sessions; without a `nextCursor` it is the last.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListSessionsResponse = Schema.Struct({
  sessions: list(SessionInfo),
  nextCursor: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "ListSessionsResponse" })

/**
 * A page of sessions; without a `nextCursor` it is the last.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListSessionsResponse extends Schema.Schema.Type<typeof ListSessionsResponse> {}

/**
 * What has changed about a session.
 *
 * **Details**
 *
 * An absent field is unchanged, null clears it: see `Patch`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionInfoUpdate = Schema.Struct({
  title: orOmit(Schema.String),
  updatedAt: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "SessionInfoUpdate" })

/**
 * What has changed about a session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionInfoUpdate extends Schema.Schema.Type<typeof SessionInfoUpdate> {}
