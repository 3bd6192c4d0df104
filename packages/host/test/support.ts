import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem } from "effect"
import type { Layer } from "effect"
import { readdirSync, readFileSync } from "node:fs"

export const platform = NodeServices.layer

export type Platform = Layer.Success<typeof NodeServices.layer>

/** Starts Node on a script: the command and arguments of a small agent. */
export const node = (script: string): readonly [string, ReadonlyArray<string>] => [process.execPath, ["-e", script]]

/** Whether a process runs; one that has ended and was not reaped does not. */
export const isAlive = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return !stat.slice(stat.lastIndexOf(")")).startsWith(") Z")
  } catch {
    return false
  }
}

/** The processes that run with a word in their command line. */
export const processesWith = (word: string): ReadonlyArray<number> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word) && isAlive(pid)
    } catch {
      return false
    }
  })

/** Polls, in real time, until a condition holds. */
export const eventually = (condition: () => boolean, message: string, millis = 10_000): Effect.Effect<void> =>
  Effect.suspend(() => {
    const deadline = Date.now() + millis
    const poll: Effect.Effect<void> = Effect.suspend(() => {
      if (condition()) return Effect.void
      if (Date.now() > deadline) return Effect.die(new Error(`Did not come true: ${message}`))
      return Effect.delay(poll, 20)
    })
    return poll
  })

/** Waits until a file has content and reads it. */
export const readWhenThere = (path: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    for (;;) {
      const text = yield* Effect.orElseSucceed(fs.readFileString(path), () => "")
      if (text !== "") return text
      yield* Effect.sleep(20)
    }
  })

export const tempDirectory = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "acp-host-" }))
})

/** Measures how long an effect takes, in milliseconds. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.map(effect, (value) => ({ value, millis: performance.now() - start }))
  })
