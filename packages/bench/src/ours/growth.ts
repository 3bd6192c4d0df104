/**
 * The cost of one, among few and among many.
 */
import type * as Client from "@effect-acp/core/Client"
import * as Effect from "effect/Effect"
import * as Growth from "../Growth.ts"
import { type Measurement, scaled, type Side } from "../Measurement.ts"
import * as Sizes from "../Sizes.ts"
import * as Peers from "./Peers.ts"
import * as Turns from "./Turns.ts"

/** Measures every count on one connection, the smaller ones as often as it takes to do as much as the largest. */
const grow = <E>(
  counts: ReadonlyArray<number>,
  total: number,
  of: (count: number) => Effect.Effect<unknown, E, Client.Client>
): Promise<Measurement> =>
  Effect.runPromise(
    Effect.gen(function*() {
      const micros: Record<string, number> = {}
      yield* of(Math.min(total, counts[1]))
      for (const count of counts) {
        const rounds = Math.max(1, total / count)
        const millis = yield* Turns.millis(Effect.replicateEffect(of(Math.min(count, total)), rounds, { discard: true }))
        micros[count] = (millis * 1_000) / total
      }
      return micros
    }).pipe(Effect.provide(Peers.layer()))
  )

const turnOf = (work: "messages" | "concurrent") => (count: number) =>
  Effect.scoped(Effect.flatMap(Turns.newSession, (session) => Turns.run(session, Sizes.order(work, count))))

const sessionsOf = (count: number) =>
  Effect.replicateEffect(turnOf("messages")(10), count, { discard: true, concurrency: "unbounded" })

export const side: Side = {
  "growth-updates": (scale) => grow(Growth.updates, scaled(scale, 1_000_000), turnOf("messages")),
  "growth-sessions": (scale) => grow(Growth.sessions, scaled(scale, 1_000), sessionsOf),
  "growth-calls": (scale) => grow(Growth.calls, scaled(scale, 10_000), turnOf("concurrent"))
}
