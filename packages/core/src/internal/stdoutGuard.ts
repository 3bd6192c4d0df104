/**
 * Keeps everything but frames away from this process's stdout (F7).
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"

interface Writable {
  write: (chunk: unknown, ...rest: ReadonlyArray<unknown>) => boolean
}

interface StandardStreams {
  readonly stdin: { readonly unref?: () => void }
  readonly stdout: Writable
  readonly stderr: Writable
}

/** The streams of the process, where there is one: the platform is not this library's to import. */
const standardStreams = (): StandardStreams | undefined =>
  (globalThis as { readonly process?: StandardStreams }).process

/**
 * Sends what anybody else writes to stdout to stderr instead, until the scope closes. The function that it gives marks the
 * bytes of a frame, which alone pass.
 */
export const acquire: Effect.Effect<(bytes: Uint8Array) => Uint8Array, never, Scope.Scope> = Effect.gen(function*() {
  const frames = new WeakSet<object>()
  yield* Effect.acquireRelease(Effect.sync(() => redirect(frames)), (restore) => Effect.sync(restore))
  return (bytes) => {
    frames.add(bytes)
    return bytes
  }
})

const redirect = (frames: WeakSet<object>): () => void => {
  const streams = standardStreams()
  if (streams === undefined) return () => {}
  const { stderr, stdout } = streams
  const before = Object.getOwnPropertyDescriptor(stdout, "write")
  const original = stdout.write
  const guarded: Writable["write"] = (chunk, ...rest) =>
    typeof chunk === "object" && chunk !== null && frames.has(chunk)
      ? original.call(stdout, chunk, ...rest)
      : stderr.write(chunk, ...rest)
  stdout.write = guarded
  return () => {
    // R3: a client that is gone may have left stdin open, which must not keep the process alive.
    streams.stdin.unref?.()
    // Whoever took stdout over in the meantime keeps it.
    if (stdout.write !== guarded) return
    if (before === undefined) delete (stdout as Partial<Writable>).write
    else Object.defineProperty(stdout, "write", before)
  }
}

const stderrConsole: Console.Console = Object.assign(Object.create(globalThis.console) as Console.Console, {
  log: globalThis.console.error,
  info: globalThis.console.error,
  debug: globalThis.console.error,
  table: globalThis.console.error,
  dir: globalThis.console.error
})

/** Points Effect's console and its default logger to stderr. */
export const layer: Layer.Layer<never> = Layer.merge(
  Layer.succeed(Logger.LogToStderr, true),
  Layer.succeed(Console.Console, stderrConsole)
)
