/**
 * From the reader straight to the consumer of a turn or a session: in wire order, counted, within bounds (O1–O6).
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AcpError from "../AcpError.ts"
import * as Metrics from "./metrics.ts"
import { makeWaker } from "./soon.ts"

const overflow = Metrics.delivery("overflow")
const heldForLater = Metrics.delivery("held")

/** How far a consumer may fall behind. */
export interface BacklogLimits {
  readonly updates: number
  readonly bytes: number
}

export interface Backlog<A, E> {
  /** Adds an item; `false` when it no longer fits, and then the consumer fails after what came before. */
  readonly offerUnsafe: (item: A, size: number) => boolean
  /** Adds a last item, which always fits. */
  readonly endUnsafe: (last?: A) => void
  readonly failUnsafe: (error: E) => void
  /** Everything that waits, at least one item. */
  readonly take: Effect.Effect<Arr.NonEmptyReadonlyArray<A>, E | AcpError.BacklogExceeded | Cause.Done>
}

export const makeBacklog = Effect.fnUntraced(
  function*<A, E>(limits: BacklogLimits, decision: "turn" | "subscriber"): Effect.fn.Return<Backlog<A, E>> {
    const context = yield* Effect.context<never>()
    const taken = Metrics.delivery(decision)
    const waker = makeWaker()
    let waiting: Array<A> = []
    let updates = 0
    let bytes = 0
    let end: Effect.Effect<never, E | AcpError.BacklogExceeded | Cause.Done> | undefined

    const endUnsafe = (how: typeof end): void => {
      end ??= how
      waker.wakeUnsafe()
    }

    const take: Backlog<A, E>["take"] = Effect.suspend(() => {
      const items = waiting
      if (!Arr.isArrayNonEmpty(items)) return end ?? waker.wait(take)
      taken.updateUnsafe(updates, context)
      waiting = []
      updates = 0
      bytes = 0
      return Effect.succeed(items)
    })

    return {
      offerUnsafe(item, size) {
        if (end !== undefined) return false
        updates++
        bytes += size
        if (updates <= limits.updates && bytes <= limits.bytes) {
          waiting.push(item)
          waker.wakeUnsafe()
          return true
        }
        overflow.updateUnsafe(1, context)
        endUnsafe(Effect.fail(new AcpError.BacklogExceeded({ updates, bytes })))
        updates-- // what did not fit is not taken
        return false
      },
      endUnsafe(last) {
        if (end === undefined && last !== undefined) waiting.push(last)
        endUnsafe(Cause.done())
      },
      failUnsafe: (error) => endUnsafe(Effect.fail(error)),
      take
    }
  }
)

/** The items of a turn, whose last is its end. */
export interface TurnDelivery<A, E> {
  readonly offerUnsafe: (item: A, size: number) => boolean
  readonly endUnsafe: (last: A) => void
  readonly failUnsafe: (error: E) => void
  readonly items: Stream.Stream<A, E | AcpError.BacklogExceeded | AcpError.DeliveryGap>
}

/** `onGap` learns of a turn whose delivered items are not those that were offered (O3). */
export const makeTurn = Effect.fnUntraced(function*<A, E>(options: {
  readonly limits: BacklogLimits
  readonly onGap: (gap: AcpError.DeliveryGap) => void
}): Effect.fn.Return<TurnDelivery<A, E>> {
  const backlog = yield* makeBacklog<A, E>(options.limits, "turn")
  let expected = 0
  let delivered = 0
  let last: A | undefined
  const take = Effect.flatMap(backlog.take, (items) => {
    delivered += items.length
    if (last === undefined || items[items.length - 1] !== last || delivered === expected) return Effect.succeed(items)
    const gap = new AcpError.DeliveryGap({ delivered: delivered - 1, expected: expected - 1 })
    options.onGap(gap)
    return Effect.fail(gap)
  })
  return {
    offerUnsafe(item, size) {
      expected++
      return backlog.offerUnsafe(item, size)
    },
    endUnsafe(item) {
      expected++
      last = item
      backlog.endUnsafe(item)
    },
    failUnsafe: backlog.failUnsafe,
    items: Stream.fromPull(Effect.succeed(take))
  }
})

/** One stream of items for any number of subscribers, with what came before the first of them. */
export interface Broadcast<A> {
  readonly offerUnsafe: (item: A, size: number) => void
  /** Keeps an item for the first subscriber while there is none; `false` when too much is kept. */
  readonly holdUnsafe: (item: A, size: number) => boolean
  readonly hasSubscribers: () => boolean
  readonly endUnsafe: () => void
  readonly items: Stream.Stream<A, AcpError.BacklogExceeded>
}

export const makeBroadcast = <A>(limits: BacklogLimits, heldLimit: number): Broadcast<A> => {
  const subscribers = new Set<Backlog<A, never>>()
  let held: Array<{ readonly item: A; readonly size: number }> = []
  let ended = false
  const subscribe = Effect.map(makeBacklog<A, never>(limits, "subscriber"), (backlog) => {
    for (const { item, size } of held) backlog.offerUnsafe(item, size)
    held = []
    if (ended) backlog.endUnsafe()
    else subscribers.add(backlog)
    return backlog
  })
  return {
    offerUnsafe(item, size) {
      for (const backlog of subscribers) {
        if (!backlog.offerUnsafe(item, size)) subscribers.delete(backlog)
      }
    },
    holdUnsafe(item, size) {
      if (held.length >= heldLimit) return false
      heldForLater.updateUnsafe(1, Context.empty())
      held.push({ item, size })
      return true
    },
    hasSubscribers: () => subscribers.size > 0,
    endUnsafe() {
      ended = true
      for (const backlog of subscribers) backlog.endUnsafe()
      subscribers.clear()
    },
    items: Stream.unwrap(
      Effect.map(
        Effect.acquireRelease(subscribe, (backlog) => Effect.sync(() => subscribers.delete(backlog))),
        (backlog) => Stream.fromPull(Effect.succeed(backlog.take))
      )
    )
  }
}
