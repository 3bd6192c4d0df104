import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

describe("noise", () => {
  it.effect("F3 a line that is too long costs one diagnostic; its neighbours and other calls are untouched", () =>
    Effect.gen(function*() {
      const peer = yield* Wire.ScriptedPeer.makeWith({ maxLineBytes: 1_000 })
      const { connection, sentinel } = yield* Wire.client({ peer, allow: ["Noise"] })
      const calls = yield* Effect.forEach([1, 2, 3], (value) => Effect.forkChild(connection.call(Wire.echo, { value })))
      const requests = yield* Effect.forEach(calls, () => peer.expect({ method: "_test/echo" }))
      yield* peer.respond(requests[0], { value: "before" })
      yield* peer.send(Frames.notification("session/update", { text: "x".repeat(5_000) }))
      yield* peer.respond(requests[1], { value: "after" })
      assert.deepStrictEqual(yield* Fiber.join(calls[0]), { value: "before" })
      assert.deepStrictEqual(yield* Fiber.join(calls[1]), { value: "after" })
      assert.strictEqual((yield* connection.counts).pendingCalls, 1)
      assert.deepStrictEqual((yield* sentinel.of("Noise")).map(({ reason }) => reason), ["TooLarge"])
      yield* Fiber.interrupt(calls[2])
    }))

  it.effect("F3 an answer that is too long fails its own call, with what to do", () =>
    Effect.gen(function*() {
      const peer = yield* Wire.ScriptedPeer.makeWith({ maxLineBytes: 1_000 })
      const { connection } = yield* Wire.client({ peer, allow: ["Noise"] })
      const call = yield* Effect.forkChild(Effect.flip(connection.call(Wire.echo, {})))
      const { id } = yield* peer.expect({ method: "_test/echo" })
      yield* peer.send(Frames.result(id as number, { value: "x".repeat(5_000) }))
      const error = yield* Fiber.join(call)
      assert.strictEqual(error._tag, "DecodeError")
      assert.match(error.message, /maxLineBytes/)
      assert.strictEqual((yield* connection.counts).pendingCalls, 0)
    }))

  it.effect("F3 a request that is too long is answered -32600 with its id, on either side", () =>
    Effect.gen(function*() {
      for (const side of [Wire.agent, Wire.client]) {
        const peer = yield* Wire.ScriptedPeer.makeWith({ maxLineBytes: 1_000 })
        yield* side({ peer, handlers: Wire.echoHandler, allow: ["Noise"] })
        yield* peer.send(Frames.request("big", "_test/echo", { value: "x".repeat(5_000) }))
        yield* peer.expect({ id: "big", error: { code: -32600 } })
        yield* peer.send(Frames.request(2, "_test/echo", { value: "small" }))
        yield* peer.expect({ id: 2, result: { value: "small" } })
      }
    }))

  it.effect("F4 the client reports noise and goes on; it answers none of it", () =>
    Effect.gen(function*() {
      const { connection, peer, sentinel } = yield* Wire.client({ allow: ["Noise", "Malformed"] })
      const call = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      const { id } = yield* peer.expect({ method: "_test/echo" })
      yield* peer.send("[agent] adapter factory initialized", { level: "info", id, result: "ok" }, "42", "{", "[1]")
      yield* peer.sendRaw(Uint8Array.of(0x7b, 0xff, 0x7d, 0x0a))
      yield* peer.expectNothing
      yield* peer.send(Frames.result(id as number, { value: "s1" }))
      assert.deepStrictEqual(yield* Fiber.join(call), { value: "s1" })
      const noise = yield* sentinel.of("Noise")
      assert.deepStrictEqual(noise.map(({ reason }) => reason), [
        "NotJson",
        "NotAnObject",
        "NotJson",
        "Batch",
        "NotUtf8"
      ])
      assert.deepStrictEqual(noise[0], {
        _tag: "Noise",
        reason: "NotJson",
        bytes: 35,
        preview: "[agent] adapter factory initialized"
      })
    }))

  it.effect("F4 the agent answers -32700 to what is not JSON and -32600 to what is no message, with id null or its own", () =>
    Effect.gen(function*() {
      const { peer } = yield* Wire.agent({ handlers: Wire.echoHandler, allow: ["Noise", "Malformed"] })
      const cases: ReadonlyArray<readonly [string, Wire.Frames.Json]> = [
        ["stitem parent list node", { id: null, error: { code: -32700 } }],
        ["{", { id: null, error: { code: -32700 } }],
        ["1", { id: null, error: { code: -32600 } }],
        ["\"text\"", { id: null, error: { code: -32600 } }],
        ["{}", { id: null, error: { code: -32600 } }],
        ["{\"jsonrpc\":\"2.0\",\"id\":2,\"params\":{}}", { id: 2, error: { code: -32600 } }],
        ["{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"m\"}", { id: null, error: { code: -32600 } }]
      ]
      for (const [line, answer] of cases) {
        yield* peer.send(line)
        yield* peer.expect(answer)
      }
      yield* peer.sendRaw("\n \r\n\n")
      yield* peer.expectNothing
      yield* peer.send(Frames.request(9, "_test/echo", {}))
      yield* peer.expect({ id: 9, result: {} })
    }))

  it.effect("F4 a line of the agent's own output is answered by nobody and read by the next frame", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ maxNoise: 2, allow: ["Noise"] })
      yield* peer.send("noise", "noise")
      yield* peer.send(Frames.notification("session/none"))
      yield* peer.send("noise", "noise")
      yield* peer.expectNothing
      yield* peer.send("one too many")
      const reason = yield* connection.closed
      assert.strictEqual(reason._tag, "ProtocolViolated")
      assert.include(reason._tag === "ProtocolViolated" ? reason.problem : "", "one too many")
    }))

  it.effect("F4 a policy of no noise at all ends the connection at the first line", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ maxNoise: 0, allow: ["Noise"] })
      const call = yield* Effect.forkChild(Effect.flip(connection.call(Wire.echo, {})))
      const { id } = yield* peer.expect({ method: "_test/echo" })
      yield* peer.send("noise", Frames.result(id as number, {}))
      assert.strictEqual((yield* Fiber.join(call))._tag, "ConnectionClosed")
      assert.strictEqual((yield* connection.closed)._tag, "ProtocolViolated")
    }))

  it.effect("F4 what is said of a peer is bounded, whatever it sends", () =>
    Effect.gen(function*() {
      const { peer, sentinel } = yield* Wire.agent({
        allow: ["Noise", "Malformed", "DuplicateRequest", "InvalidNotification"]
      })
      const long = "x".repeat(100_000)
      yield* peer.send(
        Frames.notification(long),
        Frames.error(long, -32603, long),
        Frames.notification("session/cancel", { sessionId: { [long]: long } }),
        Frames.notification("$/cancel_request", { requestId: { [long]: long } }),
        long,
        `[${long}`
      )
      yield* peer.settle
      const seen = yield* sentinel.seen
      assert.isAbove(seen.length, 4)
      for (const diagnostic of seen) assert.isBelow(JSON.stringify(diagnostic).length, 1_500)
    }))

  it.effect("F4 a flood of noise from a peer that reads no answers is not answered without bound", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agent({ outgoingBudget: 10_000, allow: ["Noise"] })
      yield* peer.pauseReading
      for (let n = 0; n < 100; n++) yield* peer.sendRaw("noise\n".repeat(100))
      yield* peer.settle
      assert.isBelow((yield* connection.counts).unwritten, 20_000)
      yield* peer.resumeReading
      yield* peer.find({ id: null, error: { code: -32700 } })
    }))
})
