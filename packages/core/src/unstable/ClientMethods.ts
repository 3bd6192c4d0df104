/**
 * The methods that a client serves, unstable ones included.
 *
 * **Details**
 *
 * Nothing here is part of the protocol yet; any of it may change or go with any version. Rows whose schemas have unstable
 * additions take the place of the stable ones.
 *
 * @since 0.1.0
 */
import * as Capabilities from "../Capabilities.ts"
import * as Stable from "../ClientMethods.ts"
import * as MethodTable from "../MethodTable.ts"
import * as Authentication from "../schema/unstable/Authentication.ts"
import * as Mcp from "../schema/unstable/Mcp.ts"
import * as SessionUpdate from "../schema/unstable/SessionUpdate.ts"

export * from "../ClientMethods.ts"

/**
 * Reports progress of a session, by unstable kinds of update too.
 *
 * @category rows
 * @since 0.1.0
 */
export const sessionUpdate = MethodTable.refine(Stable.sessionUpdate, {
  params: MethodTable.named<SessionUpdate.SessionNotification>(SessionUpdate.SessionNotification)
})

/**
 * Tells that the authenticated state has changed.
 *
 * @category rows
 * @since 0.1.0
 */
export const authStatusUpdate = MethodTable.notification("auth/status_update", {
  direction: "agent_to_client",
  callback: "authStatusUpdate",
  gate: Capabilities.gate("agent", "auth.status"),
  params: MethodTable.named<Authentication.AuthStatusUpdateNotification>(Authentication.AuthStatusUpdateNotification)
})

/**
 * Sends a request to an MCP server that the client provides over this connection.
 *
 * @category rows
 * @since 0.1.0
 */
export const callMcp = MethodTable.request("mcp/message", {
  direction: "agent_to_client",
  callback: "callMcp",
  gate: Capabilities.gate("agent", "mcpCapabilities.acp"),
  params: MethodTable.named<Mcp.MessageMcpRequest>(Mcp.MessageMcpRequest),
  result: MethodTable.named<Mcp.MessageMcpResponse>(Mcp.MessageMcpResponse)
})

/**
 * The rows that a client serves.
 *
 * @category groups
 * @since 0.1.0
 */
export const ClientMethods = MethodTable.group(
  Stable.requestPermission,
  sessionUpdate,
  Stable.readTextFile,
  Stable.writeTextFile,
  Stable.createTerminal,
  Stable.terminalOutput,
  Stable.releaseTerminal,
  Stable.waitForTerminalExit,
  Stable.killTerminal,
  Stable.createElicitation,
  Stable.completeElicitation,
  authStatusUpdate,
  callMcp
)

/**
 * The rows that a client serves, as a type.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientMethods = MethodTable.RowsOf<typeof ClientMethods>

/**
 * Makes handlers of a client's methods into a layer, by callback name.
 *
 * @category layers
 * @since 0.1.0
 */
export const handlers = MethodTable.layerHandlers(ClientMethods)
