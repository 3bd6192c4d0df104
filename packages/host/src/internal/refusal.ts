/**
 * The answers to requests that name what an agent may not or cannot have.
 */
import * as AcpError from "@effect-acp/core/AcpError"
import type * as PlatformError from "effect/PlatformError"

const messages = {
  not_absolute: "The path must be absolute",
  invalid_path: "The path has characters that no file name can have",
  path_traversal: "The path is outside the folders of the session",
  symlink_escape: "The path leads outside the folders of the session through a symbolic link",
  too_many_symlinks: "The path leads through too many symbolic links",
  not_a_file: "The path does not name a regular file",
  not_a_directory: "The path does not name a folder",
  read_only: "The file is read-only",
  permission_denied: "The file system does not permit it",
  file_too_large: "The file is larger than may be read at once",
  invalid_utf8: "The file is not UTF-8 text",
  invalid_text: "The text has half a character and cannot be written as UTF-8",
  changed_meanwhile: "What the path names changed while it was looked at"
} as const

/** What `data.reason` says of a refused path. */
export type Reason = keyof typeof messages

/** Refuses with -32602, and says why in `data.reason` (FS1, FS4). */
export const refuse = (
  reason: Reason,
  path: string,
  details?: Readonly<Record<string, unknown>>
): AcpError.InvalidParams =>
  new AcpError.InvalidParams({ message: messages[reason], data: { reason, path, ...details } })

/** Says that there is no such file, with -32002 (FS4). */
export const notFound = (path: string): AcpError.ResourceNotFound =>
  new AcpError.ResourceNotFound({ message: "There is no such file", data: { reason: "not_found", path } })

/** The answer to what the file system did not do; paths of the temporary files behind it are not shown. */
export const fromPlatform = (
  { reason }: PlatformError.PlatformError,
  path: string
): AcpError.InvalidParams | AcpError.ResourceNotFound | AcpError.InternalError => {
  switch (reason._tag) {
    case "NotFound":
      return notFound(path)
    case "PermissionDenied":
      return refuse("permission_denied", path)
    case "BadArgument":
      return refuse("invalid_path", path)
    case "BadResource":
      return refuse("not_a_file", path)
    default:
      return new AcpError.InternalError({
        message: "The file system failed",
        data: { reason: "io_error", path, cause: reason._tag }
      })
  }
}
