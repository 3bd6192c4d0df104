/**
 * Later, but still before anything else is read, timed or written.
 */
import * as Effect from "effect/Effect"

/**
 * Lets what runs now come to its end first: a reader the chunk it has, a sender the burst it is in.
 *
 * A turn of the event loop, which `Effect.yieldNow` takes, costs more than most of what is done in it.
 */
export const soon: Effect.Effect<void> = Effect.callback((resume) => queueMicrotask(() => resume(Effect.void)))

/**
 * The answer to a call, for a caller that settling it resumes within the reader: what came before has its turn first (O2).
 *
 * That takes a turn of the event loop, which is what the subscribers of a session, woken before, take as well.
 */
export const outsideReader = <A, E>(answer: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.exit(answer), (exit) => Effect.andThen(Effect.yieldNow, exit))
