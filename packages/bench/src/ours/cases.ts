/**
 * The cases with this library.
 */
import * as Client from "@effect-acp/core/Client"
import * as AgentProcess from "@effect-acp/host/AgentProcess"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fileURLToPath } from "node:url"
import { makePeak, type Side, spread } from "../Measurement.ts"
import * as Sizes from "../Sizes.ts"
import type { Order } from "../Workload.ts"
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

const turn = (order: Order): Side[string] => (scale) => inProcess(Turns.timed(Sizes.scale(scale, order)))

const rounds: Side[string] = (scale) => {
  const order = Sizes.scale(scale, Sizes.orders.concurrent)
  return inProcess(
    Effect.gen(function*() {
      const session = yield* Turns.newSession
      const cold = yield* Turns.millis(Turns.run(session, order))
      const round = Turns.run(session, order)
      yield* Effect.replicateEffect(round, Sizes.rounds, { discard: true })
      const millis = yield* Turns.millis(Effect.replicateEffect(round, Sizes.rounds, { discard: true }))
      return { cold, millis: millis / Sizes.rounds }
    }).pipe(Effect.scoped)
  )
}

const line: Side[string] = async (scale) => {
  const [large, small] = Sizes.chunkBytes
  const order = Sizes.scale(scale, Sizes.orders.lines)
  return {
    large: (await inProcess(Turns.timed(order), large)).millis / order.count,
    small: (await inProcess(Turns.timed(order), small)).millis / order.count
  }
}

const child: Side[string] = (scale) =>
  withChild(Effect.gen(function*() {
    const updates = yield* Turns.timed(Sizes.scale(scale, Sizes.orders.messages))
    const calls = yield* Turns.timed(Sizes.scale(scale, Sizes.orders.sequential))
    return { updates: updates.millis, calls: calls.millis }
  }))

const slowConsumer: Side[string] = (scale) =>
  inProcess(
    Effect.gen(function*() {
      const session = yield* Turns.newSession
      yield* Turns.run(session, Sizes.scale(scale, Sizes.orders.messages))
      const peak = makePeak()
      const seen = yield* Deferred.make<void>()
      let left = Sizes.scaled(scale, Sizes.slowSteps)
      const onUpdate = Effect.andThen(
        Effect.sleep("1 millis"),
        Effect.suspend(() => {
          peak.sample()
          return --left > 0 ? Effect.void : Effect.andThen(Deferred.succeed(seen, undefined), Effect.never)
        })
      )
      yield* Effect.raceFirst(
        Deferred.await(seen),
        Turns.run(session, Sizes.scale(scale, Sizes.orders.many), onUpdate)
      )
      return { mebibytes: peak.mebibytes() }
    }).pipe(Effect.scoped)
  )

const late: Side[string] = (scale) => {
  const order = Sizes.scale(scale, Sizes.orders.many)
  return inProcess(
    Effect.gen(function*() {
      const session = yield* Turns.newSession
      yield* Turns.run(session, Sizes.warmUp(order))
      let waited = false
      const { connection } = yield* Client.Client
      const turnOver: Effect.Effect<void> = Effect.flatMap(
        connection.counts,
        ({ pendingCalls }) => pendingCalls === 0 ? Effect.void : Effect.andThen(Effect.yieldNow, turnOver)
      )
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
      const order = Sizes.orders.session
      const sessions = yield* Effect.replicateEffect(Turns.newSession, Sizes.scaled(scale, Sizes.sessions))
      yield* Effect.forEach(sessions, (session) => Turns.run(session, order), { concurrency: "unbounded" })
      const ends = yield* Effect.forEach(sessions, (session) => Turns.millis(Turns.run(session, order)), {
        concurrency: "unbounded"
      })
      return { millis: Math.max(...ends), spread: spread(ends) }
    }).pipe(Effect.scoped)
  )

export const side: Side = {
  a: turn(Sizes.orders.messages),
  b: turn(Sizes.orders.mixed),
  c: turn(Sizes.orders.sequential),
  d: rounds,
  e: line,
  f: child,
  g: slowConsumer,
  h: late,
  i: manySessions
}
