/**
 * What connections count (V2).
 *
 * All of them are plain Effect metrics: `Metric.snapshot`, OTLP and Prometheus exporters find them by themselves.
 *
 * @since 0.1.0
 */
import * as Metric from "effect/Metric"

/**
 * Frames that were read or written, by `direction`: `in` or `out`.
 *
 * @category metrics
 * @since 0.1.0
 */
export const frames = Metric.counter("acp_frames", { description: "JSON-RPC frames", incremental: true })

/**
 * The size of the frames that were read (bytes) or written (UTF-16 units of JSON text), by `direction`.
 *
 * @category metrics
 * @since 0.1.0
 */
export const bytes = Metric.counter("acp_frame_bytes", { description: "Size of JSON-RPC frames", incremental: true })

/**
 * Calls to peers that wait for their answers.
 *
 * @category metrics
 * @since 0.1.0
 */
export const callsInFlight = Metric.gauge("acp_calls_in_flight", { description: "Calls that wait for an answer" })

/**
 * Requests of peers that are being served.
 *
 * @category metrics
 * @since 0.1.0
 */
export const requestsInFlight = Metric.gauge("acp_requests_in_flight", {
  description: "Requests that are being served"
})

/**
 * How long calls took, by `method`. That of `session/prompt` is the duration of turns, as their client sees them.
 *
 * @category metrics
 * @since 0.1.0
 */
export const callDuration = Metric.timer("acp_call_duration", { description: "Duration of calls to the peer" })

/**
 * How long requests took to be answered, by `method`. That of `session/prompt` is the duration of turns, as their agent
 * sees them.
 *
 * @category metrics
 * @since 0.1.0
 */
export const requestDuration = Metric.timer("acp_request_duration", { description: "Duration of served requests" })

/**
 * What was noticed and gone on from, by `kind`: the tag of the diagnostic; a late answer counts as `LateResponse`.
 *
 * @category metrics
 * @since 0.1.0
 */
export const diagnostics = Metric.counter("acp_diagnostics", { description: "Diagnostics by kind", incremental: true })

/**
 * Where updates of sessions went, by `decision`: `turn`, `subscriber`, `held`, `overflow`.
 *
 * @category metrics
 * @since 0.1.0
 */
export const deliveries = Metric.counter("acp_deliveries", { description: "Delivery decisions", incremental: true })
