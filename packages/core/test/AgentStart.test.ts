import * as Agent from "@effect-acp/core/Agent"
import { Frames, ScriptedPeer } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { prompt, refused, said, start, stopped } from "./support/agent.ts"

const opening = { cwd: "/w", mcpServers: [] }

const load = (id: Frames.Id, sessionId: string) => Frames.request(id, "session/load", { sessionId, ...opening })

describe("Starting an agent", () => {
  class Heavy extends Context.Service<Heavy, { readonly name: string }>()("test/Heavy") {}

  it.effect("H6 a slow session layer does not delay initialize", () =>
    Effect.gen(function*() {
      const { initialized, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* turn.say((yield* Heavy).name)
        }),
        openSession: () => Effect.asVoid(Heavy),
        services: Layer.effect(Heavy)(Effect.delay(Effect.succeed({ name: "built" }), "40 seconds"))
      })
      assert.isDefined(initialized)
      yield* peer.send(Frames.request(1, "session/new", opening))
      yield* peer.settle
      yield* TestClock.adjust("39 seconds")
      yield* peer.expectNothing
      yield* TestClock.adjust("1 second")
      const { result } = yield* peer.expect({ id: 1, result: {} })
      const { sessionId } = result as { readonly sessionId: string }
      yield* peer.send(prompt(2, sessionId))
      yield* peer.expect(said(sessionId, "built"))
      yield* peer.expect(stopped(2, "end_turn"))
    }))

  it.effect("H6 services that could not be built fail that request, release what they had, and are tried again", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const services = Layer.effect(Heavy)(Effect.gen(function*() {
        yield* Effect.acquireRelease(
          Effect.sync(() => log.push("acquired")),
          () => Effect.sync(() => log.push("released"))
        )
        const attempts = log.filter((entry) => entry === "acquired").length
        return attempts < 3 ? yield* Effect.fail("not yet") : { name: `attempt ${attempts}` }
      }))
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* turn.say((yield* Heavy).name)
        }),
        openSession: () => Effect.asVoid(Heavy),
        services
      })
      for (const id of [1, 2]) {
        yield* peer.send(Frames.request(id, "session/new", opening))
        yield* peer.expect(refused(id, -32603))
      }
      assert.deepStrictEqual(log, ["acquired", "released", "acquired", "released"])
      const sessionId = yield* newSession
      yield* peer.send(prompt(3, sessionId))
      yield* peer.expect(said(sessionId, "attempt 3"))
      assert.strictEqual(log.length, 5)
    }))

  it.effect("H6 sessions that are opened while the services are built wait for the same ones", () =>
    Effect.gen(function*() {
      const built = yield* Ref.make(0)
      const { peer } = yield* start({
        prompt: () => Effect.void,
        openSession: () => Effect.asVoid(Heavy),
        services: Layer.effect(Heavy)(
          Effect.map(Effect.delay(Ref.updateAndGet(built, (n) => n + 1), "1 second"), (n) => ({ name: String(n) }))
        )
      })
      yield* peer.send(Frames.request(1, "session/new", opening), Frames.request(2, "session/new", opening))
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      yield* peer.find({ id: 1, result: {} })
      yield* peer.find({ id: 2, result: {} })
      assert.strictEqual(yield* Ref.get(built), 1)
    }))

  it.effect("G5 K23 F151 only what the options cover is advertised and served", () =>
    Effect.gen(function*() {
      const { initialized, peer } = yield* start({ prompt: () => Effect.void, resumeSession: () => Effect.void })
      assert.deepStrictEqual(
        (initialized!.result as { readonly agentCapabilities: unknown }).agentCapabilities,
        { sessionCapabilities: { close: {}, resume: {} } }
      )
      yield* peer.send(load(1, "kept"))
      yield* peer.expect(refused(1, -32601))
    }))

  it.effect("H5 an agent answers with the version that it speaks", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      yield* Layer.build(
        Layer.provide(Agent.layer({ agentInfo: { name: "a", version: "1" }, prompt: () => Effect.void }), peer.layer)
      )
      const { result } = yield* peer.request("initialize", { protocolVersion: 99, clientCapabilities: {} })
      assert.strictEqual((result as { readonly protocolVersion: number }).protocolVersion, 1)
    }))

  it.effect("K08 an authentication method that was not offered is refused, and one that was is tried", () =>
    Effect.gen(function*() {
      const used: Array<string> = []
      const { initialized, peer } = yield* start({
        prompt: () => Effect.void,
        authMethods: [{ id: "key", name: "Key" }, { type: "terminal", id: "login", name: "Login" }],
        authenticate: (methodId) => Effect.sync(() => used.push(methodId)),
        logout: () => Effect.sync(() => used.push("logout"))
      })
      const { agentCapabilities, authMethods } = initialized!.result as Frames.Json
      assert.deepStrictEqual(agentCapabilities, { sessionCapabilities: { close: {} }, auth: { logout: {} } })
      assert.deepStrictEqual((authMethods as ReadonlyArray<Frames.Json>).map(({ id }) => id), ["key"])
      yield* peer.send(Frames.request(1, "authenticate", { methodId: "other" }))
      yield* peer.expect(refused(1, -32602))
      yield* peer.request("authenticate", { methodId: "key" })
      yield* peer.request("logout", {})
      assert.deepStrictEqual(used, ["key", "logout"])
    }))
})
