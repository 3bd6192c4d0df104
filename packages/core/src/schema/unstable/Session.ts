/**
 * Sessions, with system prompts, forks, an archive, titles and a status.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { list, listOrNull, nullish, optionalListOrNull, orOmit } from "../../internal/leniency.ts"
import { meta, SessionId } from "../Common.ts"
import * as Stable from "../Session.ts"
import * as Unknown from "../Unknown.ts"
import { McpServer } from "./McpServer.ts"
import { SystemPrompt } from "./SystemPrompt.ts"

export * from "../Session.ts"

const systemPrompt = { systemPrompt: nullish(SystemPrompt) }

/**
 * Creates a session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NewSessionRequest = Schema.Struct({
  ...Stable.NewSessionRequest.fields,
  mcpServers: listOrNull(McpServer),
  ...systemPrompt
}).annotate({ identifier: "NewSessionRequest" })

/**
 * Creates a session.
 *
 * @category models
 * @since 0.1.0
 */
export interface NewSessionRequest extends Schema.Schema.Type<typeof NewSessionRequest> {}

/**
 * Opens a session again; its history is sent before the answer.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LoadSessionRequest = Schema.Struct({
  ...Stable.LoadSessionRequest.fields,
  mcpServers: listOrNull(McpServer),
  ...systemPrompt
}).annotate({ identifier: "LoadSessionRequest" })

/**
 * Opens a session again; its history is sent before the answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface LoadSessionRequest extends Schema.Schema.Type<typeof LoadSessionRequest> {}

/**
 * Opens a session again, without its history.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ResumeSessionRequest = Schema.Struct({
  ...Stable.ResumeSessionRequest.fields,
  mcpServers: optionalListOrNull(McpServer),
  ...systemPrompt
}).annotate({ identifier: "ResumeSessionRequest" })

/**
 * Opens a session again, without its history.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResumeSessionRequest extends Schema.Schema.Type<typeof ResumeSessionRequest> {}

/**
 * Creates a session that begins with the context of another one, which it leaves alone.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ForkSessionRequest = Schema.Struct({
  sessionId: SessionId,
  cwd: Schema.String,
  additionalDirectories: optionalListOrNull(Schema.String),
  mcpServers: optionalListOrNull(McpServer),
  ...systemPrompt,
  ...meta
}).annotate({ identifier: "ForkSessionRequest" })

/**
 * Creates a session that begins with the context of another one, which it leaves alone.
 *
 * @category models
 * @since 0.1.0
 */
export interface ForkSessionRequest extends Schema.Schema.Type<typeof ForkSessionRequest> {}

/**
 * The session that was created.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ForkSessionResponse = Schema.Struct({
  ...Stable.NewSessionResponse.fields
}).annotate({ identifier: "ForkSessionResponse" })

/**
 * The session that was created.
 *
 * @category models
 * @since 0.1.0
 */
export interface ForkSessionResponse extends Schema.Schema.Type<typeof ForkSessionResponse> {}

/**
 * What a list tells of a session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionInfo = Schema.Struct({
  ...Stable.SessionInfo.fields,
  archived: orOmit(Schema.Boolean)
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
  ...Stable.ListSessionsResponse.fields,
  sessions: list(SessionInfo)
}).annotate({ identifier: "ListSessionsResponse" })

/**
 * A page of sessions; without a `nextCursor` it is the last.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListSessionsResponse extends Schema.Schema.Type<typeof ListSessionsResponse> {}

/**
 * Which sessions to list; other values are allowed, and refused by an agent that does not know them.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionArchiveFilter = Unknown.openLiterals(["exclude", "include", "only"]).annotate({
  identifier: "SessionArchiveFilter"
})

/**
 * Which sessions to list; other values are allowed, and refused by an agent that does not know them.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionArchiveFilter = typeof SessionArchiveFilter.Type

/**
 * Asks for the sessions that the agent remembers, page by page.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListSessionsRequest = Schema.Struct({
  ...Stable.ListSessionsRequest.fields,
  archived: nullish(SessionArchiveFilter)
}).annotate({ identifier: "ListSessionsRequest" })

/**
 * Asks for the sessions that the agent remembers, page by page.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListSessionsRequest extends Schema.Schema.Type<typeof ListSessionsRequest> {}

/**
 * Takes a session out of the usual list.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ArchiveSessionRequest = Schema.Struct({
  sessionId: SessionId,
  ...meta
}).annotate({ identifier: "ArchiveSessionRequest" })

/**
 * Takes a session out of the usual list.
 *
 * @category models
 * @since 0.1.0
 */
export interface ArchiveSessionRequest extends Schema.Schema.Type<typeof ArchiveSessionRequest> {}

/**
 * The session is archived.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ArchiveSessionResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "ArchiveSessionResponse" })

/**
 * The session is archived.
 *
 * @category models
 * @since 0.1.0
 */
export interface ArchiveSessionResponse extends Schema.Schema.Type<typeof ArchiveSessionResponse> {}

/**
 * Puts a session back into the usual list.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UnarchiveSessionRequest = Schema.Struct({
  sessionId: SessionId,
  ...meta
}).annotate({ identifier: "UnarchiveSessionRequest" })

/**
 * Puts a session back into the usual list.
 *
 * @category models
 * @since 0.1.0
 */
export interface UnarchiveSessionRequest extends Schema.Schema.Type<typeof UnarchiveSessionRequest> {}

/**
 * The session is listed again.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UnarchiveSessionResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "UnarchiveSessionResponse" })

/**
 * The session is listed again.
 *
 * @category models
 * @since 0.1.0
 */
export interface UnarchiveSessionResponse extends Schema.Schema.Type<typeof UnarchiveSessionResponse> {}

/**
 * Whether the agent has a session in memory; other values are allowed.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionStatus = Unknown.openLiterals(["open", "saved"]).annotate({ identifier: "SessionStatus" })

/**
 * Whether the agent has a session in memory; other values are allowed.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionStatus = typeof SessionStatus.Type

/**
 * Asks whether the agent has a session in memory; changes nothing.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionStatusRequest = Schema.Struct({
  sessionId: SessionId,
  ...meta
}).annotate({ identifier: "SessionStatusRequest" })

/**
 * Asks whether the agent has a session in memory; changes nothing.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionStatusRequest extends Schema.Schema.Type<typeof SessionStatusRequest> {}

/**
 * Whether the agent had the session in memory just now.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionStatusResponse = Schema.Struct({
  status: SessionStatus,
  ...meta
}).annotate({ identifier: "SessionStatusResponse" })

/**
 * Whether the agent had the session in memory just now.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionStatusResponse extends Schema.Schema.Type<typeof SessionStatusResponse> {}

/**
 * Gives a session a title.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SetSessionTitleRequest = Schema.Struct({
  sessionId: SessionId,
  title: Schema.String,
  ...meta
}).annotate({ identifier: "SetSessionTitleRequest" })

/**
 * Gives a session a title.
 *
 * @category models
 * @since 0.1.0
 */
export interface SetSessionTitleRequest extends Schema.Schema.Type<typeof SetSessionTitleRequest> {}

/**
 * The title as the agent has stored it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SetSessionTitleResponse = Schema.Struct({
  title: Schema.String,
  ...meta
}).annotate({ identifier: "SetSessionTitleResponse" })

/**
 * The title as the agent has stored it.
 *
 * @category models
 * @since 0.1.0
 */
export interface SetSessionTitleResponse extends Schema.Schema.Type<typeof SetSessionTitleResponse> {}
