/**
 * The last bytes of a text, cut at a character boundary.
 */

const encoder = new TextEncoder()
// A ring holds whole characters only, so nothing it holds can fail to decode.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const isContinuation = (byte: number) => (byte & 0xc0) === 0x80

/**
 * Keeps the end of what is pushed, at most `limit` bytes of UTF-8; the cut moves forward to the next character (T2).
 *
 * Memory grows with the content up to the limit and no further, whatever is pushed.
 */
export class OutputRing {
  readonly limit: number
  private buffer = new Uint8Array(0)
  private start = 0
  private length = 0
  private pushedBytes = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** All bytes that were ever pushed. */
  get total(): number {
    return this.pushedBytes
  }

  /** The bytes that are kept. */
  get size(): number {
    return this.length
  }

  /** Whether anything was dropped. */
  get truncated(): boolean {
    return this.pushedBytes > this.length
  }

  push(text: string): void {
    const bytes = encoder.encode(text)
    this.pushedBytes += bytes.length
    if (bytes.length > this.limit) {
      this.length = 0
      this.append(bytes.subarray(borderFrom(bytes, bytes.length - this.limit)))
      return
    }
    this.drop(this.length + bytes.length - this.limit)
    this.append(bytes)
  }

  toString(): string {
    const end = this.start + this.length
    if (end <= this.buffer.length) return decoder.decode(this.buffer.subarray(this.start, end))
    const joined = new Uint8Array(this.length)
    this.copyTo(joined)
    return decoder.decode(joined)
  }

  private drop(excess: number): void {
    if (excess <= 0) return
    let count = excess
    while (count < this.length && isContinuation(this.at(count))) count++
    this.start = (this.start + count) % this.buffer.length
    this.length -= count
  }

  private at(index: number): number {
    return this.buffer[(this.start + index) % this.buffer.length]
  }

  private append(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.grow(this.length + bytes.length)
    const end = (this.start + this.length) % this.buffer.length
    const fits = Math.min(bytes.length, this.buffer.length - end)
    this.buffer.set(bytes.subarray(0, fits), end)
    this.buffer.set(bytes.subarray(fits), 0)
    this.length += bytes.length
  }

  private grow(needed: number): void {
    if (needed <= this.buffer.length) return
    const grown = new Uint8Array(Math.min(this.limit, Math.max(needed, this.buffer.length * 2, 1_024)))
    this.copyTo(grown)
    this.buffer = grown
    this.start = 0
  }

  private copyTo(target: Uint8Array): void {
    const first = Math.min(this.length, this.buffer.length - this.start)
    target.set(this.buffer.subarray(this.start, this.start + first), 0)
    target.set(this.buffer.subarray(0, this.length - first), first)
  }
}

const borderFrom = (bytes: Uint8Array, index: number): number => {
  let border = index
  while (border < bytes.length && isContinuation(bytes[border])) border++
  return border
}
