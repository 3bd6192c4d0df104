/**
 * Terminals: commands that the client runs for the agent.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { nullish, optionalListOrNull, orOmit } from "../internal/leniency.ts"
import { meta, SessionId, UInt32, UInt64 } from "./Common.ts"
import { EnvVariable } from "./McpServer.ts"

/**
 * The name of a terminal, chosen by the client.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TerminalId = Schema.String.annotate({ identifier: "TerminalId" })

/**
 * The name of a terminal, chosen by the client.
 *
 * @category models
 * @since 0.1.0
 */
export type TerminalId = typeof TerminalId.Type

const terminal = { sessionId: SessionId, terminalId: TerminalId, ...meta }

/**
 * Asks for a command to be run.
 *
 * **Details**
 *
 * `cwd` is absolute. Of the output, the last `outputByteLimit` bytes are kept, cut at a character boundary.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CreateTerminalRequest = Schema.Struct({
  sessionId: SessionId,
  command: Schema.String,
  args: optionalListOrNull(Schema.String),
  env: optionalListOrNull(EnvVariable),
  cwd: nullish(Schema.String),
  outputByteLimit: nullish(UInt64),
  ...meta
}).annotate({ identifier: "CreateTerminalRequest" })

/**
 * Asks for a command to be run.
 *
 * @category models
 * @since 0.1.0
 */
export interface CreateTerminalRequest extends Schema.Schema.Type<typeof CreateTerminalRequest> {}

/**
 * The terminal that runs the command.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CreateTerminalResponse = Schema.Struct({
  terminalId: TerminalId,
  ...meta
}).annotate({ identifier: "CreateTerminalResponse" })

/**
 * The terminal that runs the command.
 *
 * @category models
 * @since 0.1.0
 */
export interface CreateTerminalResponse extends Schema.Schema.Type<typeof CreateTerminalResponse> {}

/**
 * Asks for what a terminal has written so far; does not wait.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TerminalOutputRequest = Schema.Struct({
  ...terminal
}).annotate({ identifier: "TerminalOutputRequest" })

/**
 * Asks for what a terminal has written so far; does not wait.
 *
 * @category models
 * @since 0.1.0
 */
export interface TerminalOutputRequest extends Schema.Schema.Type<typeof TerminalOutputRequest> {}

/**
 * How a command has ended: with a code, or by a signal.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TerminalExitStatus = Schema.Struct({
  exitCode: orOmit(UInt32),
  signal: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "TerminalExitStatus" })

/**
 * How a command has ended: with a code, or by a signal.
 *
 * @category models
 * @since 0.1.0
 */
export interface TerminalExitStatus extends Schema.Schema.Type<typeof TerminalExitStatus> {}

/**
 * What a terminal has written so far.
 *
 * **Details**
 *
 * `truncated` tells that the beginning is missing; `exitStatus` is there once the command has ended.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TerminalOutputResponse = Schema.Struct({
  output: Schema.String,
  truncated: Schema.Boolean,
  exitStatus: orOmit(TerminalExitStatus),
  ...meta
}).annotate({ identifier: "TerminalOutputResponse" })

/**
 * What a terminal has written so far.
 *
 * @category models
 * @since 0.1.0
 */
export interface TerminalOutputResponse extends Schema.Schema.Type<typeof TerminalOutputResponse> {}

/**
 * Kills a terminal's command and forgets the terminal.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReleaseTerminalRequest = Schema.Struct({
  ...terminal
}).annotate({ identifier: "ReleaseTerminalRequest" })

/**
 * Kills a terminal's command and forgets the terminal.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReleaseTerminalRequest extends Schema.Schema.Type<typeof ReleaseTerminalRequest> {}

/**
 * The terminal is gone.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReleaseTerminalResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "ReleaseTerminalResponse" })

/**
 * The terminal is gone.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReleaseTerminalResponse extends Schema.Schema.Type<typeof ReleaseTerminalResponse> {}

/**
 * Waits for a terminal's command to end.
 *
 * @category schemas
 * @since 0.1.0
 */
export const WaitForTerminalExitRequest = Schema.Struct({
  ...terminal
}).annotate({ identifier: "WaitForTerminalExitRequest" })

/**
 * Waits for a terminal's command to end.
 *
 * @category models
 * @since 0.1.0
 */
export interface WaitForTerminalExitRequest extends Schema.Schema.Type<typeof WaitForTerminalExitRequest> {}

/**
 * How the command has ended: with a code, or by a signal.
 *
 * @category schemas
 * @since 0.1.0
 */
export const WaitForTerminalExitResponse = Schema.Struct({
  exitCode: orOmit(UInt32),
  signal: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "WaitForTerminalExitResponse" })

/**
 * How the command has ended: with a code, or by a signal.
 *
 * @category models
 * @since 0.1.0
 */
export interface WaitForTerminalExitResponse extends Schema.Schema.Type<typeof WaitForTerminalExitResponse> {}

/**
 * Kills a terminal's command; the terminal can still be read.
 *
 * @category schemas
 * @since 0.1.0
 */
export const KillTerminalRequest = Schema.Struct({
  ...terminal
}).annotate({ identifier: "KillTerminalRequest" })

/**
 * Kills a terminal's command; the terminal can still be read.
 *
 * @category models
 * @since 0.1.0
 */
export interface KillTerminalRequest extends Schema.Schema.Type<typeof KillTerminalRequest> {}

/**
 * The command was told to end.
 *
 * @category schemas
 * @since 0.1.0
 */
export const KillTerminalResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "KillTerminalResponse" })

/**
 * The command was told to end.
 *
 * @category models
 * @since 0.1.0
 */
export interface KillTerminalResponse extends Schema.Schema.Type<typeof KillTerminalResponse> {}
