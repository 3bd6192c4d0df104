/**
 * What an agent can do, unstable additions included.
 *
 * **Details**
 *
 * Nothing here is part of the protocol yet; any of it may change or go with any version.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { flag, orDefault, orOmit } from "../../internal/leniency.ts"
import * as Stable from "../AgentCapabilities.ts"
import { meta } from "../Common.ts"

export * from "../AgentCapabilities.ts"

/**
 * The MCP servers that an agent can reach, those behind this very connection included.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpCapabilities = Schema.Struct({
  ...Stable.McpCapabilities.fields,
  acp: flag
}).annotate({ identifier: "McpCapabilities" })

/**
 * The MCP servers that an agent can reach, those behind this very connection included.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpCapabilities extends Schema.Schema.Type<typeof McpCapabilities> {}

/**
 * The agent lets the client replace its own instructions.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionSystemPromptOverrideCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionSystemPromptOverrideCapabilities" })

/**
 * The agent lets the client replace its own instructions.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionSystemPromptOverrideCapabilities
  extends Schema.Schema.Type<typeof SessionSystemPromptOverrideCapabilities>
{}

/**
 * What an agent can do with a system prompt, beyond appending it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionSystemPromptModeCapabilities = Schema.Struct({
  override: orOmit(SessionSystemPromptOverrideCapabilities),
  ...meta
}).annotate({ identifier: "SessionSystemPromptModeCapabilities" })

/**
 * What an agent can do with a system prompt, beyond appending it.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionSystemPromptModeCapabilities
  extends Schema.Schema.Type<typeof SessionSystemPromptModeCapabilities>
{}

/**
 * The agent takes a system prompt from the client.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionSystemPromptCapabilities = Schema.Struct({
  mode: orOmit(SessionSystemPromptModeCapabilities),
  ...meta
}).annotate({ identifier: "SessionSystemPromptCapabilities" })

/**
 * The agent takes a system prompt from the client.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionSystemPromptCapabilities extends Schema.Schema.Type<typeof SessionSystemPromptCapabilities> {}

/**
 * The agent answers `session/fork`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionForkCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionForkCapabilities" })

/**
 * The agent answers `session/fork`.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionForkCapabilities extends Schema.Schema.Type<typeof SessionForkCapabilities> {}

/**
 * The agent answers `session/archive` and `session/unarchive`, and knows which sessions are archived.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionArchiveCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionArchiveCapabilities" })

/**
 * The agent answers `session/archive` and `session/unarchive`, and knows which sessions are archived.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionArchiveCapabilities extends Schema.Schema.Type<typeof SessionArchiveCapabilities> {}

/**
 * The agent answers `session/status`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionStatusCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionStatusCapabilities" })

/**
 * The agent answers `session/status`.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionStatusCapabilities extends Schema.Schema.Type<typeof SessionStatusCapabilities> {}

/**
 * The agent answers `session/set_title`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionTitleCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionTitleCapabilities" })

/**
 * The agent answers `session/set_title`.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionTitleCapabilities extends Schema.Schema.Type<typeof SessionTitleCapabilities> {}

/**
 * What an agent can do with sessions, beyond creating and prompting them.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionCapabilities = Schema.Struct({
  ...Stable.SessionCapabilities.fields,
  systemPrompt: orOmit(SessionSystemPromptCapabilities),
  fork: orOmit(SessionForkCapabilities),
  archive: orOmit(SessionArchiveCapabilities),
  status: orOmit(SessionStatusCapabilities),
  title: orOmit(SessionTitleCapabilities)
}).annotate({ identifier: "SessionCapabilities" })

/**
 * What an agent can do with sessions, beyond creating and prompting them.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionCapabilities extends Schema.Schema.Type<typeof SessionCapabilities> {}

/**
 * The agent answers `auth/status`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthStatusCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "AuthStatusCapabilities" })

/**
 * The agent answers `auth/status`.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthStatusCapabilities extends Schema.Schema.Type<typeof AuthStatusCapabilities> {}

/**
 * What an agent can do about authentication, beyond its methods.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AgentAuthCapabilities = Schema.Struct({
  ...Stable.AgentAuthCapabilities.fields,
  status: orOmit(AuthStatusCapabilities)
}).annotate({ identifier: "AgentAuthCapabilities" })

/**
 * What an agent can do about authentication, beyond its methods.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentAuthCapabilities extends Schema.Schema.Type<typeof AgentAuthCapabilities> {}

/**
 * The agent lets the client configure its model providers.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProvidersCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "ProvidersCapabilities" })

/**
 * The agent lets the client configure its model providers.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProvidersCapabilities extends Schema.Schema.Type<typeof ProvidersCapabilities> {}

/**
 * What an agent can do.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AgentCapabilities = Schema.Struct({
  ...Stable.AgentCapabilities.fields,
  mcpCapabilities: orDefault(McpCapabilities, { http: false, sse: false, acp: false }),
  sessionCapabilities: orDefault(SessionCapabilities, {}),
  auth: orDefault(AgentAuthCapabilities, {}),
  providers: orOmit(ProvidersCapabilities)
}).annotate({ identifier: "AgentCapabilities" })

/**
 * What an agent can do.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentCapabilities extends Schema.Schema.Type<typeof AgentCapabilities> {}
