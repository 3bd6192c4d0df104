/**
 * How frames travel: whole JSON-RPC messages, in order, both ways, and one reason why it ended.
 *
 * A transport knows nothing of methods. `layerMemory` joins two peers in one process, `layerStdio` speaks over this
 * process's stdin and stdout, and other packages add child processes, sockets and HTTP; all of them are exchanged by
 * exchanging a layer.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import type * as AcpError from "./AcpError.ts"
import type * as Diagnostic from "./Diagnostic.ts"
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
 * - `aside` is what the peer has said beside its frames, such as the end of a process's stderr: for a person, where the link
 *   itself tells too little.
 * - The layer that provides a transport owns what lies below it and releases it when its scope closes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Transport {
  readonly incoming: Stream.Stream<Frame.Incoming, TransportError>
  readonly outgoing: Sink.Sink<void, string, never, TransportError>
  readonly aside?: Effect.Effect<string> | undefined
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
// Observed
// =============================================================================

/**
 * A frame that passed a tapped transport.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tapped {
  /** `in` comes from the peer, `out` goes to it. */
  readonly direction: "in" | "out"
  /** When it passed, in milliseconds since 1970. */
  readonly at: number
  /** The frame as JSON text; of noise, its first bytes. */
  readonly text: string
  /** Why an incoming line was noise; not there for frames. */
  readonly noise?: Diagnostic.NoiseReason | undefined
}

/**
 * The transport, with every frame each way shown to an observer in order (V3).
 *
 * **Details**
 *
 * Incoming frames are shown before the connection sees them, outgoing ones before they are written. The observer holds its
 * frame up for as long as it runs, and sees prompts and file contents: where they are kept is its responsibility.
 *
 * @category combinators
 * @since 0.1.0
 */
export const tap: {
  (observe: (frame: Tapped) => Effect.Effect<void>): (self: Transport) => Transport
  (self: Transport, observe: (frame: Tapped) => Effect.Effect<void>): Transport
} = dual(2, (self: Transport, observe: (frame: Tapped) => Effect.Effect<void>): Transport => {
  const show = (direction: Tapped["direction"], frame: Pick<Tapped, "text" | "noise">) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => observe({ direction, at, ...frame }))
  return {
    ...self,
    incoming: Stream.tap(
      self.incoming,
      (item) =>
        show(
          "in",
          item instanceof Frame.Noise
            ? { text: item.preview, noise: item.reason }
            : { text: JSON.stringify(item.value) }
        )
    ),
    outgoing: Sink.mapInputArrayEffect(
      self.outgoing,
      (frames) => Effect.as(Effect.forEach(frames, (text) => show("out", { text }), { discard: true }), frames)
    )
  }
})

/**
 * The transport of a layer, with every frame each way shown to an observer; see {@link tap}.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTap: {
  (
    observe: (frame: Tapped) => Effect.Effect<void>
  ): <E, R>(self: Layer.Layer<Transport, E, R>) => Layer.Layer<Transport, E, R>
  <E, R>(
    self: Layer.Layer<Transport, E, R>,
    observe: (frame: Tapped) => Effect.Effect<void>
  ): Layer.Layer<Transport, E, R>
} = dual(
  2,
  <E, R>(self: Layer.Layer<Transport, E, R>, observe: (frame: Tapped) => Effect.Effect<void>) =>
    Layer.provide(Layer.effect(Transport)(Effect.map(Transport, tap(observe))), self)
)

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
 * **Gotchas**
 *
 * Several of the writes that the output takes may be views of one buffer: it must neither transfer nor change them.
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
