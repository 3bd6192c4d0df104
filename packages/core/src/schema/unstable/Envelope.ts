/**
 * The official schema's view of whole JSON-RPC messages, unstable ones included.
 *
 * @since 0.1.0
 */
import * as Authentication from "../Authentication.ts"
import { CancelNotification } from "../Cancel.ts"
import { CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse } from "../Elicitation.ts"
import * as Stable from "../Envelope.ts"
import * as FileSystem from "../FileSystem.ts"
import { RequestPermissionRequest, RequestPermissionResponse } from "../Permission.ts"
import { PromptRequest } from "../Prompt.ts"
import { SetSessionConfigOptionRequest, SetSessionConfigOptionResponse } from "../SessionConfig.ts"
import { SetSessionModeRequest, SetSessionModeResponse } from "../SessionMode.ts"
import * as Terminal from "../Terminal.ts"
import { AuthStatusRequest, AuthStatusResponse, AuthStatusUpdateNotification } from "./Authentication.ts"
import { InitializeRequest, InitializeResponse } from "./Initialize.ts"
import { MessageMcpNotification, MessageMcpRequest, MessageMcpResponse } from "./Mcp.ts"
import { PromptResponse } from "./Prompt.ts"
import * as Providers from "./Providers.ts"
import * as Proxy from "./Proxy.ts"
import * as Session from "./Session.ts"
import { SessionNotification } from "./SessionUpdate.ts"

export * from "../Envelope.ts"

/**
 * A request from the agent.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AgentRequest = Stable.request([
  FileSystem.WriteTextFileRequest,
  FileSystem.ReadTextFileRequest,
  RequestPermissionRequest,
  Terminal.CreateTerminalRequest,
  Terminal.TerminalOutputRequest,
  Terminal.ReleaseTerminalRequest,
  Terminal.WaitForTerminalExitRequest,
  Terminal.KillTerminalRequest,
  CreateElicitationRequest,
  MessageMcpRequest,
  Stable.ExtRequest
]).annotate({ identifier: "AgentRequest" })

/**
 * A request from the agent.
 *
 * @category models
 * @since 0.1.0
 */
export type AgentRequest = typeof AgentRequest.Type

/**
 * A response from the agent.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AgentResponse = Stable.response([
  InitializeResponse,
  Authentication.AuthenticateResponse,
  Providers.ListProvidersResponse,
  Providers.SetProviderResponse,
  Providers.DisableProviderResponse,
  Authentication.LogoutResponse,
  AuthStatusResponse,
  Session.NewSessionResponse,
  Session.LoadSessionResponse,
  Session.ListSessionsResponse,
  Session.DeleteSessionResponse,
  Session.ForkSessionResponse,
  Session.ArchiveSessionResponse,
  Session.UnarchiveSessionResponse,
  Session.SessionStatusResponse,
  Session.SetSessionTitleResponse,
  Session.ResumeSessionResponse,
  Session.CloseSessionResponse,
  SetSessionModeResponse,
  SetSessionConfigOptionResponse,
  PromptResponse,
  Stable.ExtResponse
]).annotate({ identifier: "AgentResponse" })

/**
 * A response from the agent.
 *
 * @category models
 * @since 0.1.0
 */
export type AgentResponse = typeof AgentResponse.Type

/**
 * A notification from the agent.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AgentNotification = Stable.notification([
  SessionNotification,
  CompleteElicitationNotification,
  AuthStatusUpdateNotification,
  Stable.ExtNotification
]).annotate({ identifier: "AgentNotification" })

/**
 * A notification from the agent.
 *
 * @category models
 * @since 0.1.0
 */
export type AgentNotification = typeof AgentNotification.Type

/**
 * A request from the client.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ClientRequest = Stable.request([
  InitializeRequest,
  Authentication.AuthenticateRequest,
  Providers.ListProvidersRequest,
  Providers.SetProviderRequest,
  Providers.DisableProviderRequest,
  Authentication.LogoutRequest,
  AuthStatusRequest,
  Session.NewSessionRequest,
  Session.LoadSessionRequest,
  Session.ListSessionsRequest,
  Session.DeleteSessionRequest,
  Session.ForkSessionRequest,
  Session.ArchiveSessionRequest,
  Session.UnarchiveSessionRequest,
  Session.SessionStatusRequest,
  Session.SetSessionTitleRequest,
  Session.ResumeSessionRequest,
  Session.CloseSessionRequest,
  SetSessionModeRequest,
  SetSessionConfigOptionRequest,
  PromptRequest,
  Stable.ExtRequest
]).annotate({ identifier: "ClientRequest" })

/**
 * A request from the client.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientRequest = typeof ClientRequest.Type

/**
 * A response from the client.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ClientResponse = Stable.response([
  FileSystem.WriteTextFileResponse,
  FileSystem.ReadTextFileResponse,
  RequestPermissionResponse,
  Terminal.CreateTerminalResponse,
  Terminal.TerminalOutputResponse,
  Terminal.ReleaseTerminalResponse,
  Terminal.WaitForTerminalExitResponse,
  Terminal.KillTerminalResponse,
  CreateElicitationResponse,
  MessageMcpResponse,
  Stable.ExtResponse
]).annotate({ identifier: "ClientResponse" })

/**
 * A response from the client.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientResponse = typeof ClientResponse.Type

/**
 * A notification from the client.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ClientNotification = Stable.notification([
  CancelNotification,
  MessageMcpNotification,
  Stable.ExtNotification
]).annotate({ identifier: "ClientNotification" })

/**
 * A notification from the client.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientNotification = typeof ClientNotification.Type

/**
 * A request to or from a proxy.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProxyRequest = Stable.request([Proxy.InitializeProxyRequest, Proxy.ProxySuccessorRequest]).annotate({
  identifier: "ProxyRequest"
})

/**
 * A request to or from a proxy.
 *
 * @category models
 * @since 0.1.0
 */
export type ProxyRequest = typeof ProxyRequest.Type

/**
 * A response to or from a proxy.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProxyResponse = Stable.response([Proxy.InitializeProxyResponse, Proxy.ProxySuccessorResponse]).annotate({
  identifier: "ProxyResponse"
})

/**
 * A response to or from a proxy.
 *
 * @category models
 * @since 0.1.0
 */
export type ProxyResponse = typeof ProxyResponse.Type

/**
 * A notification to or from a proxy.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProxyNotification = Stable.notification([Proxy.ProxySuccessorNotification]).annotate({
  identifier: "ProxyNotification"
})

/**
 * A notification to or from a proxy.
 *
 * @category models
 * @since 0.1.0
 */
export type ProxyNotification = typeof ProxyNotification.Type
