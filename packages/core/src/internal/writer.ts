/**
 * The one place frames leave from: whole frames, in the order of their acceptance, within a budget.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import * as Metrics from "./metrics.ts"
import { makeWaker } from "./soon.ts"

export interface Writer {
  readonly hasRoom: () => boolean
  /** Waits while more than the budget is accepted and not yet written. */
  readonly room: Effect.Effect<void>
  /** Accepts a frame, beyond the budget as well: cancellations always get through. */
  readonly pushUnsafe: (frame: string) => void
  /** Makes nobody wait any more. */
  readonly unboundUnsafe: () => void
  /** Accepts nothing more; `frames` ends after what was accepted. */
  readonly endUnsafe: () => void
  /** Forgets what was accepted and will not be written. */
  readonly discard: Effect.Effect<void>
  /** What the transport writes, in batches of what was accepted so far. */
  readonly frames: Stream.Stream<string>
  /** What was accepted and is not yet written. */
  readonly sizeUnsafe: () => number
}

/** What is written at a time: the frames that make this many UTF-16 units, which most often are one write of a transport. */
const batchUnits = 49_152

/**
 * `budget` counts UTF-16 units of JSON text: bytes, as long as the text is ASCII.
 *
 * Once it is exceeded, half of it has to be written before there is room again: who waits is woken for something.
 */
export const make: (budget: number) => Effect.Effect<Writer> = Effect.fnUntraced(function*(budget) {
  const context = yield* Effect.context<never>()
  const capacity = Latch.makeUnsafe(true)
  const waker = makeWaker()
  const waiting: Array<string> = []
  let ended = false
  let limit = budget
  let accepted = 0
  let taken = 0

  const hasRoom = () => capacity.isOpen()
  const room: Effect.Effect<void> = Effect.suspend(() =>
    hasRoom() ? Effect.void : Effect.flatMap(capacity.await, () => room)
  )
  const unboundUnsafe = () => {
    limit = Infinity
    capacity.openUnsafe()
  }
  // The transport pulls again once it has written what it took before: only then is that room free.
  const release = () => {
    accepted -= taken
    taken = 0
    if (accepted <= limit / 2) capacity.openUnsafe()
  }
  const takeBatch = () => {
    let count = 0
    while (count < waiting.length && taken < batchUnits) taken += waiting[count++].length
    return waiting.splice(0, count)
  }
  const take: Effect.Effect<Arr.NonEmptyReadonlyArray<string>, Cause.Done> = Effect.suspend(() => {
    release()
    const frames = takeBatch()
    if (!Arr.isArrayNonEmpty(frames)) return ended ? Cause.done() : Effect.flatMap(waker.wait, () => take)
    Metrics.framesOut.updateUnsafe(frames.length, context)
    Metrics.bytesOut.updateUnsafe(taken, context)
    return Effect.succeed(frames)
  })

  return {
    hasRoom,
    room,
    pushUnsafe(frame) {
      if (ended) return
      waiting.push(frame)
      accepted += frame.length
      if (accepted > limit) capacity.closeUnsafe()
      waker.wakeUnsafe()
    },
    unboundUnsafe,
    endUnsafe() {
      ended = true
      unboundUnsafe()
      waker.wakeUnsafe()
    },
    discard: Effect.sync(() => {
      ended = true
      waiting.length = 0
      accepted = 0
      taken = 0
    }),
    frames: Stream.fromPull(Effect.succeed(take)),
    sizeUnsafe: () => accepted
  }
})
