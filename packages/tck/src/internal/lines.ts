/**
 * Bytes in chunks, as whole lines.
 */
const newline = 0x0a
const carriageReturn = 0x0d

/** Collects chunks and gives whole lines without their ends. */
export class Lines {
  private rest: Array<Uint8Array> = []

  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): ReadonlyArray<Uint8Array> {
    const lines: Array<Uint8Array> = []
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      lines.push(this.take(chunk.subarray(start, end)))
      start = end + 1
    }
    if (start < chunk.length) this.rest.push(chunk.subarray(start))
    return lines.filter(isNotBlank)
  }

  /** A last line that had no end. */
  end(): ReadonlyArray<Uint8Array> {
    return [this.take(new Uint8Array())].filter(isNotBlank)
  }

  private take(last: Uint8Array): Uint8Array {
    const line = Buffer.concat([...this.rest, last])
    this.rest = []
    return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
  }
}

const isNotBlank = (line: Uint8Array): boolean => line.some((byte) => byte !== 0x20 && byte !== 0x09)
