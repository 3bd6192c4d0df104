/**
 * Reading and writing the one regular file that a resolved path names.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Random from "effect/Random"
import type { Resolved } from "./containment.ts"
import { Changed, type Held, hold, holdOrCreate } from "./directory.ts"
import { isWindows } from "./platform.ts"
import { refuse } from "./refusal.ts"

const chunkBytes = 256 * 1024
const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Reads the whole file as the text that its bytes are (FS2, FS3, FS4). */
export const read = (file: Resolved, maxBytes: number) =>
  Effect.scoped(Effect.gen(function*() {
    const path = yield* Path.Path
    const folder = yield* hold(path.dirname(file.real))
    const entry = folder.entry(path.basename(file.real))
    const handle = yield* openRegular(entry, file.named)
    yield* folder.check
    const bytes = yield* readBounded(handle, file.named, maxBytes)
    return yield* Effect.try({
      try: () => decoder.decode(bytes),
      catch: () => refuse("invalid_utf8", file.named)
    })
  }))

/** Opens a file that is regular before and after, and the same (FS2). */
const openRegular = Effect.fnUntraced(function*(entry: string, named: string) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const seen = yield* fs.lstat(entry)
  yield* requireRegular(seen, named)
  const handle = yield* fs.open(entry, { flag: "r", noFollow: !isWindows(path) }).pipe(
    // A link or a folder in the place of the file.
    Effect.catchReason("PlatformError", "BadResource", () => new Changed())
  )
  const opened = yield* handle.stat
  if (!isSame(seen, opened)) return yield* new Changed()
  return handle
})

/** A link where the resolved path has none was put there after it was resolved. */
const requireRegular = (info: FileSystem.File.Info, named: string) => {
  if (info.type === "File") return Effect.void
  return Effect.fail(info.type === "SymbolicLink" ? new Changed() : refuse("not_a_file", named, { type: info.type }))
}

const isSame = (a: FileSystem.File.Info, b: FileSystem.File.Info) =>
  a.type === b.type && a.dev === b.dev && Option.getOrNull(a.ino) === Option.getOrNull(b.ino)

const readBounded = Effect.fnUntraced(function*(handle: FileSystem.File, named: string, maxBytes: number) {
  const { size } = yield* handle.stat
  if (size > maxBytes) return yield* refuse("file_too_large", named, { size: Number(size), limit: maxBytes })
  const chunks: Array<Uint8Array> = []
  let total = 0
  for (;;) {
    const chunk = yield* handle.readAlloc(chunkBytes)
    if (Option.isNone(chunk)) return concat(chunks, total)
    chunks.push(chunk.value)
    total += chunk.value.length
    // A file can grow while it is read, and some that are made up by the system have no size.
    if (total > maxBytes) return yield* refuse("file_too_large", named, { limit: maxBytes })
  }
})

const concat = (chunks: ReadonlyArray<Uint8Array>, total: number): Uint8Array => {
  if (chunks.length === 1) return chunks[0]
  const joined = new Uint8Array(total)
  let offset = 0
  for (const chunk of chunks) {
    joined.set(chunk, offset)
    offset += chunk.length
  }
  return joined
}

/**
 * Replaces the file, or creates it and the folders above it (FS5).
 *
 * The text goes to a new file in the same folder, which then takes the name: a reader sees the old text or the new one,
 * and a failure or an interruption leaves the old one.
 */
export const write = (file: Resolved, content: string) =>
  Effect.scoped(Effect.gen(function*() {
    if (!content.isWellFormed()) return yield* refuse("invalid_text", file.named)
    const path = yield* Path.Path
    const fs = yield* FileSystem.FileSystem
    if (file.real === file.root) return yield* refuse("not_a_file", file.named)
    const folder = yield* holdOrCreate(file.root, path.dirname(file.real))
    const entry = folder.entry(path.basename(file.real))
    const old = yield* existing(entry, file.named)
    const draft = yield* makeDraft(folder, old, encoder.encode(content))
    yield* folder.check
    yield* fs.rename(draft, entry)
  }))

const existing = Effect.fnUntraced(function*(entry: string, named: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.asSome(fs.lstat(entry)).pipe(
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeedNone)
  )
  if (Option.isNone(info)) return info
  yield* requireRegular(info.value, named)
  // Replacing needs no permission on the file itself, so a file that nobody may write is refused by hand.
  if ((info.value.mode & 0o222) === 0) return yield* refuse("read_only", named)
  return info
})

/** Writes a new file in a folder, which is removed with the scope unless it was renamed. */
const makeDraft = Effect.fnUntraced(
  function*(folder: Held, old: Option.Option<FileSystem.File.Info>, bytes: Uint8Array) {
    const fs = yield* FileSystem.FileSystem
    const draft = folder.entry(`.acp-${yield* randomName}.tmp`)
    yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(draft, { force: true })))
    yield* Effect.scoped(Effect.gen(function*() {
      const handle = yield* fs.open(draft, { flag: "wx", ...(Option.isSome(old) ? { mode: 0o600 } : {}) })
      yield* handle.writeAll(bytes)
    }))
    if (Option.isSome(old)) yield* keepAttributes(draft, old.value)
    return draft
  }
)

const randomName = Effect.map(
  Effect.all([Random.nextInt, Random.nextInt]),
  (numbers) => numbers.map((number) => Math.abs(number).toString(36)).join("")
)

const keepAttributes = Effect.fnUntraced(function*(draft: string, old: FileSystem.File.Info) {
  const fs = yield* FileSystem.FileSystem
  const own = yield* fs.stat(draft)
  // Only a privileged process can give a file away; the owner of the old file stays where this process may do so.
  if (Option.isSome(old.uid) && Option.isSome(old.gid) && Option.getOrNull(own.uid) !== old.uid.value) {
    yield* Effect.ignore(fs.chown(draft, old.uid.value, old.gid.value))
  }
  yield* fs.chmod(draft, old.mode & 0o7777)
})
