/**
 * Starts the program under test, again for each requirement, and gives a link to its standard streams.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/**
 * How a program ended: by a code, or by a signal.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExitStatus {
  readonly code: number | null
  readonly signal: string | null
}

/**
 * The standard streams of a running program.
 *
 * Closing the scope in which it was launched closes its input, waits for the close grace, and then ends it with
 * everything that it has started.
 *
 * @category models
 * @since 0.1.0
 */
export interface Link {
  readonly write: (line: string) => Effect.Effect<void>
  readonly closeInput: Effect.Effect<void>
  readonly output: Stream.Stream<Uint8Array>
  readonly exit: Effect.Effect<ExitStatus>
  /** What came on stderr so far: how many bytes, and the last of it. */
  readonly stderr: Effect.Effect<{ readonly bytes: number; readonly tail: string }>
}

/**
 * The program could not be started.
 *
 * @category errors
 * @since 0.1.0
 */
export class LaunchError extends Schema.TaggedError<LaunchError>()("LaunchError", {
  command: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `"${this.command}" could not be started: ${this.reason}`
  }
}

/**
 * Starts the program under test.
 *
 * @category services
 * @since 0.1.0
 */
export class Launcher extends Context.Service<Launcher, {
  readonly command: string
  readonly launch: Effect.Effect<Link, LaunchError, Scope.Scope>
}>()("@effect-acp/tck/Launcher") {}

/**
 * A command, and where and how long it runs.
 *
 * `env` is added to the environment of this process. `closeGrace` is how long the program may take to exit after the
 * end of its input, 2 seconds by default.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProcessOptions {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly closeGrace?: Duration.Input | undefined
}

/**
 * Starts a command as a process, in a process group of its own.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerProcess = (
  options: ProcessOptions
): Layer.Layer<Launcher, never, ChildProcessSpawner.ChildProcessSpawner> =>
  Layer.effect(
    Launcher,
    Effect.map(ChildProcessSpawner.ChildProcessSpawner, (spawner) => {
      const command = [options.command, ...options.args].join(" ")
      return {
        command,
        launch: spawner.spawn(makeCommand(options)).pipe(
          Effect.mapError((error) => new LaunchError({ command, reason: reasonOf(error) })),
          Effect.flatMap((handle) => linkOf(handle, options.closeGrace ?? "2 seconds"))
        )
      }
    })
  )

const makeCommand = ({ args, command, cwd, env }: ProcessOptions) =>
  ChildProcess.make(command, args, {
    cwd,
    env: { ...env },
    extendEnv: true,
    killSignal: "SIGTERM",
    forceKillAfter: "500 millis"
  })

const reasonOf = (error: PlatformError.PlatformError): string =>
  error.reason._tag === "NotFound" ? "there is no such program" : error.message

const linkOf = Effect.fnUntraced(function*(handle: ChildProcessSpawner.ChildProcessHandle, closeGrace: Duration.Input) {
  const input = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const stderr = { bytes: 0, tail: "" }
  yield* Stream.fromQueue(input).pipe(Stream.run(handle.stdin), Effect.ignore, Effect.forkScoped)
  yield* handle.stderr.pipe(
    Stream.runForEach((chunk) => Effect.sync(() => keep(stderr, chunk))),
    Effect.ignore,
    Effect.forkScoped
  )
  const exit = exitStatus(handle)
  const closeInput = Effect.asVoid(Queue.end(input))
  yield* Effect.addFinalizer(() => Effect.andThen(closeInput, Effect.timeoutOption(exit, closeGrace)))
  const link: Link = {
    write: (line) => Effect.asVoid(Queue.offer(input, Buffer.from(`${line}\n`))),
    closeInput,
    output: Stream.catch(handle.stdout, () => Stream.empty),
    exit,
    stderr: Effect.sync(() => ({ ...stderr }))
  }
  return link
})

const tailLength = 2000

const keep = (stderr: { bytes: number; tail: string }, chunk: Uint8Array): void => {
  stderr.bytes += chunk.length
  stderr.tail = (stderr.tail + Buffer.from(chunk).toString("utf8")).slice(-tailLength)
}

const exitStatus = (handle: ChildProcessSpawner.ChildProcessHandle): Effect.Effect<ExitStatus> =>
  Effect.match(handle.exitCode, {
    onSuccess: (code): ExitStatus => ({ code, signal: null }),
    // A death by signal is an error of the handle, and its text is the only place where the signal's name is.
    onFailure: (error): ExitStatus => ({
      code: null,
      signal: /\bSIG[A-Z0-9]+\b/.exec(String(error.cause))?.[0] ?? null
    })
  })

/**
 * What a program inside this process may do: write, and exit.
 *
 * @category models
 * @since 0.1.0
 */
export interface Streams {
  readonly stdout: (bytes: Uint8Array) => void
  readonly stderr: (text: string) => void
  readonly exit: (code: number) => void
}

/**
 * A program that lives inside this process: it is given lines, and the end of its input.
 *
 * @category models
 * @since 0.1.0
 */
export interface Program {
  readonly line: (line: string) => void
  readonly end: () => void
}

/**
 * Starts a program inside this process, for tests of an agent without processes.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerInProcess = (start: (streams: Streams) => Program): Layer.Layer<Launcher> =>
  Layer.succeed(Launcher, {
    command: "in this process",
    launch: Effect.gen(function*() {
      const output = yield* Queue.unbounded<Uint8Array, Cause.Done>()
      const exited = yield* Deferred.make<ExitStatus>()
      const stderr = { bytes: 0, tail: "" }
      const program = start({
        stdout: (bytes) => Queue.offerUnsafe(output, bytes),
        stderr: (text) => keep(stderr, Buffer.from(text)),
        exit: (code) => {
          Queue.endUnsafe(output)
          Deferred.doneUnsafe(exited, Exit.succeed({ code, signal: null }))
        }
      })
      const closeInput = Effect.sync(() => program.end())
      yield* Effect.addFinalizer(() => closeInput)
      const link: Link = {
        write: (line) => Effect.sync(() => program.line(line)),
        closeInput,
        output: Stream.fromQueue(output),
        exit: Deferred.await(exited),
        stderr: Effect.sync(() => ({ ...stderr }))
      }
      return link
    })
  })
