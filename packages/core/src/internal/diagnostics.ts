/**
 * Where the pieces of a connection say what they noticed.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import * as Predicate from "effect/Predicate"
import * as PubSub from "effect/PubSub"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import type * as Diagnostic from "../Diagnostic.ts"
import * as Metrics from "./metrics.ts"

export interface Diagnostics {
  readonly emitUnsafe: (diagnostic: Diagnostic.Diagnostic) => void
  readonly stream: Stream.Stream<Diagnostic.Diagnostic>
  /** Ends the stream: nothing is noticed after it. */
  readonly end: Effect.Effect<void>
}

/** A subscriber that does not keep up loses the oldest beyond this many: noise must not grow memory (F4). */
const capacity = 1_024

/** What a peer writes may be of any length; what is said of it may not. */
const maxText = 500

export const make: Effect.Effect<Diagnostics> = Effect.gen(function*() {
  const context = yield* Effect.context<never>()
  const hub = yield* PubSub.sliding<Diagnostic.Diagnostic | undefined>(capacity)
  const isLogged = !LogLevel.isGreaterThan(Context.get(context, References.MinimumLogLevel), "Debug")
  const log = Effect.runForkWith(context)
  return {
    emitUnsafe(received) {
      const diagnostic = bounded(received)
      PubSub.publishUnsafe(hub, diagnostic)
      Metrics.diagnostic(kindOf(diagnostic)).updateUnsafe(1, context)
      if (isLogged) log(Effect.logDebug(`acp ${diagnostic._tag}`, diagnostic))
    },
    stream: Stream.takeWhile(Stream.fromPubSub(hub), Predicate.isNotUndefined),
    end: Effect.asVoid(PubSub.end(hub, undefined))
  }
})

const kindOf = (diagnostic: Diagnostic.Diagnostic): string =>
  diagnostic._tag === "OrphanResponse" && diagnostic.late ? "LateResponse" : diagnostic._tag

const isLong = (value: unknown): value is string => typeof value === "string" && value.length > maxText

const bounded = (diagnostic: Diagnostic.Diagnostic): Diagnostic.Diagnostic => {
  if (!Object.values(diagnostic).some(isLong)) return diagnostic
  return Object.fromEntries(
    Object.entries(diagnostic).map(([key, value]) => [key, isLong(value) ? `${value.slice(0, maxText)}…` : value])
  ) as Diagnostic.Diagnostic
}
