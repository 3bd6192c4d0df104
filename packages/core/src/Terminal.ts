/**
 * The client's terminals, as an agent uses them: a scoped handle that is always released.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type * as AcpError from "./AcpError.ts"
import type { AgentSession } from "./AgentSession.ts"
import type { CreateTerminalRequest, TerminalExitStatus, TerminalOutputResponse } from "./schema/Terminal.ts"

/**
 * How a command is started: `command` and `args` go to the system as they are, no shell reads them.
 *
 * `cwd` must be absolute; the session's by default. `outputByteLimit` bounds what the client keeps of the output.
 *
 * @category models
 * @since 0.1.0
 */
export interface Command extends Omit<CreateTerminalRequest, "sessionId"> {}

/**
 * A terminal of the client.
 *
 * @category models
 * @since 0.1.0
 */
export interface Terminal {
  readonly terminalId: string
  /** What the command has written so far, and how it ended if it has. */
  readonly output: Effect.Effect<TerminalOutputResponse, AcpError.CallError>
  /** Waits for the end of the command, without a time limit. */
  readonly waitForExit: Effect.Effect<TerminalExitStatus, AcpError.CallError>
  /** Ends the command and keeps the terminal readable. */
  readonly kill: Effect.Effect<void, AcpError.CallError>
}

/**
 * The end of a command, with its output.
 *
 * @category models
 * @since 0.1.0
 */
export interface Finished {
  readonly output: string
  readonly truncated: boolean
  readonly exitStatus: TerminalExitStatus
  /** The command was killed because it had not ended in time. */
  readonly timedOut: boolean
}

/**
 * Starts a command in a terminal of the client. Closing the scope releases it, which ends a command that still runs.
 *
 * Interrupting it while the client is still starting the command releases the terminal as soon as it is there.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  { client, scope, sessionId }: AgentSession,
  command: Command
): Effect.Effect<Terminal, AcpError.CallError, Scope.Scope> => {
  const release = ({ terminalId }: { readonly terminalId: string }) =>
    Effect.ignore(client.releaseTerminal({ sessionId, terminalId }))
  const create = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkIn(client.createTerminal({ ...command, sessionId }), scope),
      (creating) =>
        Effect.onInterrupt(
          restore(Fiber.join(creating)),
          () => Effect.forkIn(Effect.ignore(Effect.flatMap(Fiber.join(creating), release)), scope)
        )
    )
  )
  return Effect.acquireRelease(create, release, { interruptible: true }).pipe(
    Effect.map(({ terminalId }) => {
      const named = { sessionId, terminalId }
      return {
        terminalId,
        output: client.terminalOutput(named),
        waitForExit: client.waitForTerminalExit(named),
        kill: Effect.asVoid(client.killTerminal(named))
      }
    })
  )
}

/**
 * Waits for the end of a terminal's command, at the most for `timeout`, and reads its output. A command that takes longer is
 * killed.
 *
 * @category running
 * @since 0.1.0
 */
export const finish = Effect.fnUntraced(function*(
  terminal: Terminal,
  options?: { readonly timeout?: Duration.Input | undefined }
): Effect.fn.Return<Finished, AcpError.CallError> {
  const { timeout } = options ?? {}
  const inTime = timeout === undefined
    ? yield* Effect.asSome(terminal.waitForExit)
    : yield* Effect.timeoutOption(terminal.waitForExit, timeout)
  const timedOut = inTime._tag === "None"
  if (timedOut) yield* terminal.kill
  const exitStatus = timedOut ? yield* terminal.waitForExit : inTime.value
  const { output, truncated } = yield* terminal.output
  return { output, truncated, exitStatus, timedOut }
})

/**
 * Runs a command to its end, and releases its terminal.
 *
 * @category running
 * @since 0.1.0
 */
export const run = (
  session: AgentSession,
  command: Command,
  options?: { readonly timeout?: Duration.Input | undefined }
): Effect.Effect<Finished, AcpError.CallError> =>
  Effect.scoped(Effect.flatMap(make(session, command), (terminal) => finish(terminal, options)))

/**
 * A line as the client's shell would read it: `sh`, or `cmd.exe` for `windows`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const shell = (line: string, platform: "posix" | "windows" = "posix"): Command =>
  platform === "windows"
    ? { command: "cmd.exe", args: ["/d", "/s", "/c", line] }
    : { command: "sh", args: ["-c", line] }
