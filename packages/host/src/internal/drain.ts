/**
 * Reading what a process writes to its end, which need not be the end of the pipe.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const tickMillis = 50
const quietTicks = 6
const mostTicks = 100

/**
 * Runs `push` over a stream of bytes until it ends, or until the process has exited and nothing more comes.
 *
 * A grandchild can hold the pipe open for as long as it lives: once the process has exited, 300 ms without a byte, or 5
 * seconds in all, end the reading (F137). Time in which `push` holds the reading up does not count.
 */
export const drain = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  exited: Effect.Effect<unknown>,
  push: (chunks: Arr.NonEmptyReadonlyArray<Uint8Array>) => Effect.Effect<unknown>
): Effect.Effect<void, E> =>
  Effect.suspend(() => {
    let reads = 0
    let pushing = false
    const reading = Stream.runForEachArray(bytes, (chunks) => {
      reads++
      pushing = true
      return Effect.map(push(chunks), () => {
        pushing = false
      })
    })
    const quiet = Effect.gen(function*() {
      yield* exited
      let seen = -1
      for (let ticks = 0, idle = 0; ticks < mostTicks && idle < quietTicks;) {
        yield* Effect.sleep(tickMillis)
        if (pushing) continue
        idle = reads === seen ? idle + 1 : 0
        seen = reads
        ticks++
      }
    })
    return Effect.raceFirst(reading, quiet)
  })
