/**
 * The least that a link has to do: `JSON.stringify`, bytes, lines, `JSON.parse`. No validation, no sessions, no bounds.
 */
/* oxlint-disable no-await-in-loop -- one thing after the other is what is measured */
import type { BytePipe } from "../BytePipe.ts"

const lineFeed = 0x0a
const batchBytes = 65_536

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Somewhere to write bytes to; `false` when it is full. */
export interface Target {
  readonly write: (bytes: Uint8Array) => boolean
  readonly onDrain: (run: () => void) => void
}

/** Writes messages as lines, about 64 KiB at a time, and waits while the target is full. */
export const send = async (target: Target, messages: Iterable<unknown>): Promise<void> => {
  let text = ""
  const flush = async (): Promise<void> => {
    const accepted = target.write(encoder.encode(text))
    text = ""
    if (!accepted) await new Promise<void>((resolve) => target.onDrain(resolve))
  }
  for (const message of messages) {
    text += `${JSON.stringify(message)}\n`
    if (text.length >= batchBytes) await flush()
  }
  if (text.length > 0) await flush()
}

/** Reads lines and hands on what they hold. */
export const makeReader = (onMessage: (message: any) => void): (chunk: Uint8Array) => void => {
  let parts: Array<Uint8Array> = []
  const finish = (tail: Uint8Array): void => {
    const line = parts.length === 0 ? tail : Buffer.concat([...parts, tail])
    parts = []
    onMessage(JSON.parse(decoder.decode(line)))
  }
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      finish(chunk.subarray(start, end))
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
}

/** Hands on every message that comes out of a pipe. */
export const receive = (pipe: BytePipe, onMessage: (message: any) => void): void => {
  const push = makeReader(onMessage)
  const pull = (): void => {
    for (let chunks = pipe.read(); chunks !== undefined; chunks = pipe.read()) {
      if (chunks.length === 0) return
      for (const chunk of chunks) push(chunk)
    }
    pipe.onData(pull)
  }
  pull()
}
