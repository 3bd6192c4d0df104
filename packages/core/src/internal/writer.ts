/**
 * The one place frames leave from: whole frames, in the order of their acceptance, within a budget.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Metrics from "./metrics.ts"
import { later, makeWaker } from "./soon.ts"

export interface Writer {
  readonly hasRoom: () => boolean
  /** Waits while more than the budget is accepted and not yet written; who waits first goes on first. */
  readonly room: Effect.Effect<void>
  /** Runs when there is room, after all that wait for it; at once if there is. */
  readonly whenRoomUnsafe: (run: () => void) => void
  /** Lets those go on who wait for room now. */
  readonly releaseUnsafe: () => void
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

/** What is written at a time. */
interface Batch {
  readonly frames: Arr.NonEmptyArray<string>
  units: number
}

/** A batch is full with this many UTF-16 units, which most often are one write of a transport. */
const batchUnits = 49_152

/**
 * `budget` counts UTF-16 units of JSON text: bytes, as long as the text is ASCII.
 *
 * Once it is exceeded, half of it has to be written before there is room again: who waits is woken for something.
 */
export const make: (budget: number) => Effect.Effect<Writer> = Effect.fnUntraced(function*(budget) {
  const context = yield* Effect.context<never>()
  const waker = makeWaker()
  const waiters = new Set<() => void>()
  let batches: Array<Batch> = []
  let open = true
  let ended = false
  let limit = budget
  let accepted = 0
  let taken = 0

  const whenRoomUnsafe = (run: () => void): void => {
    if (open) run()
    else waiters.add(run)
  }
  const room: Effect.Effect<void> = Effect.callback((resume) => {
    const wake = () => resume(Effect.void)
    whenRoomUnsafe(wake)
    return Effect.sync(() => waiters.delete(wake))
  })
  /** Each of those that wait writes as it is woken, so no more are woken than there is room for. */
  const openUnsafe = () => {
    open = true
    for (const wake of waiters) {
      if (!open) return
      waiters.delete(wake)
      wake()
    }
  }
  const releaseUnsafe = () => {
    for (const wake of waiters) later(wake)
    waiters.clear()
  }
  const unboundUnsafe = () => {
    limit = Infinity
    open = true
    releaseUnsafe()
  }
  // The transport pulls again once it has written what it took before: only then is that room free.
  const free = () => {
    accepted -= taken
    taken = 0
    if (!open && accepted <= limit / 2) openUnsafe()
  }
  const take: Effect.Effect<Arr.NonEmptyReadonlyArray<string>, Cause.Done> = Effect.suspend(() => {
    free()
    const batch = batches.shift()
    if (batch === undefined) return ended ? Cause.done() : waker.wait(take)
    taken = batch.units
    Metrics.framesOut.updateUnsafe(batch.frames.length, context)
    Metrics.bytesOut.updateUnsafe(taken, context)
    return Effect.succeed(batch.frames)
  })

  return {
    hasRoom: () => open,
    room,
    whenRoomUnsafe,
    releaseUnsafe,
    pushUnsafe(frame) {
      if (ended) return
      const last = batches.at(-1)
      if (last === undefined || last.units >= batchUnits) {
        batches.push({ frames: [frame], units: frame.length })
      } else {
        last.frames.push(frame)
        last.units += frame.length
      }
      accepted += frame.length
      if (accepted > limit) open = false
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
      batches = []
      accepted = 0
      taken = 0
    }),
    frames: Stream.fromPull(Effect.succeed(take)),
    sizeUnsafe: () => accepted
  }
})
