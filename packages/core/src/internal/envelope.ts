/**
 * Reads the id from the beginning of a message that was too long to be kept (F3).
 */
import type * as JsonRpc from "../JsonRpc.ts"

/** What could be read of a message: enough to settle its one call, or to answer it. */
export interface Envelope {
  readonly kind: "request" | "response"
  readonly id: JsonRpc.Id
}

const whitespace = /[\s]*/y
const string = /"(?:[^"\\]|\\.)*"/y
const scalar = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*(?=[\s,}])|true|false|null/y

/**
 * Goes through the top-level members of an object that may be cut off. A member whose value is not whole ends the search,
 * but its name still counts.
 */
export const read = (prefix: string): Envelope | undefined => {
  const scanner = makeScanner(prefix)
  let id: JsonRpc.Id | undefined
  let kind: Envelope["kind"] | undefined
  if (!scanner.skip("{")) return undefined
  do {
    const key = scanner.token(string)
    if (key === undefined || !scanner.skip(":")) break
    const name = parse(key)
    if (name === "method") kind = "request"
    else if (name === "result" || name === "error") kind ??= "response"
    const value = scanner.token(scalar)
    if (value === undefined ? !scanner.skipNested() : false) break
    if (name === "id" && value !== undefined) id = toId(parse(value))
  } while (scanner.skip(","))
  return id === undefined || kind === undefined ? undefined : { kind, id }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const toId = (value: unknown): JsonRpc.Id | undefined =>
  typeof value === "string" || Number.isSafeInteger(value) ? value as JsonRpc.Id : undefined

const makeScanner = (text: string) => {
  let position = 0
  const token = (pattern: RegExp): string | undefined => {
    whitespace.lastIndex = position
    whitespace.test(text)
    pattern.lastIndex = whitespace.lastIndex
    const match = pattern.exec(text)
    if (match === null) return undefined
    position = pattern.lastIndex
    return match[0]
  }
  const punctuation = /[{}[\],:]/y
  const skip = (character: string): boolean => {
    const before = position
    if (token(punctuation) === character) return true
    position = before
    return false
  }
  return {
    token,
    skip,
    /** Skips an object or array; `false` when it does not end within the text. */
    skipNested(): boolean {
      let depth = 0
      do {
        const next = token(scalar) ?? token(punctuation)
        if (next === undefined) return false
        if (next === "{" || next === "[") depth++
        else if (next === "}" || next === "]") depth--
      } while (depth > 0)
      return true
    }
  }
}
