/**
 * How frames travel: whole JSON-RPC messages, in order, both ways, and one reason why it ended.
 *
 * A transport knows nothing of methods. `layerMemory` joins two peers in one process, `layerStdio` speaks over this
 * process's stdin and stdout, and other packages add child processes, sockets and HTTP; all of them are exchanged by
 * exchanging a layer.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import type * as AcpError from "./AcpError.ts"
import * as Frame from "./Frame.ts"
import * as Ndjson from "./Ndjson.ts"

/**
 * The transport ended otherwise than by the peer closing its side in order.
 *
 * @category errors
 * @since 0.1.0
 */
export class TransportError extends Data.TaggedError("TransportError")<{ readonly reason: AcpError.CloseReason }> {}

/**
 * A link to one peer.
 *
 * **Details**
 *
 * - `incoming` is run once. It ends when the peer closes its side and fails with the reason when anything else ends the
 *   link.
 * - `outgoing` takes frames, each the text of one JSON-RPC message without a line break, and slows its source down when
 *   the peer does not read. Ending it closes this side after everything taken was written.
 * - The layer that provides a transport owns what lies below it and releases it when its scope closes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Transport {
  readonly incoming: Stream.Stream<Frame.Incoming, TransportError>
  readonly outgoing: Sink.Sink<void, string, never, TransportError>
}

/**
 * The link that a connection is built on.
 *
 * @category services
 * @since 0.1.0
 */
export const Transport: Context.Service<Transport, Transport> = Context.Service<Transport>("@effect-acp/core/Transport")

// =============================================================================
// In memory
// =============================================================================

const memoryCapacity = 1_024

/**
 * Two transports that are joined to one another, for two peers in one process.
 *
 * **Details**
 *
 * Frames pass as JSON text, so what works here works on a wire: nothing is shared between the peers, and what is not JSON
 * does not pass. A peer that does not read stops the other after 1,024 frames.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeMemory: Effect.Effect<readonly [Transport, Transport]> = Effect.gen(function*() {
  const left = yield* Queue.bounded<string, Cause.Done>(memoryCapacity)
  const right = yield* Queue.bounded<string, Cause.Done>(memoryCapacity)
  return [memoryEnd(left, right), memoryEnd(right, left)]
})

const memoryEnd = (
  inbox: Queue.Queue<string, Cause.Done>,
  outbox: Queue.Queue<string, Cause.Done>
): Transport => ({
  incoming: Stream.map(Stream.fromQueue(inbox), (text) => Frame.parse(text, text.length)),
  outgoing: Sink.forEachArray((frames: ReadonlyArray<string>) => Queue.offerAll(outbox, frames)).pipe(
    Sink.ensuring(Queue.end(outbox))
  )
})

/**
 * Joins this side to a peer that runs in the same process and ends with it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory = <A, E, R>(
  peer: Layer.Layer<A, E, R | Transport>
): Layer.Layer<Transport, E, Exclude<R, Transport>> =>
  Layer.effect(Transport)(Effect.gen(function*() {
    const [here, there] = yield* makeMemory
    yield* Layer.build(Layer.provide(Layer.fresh(peer), Layer.succeed(Transport, there)))
    return here
  }))

// =============================================================================
// Stdio
// =============================================================================

const failed = (cause: unknown) =>
  cause instanceof TransportError ? cause : new TransportError({ reason: { _tag: "TransportFailed", cause } })

/**
 * A transport of newline-delimited JSON over a stream and a sink of bytes.
 *
 * An input that fails with a `TransportError` ends the link for its reason, any other failure as `TransportFailed`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromBytes = <E1, E2>(options: {
  readonly input: Stream.Stream<Uint8Array, E1>
  readonly output: Sink.Sink<void, Uint8Array, never, E2>
  readonly maxLineBytes?: number | undefined
}): Transport => ({
  incoming: Ndjson.decode(Stream.mapError(options.input, failed), options),
  outgoing: Sink.mapInputArray(Sink.mapError(options.output, failed), Ndjson.encodeBytes)
})

/**
 * Speaks over this process's own stdin and stdout, as an agent does.
 *
 * **Details**
 *
 * Stdout belongs to the frames: see `Agent.runStdio` for a runner that keeps everything else away from it (F7).
 * `maxLineBytes` bounds an incoming line, 64 MiB by default (F3).
 *
 * @category layers
 * @since 0.1.0
 */
export const layerStdio = (options?: {
  readonly maxLineBytes?: number | undefined
}): Layer.Layer<Transport, never, Stdio.Stdio> =>
  Layer.effect(Transport)(Effect.map(Stdio.Stdio, (stdio) =>
    fromBytes({
      input: stdio.stdin,
      output: stdio.stdout(),
      maxLineBytes: options?.maxLineBytes
    })))
