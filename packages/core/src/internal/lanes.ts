/**
 * Handlers of notifications, one after the other within a lane, lanes beside one another.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { soon } from "./soon.ts"

export interface Lanes {
  /** Runs the effect after those of the same lane; `false` when there is no room for it. */
  readonly addUnsafe: (lane: string, effect: Effect.Effect<void>) => boolean
  /** Waits until nothing is left to run. */
  readonly idle: Effect.Effect<void>
  /** Interrupts what runs and forgets what waits. */
  readonly stop: Effect.Effect<void>
  readonly sizeUnsafe: () => number
}

interface Lane {
  readonly waiting: Array<Effect.Effect<void>>
  fiber: Fiber.Fiber<void> | undefined
}

/** A lane has a fiber while it has work, and no more than `capacity` effects waiting; nor are there more lanes. */
export const make: (capacity: number) => Effect.Effect<Lanes> = Effect.fnUntraced(function*(capacity) {
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const lanes = new Map<string, Lane>()
  const idle = Latch.makeUnsafe(true)
  let stopped = false

  const remove = (name: string) => {
    lanes.delete(name)
    if (lanes.size === 0) idle.openUnsafe()
  }

  const drain = (name: string, { waiting }: Lane) =>
    Effect.andThen(
      // The yield keeps the handlers' code out of the reader, which adds to lanes.
      soon,
      Effect.whileLoop({
        while: () => {
          if (waiting.length > 0) return true
          remove(name)
          return false
        },
        body: () => waiting.shift()!,
        step: () => {}
      })
    )

  const start = (name: string, effect: Effect.Effect<void>) => {
    const lane: Lane = { waiting: [effect], fiber: undefined }
    lanes.set(name, lane)
    idle.closeUnsafe()
    lane.fiber = runFork(drain(name, lane))
  }

  return {
    addUnsafe(name, effect) {
      if (stopped) return false
      const lane = lanes.get(name)
      if ((lane?.waiting.length ?? lanes.size) >= capacity) return false
      if (lane === undefined) start(name, effect)
      else lane.waiting.push(effect)
      return true
    },
    idle: idle.await,
    stop: Effect.suspend(() => {
      stopped = true
      const fibers = [...lanes.values()].flatMap(({ fiber }) => fiber ?? [])
      for (const name of lanes.keys()) remove(name)
      return Fiber.interruptAll(fibers)
    }),
    sizeUnsafe: () => lanes.size
  }
})
