/**
 * Newline-delimited JSON on bytes.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { type Incoming, Noise, parse } from "./Frame.ts"
import * as Envelope from "./internal/envelope.ts"

const lineFeed = 0x0a
const carriageReturn = 0x0d
const previewBytes = 200
const envelopeBytes = 4_096
const initialBytes = 8_192
const keptBytes = 1024 * 1024
const empty = new Uint8Array(0)

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
 * (F1). An unfinished line is copied into one buffer that doubles as it grows: the cost is linear in the bytes (F5), and
 * memory stays below twice the bound however small the chunks are. A line beyond the bound is reported once, as soon as
 * it is beyond it, and skipped up to its end (F3).
 *
 * @category models
 * @since 0.1.0
 */
export class Decoder {
  private readonly maxLineBytes: number
  private readonly strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  private readonly lenient = new TextDecoder()
  private buffer = empty
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
      this.finish(chunk.subarray(start, end), out)
      start = end + 1
    }
    if (start < chunk.length) this.keep(chunk.subarray(start), out)
  }

  /** Reads a last line that has no newline (F2). */
  end(out: Array<Incoming>): void {
    if (this.pending === 0) return
    const before = out.length
    this.finish(empty, out)
    const last = out[before]
    if (last instanceof Noise && last.reason === "NotJson") {
      out[before] = new Noise("Truncated", last.size, last.preview)
    }
  }

  private keep(part: Uint8Array, out: Array<Incoming>): void {
    if (this.skipping) return
    const needed = this.pending + part.length
    // One byte more than the bound may be the carriage return of a line that fits.
    if (needed > this.maxLineBytes + 1) return this.skip(part, needed, out)
    this.reserve(needed)
    this.buffer.set(part, this.pending)
    this.pending = needed
  }

  private reserve(needed: number): void {
    if (needed <= this.buffer.length) return
    const grown = new Uint8Array(
      Math.max(needed, Math.min(this.buffer.length * 2, this.maxLineBytes + 1), initialBytes)
    )
    grown.set(this.buffer.subarray(0, this.pending))
    this.buffer = grown
  }

  private skip(part: Uint8Array, size: number, out: Array<Incoming>): void {
    const kept = this.buffer.subarray(0, Math.min(this.pending, envelopeBytes))
    out.push(this.tooLarge(size, concat(kept, part.subarray(0, envelopeBytes - kept.length))))
    this.skipping = true
    this.release()
  }

  private finish(tail: Uint8Array, out: Array<Incoming>): void {
    if (this.skipping) {
      this.skipping = false
      return
    }
    const size = this.pending + tail.length
    if (this.pending > 0 && size > this.maxLineBytes + 1) {
      this.skip(tail, size, out)
      this.skipping = false
      return
    }
    const line = this.takeLine(tail)
    if (line.length > this.maxLineBytes) {
      out.push(this.tooLarge(line.length, line.subarray(0, envelopeBytes)))
    } else if (!isBlank(line)) {
      out.push(this.read(line))
    }
    this.release()
  }

  private takeLine(tail: Uint8Array): Uint8Array {
    let line = tail
    if (this.pending > 0) {
      const size = this.pending + tail.length
      this.reserve(size)
      this.buffer.set(tail, this.pending)
      line = this.buffer.subarray(0, size)
    }
    const start = !this.started && hasByteOrderMark(line) ? 3 : 0
    this.started = true
    const end = line.length > 0 && line[line.length - 1] === carriageReturn ? line.length - 1 : line.length
    return start === 0 && end === line.length ? line : line.subarray(start, end)
  }

  /** Forgets the unfinished line, and a buffer that one long line has made large. */
  private release(): void {
    this.pending = 0
    if (this.buffer.length > keptBytes) this.buffer = empty
  }

  private read(line: Uint8Array): Incoming {
    let text: string
    try {
      text = this.strict.decode(line)
    } catch {
      return new Noise("NotUtf8", line.length, this.preview(line))
    }
    return parse(text, line.length)
  }

  private tooLarge(size: number, beginning: Uint8Array): Noise {
    return new Noise("TooLarge", size, this.preview(beginning), Envelope.read(this.lenient.decode(beginning)))
  }

  private preview(line: Uint8Array): string {
    return this.lenient.decode(line.subarray(0, previewBytes))
  }
}

const concat = (left: Uint8Array, right: Uint8Array): Uint8Array => {
  const joined = new Uint8Array(left.length + right.length)
  joined.set(left)
  joined.set(right, left.length)
  return joined
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
  Stream.transformPull(self, (pull) => Effect.sync(() => decodePull(pull, new Decoder(options?.maxLineBytes))))

/** One step for all that came in at once: small frames arrive by the thousand. */
const decodePull = <E, R>(
  pull: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, E, void, R>,
  decoder: Decoder
): Pull.Pull<Arr.NonEmptyReadonlyArray<Incoming>, E, void, R> => {
  let halted: Pull.Pull<never, E> | undefined
  const step: Pull.Pull<Arr.NonEmptyReadonlyArray<Incoming>, E, void, R> = Effect.matchCauseEffect(pull, {
    onSuccess: (chunks) => {
      const out: Array<Incoming> = []
      for (const chunk of chunks) decoder.push(chunk, out)
      return Arr.isArrayNonEmpty(out) ? Effect.succeed(out) : step
    },
    onFailure: (cause) => {
      halted = Effect.failCause(cause)
      const out: Array<Incoming> = []
      decoder.end(out)
      return Arr.isArrayNonEmpty(out) ? Effect.succeed(out) : halted
    }
  })
  return Effect.suspend(() => halted ?? step)
}

const encoder = new TextEncoder()

/** Where lines are put together for a write: cheaper than one text of them all, which is then read once more. */
const scratch = new Uint8Array(65_536)

/** A UTF-16 unit takes three bytes at the most, and the end of the line one. */
const mostBytes = (frame: string): number => 3 * frame.length + 1

/** Small writes are views of one buffer: a buffer of its own would cost each more than all the rest. */
let pool = new Uint8Array(16_384)
let used = 0
const mostPooled = 4_096

const copyOf = (bytes: Uint8Array): Uint8Array => {
  if (bytes.length > mostPooled) return bytes.slice()
  if (used + bytes.length > pool.length) {
    pool = new Uint8Array(pool.length)
    used = 0
  }
  pool.set(bytes, used)
  return pool.subarray(used, used += bytes.length)
}

/**
 * Makes frames the bytes of as few writes as 64 KiB allow: each frame is one line and none is ever written in parts (F6).
 *
 * **Gotchas**
 *
 * Several writes may be views of one buffer: neither transfer it nor write to it.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encodeBytes = (frames: Arr.NonEmptyReadonlyArray<string>): Arr.NonEmptyReadonlyArray<Uint8Array> => {
  const writes: Array<Uint8Array> = []
  let filled = 0
  const flush = () => {
    if (filled > 0) writes.push(copyOf(scratch.subarray(0, filled)))
    filled = 0
  }
  for (const frame of frames) {
    if (filled + mostBytes(frame) > scratch.length) flush()
    if (mostBytes(frame) > scratch.length) {
      writes.push(encoder.encode(`${frame}\n`))
    } else {
      filled += encoder.encodeInto(frame, scratch.subarray(filled)).written
      scratch[filled++] = lineFeed
    }
  }
  flush()
  return writes as Arr.NonEmptyArray<Uint8Array> // one frame at the least, so one write at the least
}
