/**
 * The commands of the example agent that act, each as a tool call that asks first.
 */
import * as AcpError from "@effect-acp/core/AcpError"
import * as ClientMethods from "@effect-acp/core/ClientMethods"
import * as Permission from "@effect-acp/core/schema/Permission"
import type { StopReason } from "@effect-acp/core/schema/Prompt"
import type { TerminalExitStatus } from "@effect-acp/core/schema/Terminal"
import * as ToolCall from "@effect-acp/core/schema/ToolCall"
import * as Terminal from "@effect-acp/core/Terminal"
import type { ToolCallHandle, ToolCallOptions, Turn } from "@effect-acp/core/Turn"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Words from "../Words.ts"
import * as Choices from "./Choices.ts"
import { help } from "./Messages.ts"

// =============================================================================
// Tool calls
// =============================================================================

/** Runs a tool call and says what came of it. What goes wrong is said too, and the turn goes on. */
const tool = <R>(
  turn: Turn,
  options: ToolCallOptions,
  body: (call: ToolCallHandle) => Effect.Effect<string, AcpError.AcpError, R>
) =>
  turn.toolCall(
    options,
    (call) =>
      Effect.tapError(body(call), (error) => call.update({ content: [ToolCall.content(AcpError.format(error))] }))
  ).pipe(
    Effect.matchEffect({
      onSuccess: turn.say,
      onFailure: (error) =>
        isFatal(error) ? Effect.fail(error) : Effect.as(turn.say(explain(options.title, error)), stopReason(error))
    })
  )

/** Nothing can be told any more. */
const isFatal = (error: AcpError.AcpError) => error._tag === "ConnectionClosed" || error._tag === "TurnOver"

const explain = (title: string, error: AcpError.AcpError) => {
  if (error._tag === "PermissionDenied") return `${title}: permission denied`
  const wasAsking = "method" in error && error.method === ClientMethods.requestPermission._tag
  return `${title}: ${wasAsking ? "permission denied: " : ""}${AcpError.format(error)}`
}

/** A question is answered as cancelled when the turn is; the cancel itself may come right behind. */
const stopReason = (error: AcpError.AcpError): StopReason | undefined =>
  error._tag === "PermissionDenied" && error.outcome === "cancelled" ? "cancelled" : undefined

/** Whether the client can do it: what cannot be done fails without a question. */
const canRead = (turn: Turn) => turn.session.clientCapabilities.fs?.readTextFile === true

const resolve = (turn: Turn, path: string) => Effect.map(Path.Path, (_) => _.resolve(turn.session.cwd, path))

// =============================================================================
// Files
// =============================================================================

export const read = Effect.fnUntraced(function*(turn: Turn, argument: string) {
  const name = argument.trim()
  if (name === "") return yield* help(turn)
  const path = yield* resolve(turn, name)
  const described = {
    title: `Read ${name}`,
    kind: "read",
    locations: [{ path }],
    rawInput: { path },
    permission: canRead(turn) && (yield* Choices.asks(turn.session))
  }
  return yield* tool(
    turn,
    described,
    (call) => Effect.tap(turn.readTextFile(path), (text) => call.update({ content: [ToolCall.content(text)] }))
  )
})

export const write = Effect.fnUntraced(function*(turn: Turn, argument: string) {
  const [, name, newText] = /^\s*(\S*)\s?([^]*)$/u.exec(argument)!
  if (name === "") return yield* help(turn)
  const path = yield* resolve(turn, name)
  // Who decides about a change should see what it changes.
  const oldText = canRead(turn) ? Option.getOrUndefined(yield* Effect.option(turn.readTextFile(path))) : undefined
  const described = {
    title: `Write ${name}`,
    kind: "edit",
    locations: [{ path }],
    content: [ToolCall.diff({ path, newText, ...oldText === undefined ? {} : { oldText } })],
    rawInput: { path, content: newText },
    permission: turn.session.clientCapabilities.fs?.writeTextFile === true && (yield* Choices.asks(turn.session))
  }
  return yield* tool(turn, described, () => Effect.as(turn.writeTextFile(path, newText), `wrote ${name}`))
})

// =============================================================================
// Terminals
// =============================================================================

export const run = Effect.fnUntraced(function*(turn: Turn, argument: string) {
  const words = Words.split(argument)
  if (Result.isFailure(words)) return yield* turn.say(words.failure)
  const [command, ...args] = words.success
  if (command === undefined) return yield* help(turn)
  const described = {
    title: `Run ${argument.trim()}`,
    kind: "execute",
    rawInput: { command, args },
    permission: turn.session.clientCapabilities.terminal === true && (yield* Choices.asks(turn.session))
  }
  return yield* tool(turn, described, (call) => runInTerminal(turn, call, command, args))
})

const runInTerminal = Effect.fnUntraced(
  function*(turn: Turn, call: ToolCallHandle, command: string, args: ReadonlyArray<string>) {
    const terminal = yield* turn.terminal({ command, args, outputByteLimit: 1_048_576 })
    yield* call.update({ content: [ToolCall.terminal(terminal.terminalId)] })
    const { exitStatus, output, truncated } = yield* Terminal.finish(terminal)
    yield* call.update({ rawOutput: { ...exitStatus, output, truncated } })
    return `${command} ${describeExit(exitStatus)}`
  },
  Effect.scoped
)

const describeExit = ({ exitCode, signal }: TerminalExitStatus) =>
  typeof signal === "string" ? `was ended by ${signal}` : `exited with code ${exitCode ?? "unknown"}`

// =============================================================================
// Permission
// =============================================================================

const choices = [
  Permission.allowOnce("once", "Allow once"),
  Permission.allowAlways("always", "Always allow"),
  Permission.rejectOnce("not-now", "Reject once"),
  Permission.rejectAlways("never", "Always reject")
]

export const ask = (turn: Turn) => {
  const described = { title: "Ask for permission", kind: "other" }
  return tool(
    turn,
    described,
    ({ toolCallId }) =>
      Effect.flatMap(
        turn.requestPermission({ ...described, toolCallId }, choices),
        (outcome) =>
          outcome._tag === "Cancelled"
            ? Effect.fail(new AcpError.PermissionDenied({ toolCallId, outcome: "cancelled" }))
            : Effect.succeed(`${outcome.option.name} was chosen (${outcome.option.kind})`)
      )
  )
}
