/**
 * What an agent can do, as it says in the handshake.
 *
 * **Details**
 *
 * A switch is on only when it is `true`; a capability object is on when it is an object, `{}` included.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { flag, orDefault, orOmit } from "../internal/leniency.ts"
import { meta } from "./Common.ts"

/**
 * The content that an agent takes in prompts, beyond text and resource links.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PromptCapabilities = Schema.Struct({
  image: flag,
  audio: flag,
  embeddedContext: flag,
  ...meta
}).annotate({ identifier: "PromptCapabilities" })

/**
 * The content that an agent takes in prompts, beyond text and resource links.
 *
 * @category models
 * @since 0.1.0
 */
export interface PromptCapabilities extends Schema.Schema.Type<typeof PromptCapabilities> {}

/**
 * The MCP servers that an agent can reach, beyond those that it starts itself.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpCapabilities = Schema.Struct({
  http: flag,
  sse: flag,
  ...meta
}).annotate({ identifier: "McpCapabilities" })

/**
 * The MCP servers that an agent can reach, beyond those that it starts itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpCapabilities extends Schema.Schema.Type<typeof McpCapabilities> {}

/**
 * The agent answers `session/list`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionListCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionListCapabilities" })

/**
 * The agent answers `session/list`.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionListCapabilities extends Schema.Schema.Type<typeof SessionListCapabilities> {}

/**
 * The agent answers `session/delete`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionDeleteCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionDeleteCapabilities" })

/**
 * The agent answers `session/delete`.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionDeleteCapabilities extends Schema.Schema.Type<typeof SessionDeleteCapabilities> {}

/**
 * The agent takes `additionalDirectories` where sessions begin.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionAdditionalDirectoriesCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionAdditionalDirectoriesCapabilities" })

/**
 * The agent takes `additionalDirectories` where sessions begin.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionAdditionalDirectoriesCapabilities
  extends Schema.Schema.Type<typeof SessionAdditionalDirectoriesCapabilities>
{}

/**
 * The agent answers `session/resume`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionResumeCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionResumeCapabilities" })

/**
 * The agent answers `session/resume`.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionResumeCapabilities extends Schema.Schema.Type<typeof SessionResumeCapabilities> {}

/**
 * The agent answers `session/close`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionCloseCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionCloseCapabilities" })

/**
 * The agent answers `session/close`.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionCloseCapabilities extends Schema.Schema.Type<typeof SessionCloseCapabilities> {}

/**
 * What an agent can do with sessions, beyond creating and prompting them.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionCapabilities = Schema.Struct({
  list: orOmit(SessionListCapabilities),
  delete: orOmit(SessionDeleteCapabilities),
  additionalDirectories: orOmit(SessionAdditionalDirectoriesCapabilities),
  resume: orOmit(SessionResumeCapabilities),
  close: orOmit(SessionCloseCapabilities),
  ...meta
}).annotate({ identifier: "SessionCapabilities" })

/**
 * What an agent can do with sessions, beyond creating and prompting them.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionCapabilities extends Schema.Schema.Type<typeof SessionCapabilities> {}

/**
 * The agent answers `logout`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LogoutCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "LogoutCapabilities" })

/**
 * The agent answers `logout`.
 *
 * @category models
 * @since 0.1.0
 */
export interface LogoutCapabilities extends Schema.Schema.Type<typeof LogoutCapabilities> {}

/**
 * What an agent can do about authentication, beyond its methods.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AgentAuthCapabilities = Schema.Struct({
  logout: orOmit(LogoutCapabilities),
  ...meta
}).annotate({ identifier: "AgentAuthCapabilities" })

/**
 * What an agent can do about authentication, beyond its methods.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentAuthCapabilities extends Schema.Schema.Type<typeof AgentAuthCapabilities> {}

/**
 * What an agent can do.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AgentCapabilities = Schema.Struct({
  loadSession: flag,
  promptCapabilities: orDefault(PromptCapabilities, { image: false, audio: false, embeddedContext: false }),
  mcpCapabilities: orDefault(McpCapabilities, { http: false, sse: false }),
  sessionCapabilities: orDefault(SessionCapabilities, {}),
  auth: orDefault(AgentAuthCapabilities, {}),
  ...meta
}).annotate({ identifier: "AgentCapabilities" })

/**
 * What an agent can do.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentCapabilities extends Schema.Schema.Type<typeof AgentCapabilities> {}
