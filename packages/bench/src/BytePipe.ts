/**
 * One direction of a link inside a process: bytes in, bytes out, as a pipe of the operating system would pass them.
 *
 * Both sides of every comparison run over it. It calls back instead of returning promises or effects, so that it favours
 * neither. A reader gets all that is there, small writes joined and large ones cut into chunks of the given size; a writer
 * whose bytes do not fit waits until they do.
 */

export interface Options {
  /** The most bytes in one chunk that is read. */
  readonly chunkBytes: number
}

/** What a pipe of Linux holds. */
const capacity = 65_536

export class BytePipe {
  private readonly chunkBytes: number
  private waiting: Array<Uint8Array> = []
  private offset = 0
  private size = 0
  private ended = false
  private reader: (() => void) | undefined
  private writers: Array<() => void> = []

  constructor({ chunkBytes }: Options) {
    this.chunkBytes = chunkBytes
  }

  /** Accepts the bytes. `false` when they are more than the pipe holds: go on when `onDrain` calls. */
  write(bytes: Uint8Array): boolean {
    this.waiting.push(bytes)
    this.size += bytes.length
    this.wakeReader()
    return this.size <= capacity
  }

  onDrain(run: () => void): void {
    this.writers.push(run)
  }

  end(): void {
    this.ended = true
    this.wakeReader()
  }

  /** The chunks that are there; none at the end; undefined when there will be some: go on when `onData` calls. */
  read(): ReadonlyArray<Uint8Array> | undefined {
    if (this.size === 0) return this.ended ? [] : undefined
    const chunks: Array<Uint8Array> = []
    let room = capacity
    while (room > 0 && this.size > 0) {
      const chunk = this.take(Math.min(this.chunkBytes, room, this.size))
      room -= chunk.length
      chunks.push(chunk)
    }
    if (this.size <= capacity) this.wakeWriters()
    return chunks
  }

  onData(run: () => void): void {
    this.reader = run
  }

  private take(length: number): Uint8Array {
    const chunk = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const first = this.waiting[0]
      const part = first.subarray(this.offset, this.offset + length - filled)
      chunk.set(part, filled)
      filled += part.length
      this.offset += part.length
      if (this.offset === first.length) {
        this.waiting.shift()
        this.offset = 0
      }
    }
    this.size -= length
    return chunk
  }

  private wakeReader(): void {
    const run = this.reader
    this.reader = undefined
    run?.()
  }

  private wakeWriters(): void {
    const writers = this.writers
    this.writers = []
    for (const run of writers) run()
  }
}

/** The two directions of a link: from the client and from the agent. */
export interface Link {
  readonly toAgent: BytePipe
  readonly toClient: BytePipe
}

export const makeLink = (chunkBytes: number = capacity): Link => ({
  toAgent: new BytePipe({ chunkBytes }),
  toClient: new BytePipe({ chunkBytes })
})
