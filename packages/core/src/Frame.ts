/**
 * What arrives over a transport: a JSON object, or noise.
 *
 * @since 0.1.0
 */
import type * as Diagnostic from "./Diagnostic.ts"
import type { Envelope } from "./internal/envelope.ts"
import type * as JsonRpc from "./JsonRpc.ts"

const previewLength = 200

/**
 * One JSON object that arrived, with the size it had on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export class Frame {
  readonly value: JsonRpc.JsonObject
  /** The size of the frame's text, in bytes (in memory: in UTF-16 units). */
  readonly size: number

  constructor(value: JsonRpc.JsonObject, size: number) {
    this.value = value
    this.size = size
  }
}

/**
 * Something that arrived and is not a JSON object; the frames around it are untouched (F4).
 *
 * @category models
 * @since 0.1.0
 */
export class Noise {
  readonly reason: Diagnostic.NoiseReason
  readonly size: number
  /** The first bytes, as text. */
  readonly preview: string
  /** Of a message that was too long: which one it was, if its beginning says so. */
  readonly envelope: Envelope | undefined

  constructor(reason: Diagnostic.NoiseReason, size: number, preview: string, envelope?: Envelope) {
    this.reason = reason
    this.size = size
    this.preview = preview
    this.envelope = envelope
  }
}

/**
 * What arrives.
 *
 * @category models
 * @since 0.1.0
 */
export type Incoming = Frame | Noise

/**
 * Reads a frame from its text.
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse = (text: string, size: number): Incoming => {
  const value = couldBeJson(text) ? tryParse(text) : undefined
  if (value === undefined) return new Noise("NotJson", size, text.slice(0, previewLength))
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return new Frame(value as JsonRpc.JsonObject, size)
  }
  return new Noise(Array.isArray(value) ? "Batch" : "NotAnObject", size, text.slice(0, previewLength))
}

const beginning = /^\s*(?:\{|\[\s*(?:[\]{["]|-?\d|true|false|null)|"|-?\d[\d.eE+-]*\s*$|(?:true|false|null)\s*$)/

/** Log lines are told by how they begin: the exception of a failed parse costs many times more than the line. */
const couldBeJson = (text: string): boolean => text.startsWith("{") || beginning.test(text)

const tryParse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
