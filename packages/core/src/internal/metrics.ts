/**
 * The series of the public metrics, each made once.
 */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Metric from "effect/Metric"
import * as Metrics from "../Metrics.ts"

const series = <Input, State>(metric: Metric.Metric<Input, State>, attribute: string) => {
  const known = new Map<string, Metric.Metric<Input, State>>()
  return (value: string): Metric.Metric<Input, State> => {
    const found = known.get(value)
    if (found !== undefined) return found
    const made = Metric.withAttributes(metric, { [attribute]: value })
    known.set(value, made)
    return made
  }
}

export const framesIn = Metric.withAttributes(Metrics.frames, { direction: "in" })
export const framesOut = Metric.withAttributes(Metrics.frames, { direction: "out" })
export const bytesIn = Metric.withAttributes(Metrics.bytes, { direction: "in" })
export const bytesOut = Metric.withAttributes(Metrics.bytes, { direction: "out" })
export const callDuration = series(Metrics.callDuration, "method")
export const requestDuration = series(Metrics.requestDuration, "method")
export const diagnostic = series(Metrics.diagnostics, "kind")
export const delivery = series(Metrics.deliveries, "decision")

/** Counts something that begins; the function that it gives counts its end, with its duration. */
export const begin = (
  gauge: Metric.Gauge<number>,
  duration: Metric.Metric<Duration.Duration, unknown>,
  context: Context.Context<never>,
  nowMillis: () => number
): () => void => {
  const start = nowMillis()
  gauge.modifyUnsafe(1, context)
  return () => {
    gauge.modifyUnsafe(-1, context)
    duration.updateUnsafe(Duration.millis(nowMillis() - start), context)
  }
}
