/**
 * The files of a session, for an agent to read and write: `fs/read_text_file` and `fs/write_text_file`.
 *
 * @since 0.1.0
 */
import type * as AcpError from "@effect-acp/core/AcpError"
import * as ClientMethods from "@effect-acp/core/ClientMethods"
import { InboundRequest } from "@effect-acp/core/InboundRequest"
import type { ReadTextFileRequest, WriteTextFileRequest } from "@effect-acp/core/schema/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Containment from "./internal/containment.ts"
import type { Changed } from "./internal/directory.ts"
import { fromPlatform, refuse } from "./internal/refusal.ts"
import { rootsOf } from "./internal/roots.ts"
import * as TextFile from "./internal/textFile.ts"
import { window } from "./internal/window.ts"

// =============================================================================
// Options
// =============================================================================

/**
 * What an agent may reach. Each option has a default.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The folders that files may be in, in place of the session's `cwd` and additional directories. */
  readonly roots?: ReadonlyArray<string> | undefined
  /** Whether a relative path is taken to be below the first root; otherwise it is refused (FS1). Default false. */
  readonly relativePaths?: boolean | undefined
  /** The size of the largest file that is read, in bytes. Default 16 MiB (FS4). */
  readonly maxReadBytes?: number | undefined
}

// =============================================================================
// Buffers
// =============================================================================

/**
 * A file as an editor knows it.
 *
 * @category models
 * @since 0.1.0
 */
export interface BufferFile {
  readonly sessionId: string
  /** The path that was asked for, absolute and without `.` and `..`. */
  readonly path: string
  /** The path without symbolic links. */
  readonly realPath: string
}

/**
 * The unsaved text of an editor, in front of the disk (FS6).
 *
 * **Details**
 *
 * Both functions are asked only for files inside the roots.
 *
 * - `read` gives the text of a buffer that has unsaved changes, and none for all others: what is saved is read from the
 *   disk, where a command may have changed it.
 * - `write` runs for each write; `save` writes the text to the disk. An editor can take the text into its buffer before
 *   or after saving, or keep it there without saving. Unless it does so, the disk alone is written.
 *
 * @category models
 * @since 0.1.0
 */
export interface Buffers {
  readonly read: (file: BufferFile) => Effect.Effect<Option.Option<string>, AcpError.RequestError>
  readonly write: (
    file: BufferFile,
    content: string,
    save: Effect.Effect<void, AcpError.RequestError>
  ) => Effect.Effect<void, AcpError.RequestError>
}

/**
 * The buffers that are in front of the disk; by default there are none.
 *
 * @category services
 * @since 0.1.0
 */
export const Buffers: Context.Reference<Buffers> = Context.Reference<Buffers>("@effect-acp/host/Files/Buffers", {
  defaultValue: () => ({
    read: () => Effect.succeedNone,
    write: (_file, _content, save) => save
  })
})

// =============================================================================
// Handlers
// =============================================================================

const defaultMaxReadBytes = 16 * 1024 * 1024

/** How often a request starts again when what its path means changes while it runs. */
const attempts = 5

const locate = Effect.fnUntraced(function*(path: string, options: Options) {
  const { session } = yield* InboundRequest
  return yield* Containment.resolve(path, { ...options, named: yield* rootsOf(session, options.roots) })
})

const settle = <A, R>(
  effect: Effect.Effect<A, AcpError.RequestError | Changed | PlatformError.PlatformError, R>,
  path: string
): Effect.Effect<A, AcpError.RequestError, R> =>
  effect.pipe(
    Effect.retry({ times: attempts - 1, while: (error) => error._tag === "Changed" }),
    Effect.catchTags({
      Changed: () => Effect.fail(refuse("changed_meanwhile", path)),
      PlatformError: (error) => Effect.fail(fromPlatform(error, path))
    })
  )

const bufferFile = (sessionId: string, { named, real }: Containment.Resolved): BufferFile => ({
  sessionId,
  path: named,
  realPath: real
})

const makeRead = (options: Options, buffers: Buffers) =>
  Effect.fnUntraced(function*({ limit, line, path, sessionId }: ReadTextFileRequest) {
    const attempt = Effect.gen(function*() {
      const file = yield* locate(path, options)
      const unsaved = yield* buffers.read(bufferFile(sessionId, file))
      return Option.isSome(unsaved)
        ? unsaved.value
        : yield* TextFile.read(file, options.maxReadBytes ?? defaultMaxReadBytes)
    })
    return { content: window(yield* settle(attempt, path), line, limit) }
  })

const makeWrite = (options: Options, buffers: Buffers) =>
  Effect.fnUntraced(function*({ content, path, sessionId }: WriteTextFileRequest) {
    const services = yield* Effect.context<FileSystem.FileSystem | Path.Path | InboundRequest>()
    const resolve = locate(path, options)
    const file = yield* resolve
    const save = settle(Effect.flatMap(resolve, (file) => TextFile.write(file, content)), path)
    yield* buffers.write(bufferFile(sessionId, file), content, Effect.provideContext(save, services))
    return {}
  })

/**
 * Lets the agent read and write the files of its session.
 *
 * **When to use**
 *
 * Provide it to a client, which then advertises `fs.readTextFile` and `fs.writeTextFile`.
 *
 * **Details**
 *
 * A path must be absolute and lead, by its text and in truth, into the session's `cwd` or one of its additional
 * directories. What it names must be a regular file: UTF-8 text of at most 16 MiB to be read; to be written, it is
 * replaced in one step and keeps its mode, and folders that do not exist are created.
 *
 * What is not allowed is answered with -32602 and a `reason` in `data`, what does not exist with -32002.
 *
 * **Gotchas**
 *
 * The package's README says what holds against a peer that changes the tree while a request runs.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}) =>
  ClientMethods.handlers(Effect.map(Buffers, (buffers) => ({
    readTextFile: makeRead(options, buffers),
    writeTextFile: makeWrite(options, buffers)
  })))

/**
 * Lets the agent read the files of its session; the client advertises `fs.readTextFile` only.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerReadOnly = (options: Options = {}) =>
  ClientMethods.handlers(Effect.map(Buffers, (buffers) => ({
    readTextFile: makeRead(options, buffers)
  })))
