/**
 * The agent's own files and processes in place of the client's, where the client offers none.
 *
 * Nothing of an agent falls back to the machine that it runs on unless its author calls one of these: what they touch is
 * not what the user sees in the editor, and no client stands between.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import type * as AcpError from "./AcpError.ts"
import type { Command, Finished } from "./Terminal.ts"
import type { Turn } from "./Turn.ts"

/** Only what was not negotiated falls back: what the client refuses or fails at stands. */
const orElse = <A, E extends { readonly _tag: string }, E2, R2>(
  self: Effect.Effect<A, E | AcpError.CapabilityMissing>,
  local: Effect.Effect<A, E2, R2>
): Effect.Effect<A, E | AcpError.CapabilityMissing | E2, R2> =>
  Effect.catchIf(self, (error) => error._tag === "CapabilityMissing", () => local)

/**
 * Reads a text file through the client, or from the agent's disk when the client does not offer files.
 *
 * `line` is 1-based, as in `Turn.readTextFile`.
 *
 * @category files
 * @since 0.1.0
 */
export const readTextFile = (
  turn: Turn,
  path: string,
  window?: { readonly line?: number; readonly limit?: number }
): Effect.Effect<string, AcpError.CallError | PlatformError, FileSystem.FileSystem> =>
  orElse(
    turn.readTextFile(path, window),
    Effect.map(FileSystem.FileSystem.use((fs) => fs.readFileString(path)), (text) => cut(text, window))
  )

/**
 * Writes a text file through the client, or to the agent's disk when the client does not offer to write files.
 *
 * @category files
 * @since 0.1.0
 */
export const writeTextFile = (
  turn: Turn,
  path: string,
  content: string
): Effect.Effect<void, AcpError.CallError | PlatformError, FileSystem.FileSystem> =>
  orElse(
    turn.writeTextFile(path, content),
    FileSystem.FileSystem.use((fs) => fs.writeFileString(path, content))
  )

/**
 * Runs a command in a terminal of the client, or as a process of the agent when the client does not offer terminals.
 *
 * **Details**
 *
 * A process of the agent runs in the session's directory, with the environment of the agent and that of the command. Its
 * output is both of its streams as they come, the last `outputByteLimit` bytes of it. One that takes longer than `timeout`
 * is killed with everything that it started.
 *
 * @category processes
 * @since 0.1.0
 */
export const run = (
  turn: Turn,
  command: Command,
  options?: { readonly timeout?: Duration.Input | undefined }
): Effect.Effect<Finished, AcpError.CallError | PlatformError, ChildProcessSpawner> =>
  orElse(turn.run(command, options), runProcess({ cwd: turn.session.cwd, ...command }, options?.timeout))

const runProcess = (
  { args, command, cwd, env, outputByteLimit }: Command,
  timeout: Duration.Input | undefined
): Effect.Effect<Finished, PlatformError, ChildProcessSpawner> =>
  Effect.scoped(Effect.gen(function*() {
    const handle = yield* ChildProcess.make(command, args ?? [], {
      cwd: cwd ?? undefined,
      env: Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      extendEnv: true,
      stdin: "ignore",
      forceKillAfter: "2 seconds"
    })
    const kept = makeTail(outputByteLimit ?? Infinity)
    // A process that ends by a signal has no code.
    const exitCode = Effect.map(Effect.option(handle.exitCode), (code) => code._tag === "Some" ? code.value : null)
    const ended = Effect.andThen(
      Stream.runForEach(handle.all, (bytes) => Effect.sync(() => kept.push(bytes))),
      exitCode
    )
    const inTime = timeout === undefined ? yield* Effect.asSome(ended) : yield* Effect.timeoutOption(ended, timeout)
    const timedOut = inTime._tag === "None"
    if (timedOut) yield* Effect.ignore(handle.kill())
    const exitStatus = { exitCode: timedOut ? null : inTime.value, signal: timedOut ? "SIGTERM" : null }
    return { ...kept.text(), exitStatus, timedOut }
  }))

/** The last bytes of an output, from the start of a character on. */
const makeTail = (limit: number) => {
  let chunks: Array<Uint8Array> = []
  let size = 0
  let dropped = 0
  const join = () => {
    const bytes = new Uint8Array(size)
    let at = 0
    for (const chunk of chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    return bytes
  }
  const shrink = () => {
    const bytes = join()
    let start = Math.max(0, size - limit)
    while (start > 0 && start < size && (bytes[start] & 0xc0) === 0x80) start++
    dropped += start
    chunks = [bytes.slice(start)]
    size -= start
  }
  return {
    push(chunk: Uint8Array) {
      chunks.push(chunk)
      size += chunk.length
      if (size > 2 * limit) shrink()
    },
    text() {
      shrink()
      return { output: new TextDecoder().decode(join()), truncated: dropped > 0 }
    }
  }
}

const cut = (text: string, window: { readonly line?: number; readonly limit?: number } | undefined): string => {
  if (window?.line === undefined && window?.limit === undefined) return text
  const lines = text.split(/(?<=\n)/u)
  const start = Math.max(0, (window.line ?? 1) - 1)
  return lines.slice(start, window.limit === undefined ? undefined : start + window.limit).join("")
}
