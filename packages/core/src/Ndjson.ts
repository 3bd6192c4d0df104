/**
 * Newline-delimited JSON on bytes.
 *
 * @since 0.1.0
 */
import type * as Arr from "effect/Array"
import * as Stream from "effect/Stream"
import type * as Diagnostic from "./Diagnostic.ts"
import { type Incoming, Noise, parse } from "./Frame.ts"

const lineFeed = 0x0a
const carriageReturn = 0x0d
const previewBytes = 200

/**
 * The default bound of an incoming line: 64 MiB (F3).
 *
 * @category constants
 * @since 0.1.0
 */
export const defaultMaxLineBytes = 64 * 1024 * 1024

/**
 * Splits bytes into lines and reads each as a frame.
 *
 * **Details**
 *
 * Cuts at byte 0x0A only and decodes whole lines, so any partition of the same bytes into chunks gives the same frames
 * (F1). The parts of an unfinished line are kept as they came and joined once, so the cost is linear in the bytes (F5).
 * A line beyond the bound costs no more memory than the bound: it is reported once and skipped up to its end (F3).
 *
 * @category models
 * @since 0.1.0
 */
export class Decoder {
  private readonly maxLineBytes: number
  private readonly strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  private readonly lenient = new TextDecoder()
  private parts: Array<Uint8Array> = []
  private pending = 0
  private skipping = false
  private started = false

  constructor(maxLineBytes: number = defaultMaxLineBytes) {
    if (!(maxLineBytes > 0)) throw new RangeError("maxLineBytes must be positive")
    this.maxLineBytes = maxLineBytes
  }

  /** Reads one chunk and adds what it completes to `out`. */
  push(chunk: Uint8Array, out: Array<Incoming>): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(lineFeed, start)
      if (end === -1) break
      this.finish(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end), out)
      start = end + 1
    }
    if (start < chunk.length) this.keep(start === 0 ? chunk : chunk.subarray(start), out)
  }

  /** Reads a last line that has no newline (F2). */
  end(out: Array<Incoming>): void {
    if (this.pending === 0) return
    const before = out.length
    this.finish(new Uint8Array(0), out)
    const last = out[before]
    if (last instanceof Noise && last.reason === "NotJson") {
      out[before] = new Noise("Truncated", last.size, last.preview)
    }
  }

  private keep(part: Uint8Array, out: Array<Incoming>): void {
    if (this.skipping) return
    this.parts.push(part)
    this.pending += part.length
    // One byte more than the bound may be the carriage return of a line that fits.
    if (this.pending > this.maxLineBytes + 1) this.skip(out)
  }

  private skip(out: Array<Incoming>): void {
    out.push(this.noise("TooLarge", this.join()))
    this.skipping = true
    this.parts = []
    this.pending = 0
  }

  private finish(tail: Uint8Array, out: Array<Incoming>): void {
    if (this.skipping) {
      this.skipping = false
      return
    }
    const line = this.takeLine(tail)
    if (line.length > this.maxLineBytes) {
      out.push(this.noise("TooLarge", line))
    } else if (!isBlank(line)) {
      out.push(this.read(line))
    }
  }

  private takeLine(tail: Uint8Array): Uint8Array {
    let line = tail
    if (this.pending > 0) {
      this.parts.push(tail)
      this.pending += tail.length
      line = this.join()
      this.parts = []
      this.pending = 0
    }
    const start = !this.started && hasByteOrderMark(line) ? 3 : 0
    this.started = true
    const end = line.length > 0 && line[line.length - 1] === carriageReturn ? line.length - 1 : line.length
    return start === 0 && end === line.length ? line : line.subarray(start, end)
  }

  private join(): Uint8Array {
    if (this.parts.length === 1) return this.parts[0]
    const joined = new Uint8Array(this.pending)
    let offset = 0
    for (const part of this.parts) {
      joined.set(part, offset)
      offset += part.length
    }
    return joined
  }

  private read(line: Uint8Array): Incoming {
    let text: string
    try {
      text = this.strict.decode(line)
    } catch {
      return this.noise("NotUtf8", line)
    }
    return parse(text, line.length)
  }

  private noise(reason: Diagnostic.NoiseReason, line: Uint8Array): Noise {
    return new Noise(reason, line.length, this.lenient.decode(line.subarray(0, previewBytes)))
  }
}

const hasByteOrderMark = (line: Uint8Array) => line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf

const isBlank = (line: Uint8Array) => {
  for (const byte of line) {
    if (byte !== 0x20 && byte !== 0x09 && byte !== carriageReturn) return false
  }
  return true
}

/**
 * Reads frames from a stream of bytes, in arrays as they come in.
 *
 * @category parsing
 * @since 0.1.0
 */
export const decode = <E, R>(
  self: Stream.Stream<Uint8Array, E, R>,
  options?: { readonly maxLineBytes?: number | undefined }
): Stream.Stream<Incoming, E, R> =>
  Stream.mapAccumArray(
    self,
    () => new Decoder(options?.maxLineBytes),
    (decoder, chunks) => {
      const out: Array<Incoming> = []
      for (const chunk of chunks) decoder.push(chunk, out)
      return [decoder, out]
    },
    {
      onHalt: (decoder) => {
        const out: Array<Incoming> = []
        decoder.end(out)
        return out
      }
    }
  )

const encoder = new TextEncoder()

/**
 * Joins frames into the bytes of one write: each frame is one line and no frame is ever written in parts (F6).
 *
 * @category encoding
 * @since 0.1.0
 */
export const encodeBytes = (frames: Arr.NonEmptyReadonlyArray<string>): Arr.NonEmptyReadonlyArray<Uint8Array> => [
  encoder.encode(frames.length === 1 ? `${frames[0]}\n` : `${frames.join("\n")}\n`)
]
