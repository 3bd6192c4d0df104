/**
 * The series of the public metrics, each made once.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Metrics from "../Metrics.ts"

type Identity = Pick<Metric.Metric<never, unknown>, "id" | "description">

type Attributes = Readonly<Record<string, string>>

// Each series is a metric of its own: one that attributes are added to knows the key of its last series only, and makes it
// anew whenever another one was updated in between.
const counter = ({ description, id }: Identity, attributes: Attributes): Metric.Counter<number> =>
  Metric.counter(id, { attributes, incremental: true, ...(description === undefined ? {} : { description }) })

const timer = ({ description, id }: Identity, attributes: Attributes) =>
  Metric.timer(id, { attributes, ...(description === undefined ? {} : { description }) })

const series = <M>(attribute: string, make: (attributes: Attributes) => M): (value: string) => M => {
  const known = new Map<string, M>()
  return (value) => {
    const found = known.get(value) ?? make({ [attribute]: value })
    known.set(value, found)
    return found
  }
}

export const framesIn = counter(Metrics.frames, { direction: "in" })
export const framesOut = counter(Metrics.frames, { direction: "out" })
export const bytesIn = counter(Metrics.bytes, { direction: "in" })
export const bytesOut = counter(Metrics.bytes, { direction: "out" })
export const callDuration = series("method", (attributes) => timer(Metrics.callDuration, attributes))
export const requestDuration = series("method", (attributes) => timer(Metrics.requestDuration, attributes))
export const diagnostic = series("kind", (attributes) => counter(Metrics.diagnostics, attributes))
export const delivery = series("decision", (attributes) => counter(Metrics.deliveries, attributes))

/** What is in flight: how much of it, and how long each takes. */
export interface Flights {
  /** Counts one more and gives the time, in milliseconds. */
  readonly begin: () => number
  readonly end: (method: string, beganAt: number) => void
}

export const makeFlights: (
  gauge: Metric.Gauge<number>,
  durationOf: (method: string) => Metric.Metric<Duration.Duration, unknown>
) => Effect.Effect<Flights> = Effect.fnUntraced(function*(gauge, durationOf) {
  const context = yield* Effect.context<never>()
  const clock = yield* Clock.Clock
  return {
    begin() {
      gauge.modifyUnsafe(1, context)
      return clock.currentTimeMillisUnsafe()
    },
    end(method, beganAt) {
      gauge.modifyUnsafe(-1, context)
      durationOf(method).updateUnsafe(Duration.millis(clock.currentTimeMillisUnsafe() - beganAt), context)
    }
  }
})
