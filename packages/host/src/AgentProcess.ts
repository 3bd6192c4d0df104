/**
 * Agents that run as child processes and speak over their stdin and stdout.
 *
 * @since 0.1.0
 */
import type * as AcpError from "@effect-acp/core/AcpError"
import * as Transport from "@effect-acp/core/Transport"
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as CommandLine from "effect/process/CommandLine"
import type * as Pull from "effect/Pull"
import * as Queue from "effect/Queue"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { exitStatus, terminate } from "./internal/childProcess.ts"
import { drain } from "./internal/drain.ts"
import * as Output from "./internal/output.ts"
import * as Spawn from "./internal/spawn.ts"

// =============================================================================
// Options
// =============================================================================

/**
 * How an agent is started and ended. Each option has a default.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** Variables added to the environment of this process; one that is undefined is taken out. */
  readonly env?: Readonly<Record<string, string | Redacted.Redacted<string> | undefined>> | undefined
  /** Whether the agent also gets the environment of this process, where `env` is given. Default true. */
  readonly extendEnv?: boolean | undefined
  /** The folder the agent runs in. Default: that of this process. */
  readonly cwd?: string | undefined
  /** How much of the end of stderr is kept, in bytes. Default 8 KiB. */
  readonly stderrTailBytes?: number | undefined
  /** The bound of one incoming line, in bytes. Default 64 MiB. */
  readonly maxLineBytes?: number | undefined
  /**
   * How long the agent may go on after its stdin has ended, before SIGTERM. Default 6 seconds: an agent that finishes
   * what is in flight does so within 5 (R2).
   */
  readonly stdinGrace?: Duration.Input | undefined
  /** How long the process group may go on after SIGTERM, before SIGKILL. Default 2 seconds. */
  readonly termGrace?: Duration.Input | undefined
}

// =============================================================================
// Errors
// =============================================================================

/**
 * The agent could not be started.
 *
 * @category errors
 * @since 0.1.0
 */
export class SpawnFailed extends Data.TaggedError("SpawnFailed")<{
  /** The command with its arguments; secrets are not shown. */
  readonly command: string
  readonly cwd: string | undefined
  readonly problem: "NotFound" | "NotPermitted" | "BadFolder" | "Other"
  readonly cause: PlatformError.PlatformError
}> {
  override get message(): string {
    const where = this.cwd === undefined ? "" : ` in ${this.cwd}`
    return `The agent was not started: ${this.command}${where}. ${advice(this)}`
  }
}

const advice = ({ cause, cwd, problem }: SpawnFailed): string => {
  switch (problem) {
    case "NotFound":
      return "There is no such program: install it, give its full path, or check PATH"
    case "NotPermitted":
      return "The file is not executable: check its permissions"
    case "BadFolder":
      return `The folder ${cwd} does not exist or cannot be entered`
    case "Other":
      return cause.message
  }
}

/**
 * Something of the agent's process group is still there after SIGKILL.
 *
 * **Details**
 *
 * Such a process waits in the kernel, or it has ended and the process that should take note of that does not.
 *
 * @category errors
 * @since 0.1.0
 */
export class StillRunning extends Data.TaggedError("StillRunning")<{
  readonly command: string
  /** The id of the process group. */
  readonly pid: number
}> {
  override get message(): string {
    return `The process group ${this.pid} of ${this.command} did not end after SIGKILL`
  }
}

/**
 * What can go wrong with an agent's process.
 *
 * @category errors
 * @since 0.1.0
 */
export class AgentProcessError extends Data.TaggedError("AgentProcessError")<{
  readonly reason: SpawnFailed | StillRunning
}> {
  override get message(): string {
    return this.reason.message
  }
}

// =============================================================================
// Models
// =============================================================================

/**
 * How a process ended: by a code or by a signal's name. Both are null where the platform does not say.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExitStatus {
  readonly code: number | null
  readonly signal: string | null
}

/**
 * The process behind a transport.
 *
 * @category services
 * @since 0.1.0
 */
export class AgentProcess extends Context.Service<AgentProcess, {
  /** The command with its arguments; secrets are not shown. */
  readonly command: string
  readonly pid: number
  /**
   * What the agent writes to stderr: what is kept so far, then what comes, up to its end.
   *
   * It is read whether anybody listens or not, so the agent never waits for it. A slow listener loses the oldest; a `…`
   * stands for what is missing.
   */
  readonly stderr: Stream.Stream<string>
  /** The last bytes of stderr, as they are now. A tail that lost its beginning starts with `…`. */
  readonly stderrTail: Effect.Effect<string>
  /** Waits for the process to end and says how. */
  readonly exit: Effect.Effect<ExitStatus>
  /**
   * Ends stdin, waits, sends SIGTERM to the process group, waits, sends SIGKILL; done when nothing of it is left (R2).
   *
   * Idempotent, not interruptible, and the same as closing the scope of the layer.
   */
  readonly close: Effect.Effect<void, AgentProcessError>
}>()("@effect-acp/host/AgentProcess") {}

// =============================================================================
// Constructors
// =============================================================================

/**
 * What an agent is started with and through.
 *
 * @category models
 * @since 0.1.0
 */
export type Requirements = ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path

/**
 * Starts an agent that lives as long as the scope.
 *
 * **Details**
 *
 * When the process ends, `incoming` first delivers all that it had written and then fails with `ProcessExited`, which
 * carries its code or signal and the end of its stderr. A process that closes its stdout and goes on ends `incoming` in
 * order. A write to a process that is gone fails with the same reason (R3).
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  command: string,
  args?: ReadonlyArray<string | Redacted.Redacted<string>>,
  options?: Options
) => Effect.Effect<
  { readonly transport: Transport.Transport; readonly process: AgentProcess["Service"] },
  AgentProcessError,
  Requirements | Scope.Scope
> = Effect.fnUntraced(function*(command, args = [], options = {}) {
  const shown = CommandLine.display([command, ...args])
  const handle = yield* Effect.mapError(
    Spawn.spawn({ ...options, command, args, stdin: "pipe" }),
    (cause) => spawnFailed(shown, options.cwd, cause)
  )
  const exit = exitStatus(handle)
  const stderr = yield* Output.make(options.stderrTailBytes ?? 8_192)
  const stderrRead = yield* Output.drainInto(stderr, handle.stderr, exit).pipe(
    Effect.ensuring(stderr.end),
    Effect.forkScoped
  )
  const stdout = yield* pump(handle.stdout, exit)
  const platform = yield* Effect.context<FileSystem.FileSystem | Path.Path>()

  const ladder = Effect.gen(function*() {
    yield* stdout.unblock
    yield* Effect.timeoutOption(endInput(handle, exit), options.stdinGrace ?? "6 seconds")
    if (yield* terminate(handle, options.termGrace ?? "2 seconds")) return
    return yield* new AgentProcessError({ reason: new StillRunning({ command: shown, pid: handle.pid }) })
  })
  const close = yield* Effect.cached(Effect.uninterruptible(Effect.provideContext(ladder, platform)))
  // Registered after the readers, so that stdout and stderr are read until the process is gone.
  yield* Effect.addFinalizer(() => Effect.catch(close, (error) => Effect.logWarning(error.message)))

  const stderrTail = Effect.sync(() => Output.tail(stderr.ring).join(""))

  /** Why the link ended: the end of the process, if it comes soon, else what was seen. */
  const whyEnded = <E>(otherwise: Effect.Effect<void, E>) =>
    Effect.gen(function*() {
      const status = yield* Effect.timeoutOption(exit, exitBound)
      if (Option.isNone(status)) return yield* otherwise
      yield* Fiber.await(stderrRead)
      const reason: AcpError.CloseReason = {
        _tag: "ProcessExited",
        command: shown,
        ...status.value,
        stderr: yield* stderrTail
      }
      return yield* new Transport.TransportError({ reason })
    })

  return {
    transport: makeTransport({
      ...stdout,
      output: handle.stdin,
      maxLineBytes: options.maxLineBytes,
      whyEnded,
      aside: Effect.map(stderrTail, (text) => text === "" ? text : `its stderr ends with: ${text}`)
    }),
    process: AgentProcess.of({
      command: shown,
      pid: handle.pid,
      stderr: stderr.stream,
      stderrTail,
      exit,
      close
    })
  }
})

/** A process that has closed a pipe is usually about to exit; this is how long it is waited for. */
const exitBound = "2 seconds"

/** How long a failed write waits for what the process wrote before it died. */
const deliverBound = "5 seconds"

const spawnFailed = (command: string, cwd: string | undefined, cause: PlatformError.PlatformError) =>
  new AgentProcessError({ reason: new SpawnFailed({ command, cwd, problem: problemOf(cause), cause }) })

const problemOf = ({ reason }: PlatformError.PlatformError): SpawnFailed["problem"] => {
  // The spawner looks at the folder before it starts anything.
  if (reason.module === "FileSystem") return "BadFolder"
  if (reason._tag === "NotFound") return "NotFound"
  return reason._tag === "PermissionDenied" ? "NotPermitted" : "Other"
}

const endInput = (handle: ChildProcessSpawner.ChildProcessHandle, exit: Effect.Effect<ExitStatus>) =>
  Effect.raceFirst(
    exit,
    Effect.andThen(Effect.ignore(Stream.run(Stream.empty, handle.stdin)), Effect.never)
  )

type Chunks = Arr.NonEmptyReadonlyArray<Uint8Array>

interface Stdout {
  readonly chunks: Queue.Queue<Chunks, PlatformError.PlatformError | Cause.Done>
  /** Marks the stream that consumes the chunks; when it ends, what still comes is read and dropped. */
  readonly reading: <A, E>(consumer: Stream.Stream<A, E>) => Stream.Stream<A, E>
  /** Drops what comes unless there is a consumer. */
  readonly unblock: Effect.Effect<unknown>
  readonly ended: Effect.Effect<unknown>
}

/**
 * Reads stdout for as long as the process lives.
 *
 * It reads no further than its consumer, and it goes on without one, so that an agent that finishes its work after the
 * connection has ended is not stopped by a full pipe.
 */
const pump = Effect.fnUntraced(function*(
  bytes: Stream.Stream<Uint8Array, PlatformError.PlatformError>,
  exit: Effect.Effect<ExitStatus>
) {
  const chunks = yield* Queue.bounded<Chunks, PlatformError.PlatformError | Cause.Done>(1)
  const fiber = yield* drain(bytes, exit, (read) => Effect.andThen(Queue.offer(chunks, read), Queue.flush(chunks)))
    .pipe(
      Effect.matchCauseEffect({
        onSuccess: () => Queue.end(chunks),
        onFailure: (cause) => Queue.failCause(chunks, cause)
      }),
      Effect.forkScoped
    )
  const discard = Queue.shutdown(chunks)
  let consumed = false
  return {
    chunks,
    reading: (consumer) =>
      Stream.suspend(() => {
        consumed = true
        return Stream.ensuring(consumer, discard)
      }),
    unblock: Effect.suspend(() => consumed ? Effect.void : discard),
    ended: Fiber.await(fiber)
  } satisfies Stdout
})

const makeTransport = (
  options: Stdout & {
    readonly output: Sink.Sink<void, Uint8Array, never, PlatformError.PlatformError>
    readonly maxLineBytes: number | undefined
    readonly whyEnded: <E>(
      otherwise: Effect.Effect<void, E>
    ) => Effect.Effect<void, E | Transport.TransportError>
    readonly aside: Effect.Effect<string>
  }
): Transport.Transport => {
  const { aside, chunks, ended, reading, whyEnded } = options
  const link = Transport.fromBytes({
    input: Stream.fromPull(Effect.succeed(Queue.take(chunks))),
    output: options.output,
    maxLineBytes: options.maxLineBytes
  })
  const explained = <A>(pull: Pull.Pull<A, Transport.TransportError>) =>
    Effect.succeed(Effect.catch(pull, (end) => {
      const otherwise = Cause.isDone(end) ? Effect.void : Effect.fail(end)
      return Effect.andThen(whyEnded(otherwise), Cause.done())
    }))
  return {
    incoming: reading(Stream.transformPull(link.incoming, explained)),
    // The reason waits until what the process wrote was delivered: the first end that is seen is the end (R3).
    outgoing: Sink.catch(link.outgoing, (error) =>
      whyEnded(Effect.fail(error)).pipe(
        Effect.onError(() => Effect.timeoutOption(ended, deliverBound))
      )),
    aside
  }
}

/**
 * An agent's process as the transport of a connection, with the process beside it.
 *
 * **When to use**
 *
 * Use it where a connection needs a `Transport`: the agent is started when the layer is built, and ended, with all that
 * it has started, when the layer's scope closes.
 *
 * **Details**
 *
 * `command` and `args` are passed as they are; no shell reads them. On Windows, a name may mean a batch file or a
 * PowerShell script, which are run by what can run them.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  command: string,
  args?: ReadonlyArray<string | Redacted.Redacted<string>>,
  options?: Options
): Layer.Layer<Transport.Transport | AgentProcess, AgentProcessError, Requirements> =>
  Layer.effectContext(
    Effect.map(make(command, args, options), ({ process, transport }) =>
      Context.make(Transport.Transport, transport).pipe(Context.add(AgentProcess, process)))
  )
