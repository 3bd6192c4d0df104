/**
 * A transport that misbehaves as a seed says: the same seed makes the same faults.
 *
 * @since 0.1.0
 */
import * as Frame from "@effect-acp/core/Frame"
import * as Transport from "@effect-acp/core/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as Seed from "./Seed.ts"

// =============================================================================
// Models
// =============================================================================

/**
 * The faults of one direction. Probabilities are per frame, 0 by default.
 *
 * @category options
 * @since 0.1.0
 */
export interface Faults {
  /** The frame is lost. */
  readonly drop?: number | undefined
  /** The frame comes twice. */
  readonly duplicate?: number | undefined
  /** The frame comes after the one that follows it. */
  readonly reorder?: number | undefined
  /** A line that is no message comes before the frame. */
  readonly garbage?: number | undefined
  /** The frame waits for a random part of `maxDelay`. */
  readonly delay?: number | undefined
  /** Default 10 milliseconds. */
  readonly maxDelay?: Duration.Input | undefined
  /** Every frame takes this long: a slow reader, or a slow writer. */
  readonly pace?: Duration.Input | undefined
  /** The link fails after this many frames. Default: never. */
  readonly cutAfter?: number | undefined
}

/**
 * What a transport is made faulty with.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  readonly seed: number
  /** What happens to frames on their way to the side that uses the transport. */
  readonly incoming?: Faults | undefined
  /** What happens to frames on their way from it. */
  readonly outgoing?: Faults | undefined
}

// =============================================================================
// Constructors
// =============================================================================

const cut = new Transport.TransportError({
  reason: { _tag: "TransportFailed", cause: new Error("the link was cut") }
})

const garbageLines: ReadonlyArray<string> = [
  "[agent] starting",
  "{\"level\":\"info\",\"id\":1,\"result\":\"ok\"}",
  "{",
  "42",
  "[]",
  "null",
  "{\"jsonrpc\":\"2.0\"}",
  "{\"jsonrpc\":\"2.0\",\"id\":987654321,\"result\":{}}"
]

/** What becomes of the frames of one direction, and of one that is held back at the end. */
interface Direction<A> {
  readonly each: (frame: A) => Effect.Effect<ReadonlyArray<A>, Transport.TransportError>
  readonly rest: () => ReadonlyArray<A>
}

const makeDirection = <A>(seed: Seed.Seed, faults: Faults, garbage: (line: string) => A): Direction<A> => {
  const maxDelay = Duration.toMillis(Duration.fromInputUnsafe(faults.maxDelay ?? 10))
  const pace = Duration.toMillis(Duration.fromInputUnsafe(faults.pace ?? 0))
  let late: A | undefined
  let count = 0

  const fate = (frame: A): ReadonlyArray<A> => {
    const out: Array<A> = []
    if (seed.chance(faults.garbage ?? 0)) out.push(garbage(seed.pick(garbageLines)))
    if (late === undefined && seed.chance(faults.reorder ?? 0)) {
      late = frame
      return out
    }
    if (!seed.chance(faults.drop ?? 0)) out.push(frame)
    if (seed.chance(faults.duplicate ?? 0)) out.push(frame)
    return [...out, ...rest()]
  }

  const rest = (): ReadonlyArray<A> => {
    const kept = late === undefined ? [] : [late]
    late = undefined
    return kept
  }

  return {
    each: (frame) =>
      Effect.suspend(() => {
        if (++count > (faults.cutAfter ?? Infinity)) return Effect.fail(cut)
        const millis = pace + (seed.chance(faults.delay ?? 0) ? seed.next() * maxDelay : 0)
        const frames = fate(frame)
        return millis === 0 ? Effect.succeed(frames) : Effect.as(Effect.sleep(millis), frames)
      }),
    rest
  }
}

/**
 * A transport with faults.
 *
 * **Details**
 *
 * Frames are what faults happen to, so it fits any transport. The faults of the two directions are independent of one
 * another: how the frames of both interleave does not change them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (transport: Transport.Transport, options: Options): Transport.Transport => {
  const incoming = makeDirection<Frame.Incoming>(
    Seed.make(options.seed),
    options.incoming ?? {},
    (line) => Frame.parse(line, line.length)
  )
  const outgoing = makeDirection<string>(Seed.make(options.seed ^ 0x5bd1e995), options.outgoing ?? {}, (line) => line)
  return {
    ...transport,
    incoming: through(transport.incoming, incoming),
    outgoing: Sink.make<string>()((frames: Stream.Stream<string>) =>
      Stream.run(through(frames, outgoing), transport.outgoing)
    )
  }
}

const through = <A, E>(
  frames: Stream.Stream<A, E>,
  direction: Direction<A>
): Stream.Stream<A, E | Transport.TransportError> =>
  frames.pipe(
    Stream.mapEffect(direction.each),
    Stream.flattenIterable,
    Stream.concat(Stream.suspend(() => Stream.fromIterable(direction.rest())))
  )

/**
 * The transport of the context, with faults.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E, R>(
  transport: Layer.Layer<Transport.Transport, E, R>,
  options: Options
): Layer.Layer<Transport.Transport, E, R> =>
  Layer.effect(Transport.Transport)(Effect.map(Transport.Transport, (inner) => make(inner, options))).pipe(
    Layer.provide(transport)
  )
