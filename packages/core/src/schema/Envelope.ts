/**
 * The official schema's view of whole JSON-RPC messages.
 *
 * **Details**
 *
 * Here for completeness, and to be compared with the official schema. A connection does not decode with these: it finds the
 * schema of params and results by the method, where these unions only know that they are one of many.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { nullish } from "../internal/leniency.ts"
import { AuthenticateRequest, AuthenticateResponse, LogoutRequest, LogoutResponse } from "./Authentication.ts"
import { CancelNotification } from "./Cancel.ts"
import { RequestId } from "./Common.ts"
import { CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse } from "./Elicitation.ts"
import { Error } from "./Error.ts"
import * as FileSystem from "./FileSystem.ts"
import { InitializeRequest, InitializeResponse } from "./Initialize.ts"
import { RequestPermissionRequest, RequestPermissionResponse } from "./Permission.ts"
import { PromptRequest, PromptResponse } from "./Prompt.ts"
import * as Session from "./Session.ts"
import { SetSessionConfigOptionRequest, SetSessionConfigOptionResponse } from "./SessionConfig.ts"
import { SetSessionModeRequest, SetSessionModeResponse } from "./SessionMode.ts"
import { SessionNotification } from "./SessionUpdate.ts"
import * as Terminal from "./Terminal.ts"

/**
 * The params of a request that is no part of the protocol.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ExtRequest = Schema.Unknown.annotate({ identifier: "ExtRequest" })

/**
 * The params of a request that is no part of the protocol.
 *
 * @category models
 * @since 0.1.0
 */
export type ExtRequest = typeof ExtRequest.Type

/**
 * The result of a request that is no part of the protocol.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ExtResponse = Schema.Unknown.annotate({ identifier: "ExtResponse" })

/**
 * The result of a request that is no part of the protocol.
 *
 * @category models
 * @since 0.1.0
 */
export type ExtResponse = typeof ExtResponse.Type

/**
 * The params of a notification that is no part of the protocol.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ExtNotification = Schema.Unknown.annotate({ identifier: "ExtNotification" })

/**
 * The params of a notification that is no part of the protocol.
 *
 * @category models
 * @since 0.1.0
 */
export type ExtNotification = typeof ExtNotification.Type

/**
 * A request whose params are one of some.
 *
 * @category constructors
 * @since 0.1.0
 */
export const request = <const Params extends ReadonlyArray<Schema.Constraint>>(params: Params) =>
  Schema.Struct({ id: RequestId, method: Schema.String, params: nullish(Schema.Union(params)) })

/**
 * A response whose result is one of some.
 *
 * @category constructors
 * @since 0.1.0
 */
export const response = <const Results extends ReadonlyArray<Schema.Constraint>>(results: Results) =>
  Schema.Union([
    Schema.Struct({ id: RequestId, result: Schema.Union(results) }),
    Schema.Struct({ id: RequestId, error: Error })
  ])

/**
 * A notification whose params are one of some.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notification = <const Params extends ReadonlyArray<Schema.Constraint>>(params: Params) =>
  Schema.Struct({ method: Schema.String, params: nullish(Schema.Union(params)) })

/**
 * A request from the agent.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AgentRequest = request([
  FileSystem.WriteTextFileRequest,
  FileSystem.ReadTextFileRequest,
  RequestPermissionRequest,
  Terminal.CreateTerminalRequest,
  Terminal.TerminalOutputRequest,
  Terminal.ReleaseTerminalRequest,
  Terminal.WaitForTerminalExitRequest,
  Terminal.KillTerminalRequest,
  CreateElicitationRequest,
  ExtRequest
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
export const AgentResponse = response([
  InitializeResponse,
  AuthenticateResponse,
  LogoutResponse,
  Session.NewSessionResponse,
  Session.LoadSessionResponse,
  Session.ListSessionsResponse,
  Session.DeleteSessionResponse,
  Session.ResumeSessionResponse,
  Session.CloseSessionResponse,
  SetSessionModeResponse,
  SetSessionConfigOptionResponse,
  PromptResponse,
  ExtResponse
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
export const AgentNotification = notification([SessionNotification, CompleteElicitationNotification, ExtNotification])
  .annotate({ identifier: "AgentNotification" })

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
export const ClientRequest = request([
  InitializeRequest,
  AuthenticateRequest,
  LogoutRequest,
  Session.NewSessionRequest,
  Session.LoadSessionRequest,
  Session.ListSessionsRequest,
  Session.DeleteSessionRequest,
  Session.ResumeSessionRequest,
  Session.CloseSessionRequest,
  SetSessionModeRequest,
  SetSessionConfigOptionRequest,
  PromptRequest,
  ExtRequest
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
export const ClientResponse = response([
  FileSystem.WriteTextFileResponse,
  FileSystem.ReadTextFileResponse,
  RequestPermissionResponse,
  Terminal.CreateTerminalResponse,
  Terminal.TerminalOutputResponse,
  Terminal.ReleaseTerminalResponse,
  Terminal.WaitForTerminalExitResponse,
  Terminal.KillTerminalResponse,
  CreateElicitationResponse,
  ExtResponse
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
export const ClientNotification = notification([CancelNotification, ExtNotification]).annotate({
  identifier: "ClientNotification"
})

/**
 * A notification from the client.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientNotification = typeof ClientNotification.Type
