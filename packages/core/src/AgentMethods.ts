/**
 * The methods that an agent serves: what a client calls.
 *
 * @since 0.1.0
 */
import * as Capabilities from "./Capabilities.ts"
import * as MethodTable from "./MethodTable.ts"
import * as Authentication from "./schema/Authentication.ts"
import * as Cancel from "./schema/Cancel.ts"
import * as Initialize from "./schema/Initialize.ts"
import * as Prompt from "./schema/Prompt.ts"
import * as Session from "./schema/Session.ts"
import * as SessionConfig from "./schema/SessionConfig.ts"
import * as SessionMode from "./schema/SessionMode.ts"

/**
 * Agrees on a version and on capabilities; the first call of every connection.
 *
 * @category rows
 * @since 0.1.0
 */
export const initialize = MethodTable.request("initialize", {
  direction: "client_to_agent",
  callback: "initialize",
  params: MethodTable.named<Initialize.InitializeRequest>(Initialize.InitializeRequest),
  result: MethodTable.named<Initialize.InitializeResponse>(Initialize.InitializeResponse)
})

/**
 * Authenticates by a method that the agent advertised.
 *
 * @category rows
 * @since 0.1.0
 */
export const authenticate = MethodTable.request("authenticate", {
  direction: "client_to_agent",
  callback: "authenticate",
  params: MethodTable.named<Authentication.AuthenticateRequest>(Authentication.AuthenticateRequest),
  result: MethodTable.named<Authentication.AuthenticateResponse>(Authentication.AuthenticateResponse)
})

/**
 * Ends the authenticated state.
 *
 * @category rows
 * @since 0.1.0
 */
export const logout = MethodTable.request("logout", {
  direction: "client_to_agent",
  callback: "logout",
  gate: Capabilities.gate("agent", "auth.logout"),
  params: MethodTable.named<Authentication.LogoutRequest>(Authentication.LogoutRequest),
  result: MethodTable.named<Authentication.LogoutResponse>(Authentication.LogoutResponse)
})

/**
 * Creates a session.
 *
 * @category rows
 * @since 0.1.0
 */
export const newSession = MethodTable.request("session/new", {
  direction: "client_to_agent",
  callback: "newSession",
  params: MethodTable.named<Session.NewSessionRequest>(Session.NewSessionRequest),
  result: MethodTable.named<Session.NewSessionResponse>(Session.NewSessionResponse)
})

/**
 * Restores a session and replays its history before the answer.
 *
 * @category rows
 * @since 0.1.0
 */
export const loadSession = MethodTable.request("session/load", {
  direction: "client_to_agent",
  callback: "loadSession",
  gate: Capabilities.gate("agent", "loadSession"),
  params: MethodTable.named<Session.LoadSessionRequest>(Session.LoadSessionRequest),
  result: MethodTable.named<Session.LoadSessionResponse>(Session.LoadSessionResponse)
})

/**
 * Lists a page of the sessions that the agent knows.
 *
 * @category rows
 * @since 0.1.0
 */
export const listSessions = MethodTable.request("session/list", {
  direction: "client_to_agent",
  callback: "listSessions",
  gate: Capabilities.gate("agent", "sessionCapabilities.list"),
  params: MethodTable.named<Session.ListSessionsRequest>(Session.ListSessionsRequest),
  result: MethodTable.named<Session.ListSessionsResponse>(Session.ListSessionsResponse)
})

/**
 * Deletes a session.
 *
 * @category rows
 * @since 0.1.0
 */
export const deleteSession = MethodTable.request("session/delete", {
  direction: "client_to_agent",
  callback: "deleteSession",
  gate: Capabilities.gate("agent", "sessionCapabilities.delete"),
  params: MethodTable.named<Session.DeleteSessionRequest>(Session.DeleteSessionRequest),
  result: MethodTable.named<Session.DeleteSessionResponse>(Session.DeleteSessionResponse)
})

/**
 * Takes up a session without a replay of its history.
 *
 * @category rows
 * @since 0.1.0
 */
export const resumeSession = MethodTable.request("session/resume", {
  direction: "client_to_agent",
  callback: "resumeSession",
  gate: Capabilities.gate("agent", "sessionCapabilities.resume"),
  params: MethodTable.named<Session.ResumeSessionRequest>(Session.ResumeSessionRequest),
  result: MethodTable.named<Session.ResumeSessionResponse>(Session.ResumeSessionResponse)
})

/**
 * Ends a session's work and frees it.
 *
 * @category rows
 * @since 0.1.0
 */
export const closeSession = MethodTable.request("session/close", {
  direction: "client_to_agent",
  callback: "closeSession",
  gate: Capabilities.gate("agent", "sessionCapabilities.close"),
  params: MethodTable.named<Session.CloseSessionRequest>(Session.CloseSessionRequest),
  result: MethodTable.named<Session.CloseSessionResponse>(Session.CloseSessionResponse)
})

/**
 * Changes the mode of a session.
 *
 * @category rows
 * @since 0.1.0
 */
export const setSessionMode = MethodTable.request("session/set_mode", {
  direction: "client_to_agent",
  callback: "setSessionMode",
  params: MethodTable.named<SessionMode.SetSessionModeRequest>(SessionMode.SetSessionModeRequest),
  result: MethodTable.named<SessionMode.SetSessionModeResponse>(SessionMode.SetSessionModeResponse)
})

/**
 * Changes a config option of a session.
 *
 * @category rows
 * @since 0.1.0
 */
export const setSessionConfigOption = MethodTable.request("session/set_config_option", {
  direction: "client_to_agent",
  callback: "setSessionConfigOption",
  params: MethodTable.named<SessionConfig.SetSessionConfigOptionRequest>(SessionConfig.SetSessionConfigOptionRequest),
  result: MethodTable.named<SessionConfig.SetSessionConfigOptionResponse>(SessionConfig.SetSessionConfigOptionResponse)
})

/**
 * Runs one turn of a session.
 *
 * @category rows
 * @since 0.1.0
 */
export const prompt = MethodTable.request("session/prompt", {
  direction: "client_to_agent",
  callback: "prompt",
  params: MethodTable.named<Prompt.PromptRequest>(Prompt.PromptRequest),
  result: MethodTable.named<Prompt.PromptResponse>(Prompt.PromptResponse)
})

/**
 * Cancels the running turn of a session; it is acted on in wire order, without a handler.
 *
 * @category rows
 * @since 0.1.0
 */
export const cancel = MethodTable.notification("session/cancel", {
  direction: "client_to_agent",
  layer: "session_control",
  params: MethodTable.named<Cancel.CancelNotification>(Cancel.CancelNotification)
})

/**
 * The rows that an agent serves.
 *
 * @category groups
 * @since 0.1.0
 */
export const AgentMethods = MethodTable.group(
  initialize,
  authenticate,
  logout,
  newSession,
  loadSession,
  listSessions,
  deleteSession,
  resumeSession,
  closeSession,
  setSessionMode,
  setSessionConfigOption,
  prompt,
  cancel
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
