/**
 * Splits a line into words as a shell does, without the rest of a shell.
 */
import * as Result from "effect/Result"

/** The next piece of a word: plain text, an escaped character, or a quoted string. */
const piece = /\\(["'\\\s])|'([^']*)'|"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"|([^\s"']+?(?=\\["'\\\s]|["'\s]|$))/uy

/**
 * The words of a line. Single and double quotes keep spaces; a backslash keeps a quote, a space or a backslash, and is
 * itself anywhere else, so that Windows paths need no care. Fails on a quote that is not closed.
 */
export const split = (line: string): Result.Result<ReadonlyArray<string>, string> => {
  const words: Array<string> = []
  let word: string | undefined
  for (let at = 0; at < line.length;) {
    if (/\s/u.test(line[at])) {
      if (word !== undefined) words.push(word)
      word = undefined
      at++
      continue
    }
    piece.lastIndex = at
    const found = piece.exec(line)
    if (found === null) return Result.fail(`a quote is not closed: ${line.slice(at)}`)
    const [whole, escaped, single, double, plain] = found
    word = (word ?? "") + (escaped ?? single ?? plain ?? double.replace(/\\(["\\])/gu, "$1"))
    at += whole.length
  }
  if (word !== undefined) words.push(word)
  return Result.succeed(words)
}
