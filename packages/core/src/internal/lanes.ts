/**
 * Handlers of notifications, one after the other within a lane, lanes beside one another.
 */
import * as Effect from "effect/Effect"

export interface Lanes {
  /** Runs the effect after those of the same lane; `false` when the lane is full. */
  readonly addUnsafe: (lane: string, effect: Effect.Effect<void>) => boolean
}

/** A lane has a fiber while it has work, and no more than `capacity` effects waiting. */
export const make = (
  capacity: number,
  fork: (effect: Effect.Effect<void>) => void
): Lanes => {
  const lanes = new Map<string, Array<Effect.Effect<void>>>()
  const drain = (lane: string, waiting: Array<Effect.Effect<void>>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const next = waiting.shift()
      if (next === undefined) {
        lanes.delete(lane)
        return Effect.void
      }
      return Effect.flatMap(next, () => drain(lane, waiting))
    })
  return {
    addUnsafe(lane, effect) {
      const waiting = lanes.get(lane)
      if (waiting === undefined) {
        const started = [effect]
        lanes.set(lane, started)
        fork(Effect.andThen(Effect.yieldNow, drain(lane, started)))
        return true
      }
      if (waiting.length >= capacity) return false
      waiting.push(effect)
      return true
    }
  }
}
