/**
 * A bound on the time between the elements of a stream.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"

/** Turns of the event loop in which what waits in a pipe gets through; a clock that has jumped must not win over it. */
const lastLook = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

export const within = <A, E, R, E2>(
  stream: Stream.Stream<A, E, R>,
  options: {
    readonly limit: Duration.Input
    /** While this is true, time does not count. */
    readonly except: Effect.Effect<boolean>
    readonly orFail: () => E2
  }
): Stream.Stream<A, E | E2, R> =>
  Stream.transformPull(stream, (pull) => {
    const orFail = <B, F>(fiber: Fiber.Fiber<B, F>) =>
      Effect.suspend((): Effect.Effect<B, F | E2> => fiber.pollUnsafe() ?? Effect.fail(options.orFail()))

    const awaitWithin = Effect.fnUntraced(function*<B, F>(fiber: Fiber.Fiber<B, F>): Effect.fn.Return<B, F | E2> {
      let exit = fiber.pollUnsafe()
      while (exit === undefined) {
        const waited = yield* Effect.timeoutOption(Fiber.await(fiber), options.limit)
        if (waited._tag === "Some") exit = waited.value
        else if (!(yield* options.except)) return yield* Effect.andThen(lastLook, orFail(fiber))
      }
      return yield* exit
    })

    return Effect.succeed(
      Effect.flatMap(Effect.forkChild(pull, { startImmediately: true }), (fiber) =>
        Effect.ensuring(awaitWithin(fiber), Fiber.interrupt(fiber)))
    )
  })
