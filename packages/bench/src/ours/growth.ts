/**
 * The cost of one, among few and among many.
 */
import type * as Client from "@effect-acp/core/Client"
import * as Effect from "effect/Effect"
import * as Growth from "../Growth.ts"
import type { Measurement, Side } from "../Measurement.ts"
import * as Sizes from "../Sizes.ts"
import type { Order } from "../Workload.ts"
import * as Peers from "./Peers.ts"
import * as Turns from "./Turns.ts"

/** Measures every count on one connection, the smaller ones as often as it takes to do `total` of them. */
const grow = <E>(
  counts: ReadonlyArray<number>,
  total: number,
  of: (count: number) => Effect.Effect<unknown, E, Client.Client>,
  roundsOf = (count: number) => Math.max(1, total / count)
): Promise<Measurement> =>
  Effect.runPromise(
    Effect.gen(function*() {
      const micros: Record<string, number> = {}
      yield* of(Math.min(total, counts[2]))
      for (const count of counts) {
        const work = Effect.replicateEffect(of(Math.min(count, total)), roundsOf(count), { discard: true })
        micros[count] = ((yield* Turns.millis(work)) * 1_000) / total
      }
      return micros
    }).pipe(Effect.provide(Peers.layer()))
  )

const turn = (order: Order) => Effect.scoped(Effect.flatMap(Turns.newSession, (session) => Turns.run(session, order)))

const sessionsOf = (count: number) =>
  Effect.replicateEffect(turn({ work: "messages", count: 10 }), count, { discard: true, concurrency: "unbounded" })

export const side: Side = {
  "growth-updates": (scale) =>
    grow(Growth.updates, Sizes.scaled(scale, 1_000_000), (count) => turn({ work: "messages", count })),
  "growth-sessions": (scale) => grow(Growth.sessions, Sizes.scaled(scale, 1_000), sessionsOf),
  "growth-calls": (scale) => {
    const total = Sizes.scaled(scale, 10_000)
    return grow(Growth.calls, total, (width) => turn({ work: "calls", count: total, width }), () => 1)
  }
}
