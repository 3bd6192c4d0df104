/**
 * What a process writes: always drained, its end kept, and all of it for whoever listens.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { drain } from "./drain.ts"
import { OutputRing } from "./outputRing.ts"

/** Chunks that wait for a listener; a slower one loses the oldest, the process is never held up. */
const waitingChunks = 256

/** Stands for what is missing. */
export const ellipsis = "…"

interface Chunk {
  readonly text: string
  /** The bytes of the output before and with this chunk. */
  readonly from: number
  readonly to: number
}

export interface Output {
  readonly ring: OutputRing
  readonly push: (text: string) => Effect.Effect<void>
  /** Ends the streams of all listeners. */
  readonly end: Effect.Effect<void>
  /** What is kept so far, then what comes, up to the end. What is missing is marked. */
  readonly stream: Stream.Stream<string>
}

export const make = (limit: number): Effect.Effect<Output> =>
  Effect.map(PubSub.sliding<Chunk | undefined>(waitingChunks), (pubsub) => {
    const ring = new OutputRing(limit)
    return {
      ring,
      push: (text) =>
        Effect.suspend(() => {
          if (text === "") return Effect.void
          const from = ring.total
          ring.push(text)
          return Effect.asVoid(PubSub.publish(pubsub, { text, from, to: ring.total }))
        }),
      end: Effect.asVoid(PubSub.end(pubsub, undefined)),
      stream: Stream.unwrap(Effect.map(PubSub.subscribe(pubsub), (subscription) => {
        const live = Stream.fromSubscription(subscription).pipe(Stream.takeWhile(Predicate.isNotUndefined))
        return Stream.concat(Stream.fromIterable(tail(ring)), follow(ring.total, live))
      }))
    }
  })

/** The end of an output as one text. */
export const tail = (ring: OutputRing): ReadonlyArray<string> => {
  const text = `${ring.truncated ? ellipsis : ""}${ring.toString()}`
  return text === "" ? [] : [text]
}

const follow = (start: number, chunks: Stream.Stream<Chunk>): Stream.Stream<string> =>
  Stream.mapAccum(chunks, () => start, (seen, { from, text, to }) => {
    if (to <= seen) return [seen, []]
    return [to, [from > seen ? `${ellipsis}${text}` : text]]
  })

/**
 * Reads what a process writes into an output; see `drain`.
 *
 * A character that comes in two reads is one character.
 */
export const drainInto = <E>(
  output: Output,
  bytes: Stream.Stream<Uint8Array, E>,
  exited: Effect.Effect<unknown>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    return drain(bytes, exited, (chunks) =>
      Effect.forEach(chunks, (chunk) =>
        output.push(decoder.decode(chunk, { stream: true })), { discard: true })).pipe(
        // A pipe that breaks has ended (F120).
        Effect.ignore,
        Effect.ensuring(Effect.suspend(() =>
          output.push(decoder.decode())
        ))
      )
  })
