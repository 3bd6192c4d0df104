/**
 * The methods that an agent serves, unstable ones included.
 *
 * **Details**
 *
 * Nothing here is part of the protocol yet; any of it may change or go with any version. Rows whose schemas have unstable
 * additions take the place of the stable ones.
 *
 * @since 0.1.0
 */
import * as Stable from "../AgentMethods.ts"
import * as Capabilities from "../Capabilities.ts"
import * as MethodTable from "../MethodTable.ts"
import * as Authentication from "../schema/unstable/Authentication.ts"
import * as Initialize from "../schema/unstable/Initialize.ts"
import * as Mcp from "../schema/unstable/Mcp.ts"
import * as Prompt from "../schema/unstable/Prompt.ts"
import * as Providers from "../schema/unstable/Providers.ts"
import * as Session from "../schema/unstable/Session.ts"

export * from "../AgentMethods.ts"

/**
 * Agrees on a version and on capabilities, unstable ones included.
 *
 * @category rows
 * @since 0.1.0
 */
export const initialize = MethodTable.refine(Stable.initialize, {
  params: MethodTable.named<Initialize.InitializeRequest>(Initialize.InitializeRequest),
  result: MethodTable.named<Initialize.InitializeResponse>(Initialize.InitializeResponse)
})

/**
 * Creates a session, with a system prompt where the agent takes one.
 *
 * @category rows
 * @since 0.1.0
 */
export const newSession = MethodTable.refine(Stable.newSession, {
  params: MethodTable.named<Session.NewSessionRequest>(Session.NewSessionRequest)
})

/**
 * Restores a session and replays its history before the answer, with a system prompt where the agent takes one.
 *
 * @category rows
 * @since 0.1.0
 */
export const loadSession = MethodTable.refine(Stable.loadSession, {
  params: MethodTable.named<Session.LoadSessionRequest>(Session.LoadSessionRequest)
})

/**
 * Lists a page of the sessions that the agent knows, archived ones on demand.
 *
 * @category rows
 * @since 0.1.0
 */
export const listSessions = MethodTable.refine(Stable.listSessions, {
  params: MethodTable.named<Session.ListSessionsRequest>(Session.ListSessionsRequest),
  result: MethodTable.named<Session.ListSessionsResponse>(Session.ListSessionsResponse)
})

/**
 * Takes up a session without a replay of its history, with a system prompt where the agent takes one.
 *
 * @category rows
 * @since 0.1.0
 */
export const resumeSession = MethodTable.refine(Stable.resumeSession, {
  params: MethodTable.named<Session.ResumeSessionRequest>(Session.ResumeSessionRequest)
})

/**
 * Runs one turn of a session, and tells what it used.
 *
 * @category rows
 * @since 0.1.0
 */
export const prompt = MethodTable.refine(Stable.prompt, {
  result: MethodTable.named<Prompt.PromptResponse>(Prompt.PromptResponse)
})

/**
 * Asks who is authenticated, if anybody.
 *
 * @category rows
 * @since 0.1.0
 */
export const authStatus = MethodTable.request("auth/status", {
  direction: "client_to_agent",
  callback: "authStatus",
  gate: Capabilities.gate("agent", "auth.status"),
  params: MethodTable.named<Authentication.AuthStatusRequest>(Authentication.AuthStatusRequest),
  result: MethodTable.named<Authentication.AuthStatusResponse>(Authentication.AuthStatusResponse)
})

/**
 * Lists the model providers that the agent can be configured with.
 *
 * @category rows
 * @since 0.1.0
 */
export const listProviders = MethodTable.request("providers/list", {
  direction: "client_to_agent",
  callback: "listProviders",
  gate: Capabilities.gate("agent", "providers"),
  params: MethodTable.named<Providers.ListProvidersRequest>(Providers.ListProvidersRequest),
  result: MethodTable.named<Providers.ListProvidersResponse>(Providers.ListProvidersResponse)
})

/**
 * Configures a model provider.
 *
 * @category rows
 * @since 0.1.0
 */
export const setProvider = MethodTable.request("providers/set", {
  direction: "client_to_agent",
  callback: "setProvider",
  gate: Capabilities.gate("agent", "providers"),
  params: MethodTable.named<Providers.SetProviderRequest>(Providers.SetProviderRequest),
  result: MethodTable.named<Providers.SetProviderResponse>(Providers.SetProviderResponse)
})

/**
 * Turns a model provider off.
 *
 * @category rows
 * @since 0.1.0
 */
export const disableProvider = MethodTable.request("providers/disable", {
  direction: "client_to_agent",
  callback: "disableProvider",
  gate: Capabilities.gate("agent", "providers"),
  params: MethodTable.named<Providers.DisableProviderRequest>(Providers.DisableProviderRequest),
  result: MethodTable.named<Providers.DisableProviderResponse>(Providers.DisableProviderResponse)
})

/**
 * Creates a session that begins where another one is.
 *
 * @category rows
 * @since 0.1.0
 */
export const forkSession = MethodTable.request("session/fork", {
  direction: "client_to_agent",
  callback: "forkSession",
  gate: Capabilities.gate("agent", "sessionCapabilities.fork"),
  params: MethodTable.named<Session.ForkSessionRequest>(Session.ForkSessionRequest),
  result: MethodTable.named<Session.ForkSessionResponse>(Session.ForkSessionResponse)
})

/**
 * Puts a session out of sight.
 *
 * @category rows
 * @since 0.1.0
 */
export const archiveSession = MethodTable.request("session/archive", {
  direction: "client_to_agent",
  callback: "archiveSession",
  gate: Capabilities.gate("agent", "sessionCapabilities.archive"),
  params: MethodTable.named<Session.ArchiveSessionRequest>(Session.ArchiveSessionRequest),
  result: MethodTable.named<Session.ArchiveSessionResponse>(Session.ArchiveSessionResponse)
})

/**
 * Brings an archived session back.
 *
 * @category rows
 * @since 0.1.0
 */
export const unarchiveSession = MethodTable.request("session/unarchive", {
  direction: "client_to_agent",
  callback: "unarchiveSession",
  gate: Capabilities.gate("agent", "sessionCapabilities.archive"),
  params: MethodTable.named<Session.UnarchiveSessionRequest>(Session.UnarchiveSessionRequest),
  result: MethodTable.named<Session.UnarchiveSessionResponse>(Session.UnarchiveSessionResponse)
})

/**
 * Asks whether a session is open or saved.
 *
 * @category rows
 * @since 0.1.0
 */
export const sessionStatus = MethodTable.request("session/status", {
  direction: "client_to_agent",
  callback: "sessionStatus",
  gate: Capabilities.gate("agent", "sessionCapabilities.status"),
  params: MethodTable.named<Session.SessionStatusRequest>(Session.SessionStatusRequest),
  result: MethodTable.named<Session.SessionStatusResponse>(Session.SessionStatusResponse)
})

/**
 * Names a session.
 *
 * @category rows
 * @since 0.1.0
 */
export const setSessionTitle = MethodTable.request("session/set_title", {
  direction: "client_to_agent",
  callback: "setSessionTitle",
  gate: Capabilities.gate("agent", "sessionCapabilities.title"),
  params: MethodTable.named<Session.SetSessionTitleRequest>(Session.SetSessionTitleRequest),
  result: MethodTable.named<Session.SetSessionTitleResponse>(Session.SetSessionTitleResponse)
})

/**
 * Tells the agent what an MCP server of the client has to say about a request that is running.
 *
 * @category rows
 * @since 0.1.0
 */
export const notifyMcp = MethodTable.notification("mcp/message", {
  direction: "client_to_agent",
  callback: "notifyMcp",
  gate: Capabilities.gate("agent", "mcpCapabilities.acp"),
  params: MethodTable.named<Mcp.MessageMcpNotification>(Mcp.MessageMcpNotification)
})

/**
 * The rows that an agent serves.
 *
 * @category groups
 * @since 0.1.0
 */
export const AgentMethods = MethodTable.group(
  initialize,
  Stable.authenticate,
  Stable.logout,
  newSession,
  loadSession,
  listSessions,
  Stable.deleteSession,
  resumeSession,
  Stable.closeSession,
  Stable.setSessionMode,
  Stable.setSessionConfigOption,
  prompt,
  Stable.cancel,
  authStatus,
  listProviders,
  setProvider,
  disableProvider,
  forkSession,
  archiveSession,
  unarchiveSession,
  sessionStatus,
  setSessionTitle,
  notifyMcp
)

/**
 * The rows that an agent serves, as a type.
 *
 * @category models
 * @since 0.1.0
 */
export type AgentMethods = MethodTable.RowsOf<typeof AgentMethods>

/**
 * Makes handlers of an agent's methods into a layer, by callback name.
 *
 * @category layers
 * @since 0.1.0
 */
export const handlers = MethodTable.layerHandlers(AgentMethods)
