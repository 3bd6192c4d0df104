/**
 * One command that runs for an agent.
 */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import { type ExitStatus, exitStatus, terminate } from "./childProcess.ts"
import type { Guard } from "./guard.ts"
import * as Output from "./output.ts"
import * as Spawn from "./spawn.ts"

export interface Terminal {
  readonly pid: number
  readonly output: Output.Output
  /** Waits for the command to end and its output to be read; how it ended. */
  readonly exit: Effect.Effect<ExitStatus>
  readonly exitNow: Effect.Effect<ExitStatus | undefined>
  /** Ends the command with all that it has started; the output stays (T3, T4). */
  readonly kill: Effect.Effect<void>
  /** Ends the command and gives up what belongs to it; waiters are answered before this is done (T3). */
  readonly release: Effect.Effect<void>
}

export interface Command extends Spawn.SpawnOptions {
  readonly outputLimit: number
  readonly grace: Duration.Input
  readonly guard: Guard
  /** Whether a command without arguments that is no program is a line for the shell (T1). */
  readonly shellLines: boolean
}

type Requirements = ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path

/** Starts a command. What is started lives until it is released. */
export const start = (command: Command): Effect.Effect<Terminal, PlatformError.PlatformError, Requirements> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      return yield* restore(Scope.provide(run(command, scope), scope)).pipe(
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    })
  )

const run = Effect.fnUntraced(function*(command: Command, scope: Scope.Closeable) {
  const platform = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const handle = yield* spawn(command)
  yield* command.guard.watch(handle.pid)
  const exited = exitStatus(handle)
  const output = yield* Output.make(command.outputLimit)
  const done = yield* Deferred.make<ExitStatus>()

  const reading = yield* Effect.forkScoped(Effect.all(
    [Output.drainInto(output, handle.stdout, exited), Output.drainInto(output, handle.stderr, exited)],
    { concurrency: "unbounded", discard: true }
  ))
  // Depends on the command and its pipes alone, and on the pipes for a bounded time only (F137).
  yield* Effect.forkScoped(Effect.gen(function*() {
    const status = yield* exited
    yield* Fiber.await(reading)
    yield* Deferred.succeed(done, status)
    yield* output.end
  }))

  const kill = Effect.gen(function*() {
    if (yield* terminate(handle, command.grace)) return yield* Deferred.await(done)
    yield* Effect.logWarning(`The process group ${handle.pid} of a terminal did not end after SIGKILL`)
    yield* Deferred.succeed(done, { code: null, signal: null })
  }).pipe(Effect.asVoid, Effect.provideContext(platform))
  yield* Effect.addFinalizer(() => kill)

  return {
    pid: handle.pid,
    output,
    exit: Deferred.await(done),
    exitNow: Effect.suspend(() => Deferred.isDoneUnsafe(done) ? Deferred.await(done) : Effect.undefined),
    kill,
    release: Scope.close(scope, Exit.void)
  } satisfies Terminal
})

const spawn = (command: Command) => {
  const direct = Spawn.spawn(command)
  if (!command.shellLines || command.args.length > 0) return direct
  return Effect.catchReason(direct, "PlatformError", "NotFound", () => Spawn.spawnLine(command))
}
