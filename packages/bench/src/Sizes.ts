/**
 * How much each case does.
 */
import type { Order, Work } from "./Workload.ts"

export const updates = 20_000
export const sequentialCalls = 5_000
export const concurrentCalls = 1_000
/** How often the concurrent calls are made, all of them at once each time. */
export const rounds = 5
export const lines = 4
export const chunkBytes = [65_536, 1_024] as const
export const slowUpdates = 100_000
/** How many updates the slow consumer takes before the measurement ends. */
export const slowSteps = 1_000
export const lateUpdates = 100_000
export const sessions = 200
export const updatesOfSession = 100

/** What runs before anything is timed: a tenth of the same. */
export const warmUp = ({ count, work }: Order): Order => ({ work, count: Math.max(1, Math.floor(count / 10)) })

export const order = (work: Work, count: number): Order => ({ work, count })
