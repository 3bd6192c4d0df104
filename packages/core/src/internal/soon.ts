/**
 * What connections do next: soon, in order, and before anything else is read, timed or written.
 */
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

/** How often in a row this goes on before the event loop has a turn. */
const runsPerTurn = 128

const eventLoop = new Scheduler.MixedScheduler().makeDispatcher()

let waiting: Array<() => void> = []
let runs = 0

const run = (): void => {
  const tasks = waiting
  waiting = []
  for (const task of tasks) {
    try {
      task()
    } catch (defect) {
      // Nobody's but the one whose task it is, as if it had been alone.
      queueMicrotask(() => {
        throw defect
      })
    }
  }
}

/**
 * Runs a task once what runs now has come to its end: a reader with the chunk it has, a sender with the burst it is in.
 *
 * A turn of the event loop, which `Effect.yieldNow` takes, costs more than most of what is done in it, so a microtask does.
 * Two peers in one process could answer each other that way for ever: now and then it is a turn, for timers and signals.
 */
export const later = (task: () => void): void => {
  if (waiting.push(task) > 1) return
  if (++runs % runsPerTurn === 0) eventLoop.scheduleTask(run, 0)
  else queueMicrotask(run)
}

/** Lets what runs now come to its end first. */
export const soon: Effect.Effect<void> = Effect.callback((resume) => later(() => resume(Effect.void)))

/**
 * The wait of one fiber until there is something to do, which wakes it once for everything that came together.
 *
 * Who waits looks first whether there is something: what came while nobody waited wakes nobody.
 */
export interface Waker {
  /** Waits, and then goes on with the effect. */
  readonly wait: <A, E>(next: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly wakeUnsafe: () => void
}

export const makeWaker = (): Waker => {
  let wake: (() => void) | undefined
  return {
    wait: (next) =>
      Effect.callback((resume) => {
        wake = () => resume(next)
      }),
    wakeUnsafe() {
      if (wake !== undefined) later(wake)
      wake = undefined
    }
  }
}
