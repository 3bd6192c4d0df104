/**
 * Where the pieces of a connection say what they noticed.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type * as Diagnostic from "../Diagnostic.ts"

export interface Diagnostics {
  readonly emitUnsafe: (diagnostic: Diagnostic.Diagnostic) => void
  readonly stream: Stream.Stream<Diagnostic.Diagnostic>
}

/** A subscriber that does not keep up loses the oldest beyond this many: noise must not grow memory (F4). */
const capacity = 1_024

export const make: Effect.Effect<Diagnostics> = Effect.gen(function*() {
  const context = yield* Effect.context<never>()
  const hub = yield* PubSub.sliding<Diagnostic.Diagnostic>(capacity)
  const log = Effect.runForkWith(context as Context.Context<never>)
  return {
    emitUnsafe(diagnostic) {
      PubSub.publishUnsafe(hub, diagnostic)
      log(Effect.logDebug(`acp ${diagnostic._tag}`, diagnostic))
    },
    stream: Stream.fromPubSub(hub)
  }
})
