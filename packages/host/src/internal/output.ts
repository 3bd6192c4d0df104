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

interface Chunk {
  readonly text: string
  /** The bytes of the output up to and with this chunk. */
  readonly total: number
}

export interface Output {
  readonly ring: OutputRing
  readonly pushUnsafe: (text: string) => void
  /** Ends the streams of all listeners. */
  readonly endUnsafe: () => void
  /** What is kept so far, then what comes, up to the end. */
  readonly stream: Stream.Stream<string>
}

export const make = (limit: number): Effect.Effect<Output> =>
  Effect.map(PubSub.sliding<Chunk | undefined>(waitingChunks), (pubsub) => {
    const ring = new OutputRing(limit)
    let ended = false
    return {
      ring,
      pushUnsafe(text) {
        if (text === "" || ended) return
        ring.push(text)
        PubSub.publishUnsafe(pubsub, { text, total: ring.total })
      },
      endUnsafe() {
        ended = true
        PubSub.endUnsafe(pubsub, undefined)
      },
      stream: Stream.unwrap(Effect.gen(function*() {
        if (ended) return Stream.succeed(ring.toString())
        const subscription = yield* PubSub.subscribe(pubsub)
        const seen = ring.total
        const live = Stream.fromSubscription(subscription).pipe(
          Stream.takeWhile(Predicate.isNotUndefined),
          Stream.filter((chunk) => chunk.total > seen),
          Stream.map((chunk) => chunk.text)
        )
        return Stream.concat(Stream.succeed(ring.toString()), live)
      })).pipe(Stream.filter((text) => text !== ""))
    }
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
      Effect.sync(() => {
        for (const chunk of chunks) output.pushUnsafe(decoder.decode(chunk, { stream: true }))
      })).pipe(
        // A pipe that breaks has ended (F120).
        Effect.ignore,
        Effect.ensuring(Effect.sync(() => output.pushUnsafe(decoder.decode())))
      )
  })
