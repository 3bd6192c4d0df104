/**
 * Ends process groups for this process when it is killed and cannot do so itself.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { isWindows } from "./platform.ts"

export interface Guard {
  /** Watches a process group for as long as the scope is open. */
  readonly watch: (group: number) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * Keeps the groups that it is told and, when its input ends, kills those that are left.
 *
 * The system closes a dead process's end of the pipe, however it died.
 */
const script = `groups=
while read -r change group; do
  case $change in
    +) groups="$groups $group" ;;
    -) kept=; for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done; groups=$kept ;;
  esac
done
for each in $groups; do kill -s KILL -- "-$each" 2> /dev/null; done`

/** A guard that starts with the first group. Where there is no shell there is no guard. */
export const make = Effect.gen(function*() {
  const path = yield* Path.Path
  const scope = yield* Effect.scope
  const context = yield* Effect.context<ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path>()
  if (isWindows(path)) return { watch: () => Effect.void } satisfies Guard
  const started = yield* Effect.cached(
    Effect.uninterruptible(Scope.provide(Effect.provideContext(Effect.option(start), context), scope))
  )
  const tell = (line: string) =>
    Effect.flatMap(
      started,
      Option.match({
        onNone: () => Effect.void,
        onSome: (lines) => Effect.asVoid(Queue.offer(lines, line))
      })
    )
  return {
    watch: (group) => Effect.acquireRelease(tell(`+ ${group}\n`), () => tell(`- ${group}\n`))
  } satisfies Guard
})

const start = Effect.gen(function*() {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const handle = yield* spawner.spawn(ChildProcess.make("sh", ["-c", script], {
    cwd: "/",
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
    forceKillAfter: "1 second"
  }))
  const lines = yield* Queue.unbounded<string, Cause.Done>()
  yield* Stream.fromQueue(lines).pipe(
    Stream.encodeText,
    Stream.run(handle.stdin),
    Effect.ignore,
    Effect.forkScoped
  )
  return lines
})
