/**
 * Folders that are held open, so that what is done in them is done there whatever their path means by then.
 *
 * Node has no `openat`. Linux has a path that means the same: below `/proc/self/fd/N` is what is in the folder that is
 * open as N, and the link itself tells where that folder really is. Elsewhere the path is looked at before and after.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"

/** What a path meant is no longer what it means. */
export class Changed extends Data.TaggedError("Changed") {}

export interface Held {
  /** The path of an entry of the folder. */
  readonly entry: (name: string) => string
  /** Fails when the folder is not, or no longer, where it was resolved to be. */
  readonly check: Effect.Effect<void, Changed | PlatformError.PlatformError>
}

type Services = FileSystem.FileSystem | Path.Path | Scope.Scope

/** Holds a folder whose path has no symbolic links, and makes sure that it has none. */
export const hold: (
  real: string
) => Effect.Effect<Held, Changed | PlatformError.PlatformError, Services> = Effect.fnUntraced(function*(real) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const own = yield* openFolder(real)
  const base = Option.getOrElse(own, () => real)
  const where = Option.isSome(own) ? fs.readLink(base) : fs.realPath(base)
  const held: Held = {
    entry: (name) => path.join(base, name),
    check: Effect.flatMap(where, (now) => now === real ? Effect.void : new Changed())
  }
  yield* held.check
  return held
})

/** The path of a folder by its open handle, where the platform has such paths. */
const openFolder = Effect.fnUntraced(function*(real: string) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  // The dot makes sure that nothing but a folder is opened: a pipe would wait for a writer.
  const opened = yield* Effect.result(fs.open(`${real}${path.sep}.`))
  // Some platforms open no folders; what is wrong with this one shows when it is looked at by its path.
  if (opened._tag === "Failure") {
    return opened.failure.reason._tag === "NotFound" ? yield* opened.failure : Option.none<string>()
  }
  if (!Predicate.hasProperty(opened.success, "fd")) return Option.none<string>()
  const own = `/proc/self/fd/${String(opened.success.fd)}`
  return Option.as(yield* Effect.option(fs.readLink(own)), own)
})

/** Holds a folder inside a root, and creates what does not exist of it. */
export const holdOrCreate = (
  root: string,
  real: string
): Effect.Effect<Held, Changed | PlatformError.PlatformError, Services> =>
  Effect.catchReason(
    hold(real),
    "PlatformError",
    "NotFound",
    (_, error) => real === root ? Effect.fail(error) : create(root, real)
  )

const create = Effect.fnUntraced(function*(root: string, real: string) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const parent = yield* holdOrCreate(root, path.dirname(real))
  yield* Effect.catchReason(
    fs.makeDirectory(parent.entry(path.basename(real))),
    "PlatformError",
    "AlreadyExists",
    () => Effect.void
  )
  return yield* hold(real)
})
