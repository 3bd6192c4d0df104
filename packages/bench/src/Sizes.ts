/**
 * How much each case does.
 */
import type { Scale } from "./Measurement.ts"
import type { Order } from "./Workload.ts"

export const orders = {
  messages: { work: "messages", count: 20_000 },
  mixed: { work: "mixed", count: 20_000 },
  sequential: { work: "calls", count: 5_000 },
  concurrent: { work: "calls", count: 1_000, width: 1_000 },
  lines: { work: "line", count: 4 },
  /** For a consumer that is slow, or late. */
  many: { work: "messages", count: 100_000 },
  /** For each of many sessions. */
  session: { work: "messages", count: 100 }
} as const satisfies Record<string, Order>

/** How often the concurrent calls are made, all of them at once each time. */
export const rounds = 5
export const chunkBytes = [65_536, 1_024] as const
/** How many updates the slow consumer takes before the measurement ends. */
export const slowSteps = 1_000
export const sessions = 200

/** Everything, or a hundredth of it to see that it works. */
export const scaled = (scale: Scale, count: number): number => scale === "full" ? count : Math.max(1, count / 100)

export const scale = (scale: Scale, order: Order): Order => ({ ...order, count: scaled(scale, order.count) })

/** What runs before anything is timed, so that what is timed is compiled code: the same, or as much as is worth the time. */
export const warmUp = (order: Order): Order => ({ ...order, count: Math.min(order.count, orders.messages.count) })
