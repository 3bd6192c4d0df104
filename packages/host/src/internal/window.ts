/**
 * A window of lines in a text.
 */

/**
 * The part of a text that starts with line `line` (from 1) and has at most `limit` lines (FS3).
 *
 * The result is a substring of the text: every line keeps its own end. Only a line feed ends a line. A line of 0 is the
 * first; without a limit the window goes to the end; a window beyond the end is empty.
 */
export const window = (text: string, line: number | null | undefined, limit: number | null | undefined): string => {
  const start = skipLines(text, 0, (line ?? 1) - 1)
  return limit === null || limit === undefined ? text.slice(start) : text.slice(start, skipLines(text, start, limit))
}

const skipLines = (text: string, from: number, count: number): number => {
  let offset = from
  for (let lines = 0; lines < count; lines++) {
    const end = text.indexOf("\n", offset)
    if (end === -1) return text.length
    offset = end + 1
  }
  return offset
}
