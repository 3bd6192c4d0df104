import * as AcpError from "@effect-acp/core/AcpError"
import * as Agent from "@effect-acp/core/Agent"
import * as AgentMethods from "@effect-acp/core/AgentMethods"
import * as Capabilities from "@effect-acp/core/Capabilities"
import * as Client from "@effect-acp/core/Client"
import * as ClientMethods from "@effect-acp/core/ClientMethods"
import * as Permission from "@effect-acp/core/Permission"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

const initialize = (id: number | string, params: unknown = { protocolVersion: 1, clientCapabilities: {} }) =>
  Frames.request(id, "initialize", params)

/** An agent whose `initialize` waits for the test. */
const slow = Effect.gen(function*() {
  const gate = yield* Deferred.make<void, AcpError.RequestError>()
  const order: Array<number | string> = []
  return {
    gate,
    order,
    options: {
      initialize: Deferred.await(gate),
      handlers: Wire.handlers({
        run: (params) =>
          Effect.sync(() => {
            order.push(params.value as number)
            return params
          }),
        note: ({ value }) =>
          Effect.sync(() => {
            order.push(value as number)
          })
      })
    }
  }
})

describe("handshake", () => {
  it.effect("H1 a request before initialize is refused and has no effect; a notification is dropped", () =>
    Effect.gen(function*() {
      const { gate, options, order } = yield* slow
      yield* Deferred.succeed(gate, undefined)
      const { peer, sentinel } = yield* Wire.agentSide(options)
      yield* peer.send(
        Frames.request(1, "_test/run", {}),
        Frames.notification("_test/note", {}),
        Frames.notification("session/cancel", { sessionId: "s1" }),
        Frames.notification("$/cancel_request", { requestId: 7 })
      )
      yield* peer.expect({ id: 1, error: { code: -32600, data: { reason: "initialize required" } } })
      yield* peer.expectNothing
      assert.deepStrictEqual(order, [])
      assert.deepStrictEqual((yield* sentinel.of("EarlyNotification")).map(({ method }) => method), [
        "_test/note",
        "session/cancel"
      ])
      yield* peer.send(initialize(2), Frames.request(3, "_test/run", { value: "now" }))
      yield* peer.expect({ id: 2, result: { protocolVersion: 1 } })
      yield* peer.expect({ id: 3, result: { value: "now" } })
    }))

  it.effect("H1 a client serves nothing before its agent has answered initialize", () =>
    Effect.gen(function*() {
      const { peer } = yield* Wire.clientSide({ handlers: Wire.echoHandler })
      yield* peer.send(Frames.request(1, "_test/echo", {}), Frames.request(2, "initialize", {}))
      yield* peer.expect({ id: 1, error: { code: -32600 } })
      yield* peer.expect({ id: 2, error: { code: -32600 } })
    }))

  it.effect("H2 what arrives while initialize is handled waits for its outcome and then runs in order", () =>
    Effect.gen(function*() {
      const { gate, options, order } = yield* slow
      const { connection, peer } = yield* Wire.agentSide({ ...options, agentCapabilities: { loadSession: true } })
      yield* peer.send(
        initialize(0),
        Frames.request(1, "_test/run", { value: 1 }),
        Frames.notification("_test/note", { value: 2 }),
        Frames.request(3, "_test/run", { value: 3 }),
        Frames.notification("_test/note", { value: 4 })
      )
      yield* peer.expectNothing
      assert.strictEqual((yield* connection.counts).held, 4)
      assert.deepStrictEqual(order, [])
      yield* Deferred.succeed(gate, undefined)
      yield* peer.expect({ id: 0, result: { agentCapabilities: { loadSession: true } } })
      yield* peer.find({ id: 1 })
      yield* peer.find({ id: 3 })
      yield* peer.settle
      assert.deepStrictEqual(order.toSorted(), [1, 2, 3, 4])
      assert.deepStrictEqual(order.filter((value) => value === 1 || value === 3), [1, 3])
      assert.deepStrictEqual(order.filter((value) => value === 2 || value === 4), [2, 4])
      assert.strictEqual((yield* connection.counts).held, 0)
    }))

  it.effect("H2 what waits is bounded, is not taken twice, and can be cancelled", () =>
    Effect.gen(function*() {
      const { gate, options, order } = yield* slow
      const { peer, sentinel } = yield* Wire.agentSide({ ...options, maxInFlight: 3 })
      yield* sentinel.allow("ShedRequest", "ShedNotification", "DuplicateRequest")
      yield* peer.send(
        initialize(0),
        Frames.request(1, "_test/run", { value: 1 }),
        Frames.request(1, "_test/run", { value: "twice" }),
        Frames.request(0, "_test/run", { value: "twice" }),
        Frames.request(2, "_test/run", { value: 2 }),
        Frames.request(3, "_test/run", { value: 3 }),
        Frames.request(4, "_test/run", { value: 4 }),
        Frames.notification("_test/note", { value: 5 }),
        Frames.notification("$/cancel_request", { requestId: 2 }),
        Frames.notification("$/cancel_request", { requestId: 99 })
      )
      yield* peer.expect({ id: 4, error: { code: -32603, message: "Server busy" } })
      yield* peer.expect({ id: 2, error: { code: -32800 } })
      yield* peer.expectNothing
      assert.strictEqual((yield* sentinel.of("DuplicateRequest")).length, 2)
      assert.strictEqual((yield* sentinel.of("ShedNotification")).length, 1)
      yield* Deferred.succeed(gate, undefined)
      yield* peer.expect({ id: 0 })
      yield* peer.expect({ id: 1, result: { value: 1 } })
      yield* peer.expect({ id: 3, result: { value: 3 } })
      yield* peer.expectNothing
      assert.deepStrictEqual(order, [1, 3])
    }))

  it.effect("H2 what waited for an initialize that fails is refused", () =>
    Effect.gen(function*() {
      const { gate, options, order } = yield* slow
      const { peer } = yield* Wire.agentSide(options)
      yield* peer.send(initialize(0), Frames.request(1, "_test/run", {}), Frames.notification("_test/note", {}))
      yield* Deferred.fail(gate, new AcpError.AuthRequired({}))
      yield* peer.expect({ id: 0, error: { code: -32000 } })
      yield* peer.expect({ id: 1, error: { code: -32600, data: { reason: "initialize required" } } })
      assert.deepStrictEqual(order, [])
    }))

  it.effect("H2 requests that are piped in, with the end behind them, wait for initialize and are served", () =>
    Effect.gen(function*() {
      const { gate, options, order } = yield* slow
      const { connection, peer } = yield* Wire.agentSide({ ...options, drainGrace: "2 seconds" })
      yield* peer.send(
        initialize(0),
        Frames.request(1, "_test/run", { value: 1 }),
        Frames.notification("_test/note", { value: 2 })
      )
      yield* peer.close
      yield* peer.settle
      yield* Deferred.succeed(gate, undefined)
      yield* peer.expect({ id: 0, result: {} })
      yield* peer.expect({ id: 1, result: { value: 1 } })
      yield* peer.expectEnd
      assert.deepStrictEqual(yield* connection.closed, { _tag: "PeerClosed" })
      assert.deepStrictEqual(order.toSorted(), [1, 2])
    }))

  it.effect("H2 what waits when the connection is closed never runs, however late initialize ends", () =>
    Effect.gen(function*() {
      const { gate, options, order } = yield* slow
      const { connection, peer } = yield* Wire.agentSide({
        ...options,
        uninterruptibleInitialize: true,
        allow: ["ShedNotification"]
      })
      yield* peer.send(
        initialize(0),
        Frames.request(1, "_test/run", { value: 1 }),
        Frames.notification("_test/note", { value: 2 })
      )
      yield* peer.settle
      const closing = yield* Effect.forkChild(connection.close())
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(closing)
      yield* peer.settle
      assert.deepStrictEqual(order, [])
      assert.deepInclude(yield* connection.counts, { held: 0, inFlight: 0, lanes: 0 })
    }))

  it.effect("H3 a second initialize is refused and the first capabilities stay", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agentSide({ handlers: Wire.echoHandler })
      yield* peer.send(
        initialize(1, { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true } } }),
        initialize(2, { protocolVersion: 1, clientCapabilities: { terminal: true } })
      )
      yield* peer.expect({ id: 1, result: {} })
      yield* peer.expect({ id: 2, error: { code: -32600, data: { reason: "already initialized" } } })
      yield* peer.send(initialize(3))
      yield* peer.expect({ id: 3, error: { code: -32600 } })
      assert.deepStrictEqual(connection.capabilities.negotiatedUnsafe()?.client, { fs: { readTextFile: true } })
    }))

  it.effect("H4 after an initialize that failed the peer may try again", () =>
    Effect.gen(function*() {
      let attempts = 0
      const { connection, peer } = yield* Wire.agentSide({
        handlers: Wire.echoHandler,
        initialize: Effect.suspend(() => ++attempts === 1 ? Effect.fail(new AcpError.InternalError({})) : Effect.void)
      })
      yield* peer.send(initialize(1), initialize(2), Frames.request(3, "_test/echo", { value: 3 }))
      yield* peer.expect({ id: 1, error: { code: -32603 } })
      yield* peer.expect({ id: 2, result: { protocolVersion: 1 } })
      yield* peer.expect({ id: 3, result: { value: 3 } })
      assert.isDefined(connection.capabilities.negotiatedUnsafe())
    }))

  it.effect("H4 params of initialize that do not decode leave the connection uninitialized", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agentSide()
      for (const params of [null, {}, { protocolVersion: "1" }, 5]) {
        yield* peer.send(initialize(1, params))
        yield* peer.expect({ id: 1, error: { code: -32602 } })
      }
      assert.isUndefined(connection.capabilities.negotiatedUnsafe())
      yield* peer.send(initialize(2))
      yield* peer.expect({ id: 2, result: {} })
    }))

  it.effect("H4 an initialize that is cancelled leaves the connection uninitialized", () =>
    Effect.gen(function*() {
      const { gate, options } = yield* slow
      const { peer } = yield* Wire.agentSide(options)
      yield* peer.send(initialize(1), Frames.request(2, "_test/run"))
      yield* peer.settle
      yield* peer.send(Frames.notification("$/cancel_request", { requestId: 1 }))
      yield* peer.expect({ id: 1, error: { code: -32800 } })
      yield* peer.expect({ id: 2, error: { code: -32600 } })
      yield* Deferred.succeed(gate, undefined)
      yield* peer.send(initialize(3))
      yield* peer.expect({ id: 3, result: {} })
    }))

  it.effect("H2 a connection that ends during initialize leaves nothing behind", () =>
    Effect.gen(function*() {
      const { options } = yield* slow
      const { connection, peer } = yield* Wire.agentSide(options)
      yield* peer.send(initialize(0), Frames.request(1, "_test/run"))
      yield* peer.settle
      yield* peer.close
      assert.deepStrictEqual(yield* connection.closed, { _tag: "PeerClosed" })
      yield* peer.expect({ id: 0, error: { code: -32800 } })
      yield* peer.find({ id: 1, error: {} })
      yield* peer.expectEnd
      assert.deepStrictEqual(yield* connection.counts, {
        pendingCalls: 0,
        inFlight: 0,
        held: 0,
        lanes: 0,
        unwritten: 0
      })
    }))

  it.effect("H5 a client that is answered with a version it does not speak fails with both, and closes", () =>
    Effect.gen(function*() {
      const peer = yield* Wire.ScriptedPeer.make
      const connecting = yield* Effect.forkChild(Effect.flip(Effect.scoped(connect(peer))))
      const request = yield* peer.expect({ method: "initialize", params: { protocolVersion: 1 } })
      yield* peer.respond(request, { protocolVersion: 7 })
      const error = yield* Fiber.join(connecting)
      assert.instanceOf(error, AcpError.UnsupportedProtocolVersion)
      assert.deepInclude(error, { requested: 1, offered: 7 })
      assert.match(error.message, /7.*1/)
      yield* peer.expectEnd
    }))

  it.effect("H5 an agent answers the requested version if it speaks it, else its own", () =>
    Effect.gen(function*() {
      for (const protocolVersion of [1, 0, 2, 99, 65_535]) {
        const peer = yield* agentPeer()
        yield* peer.send(initialize(1, { protocolVersion, clientCapabilities: {} }))
        yield* peer.expect({ id: 1, result: { protocolVersion: 1 } })
      }
    }))

  it.effect("H7 capabilities that are null, missing or malformed advertise nothing", () =>
    Effect.gen(function*() {
      const malformed = [5, "x", [], true]
      for (const agentCapabilities of [null, undefined, {}, ...malformed]) {
        const peer = yield* Wire.ScriptedPeer.make
        const connecting = yield* Effect.forkChild(connect(peer))
        yield* peer.respond(yield* peer.expect({ method: "initialize" }), { protocolVersion: 1, agentCapabilities })
        const { connection, methods } = yield* Fiber.join(connecting)
        assert.strictEqual((yield* Effect.flip(methods.listSessions({})))._tag, "CapabilityMissing")
        assert.isFalse(connection.capabilities.allows(Capabilities.gate("agent", "loadSession")))
      }
    }))

  it.effect("H7 malformed capabilities of a client turn nothing on, and give a diagnostic", () =>
    Effect.gen(function*() {
      const { connection, peer, sentinel } = yield* Wire.agentSide()
      yield* peer.send(initialize(1, { protocolVersion: 1, clientCapabilities: "all" }))
      yield* peer.expect({ id: 1, result: {} })
      assert.isFalse(connection.capabilities.allows(Capabilities.gate("client", "terminal")))
      assert.deepInclude((yield* sentinel.of("Fallback"))[0], { method: "initialize", path: "clientCapabilities" })
    }))

  it.effect("G5 what handlers are provided for is advertised, on either side, and nothing else", () =>
    Effect.gen(function*() {
      const peer = yield* Wire.ScriptedPeer.make
      yield* Effect.forkChild(
        connect(peer, ClientMethods.handlers({ readTextFile: () => Effect.succeed({ content: "" }) }))
      )
      const { params } = yield* peer.expect({ method: "initialize" })
      const { clientCapabilities } = params as { readonly clientCapabilities: Wire.Frames.Json }
      assert.deepStrictEqual(clientCapabilities.fs, { readTextFile: true })
      assert.notProperty(clientCapabilities, "terminal")
      const agent = yield* agentPeer(AgentMethods.handlers({ listSessions: () => Effect.succeed({ sessions: [] }) }))
      const { result } = yield* agent.initialize()
      const { agentCapabilities } = result as { readonly agentCapabilities: Wire.Frames.Json }
      assert.deepInclude(agentCapabilities.sessionCapabilities, { list: {} })
      assert.notProperty(agentCapabilities, "loadSession")
      const bare = yield* agentPeer()
      const without = (yield* bare.initialize()).result as { readonly agentCapabilities: Wire.Frames.Json }
      assert.notNestedProperty(without.agentCapabilities, "sessionCapabilities.list")
    }))
})

const connect = (peer: Wire.ScriptedPeer.ScriptedPeer, handlers: Layer.Layer<any> = Layer.empty as Layer.Layer<any>) =>
  Effect.provide(Client.make({ clientInfo: { name: "test", version: "0.0.0" } }), [
    Permission.layerDeny,
    peer.layer,
    handlers
  ])

const agentPeer = Effect.fnUntraced(function*(
  handlers: Layer.Layer<any> = Layer.empty as Layer.Layer<any>
) {
  const peer = yield* Wire.ScriptedPeer.make
  yield* Agent.make({ agentInfo: { name: "test", version: "0.0.0" }, prompt: () => Effect.void }).pipe(
    Effect.provide([peer.layer, handlers])
  )
  return peer
})
