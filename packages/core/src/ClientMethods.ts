/**
 * The methods that a client serves: what an agent calls.
 *
 * @since 0.1.0
 */
import * as Capabilities from "./Capabilities.ts"
import * as MethodTable from "./MethodTable.ts"
import * as Elicitation from "./schema/Elicitation.ts"
import * as FileSystem from "./schema/FileSystem.ts"
import * as Permission from "./schema/Permission.ts"
import * as SessionUpdate from "./schema/SessionUpdate.ts"
import * as Terminal from "./schema/Terminal.ts"

/**
 * Asks the user whether a tool call may run.
 *
 * @category rows
 * @since 0.1.0
 */
export const requestPermission = MethodTable.request("session/request_permission", {
  direction: "agent_to_client",
  callback: "requestPermission",
  params: MethodTable.named<Permission.RequestPermissionRequest>(Permission.RequestPermissionRequest),
  result: MethodTable.named<Permission.RequestPermissionResponse>(Permission.RequestPermissionResponse)
})

/**
 * Reports progress of a session.
 *
 * @category rows
 * @since 0.1.0
 */
export const sessionUpdate = MethodTable.notification("session/update", {
  direction: "agent_to_client",
  callback: "sessionUpdate",
  params: MethodTable.named<SessionUpdate.SessionNotification>(SessionUpdate.SessionNotification)
})

/**
 * Reads a text file, unsaved changes of the editor included.
 *
 * @category rows
 * @since 0.1.0
 */
export const readTextFile = MethodTable.request("fs/read_text_file", {
  direction: "agent_to_client",
  callback: "readTextFile",
  gate: Capabilities.gate("client", "fs.readTextFile"),
  params: MethodTable.named<FileSystem.ReadTextFileRequest>(FileSystem.ReadTextFileRequest),
  result: MethodTable.named<FileSystem.ReadTextFileResponse>(FileSystem.ReadTextFileResponse)
})

/**
 * Writes a text file.
 *
 * @category rows
 * @since 0.1.0
 */
export const writeTextFile = MethodTable.request("fs/write_text_file", {
  direction: "agent_to_client",
  callback: "writeTextFile",
  gate: Capabilities.gate("client", "fs.writeTextFile"),
  params: MethodTable.named<FileSystem.WriteTextFileRequest>(FileSystem.WriteTextFileRequest),
  result: MethodTable.named<FileSystem.WriteTextFileResponse>(FileSystem.WriteTextFileResponse)
})

/**
 * Starts a command in a terminal.
 *
 * @category rows
 * @since 0.1.0
 */
export const createTerminal = MethodTable.request("terminal/create", {
  direction: "agent_to_client",
  callback: "createTerminal",
  gate: Capabilities.gate("client", "terminal"),
  params: MethodTable.named<Terminal.CreateTerminalRequest>(Terminal.CreateTerminalRequest),
  result: MethodTable.named<Terminal.CreateTerminalResponse>(Terminal.CreateTerminalResponse)
})

/**
 * Reads what a terminal's command has written so far.
 *
 * @category rows
 * @since 0.1.0
 */
export const terminalOutput = MethodTable.request("terminal/output", {
  direction: "agent_to_client",
  callback: "terminalOutput",
  gate: Capabilities.gate("client", "terminal"),
  params: MethodTable.named<Terminal.TerminalOutputRequest>(Terminal.TerminalOutputRequest),
  result: MethodTable.named<Terminal.TerminalOutputResponse>(Terminal.TerminalOutputResponse)
})

/**
 * Ends a terminal's command and forgets the terminal.
 *
 * @category rows
 * @since 0.1.0
 */
export const releaseTerminal = MethodTable.request("terminal/release", {
  direction: "agent_to_client",
  callback: "releaseTerminal",
  gate: Capabilities.gate("client", "terminal"),
  params: MethodTable.named<Terminal.ReleaseTerminalRequest>(Terminal.ReleaseTerminalRequest),
  result: MethodTable.named<Terminal.ReleaseTerminalResponse>(Terminal.ReleaseTerminalResponse)
})

/**
 * Waits until a terminal's command has ended.
 *
 * @category rows
 * @since 0.1.0
 */
export const waitForTerminalExit = MethodTable.request("terminal/wait_for_exit", {
  direction: "agent_to_client",
  callback: "waitForTerminalExit",
  gate: Capabilities.gate("client", "terminal"),
  params: MethodTable.named<Terminal.WaitForTerminalExitRequest>(Terminal.WaitForTerminalExitRequest),
  result: MethodTable.named<Terminal.WaitForTerminalExitResponse>(Terminal.WaitForTerminalExitResponse)
})

/**
 * Ends a terminal's command and keeps its output.
 *
 * @category rows
 * @since 0.1.0
 */
export const killTerminal = MethodTable.request("terminal/kill", {
  direction: "agent_to_client",
  callback: "killTerminal",
  gate: Capabilities.gate("client", "terminal"),
  params: MethodTable.named<Terminal.KillTerminalRequest>(Terminal.KillTerminalRequest),
  result: MethodTable.named<Terminal.KillTerminalResponse>(Terminal.KillTerminalResponse)
})

/**
 * Asks the user for input by a form or a URL.
 *
 * @category rows
 * @since 0.1.0
 */
export const createElicitation = MethodTable.request("elicitation/create", {
  direction: "agent_to_client",
  callback: "createElicitation",
  gate: Capabilities.gate("client", "elicitation.form", "elicitation.url"),
  params: MethodTable.named<Elicitation.CreateElicitationRequest>(Elicitation.CreateElicitationRequest),
  result: MethodTable.named<Elicitation.CreateElicitationResponse>(Elicitation.CreateElicitationResponse)
})

/**
 * Tells that an elicitation by URL is complete.
 *
 * @category rows
 * @since 0.1.0
 */
export const completeElicitation = MethodTable.notification("elicitation/complete", {
  direction: "agent_to_client",
  callback: "completeElicitation",
  gate: Capabilities.gate("client", "elicitation.url"),
  params: MethodTable.named<Elicitation.CompleteElicitationNotification>(Elicitation.CompleteElicitationNotification)
})

/**
 * The rows that a client serves.
 *
 * @category groups
 * @since 0.1.0
 */
export const ClientMethods = MethodTable.group(
  requestPermission,
  sessionUpdate,
  readTextFile,
  writeTextFile,
  createTerminal,
  terminalOutput,
  releaseTerminal,
  waitForTerminalExit,
  killTerminal,
  createElicitation,
  completeElicitation
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
