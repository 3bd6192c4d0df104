/**
 * The handshake.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { lenient, orDefault, orOmit } from "../internal/leniency.ts"
import { AgentCapabilities } from "./AgentCapabilities.ts"
import { AuthMethod } from "./Authentication.ts"
import { ClientCapabilities } from "./ClientCapabilities.ts"
import { Implementation, meta, ProtocolVersion } from "./Common.ts"

/**
 * Opens a connection: the client says which version it wants and what it can do.
 *
 * @category schemas
 * @since 0.1.0
 */
export const InitializeRequest = Schema.Struct({
  protocolVersion: ProtocolVersion,
  clientCapabilities: orDefault(ClientCapabilities, {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    auth: { terminal: false }
  }),
  clientInfo: orOmit(Implementation),
  ...meta
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
 * **Details**
 *
 * The version is the requested one if the agent speaks it, else the newest that it speaks.
 *
 * @category schemas
 * @since 0.1.0
 */
export const InitializeResponse = Schema.Struct({
  protocolVersion: ProtocolVersion,
  agentCapabilities: orDefault(AgentCapabilities, {
    loadSession: false,
    promptCapabilities: { image: false, audio: false, embeddedContext: false },
    mcpCapabilities: { http: false, sse: false },
    sessionCapabilities: {},
    auth: {}
  }),
  authMethods: lenient(orDefault(Schema.Array(AuthMethod), []), {
    onError: { value: [] },
    default: { value: [] },
    skipInvalidItems: true
  }),
  agentInfo: orOmit(Implementation),
  ...meta
}).annotate({ identifier: "InitializeResponse" })

/**
 * The agent's answer: the version to speak, and what it can do.
 *
 * @category models
 * @since 0.1.0
 */
export interface InitializeResponse extends Schema.Schema.Type<typeof InitializeResponse> {}
