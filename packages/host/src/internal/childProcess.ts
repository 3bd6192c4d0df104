/**
 * What this package asks of a child process beyond what its handle says by itself.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { isWindows } from "./platform.ts"
import * as ProcessGroup from "./processGroup.ts"

/** How a process ended: by a code or by a signal. Both are null where the platform does not say. */
export interface ExitStatus {
  readonly code: number | null
  readonly signal: string | null
}

type Handle = ChildProcessSpawner.ChildProcessHandle

/** Waits for the process itself; a grandchild that holds its pipes open does not matter. */
export const exitStatus = (handle: Handle): Effect.Effect<ExitStatus> =>
  Effect.match(handle.exitCode, {
    onSuccess: (code): ExitStatus => ({ code, signal: null }),
    onFailure: (error): ExitStatus => ({ code: null, signal: signalOf(error) })
  })

// A death by signal is an error of the handle, and its text is the only place where the signal's name is.
const signalOf = (error: PlatformError.PlatformError): string | null =>
  /\bSIG[A-Z0-9]+\b/.exec(String(error.cause))?.[0] ?? null

/**
 * Ends a process group: SIGTERM, `grace`, SIGKILL; true when nothing of it is left, false when something is (T4, R2).
 *
 * Also ends what a leader that has exited left behind.
 */
export const terminate = Effect.fnUntraced(function*(handle: Handle, grace: Duration.Input) {
  const path = yield* Path.Path
  yield* Effect.ignore(handle.kill({ killSignal: "SIGTERM", forceKillAfter: grace }))
  // Windows has no group that could be asked for once its leader is gone.
  if (isWindows(path)) return !(yield* Effect.orElseSucceed(handle.isRunning, () => false))
  if (yield* isGone(handle)) return true
  const running = yield* ProcessGroup.runs(handle.pid)
  return Option.isSome(running) ? !running.value : yield* isGone(handle)
})

// Signalling a group that does not exist fails. A group that does is killed once more, and waited for up to a second.
const isGone = (handle: Handle): Effect.Effect<boolean> =>
  Effect.match(handle.kill({ killSignal: "SIGKILL", forceKillAfter: Duration.zero }), {
    onSuccess: () => false,
    onFailure: () => true
  })
