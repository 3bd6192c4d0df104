/**
 * The cases with this library.
 */
import * as AgentProcess from "@effect-acp/host/AgentProcess"
import * as Client from "@effect-acp/core/Client"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fileURLToPath } from "node:url"
import { makePeak, scaled, type Side, spread } from "../Measurement.ts"
import * as Sizes from "../Sizes.ts"
import type { Work } from "../Workload.ts"
import * as Peers from "./Peers.ts"
import * as Turns from "./Turns.ts"

const inProcess = <A, E>(effect: Effect.Effect<A, E, Client.Client>, chunkBytes?: number): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, Peers.layer(chunkBytes)))

const agentFile = fileURLToPath(new URL("agent.ts", import.meta.url))

const withChild = <A, E>(effect: Effect.Effect<A, E, Client.Client>): Promise<A> =>
  Effect.runPromise(Effect.provide(
    effect,
    Peers.client.pipe(
      Layer.provide(AgentProcess.layer(process.execPath, [agentFile])),
      Layer.provide(NodeServices.layer)
    )
  ))

const turn = (work: Work, count: number): Side[string] => async (scale) => ({
  millis: await inProcess(Turns.timed(Sizes.order(work, scaled(scale, count))))
})

const concurrent: Side[string] = (scale) => {
  const order = Sizes.order("concurrent", scaled(scale, Sizes.concurrentCalls))
  return inProcess(
    Effect.gen(function*() {
      const session = yield* Turns.newSession
      yield* Turns.run(session, order)
      const millis = yield* Turns.millis(Effect.replicateEffect(Turns.run(session, order), Sizes.rounds))
      return { millis: millis / Sizes.rounds }
    }).pipe(Effect.scoped)
  )
}

const line: Side[string] = async () => {
  const order = Sizes.order("line", Sizes.lines)
  const [large, small] = Sizes.chunkBytes
  return {
    large: await inProcess(Turns.timed(order), large) / Sizes.lines,
    small: await inProcess(Turns.timed(order), small) / Sizes.lines
  }
}

const child: Side[string] = (scale) =>
  withChild(Effect.gen(function*() {
    return {
      updates: yield* Turns.timed(Sizes.order("messages", scaled(scale, Sizes.updates))),
      calls: yield* Turns.timed(Sizes.order("sequential", scaled(scale, Sizes.sequentialCalls)))
    }
  }))

const slowConsumer: Side[string] = (scale) =>
  inProcess(
    Effect.gen(function*() {
      const session = yield* Turns.newSession
      yield* Turns.run(session, Sizes.order("messages", scaled(scale, Sizes.updates)))
      const peak = makePeak()
      const seen = yield* Deferred.make<void>()
      let left = scaled(scale, Sizes.slowSteps)
      const onUpdate = Effect.andThen(
        Effect.sleep("1 millis"),
        Effect.suspend(() => {
          peak.sample()
          return --left > 0 ? Effect.void : Effect.andThen(Deferred.succeed(seen, undefined), Effect.never)
        })
      )
      yield* Effect.raceFirst(
        Deferred.await(seen),
        Turns.run(session, Sizes.order("messages", scaled(scale, Sizes.slowUpdates)), onUpdate)
      )
      return { mebibytes: peak.mebibytes() }
    }).pipe(Effect.scoped)
  )

const late: Side[string] = (scale) => {
  const order = Sizes.order("messages", scaled(scale, Sizes.lateUpdates))
  return inProcess(
    Effect.gen(function*() {
      const session = yield* Turns.newSession
      yield* Turns.run(session, Sizes.warmUp(order))
      let waited = false
      const { connection } = yield* Client.Client
      const turnOver: Effect.Effect<void> = Effect.flatMap(connection.counts, ({ pendingCalls }) =>
        pendingCalls === 0 ? Effect.void : Effect.andThen(Effect.yieldNow, turnOver))
      const onUpdate = Effect.suspend(() => {
        if (waited) return Effect.void
        waited = true
        return turnOver
      })
      return { millis: yield* Turns.millis(Turns.run(session, order, onUpdate)) }
    }).pipe(Effect.scoped)
  )
}

const manySessions: Side[string] = (scale) =>
  inProcess(
    Effect.gen(function*() {
      const order = Sizes.order("messages", Sizes.updatesOfSession)
      const sessions = yield* Effect.replicateEffect(Turns.newSession, scaled(scale, Sizes.sessions))
      yield* Effect.forEach(sessions, (session) => Turns.run(session, Sizes.warmUp(order)), { concurrency: "unbounded" })
      const ends = yield* Effect.forEach(sessions, (session) => Turns.millis(Turns.run(session, order)), {
        concurrency: "unbounded"
      })
      return { millis: Math.max(...ends), spread: spread(ends) }
    }).pipe(Effect.scoped)
  )

export const side: Side = {
  a: turn("messages", Sizes.updates),
  b: turn("mixed", Sizes.updates),
  c: turn("sequential", Sizes.sequentialCalls),
  d: concurrent,
  e: line,
  f: child,
  g: slowConsumer,
  h: late,
  i: manySessions
}
