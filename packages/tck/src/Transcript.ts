/**
 * What went over the wire, line by line, in the order in which it was seen.
 *
 * @since 0.1.0
 */
import { isObject, type JsonObject } from "./Json.ts"

/**
 * One line, as it was sent or received.
 *
 * A line that is no message, or whose bytes are not UTF-8, has a `problem`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Entry {
  readonly direction: "sent" | "received"
  readonly index: number
  readonly line: string
  readonly message: JsonObject | undefined
  readonly problem: string | undefined
}

/**
 * What kind of message an entry holds, by its members alone.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = "request" | "notification" | "response" | "noise"

/**
 * Tells the kind of an entry. What holds no method and neither result nor error is noise.
 *
 * @category accessors
 * @since 0.1.0
 */
export const kindOf = ({ message }: Entry): Kind => {
  if (message === undefined) return "noise"
  if (Object.hasOwn(message, "method")) return Object.hasOwn(message, "id") ? "request" : "notification"
  return Object.hasOwn(message, "result") || Object.hasOwn(message, "error") ? "response" : "noise"
}

/**
 * Reads a line that was received. Bytes that are not UTF-8 and text that is not an object are problems.
 *
 * A line that is not UTF-8 may still hold a message: it is read with replacement characters.
 *
 * @category constructors
 * @since 0.1.0
 */
export const received = (bytes: Uint8Array, index: number): Entry => {
  const line = lenient.decode(bytes)
  const value = parse(line)
  const message = isObject(value) ? value : undefined
  const problem = isUtf8(bytes) ? problemOf(value) : notUtf8
  return { direction: "received", index, line, message, problem }
}

const problemOf = (value: unknown): string | undefined => {
  if (value === undefined) return "is not JSON"
  return isObject(value) ? undefined : "is JSON and not an object"
}

/**
 * The problem of a line whose bytes are not UTF-8.
 *
 * @category constants
 * @since 0.1.0
 */
export const notUtf8 = "is not valid UTF-8"

/**
 * Keeps a line that was sent.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sent = (line: string, index: number): Entry => {
  const value = parse(line)
  return { direction: "sent", index, line, message: isObject(value) ? value : undefined, problem: undefined }
}

const lenient = new TextDecoder("utf-8", { ignoreBOM: true })
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
