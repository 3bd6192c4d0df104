/**
 * Where a path really leads, and whether that is inside the roots: one answer for reads, writes and working folders.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { isWindows } from "./platform.ts"
import { fromPlatform, refuse } from "./refusal.ts"

/** The number of symbolic links after which a path is taken for a cycle. */
const mostLinks = 40

/** The folders that paths may lead into. */
export interface Roots {
  /** As they were named, the first of them being where relative paths start, if they may. */
  readonly named: ReadonlyArray<string>
  readonly relativePaths?: boolean | undefined
}

/** A path inside the roots. */
export interface Resolved {
  /** As it was asked for, without `.` and `..`. */
  readonly named: string
  /** Without symbolic links. What does not exist of it is taken literally. */
  readonly real: string
  /** The real path of the root it is in. */
  readonly root: string
}

interface Root {
  readonly named: string
  readonly real: string
}

/**
 * Resolves a path by hand, one component after the other, and refuses what is not inside a root, lexically or really (FS1).
 *
 * A link counts wherever it is and whether or not its target exists.
 */
export const resolve = Effect.fnUntraced(function*(requested: string, roots: Roots) {
  const path = yield* Path.Path
  const named = yield* name(requested, roots)
  const found = yield* Effect.forEach(roots.named, realRoot)
  const existing = found.flatMap(Option.toArray)
  const start = existing.find((root) => contains(path, root.named, named))
  if (start === undefined && existing.every((root) => !contains(path, root.real, named))) {
    return yield* refuse("path_traversal", requested)
  }
  const real = yield* start === undefined
    ? follow(requested, path.parse(named).root, components(path, named))
    : follow(requested, start.real, components(path, path.relative(start.named, named)))
  const inside = existing.find((root) => contains(path, root.real, real))
  if (inside === undefined) return yield* refuse("symlink_escape", requested)
  return { named, real, root: inside.real } satisfies Resolved
})

/** The path as it is meant: absolute and without `.` and `..`. */
const name = Effect.fnUntraced(function*(requested: string, roots: Roots) {
  const path = yield* Path.Path
  if (requested.includes("\0")) return yield* refuse("invalid_path", requested)
  if (!path.isAbsolute(requested) && !(roots.relativePaths === true && roots.named.length > 0)) {
    return yield* refuse("not_absolute", requested)
  }
  const named = roots.named.length > 0 ? path.resolve(roots.named[0], requested) : path.resolve(requested)
  // A colon names a stream of a file on Windows, which is not the file.
  if (isWindows(path) && named.slice(path.parse(named).root.length).includes(":")) {
    return yield* refuse("invalid_path", requested)
  }
  return named
})

const realRoot = Effect.fnUntraced(function*(root: string) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  // A relative root would be relative to this process, which the agent knows nothing of (F132).
  if (!path.isAbsolute(root)) return Option.none<Root>()
  const real = yield* Effect.option(fs.realPath(root))
  return Option.map(real, (real): Root => ({ named: path.resolve(root), real }))
})

/** Whether a path is a root or below it; `root-evil` is not below `root`. Case counts where the platform says so. */
export const contains = (path: Path.Path, root: string, target: string): boolean => {
  const relative = path.relative(root, target)
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

const components = (path: Path.Path, text: string): ReadonlyArray<string> =>
  text.split(isWindows(path) ? /[\\/]+/ : /\/+/).filter((component) => component !== "" && component !== ".")

/** A target that another platform, or this one, takes for a drive or a share is outside everywhere. */
const isDriveOrShare = (target: string) => /^(?:[A-Za-z]:[\\/]|[\\/]{2})/.test(target)

/** Follows components from a folder without links in its path. `..` is the real parent of what was reached. */
const follow = Effect.fnUntraced(function*(requested: string, from: string, names: ReadonlyArray<string>) {
  const path = yield* Path.Path
  const pending = names.toReversed()
  let reached = from
  for (let links = 0; pending.length > 0;) {
    const component = pending.pop()!
    if (component === "..") {
      reached = path.dirname(reached)
      continue
    }
    const next = path.join(reached, component)
    const target = yield* linkTarget(requested, next)
    if (Option.isNone(target)) {
      reached = next
      continue
    }
    if (++links > mostLinks) return yield* refuse("too_many_symlinks", requested)
    const absolute = path.isAbsolute(target.value)
    if (isDriveOrShare(target.value) && !(absolute && isWindows(path))) {
      return yield* refuse("symlink_escape", requested)
    }
    const root = absolute ? path.parse(target.value).root : ""
    pending.push(...components(path, target.value.slice(root.length)).toReversed())
    if (absolute) reached = path.resolve(root)
  }
  return reached
})

/** Where a link points; none if the path is no link or does not exist. */
const linkTarget = Effect.fnUntraced(function*(requested: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.lstat(path))
  if (Option.isNone(info) || info.value.type !== "SymbolicLink") return Option.none<string>()
  return Option.some(yield* Effect.mapError(fs.readLink(path), (error) => fromPlatform(error, requested)))
})
