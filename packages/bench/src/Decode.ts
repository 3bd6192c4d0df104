/**
 * The decoders alone: one update of each kind, already parsed, on this library's side and on the SDK's.
 */
import * as Effect from "effect/Effect"
import type { Scale } from "./Measurement.ts"
import * as Report from "./Report.ts"
import { measure } from "./Runner.ts"
import { samples } from "./Workload.ts"

/** The nanoseconds of one call, as the best of a few rounds. */
export const nanosOf = (run: () => unknown, scale: Scale): number => {
  const repeat = scale === "full" ? 200_000 : 100
  const round = () => {
    const start = performance.now()
    for (let left = repeat; left > 0; left--) run()
    return ((performance.now() - start) * 1_000_000) / repeat
  }
  return Math.min(...Array.from({ length: 5 }, round))
}

export const notificationOf = (update: object): unknown => ({ sessionId: "session_1", update })

export const run = Effect.fnUntraced(function*(scale: Scale) {
  const ours = yield* measure("ours", "decode", scale)
  const sdk = yield* measure("sdk", "decode", scale)
  const lines = Object.keys(samples).map((kind) => [
    kind,
    `${ours[kind].toFixed(0)} ns`,
    `${sdk[kind].toFixed(0)} ns`,
    `${(sdk[kind] / ours[kind]).toFixed(1)}×`
  ])
  return `\n${Report.tableOf(["update", "ours", "SDK (zod)", "SDK ÷ ours"], lines)}`
})
