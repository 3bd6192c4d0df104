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
