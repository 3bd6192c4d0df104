/**
 * The handshake, with unstable capabilities.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { orDefault } from "../../internal/leniency.ts"
import * as Stable from "../Initialize.ts"
import { AgentCapabilities } from "./AgentCapabilities.ts"
import { ClientCapabilities } from "./ClientCapabilities.ts"

/**
 * Opens a connection: the client says which version it wants and what it can do.
 *
 * @category schemas
 * @since 0.1.0
 */
export const InitializeRequest = Schema.Struct({
  ...Stable.InitializeRequest.fields,
  clientCapabilities: orDefault(ClientCapabilities, {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    auth: { terminal: false }
  })
}).annotate({ identifier: "InitializeRequest" })

/**
 * Opens a connection: the client says which version it wants and what it can do.
 *
 * @category models
 * @since 0.1.0
 */
export interface InitializeRequest extends Schema.Schema.Type<typeof InitializeRequest> {}

/**
 * The agent's answer: the version to speak, and what it can do.
 *
 * @category schemas
 * @since 0.1.0
 */
export const InitializeResponse = Schema.Struct({
  ...Stable.InitializeResponse.fields,
  agentCapabilities: orDefault(AgentCapabilities, {
    loadSession: false,
    promptCapabilities: { image: false, audio: false, embeddedContext: false },
    mcpCapabilities: { http: false, sse: false, acp: false },
    sessionCapabilities: {},
    auth: {}
  })
}).annotate({ identifier: "InitializeResponse" })

/**
 * The agent's answer: the version to speak, and what it can do.
 *
 * @category models
 * @since 0.1.0
 */
export interface InitializeResponse extends Schema.Schema.Type<typeof InitializeResponse> {}
