/**
 * The platform, as far as its paths tell.
 */
import type * as Path from "effect/Path"

/** Whether paths are those of Windows. */
export const isWindows = (path: Path.Path): boolean => path.sep === "\\"
