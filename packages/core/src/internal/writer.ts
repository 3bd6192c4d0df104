/**
 * The one place frames leave from: whole frames, in the order of their acceptance, within a budget.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

export interface Writer {
  /** Waits while more than the budget is accepted and not yet written. */
  readonly ready: Effect.Effect<void>
  /** Accepts a frame, beyond the budget as well: answers and cancellations always get through. */
  readonly pushUnsafe: (frame: string) => void
  /** Accepts nothing more; `frames` ends after what was accepted. */
  readonly endUnsafe: () => void
  /** What the transport writes, everything accepted so far at a time. */
  readonly frames: Stream.Stream<string>
  /** What was accepted and is not yet written. */
  readonly sizeUnsafe: () => number
}

/** `budget` counts UTF-16 units of JSON text: bytes, as long as the text is ASCII. */
export const make = (budget: number): Effect.Effect<Writer> =>
  Effect.map(Queue.unbounded<string, Cause.Done>(), (queue) => {
    const capacity = Latch.makeUnsafe(true)
    let accepted = 0
    let taken = 0
    const ready: Effect.Effect<void> = Effect.suspend(() =>
      accepted <= budget ? Effect.void : Effect.flatMap(capacity.await, () => ready)
    )
    // The transport pulls again once it has written what it took before: only then is that room free.
    const release = () => {
      accepted -= taken
      taken = 0
      if (accepted <= budget) capacity.openUnsafe()
    }
    const take = Effect.map(Queue.takeAll(queue), (frames) => {
      for (const frame of frames) taken += frame.length
      return frames
    })
    return {
      ready,
      pushUnsafe(frame) {
        if (!Queue.offerUnsafe(queue, frame)) return
        accepted += frame.length
        if (accepted > budget) capacity.closeUnsafe()
      },
      endUnsafe() {
        Queue.endUnsafe(queue)
        budget = Infinity
        capacity.openUnsafe()
      },
      frames: Stream.fromPull(Effect.succeed(Effect.suspend(() => {
        release()
        return take
      }))),
      sizeUnsafe: () => accepted
    }
  })
