/**
 * Turns that are consumed as streams, counted and timed.
 */
import type * as AcpError from "@effect-acp/core/AcpError"
import * as Client from "@effect-acp/core/Client"
import type { ClientSession } from "@effect-acp/core/ClientSession"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { check } from "../Measurement.ts"
import * as Sizes from "../Sizes.ts"
import * as Workload from "../Workload.ts"

export const newSession = Effect.flatMap(Client.Client, (client) => client.newSession({ cwd: Workload.cwd }))

/** Runs a turn, doing something for each update. */
export const run = <R = never>(
  session: ClientSession,
  order: Workload.Order,
  onUpdate: Effect.Effect<void, never, R> = Effect.void
): Effect.Effect<void, AcpError.TurnError, R> =>
  Effect.suspend(() => {
    let delivered = 0
    return Stream.runForEach(session.prompt(Workload.write(order)), (event) => {
      if (event._tag === "End") return Effect.void
      delivered++
      return onUpdate
    }).pipe(Effect.map(() => check("updates", delivered, Workload.updatesOf(order))))
  })

/** The milliseconds that an effect takes. */
export const millis = <E, R>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<number, E, R> =>
  Effect.map(Effect.timed(effect), ([duration]) => Duration.toMillis(duration))

/** The milliseconds of a turn that is the first of its kind in the process, and of the same turn after it. */
export const timed = Effect.fnUntraced(function*(order: Workload.Order) {
  const session = yield* newSession
  const cold = yield* millis(run(session, Sizes.warmUp(order)))
  return { cold, millis: yield* millis(run(session, order)) }
}, Effect.scoped)
