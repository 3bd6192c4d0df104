/**
 * Commands that run for an agent: the five `terminal/*` methods, and a live view of them for a user interface.
 *
 * @since 0.1.0
 */
import * as AcpError from "@effect-acp/core/AcpError"
import * as ClientMethods from "@effect-acp/core/ClientMethods"
import { InboundRequest } from "@effect-acp/core/InboundRequest"
import type { CreateTerminalRequest } from "@effect-acp/core/schema/Terminal"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as PlatformError from "effect/PlatformError"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { ExitStatus } from "./AgentProcess.ts"
import * as Containment from "./internal/containment.ts"
import * as Guard from "./internal/guard.ts"
import { fromPlatform, refuse } from "./internal/refusal.ts"
import { rootsOf, unknownSession } from "./internal/roots.ts"
import * as Process from "./internal/terminal.ts"
import * as TerminalTable from "./internal/terminalTable.ts"

// =============================================================================
// Options
// =============================================================================

/**
 * What an agent may run, and how much of it. Each option has a default.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The folders that a working folder may be in, in place of the session's `cwd` and additional directories. */
  readonly roots?: ReadonlyArray<string> | undefined
  /** Whether a relative working folder is taken to be below the first root; otherwise it is refused. Default false. */
  readonly relativePaths?: boolean | undefined
  /** Variables for every command, on top of the environment of this process; the agent's come last. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Whether commands get the environment of this process. Default true. */
  readonly extendEnv?: boolean | undefined
  /**
   * Whether a command without arguments that names no program is run as a line of the platform's shell (T1). Default
   * false: it is answered with `command_not_found`.
   */
  readonly shellLines?: boolean | undefined
  /** How long a process group may go on after SIGTERM, before SIGKILL. Default 2 seconds. */
  readonly killGrace?: Duration.Input | undefined
  /** How much of a terminal's output is kept where the agent does not say, in bytes. Default 1 MiB. */
  readonly outputBytes?: number | undefined
  /** The most that is kept of a terminal's output, whatever the agent says, in bytes. Default 16 MiB. */
  readonly maxOutputBytes?: number | undefined
  /** Terminals that a session can have and has not released. Default 256. */
  readonly maxPerSession?: number | undefined
  /** Terminals that all sessions can have together. Default 1,024. */
  readonly maxTotal?: number | undefined
  /** The output that the terminals of a session may keep, all of them together, in bytes. Default 256 MiB. */
  readonly maxOutputBytesPerSession?: number | undefined
  /** The output that all terminals may keep together, in bytes. Default 1 GiB. */
  readonly maxOutputBytesTotal?: number | undefined
}

const MiB = 1024 * 1024

const limitsOf = (options: Options): TerminalTable.Limits => ({
  maxPerSession: options.maxPerSession ?? 256,
  maxTotal: options.maxTotal ?? 1_024,
  maxOutputBytesPerSession: options.maxOutputBytesPerSession ?? 256 * MiB,
  maxOutputBytesTotal: options.maxOutputBytesTotal ?? 1_024 * MiB
})

// =============================================================================
// Views
// =============================================================================

/**
 * A terminal as a user interface shows it.
 *
 * A view stays readable after its terminal was released, for as long as somebody has it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Terminal {
  readonly terminalId: string
  readonly sessionId: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly pid: number
  /**
   * What is kept of the output so far, then what comes, up to its end.
   *
   * A slow listener never holds the command up, it loses the oldest; a `…` stands for what is missing.
   */
  readonly output: Stream.Stream<string>
  /** What is kept of the output now, and whether its beginning is missing. */
  readonly snapshot: Effect.Effect<{ readonly output: string; readonly truncated: boolean }>
  /** Waits for the command to end and says how. */
  readonly exit: Effect.Effect<ExitStatus>
  /** Ends the command, as a person who watches it may wish to; the agent can still read it. */
  readonly kill: Effect.Effect<void>
}

/**
 * The terminals that agents have created.
 *
 * @category services
 * @since 0.1.0
 */
export class Terminals extends Context.Service<Terminals, {
  /** The terminal with an id, live or released a short time ago. */
  readonly get: (terminalId: string) => Effect.Effect<Option.Option<Terminal>>
  /** All live terminals and the last ones that were released, while their sessions are open. */
  readonly all: Effect.Effect<ReadonlyArray<Terminal>>
  /** Each terminal that is created from the time of subscription on. */
  readonly created: Stream.Stream<Terminal>
}>()("@effect-acp/host/Terminals") {}

// =============================================================================
// Handlers
// =============================================================================

const requireSession = Effect.flatMap(
  InboundRequest,
  ({ session }) => session === undefined ? unknownSession : Effect.succeed(session)
)

/** The working folder, by the same rules as the paths of files (F130). */
const workingFolder = Effect.fnUntraced(function*(requested: string, options: Options) {
  const { session } = yield* InboundRequest
  const fs = yield* FileSystem.FileSystem
  const { real } = yield* Containment.resolve(requested, { ...options, named: yield* rootsOf(session, options.roots) })
  const info = yield* Effect.mapError(fs.stat(real), (error) => fromPlatform(error, requested))
  if (info.type !== "Directory") return yield* refuse("not_a_directory", requested)
  return real
})

const environment = Effect.fnUntraced(function*(variables: CreateTerminalRequest["env"], options: Options) {
  const env: Record<string, string | undefined> = { ...options.env }
  for (const { name, value } of variables ?? []) {
    if (name === "" || /[=\0]/.test(name) || value.includes("\0")) {
      return yield* new AcpError.InvalidParams({
        message: "A variable of the environment cannot have this name or value",
        data: { reason: "invalid_env", name }
      })
    }
    env[name] = value
  }
  return env
})

const commandProblems: Partial<Record<PlatformError.PlatformError["reason"]["_tag"], string>> = {
  NotFound: "command_not_found",
  PermissionDenied: "command_not_executable",
  BadArgument: "invalid_command"
}

const notStarted = ({ message, reason }: PlatformError.PlatformError, command: string): AcpError.RequestError => {
  const problem = commandProblems[reason._tag]
  return problem === undefined
    ? new AcpError.InternalError({
      message: "The command was not started",
      data: { reason: "spawn_failed", command, cause: message }
    })
    : new AcpError.InvalidParams({ message: "The command was not started", data: { reason: problem, command } })
}

interface State {
  readonly table: TerminalTable.TerminalTable<Terminal>
  readonly created: PubSub.PubSub<Terminal>
  readonly guard: Guard.Guard
}

const makeCreate = (options: Options, { created, guard, table }: State) =>
  Effect.fnUntraced(function*(params: CreateTerminalRequest) {
    const session = yield* requireSession
    const cwd = yield* workingFolder(params.cwd ?? session.cwd, options)
    const command: Process.Command = {
      command: params.command,
      args: params.args ?? [],
      cwd,
      env: yield* environment(params.env, options),
      extendEnv: options.extendEnv,
      stdin: "ignore",
      outputLimit: Math.min(params.outputByteLimit ?? options.outputBytes ?? MiB, options.maxOutputBytes ?? 16 * MiB),
      grace: options.killGrace ?? "2 seconds",
      guard,
      shellLines: options.shellLines ?? false
    }
    const terminalId = yield* table.add(
      session,
      command.outputLimit,
      (terminalId) =>
        Effect.map(Process.start(command), (terminal) => {
          const view = makeView({ terminalId, sessionId: session.sessionId, command, cwd, terminal })
          PubSub.publishUnsafe(created, view)
          return { terminal, view, outputLimit: command.outputLimit }
        })
    ).pipe(
      Effect.catchTag("PlatformError", (error) => Effect.fail(notStarted(error, params.command)))
    )
    return { terminalId }
  })

const makeView = (options: {
  readonly terminalId: string
  readonly sessionId: string
  readonly command: Process.Command
  readonly cwd: string
  readonly terminal: Process.Terminal
}): Terminal => {
  const { command, cwd, sessionId, terminal, terminalId } = options
  return {
    terminalId,
    sessionId,
    command: command.command,
    args: command.args.map(String),
    cwd,
    pid: terminal.pid,
    output: terminal.output.stream,
    snapshot: snapshotOf(terminal),
    exit: terminal.exit,
    kill: terminal.kill
  }
}

const snapshotOf = ({ output: { ring } }: Process.Terminal) =>
  Effect.sync(() => ({ output: ring.toString(), truncated: ring.truncated }))

const toWire = ({ code, signal }: ExitStatus) => ({ exitCode: code, signal })

const makeHandlers = (options: Options, state: State) => {
  const { table } = state
  const find = ({ terminalId }: { readonly terminalId: string }) =>
    Effect.flatMap(requireSession, (session) => table.find(session, terminalId))
  return {
    createTerminal: makeCreate(options, state),
    terminalOutput: Effect.fnUntraced(function*(params: { readonly terminalId: string }) {
      const terminal = yield* find(params)
      const status = yield* terminal.exitNow
      const snapshot = yield* snapshotOf(terminal)
      return status === undefined ? snapshot : { ...snapshot, exitStatus: toWire(status) }
    }),
    waitForTerminalExit: (params: { readonly terminalId: string }) =>
      Effect.map(Effect.flatMap(find(params), ({ exit }) => exit), toWire),
    killTerminal: (params: { readonly terminalId: string }) =>
      Effect.as(Effect.flatMap(find(params), ({ kill }) => kill), {}),
    releaseTerminal: ({ terminalId }: { readonly terminalId: string }) =>
      Effect.as(Effect.flatMap(requireSession, (session) => table.release(session, terminalId)), {})
  }
}

/** Terminals that wait for a subscriber of `created`; a slower one loses the oldest. */
const waitingTerminals = 1_024

const makeState = Effect.fnUntraced(function*(options: Options) {
  // Before the table, whose terminals are released while the guard still takes note.
  const guard = yield* Guard.make
  const table = yield* TerminalTable.make<Terminal>(limitsOf(options))
  const created = yield* PubSub.sliding<Terminal>(waitingTerminals)
  const terminals = Terminals.of({
    get: (terminalId) => Effect.sync(() => Option.fromUndefinedOr(table.viewUnsafe(terminalId))),
    all: Effect.sync(table.viewsUnsafe),
    created: Stream.fromPubSub(created)
  })
  return { terminals, state: { table, created, guard } satisfies State }
})

/**
 * Lets the agent run commands in the folders of its session.
 *
 * **When to use**
 *
 * Provide it to a client, which then advertises `terminal`. The `Terminals` service beside the handlers shows what runs.
 *
 * **Details**
 *
 * - `command` and `args` are passed as they are; no shell reads them (T1).
 * - The end of the output is kept, cut at a character; stdout and stderr are one text (T2).
 * - A kill or a release reaches everything that the command has started and that has not left its process group (T4). So
 *   does the end of the session and of the layer's scope, and, where there is a POSIX shell, the sudden end of this
 *   process: a small process beside it waits for that.
 * - A terminal belongs to the session that created it (T5). A terminal that is not known, or no longer, is answered with
 *   -32002.
 *
 * **Gotchas**
 *
 * A command can do whatever this process may do: a working folder inside the roots confines nothing. What may be run is
 * for a permission request, or for a sandbox around the client, to decide.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}) =>
  Layer.unwrap(
    Effect.map(makeState(options), ({ state, terminals }) =>
      Layer.merge(ClientMethods.handlers(makeHandlers(options, state)), Layer.succeed(Terminals, terminals)))
  )
