/**
 * Whether the cost of one update, one session and one call stays the same however many there are.
 */
import * as Effect from "effect/Effect"
import type { Scale } from "./Measurement.ts"
import * as Report from "./Report.ts"
import { measure } from "./Runner.ts"

export const updates = [1_000, 10_000, 100_000, 1_000_000]
export const sessions = [1, 10, 100, 1_000]
export const calls = [1, 10, 100, 1_000, 10_000]

const questions = [
  { id: "growth-updates", label: "updates in a turn, one update", counts: updates },
  { id: "growth-sessions", label: "sessions at once, one session with a turn", counts: sessions },
  { id: "growth-calls", label: "calls in flight, one call", counts: calls }
]

export const run = Effect.fnUntraced(function*(scale: Scale) {
  const lines: Array<ReadonlyArray<string>> = []
  for (const { counts, id, label } of questions) {
    const micros = yield* measure("ours", id, scale)
    for (const count of counts) {
      lines.push([label, count.toLocaleString("en-US"), `${micros[count].toFixed(2)} µs`])
    }
  }
  return `\n${Report.tableOf(["what", "how many", "costs"], lines)}`
})
