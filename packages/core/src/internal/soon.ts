/**
 * Later, but still before anything else is read, timed or written.
 */
import * as Effect from "effect/Effect"

/**
 * Lets what runs now come to its end first: a reader the chunk it has, a sender the burst it is in.
 *
 * A turn of the event loop, which `Effect.yieldNow` takes, costs more than most of what is done in it.
 */
export const soon: Effect.Effect<void> = Effect.callback((resume) => queueMicrotask(() => resume(Effect.void)))

/**
 * The wait of one fiber until there is something to do, which wakes it once for everything that came together.
 *
 * Who waits looks first whether there is something: what came while nobody waited wakes nobody.
 */
export interface Waker {
  readonly wait: Effect.Effect<void>
  readonly wakeUnsafe: () => void
}

export const makeWaker = (): Waker => {
  let wake: (() => void) | undefined
  return {
    wait: Effect.callback((resume) => {
      wake = () => resume(Effect.void)
    }),
    wakeUnsafe() {
      if (wake !== undefined) queueMicrotask(wake)
      wake = undefined
    }
  }
}
