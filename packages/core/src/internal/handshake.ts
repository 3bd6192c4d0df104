/**
 * What may pass before, during and after the handshake (H1–H4).
 */
import * as Effect from "effect/Effect"

export interface Handshake {
  readonly isRunning: () => boolean
  readonly begin: () => void
  /** Keeps work until the outcome of the running handshake; `false` when too much is kept. */
  readonly hold: (work: Effect.Effect<void>) => boolean
  /** Ends the running handshake, whatever its outcome, and runs what was kept, in order. */
  readonly end: Effect.Effect<void>
}

export const make = (capacity: number): Handshake => {
  let running = false
  let held: Array<Effect.Effect<void>> = []
  return {
    isRunning: () => running,
    begin: () => {
      running = true
    },
    hold(work) {
      if (held.length >= capacity) return false
      held.push(work)
      return true
    },
    end: Effect.suspend(() => {
      running = false
      const released = held
      held = []
      return Effect.forEach(released, (work) => work, { discard: true })
    })
  }
}
