import * as AcpError from "@effect-acp/core/AcpError"
import * as AgentMethods from "@effect-acp/core/AgentMethods"
import * as Capabilities from "@effect-acp/core/Capabilities"
import * as ClientMethods from "@effect-acp/core/ClientMethods"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

const open = { _meta: { test: { gated: {} } } }

let calls = 0
const handlers = Wire.handlers({
  gated: () =>
    Effect.sync(() => {
      calls++
      return {}
    })
})

describe("capability gate", () => {
  it.effect("G1 a request that was not advertised is refused before its params are looked at", () =>
    Effect.gen(function*() {
      const { peer } = yield* Wire.agent({ handlers })
      const before = calls
      for (const params of [{ number: 1 }, { number: "bad" }, null, undefined]) {
        yield* peer.send(Frames.request(1, "_test/gated", params))
        yield* peer.expect({ id: 1, error: { code: -32601, data: { method: "_test/gated" } } })
      }
      assert.strictEqual(calls, before)
    }))

  it.effect("G1 a request that was advertised is served, and then bad params are -32602", () =>
    Effect.gen(function*() {
      const { peer } = yield* Wire.agent({ handlers, agentCapabilities: open })
      yield* peer.send(
        Frames.request(1, "_test/gated", { number: 1 }),
        Frames.request(2, "_test/gated", { number: "bad" })
      )
      yield* peer.find({ id: 1, result: {} })
      yield* peer.find({ id: 2, error: { code: -32602 } })
    }))

  it.effect("G1 a notification that was not advertised is handled by nobody", () =>
    Effect.gen(function*() {
      let handled = 0
      const completed = ClientMethods.handlers({
        completeElicitation: () =>
          Effect.sync(() => {
            handled++
          })
      })
      const complete = Frames.notification("elicitation/complete", { elicitationId: "e1" })
      const without = yield* Wire.client({ handlers: completed })
      yield* without.peer.send(complete)
      yield* without.peer.expectNothing
      assert.strictEqual((yield* without.sentinel.of("UnknownNotification")).length, 1)
      const advertised = yield* Wire.client({ handlers: completed, clientCapabilities: { elicitation: { url: {} } } })
      yield* advertised.peer.send(complete)
      yield* advertised.peer.settle
      assert.strictEqual(handled, 1)
    }))

  it.effect.prop("G2 only the literal true and objects are on", [Schema.Json], ([value]) =>
    Effect.sync(() => {
      const on = value === true || (typeof value === "object" && value !== null && !Array.isArray(value))
      assert.strictEqual(Capabilities.isOn({ fs: { readTextFile: value } }, ["fs", "readTextFile"]), on)
      assert.isFalse(Capabilities.isOn({ fs: value }, ["fs", "readTextFile", "deep"]))
    }))

  it("G2 what an object inherits is not on", () => {
    assert.isFalse(Capabilities.isOn({}, ["constructor"]))
    assert.isFalse(Capabilities.isOn({ fs: {} }, ["fs", "toString"]))
  })

  it("G3 an unknown method is not a denied one", () => {
    const { table } = Wire
    assert.strictEqual(table.gateOf("_vendor/none"), "unknown method")
    assert.strictEqual(table.gateOf("session/new"), "none")
    assert.deepStrictEqual(table.gateOf("session/list"), Capabilities.gate("agent", "sessionCapabilities.list"))
  })

  it.effect("G4 a call that the peer did not advertise fails before anything is written, and says what is missing", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const error = yield* Effect.flip(connection.call(AgentMethods.listSessions, {}))
      assert.instanceOf(error, AcpError.CapabilityMissing)
      assert.include(error.message, "sessionCapabilities.list")
      assert.include(error.message, "session/list")
      yield* peer.expectNothing
      assert.strictEqual((yield* connection.counts).pendingCalls, 0)
    }))

  it.effect("G4 a call that the peer advertised is written", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ agentCapabilities: { sessionCapabilities: { list: {} } } })
      const call = yield* Effect.forkChild(connection.call(AgentMethods.listSessions, {}))
      const request = yield* peer.expect({ method: "session/list" })
      yield* peer.respond(request, { sessions: [] })
      assert.deepStrictEqual((yield* Fiber.join(call)).sessions, [])
    }))

  it.effect("G4 nothing is on before the handshake, and what is on is written once", () =>
    Effect.gen(function*() {
      const { connection } = yield* Wire.clientSide()
      const error = yield* Effect.flip(connection.call(AgentMethods.listSessions, {}))
      assert.strictEqual(error._tag, "CapabilityMissing")
    }))

  it("G6 the negotiated capabilities are written once", () => {
    const capabilities = Capabilities.makeUnsafe()
    const gate = Capabilities.gate("agent", "loadSession")
    assert.isFalse(capabilities.allows(gate))
    assert.isTrue(capabilities.commitUnsafe({ protocolVersion: 1, agent: { loadSession: true }, client: {} }))
    assert.isFalse(capabilities.commitUnsafe({ protocolVersion: 1, agent: {}, client: { terminal: true } }))
    assert.isTrue(capabilities.allows(gate))
    assert.deepStrictEqual(capabilities.negotiatedUnsafe()?.client, {})
  })
})
