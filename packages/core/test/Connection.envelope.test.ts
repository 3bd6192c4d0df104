import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

const note = (value?: unknown) => Frames.notification("_test/note", { value })

/** A handler that answers when the test says. */
const held = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  let started = 0
  return {
    gate,
    started: Effect.sync(() => started),
    layer: Wire.handlers({
      run: (params) =>
        Effect.andThen(
          Effect.sync(() => {
            started++
          }),
          Effect.as(Deferred.await(gate), params)
        ),
      echo: (params) => Effect.succeed(params)
    })
  }
})

const ids = Schema.Array(Schema.Union([
  Schema.String,
  Schema.Int,
  Schema.Literals([0, -1, "", "1", 1, 9007199254740991, "日本\u2028"])
]))

describe("ids and answers", () => {
  it.effect.prop(
    "E2 ids of the peer are echoed with type and value, all in flight at once",
    [ids],
    ([drawn]) =>
      Effect.gen(function*() {
        const { gate, layer } = yield* held
        const { peer } = yield* Wire.agent({ handlers: layer })
        const distinct = [...new Set<string | number>(drawn)].filter((id) =>
          Number.isSafeInteger(id) || typeof id === "string"
        )
        yield* peer.send(...distinct.map((id) => Frames.request(id, "_test/run", { value: [id, typeof id] })))
        yield* peer.expectNothing
        yield* Deferred.succeed(gate, undefined)
        for (const id of distinct) {
          const { result } = yield* peer.find((frame) => Object.is(frame.id, id === 0 ? 0 : id))
          assert.deepStrictEqual(result, { value: [id === 0 ? 0 : id, typeof id] })
        }
        yield* peer.expectNothing
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 30 } }
  )

  it.effect("E2 our ids and the peer's are two spaces: the same number in both directions disturbs neither", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ handlers: Wire.echoHandler })
      const call = yield* Effect.forkChild(connection.call(Wire.run, { value: "ours" }))
      const { id } = yield* peer.expect({ method: "_test/run" })
      yield* peer.send(Frames.request(id as number, "_test/echo", { value: "theirs" }))
      yield* peer.expect({ id, result: { value: "theirs" } })
      assert.strictEqual((yield* connection.counts).pendingCalls, 1)
      yield* peer.send(Frames.result(id as number, { value: "answer" }))
      assert.deepStrictEqual(yield* Fiber.join(call), { value: "answer" })
    }))

  it.effect("E3 a request with id null is answered -32600 with id null", () =>
    Effect.gen(function*() {
      const subjects = [yield* Wire.agent(), yield* Wire.client(), yield* Wire.agentSide()]
      for (const { peer } of subjects) {
        yield* peer.send(Frames.request(null, "_test/echo", {}))
        yield* peer.expect({ id: null, error: { code: -32600 } })
      }
    }))

  it.effect("E4 there is exactly one answer for each id, however the request ends", () =>
    Effect.gen(function*() {
      const { peer, sentinel } = yield* Wire.agent({
        handlers: Wire.handlers({
          run: ({ value }) =>
            value === "die" ? Effect.die("boom") : value === "throw" ? throwing() : Effect.succeed({ value })
        })
      })
      yield* sentinel.allow("HandlerFailed")
      yield* peer.send(
        Frames.request(1, "_test/run", { value: "ok" }),
        Frames.request(2, "_test/run", { value: "die" }),
        Frames.request(3, "_test/run", { value: "throw" }),
        Frames.request(4, "_test/run", { sessionId: 7 }),
        Frames.request(5, "_test/none", {}),
        Frames.request(6, "_test/run", { value: "ok" }),
        Frames.notification("$/cancel_request", { requestId: 6 })
      )
      const answers = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (id) => peer.find({ id }))
      assert.deepStrictEqual(answers.map(({ error }) => (error as { code?: number } | undefined)?.code), [
        undefined,
        -32603,
        -32603,
        -32602,
        -32601,
        -32800
      ])
      yield* peer.expectNothing
    }))

  it.effect("E5 a second request with an id in flight gives no frame, and a diagnostic", () =>
    Effect.gen(function*() {
      const { gate, layer, started } = yield* held
      const { connection, peer, sentinel } = yield* Wire.agent({ handlers: layer, allow: ["DuplicateRequest"] })
      yield* peer.send(
        Frames.request(1, "_test/run", { value: "first" }),
        Frames.request(1, "_test/run", { value: "second" }),
        Frames.request(1, "_test/none")
      )
      yield* peer.expectNothing
      assert.strictEqual((yield* connection.counts).inFlight, 1)
      assert.strictEqual((yield* sentinel.of("DuplicateRequest")).length, 2)
      yield* Deferred.succeed(gate, undefined)
      yield* peer.expect({ id: 1, result: { value: "first" } })
      yield* peer.expectNothing
      assert.strictEqual(yield* started, 1)
      yield* peer.send(Frames.request(1, "_test/run", { value: "third" }))
      yield* peer.expect({ id: 1, result: { value: "third" } })
    }))

  it.effect("E6 no notification is ever answered", () =>
    Effect.gen(function*() {
      const { peer, sentinel } = yield* Wire.agent({
        maxWaitingNotifications: 2,
        handlers: Wire.handlers({
          note: ({ value }) => value === "die" ? Effect.die("boom") : value === "fail" ? throwing() : Effect.never
        })
      })
      yield* sentinel.allow("HandlerFailed", "InvalidNotification", "ShedNotification", "Malformed")
      yield* peer.send(
        note("die"),
        note("fail"),
        Frames.notification("_vendor/x/changed", {}),
        Frames.notification("_test/note", { sessionId: 5 }),
        Frames.notification("_test/note", [1]),
        { jsonrpc: "1.0", method: "_test/note" },
        Frames.notification("$/cancel_request", { requestId: {} }),
        Frames.notification("$/cancel_request"),
        Frames.notification("$/unknown"),
        Frames.notification("constructor", {}),
        Frames.notification("__defineGetter__", {}),
        note("stays"),
        note("waits"),
        note("waits"),
        note("shed"),
        note("shed")
      )
      yield* peer.expectNothing
      const tags = new Set((yield* sentinel.seen).map(({ _tag }) => _tag))
      assert.isTrue(tags.has("HandlerFailed") && tags.has("InvalidNotification") && tags.has("ShedNotification"))
      assert.strictEqual((yield* sentinel.of("UnknownNotification")).length, 4)
    }))

  it.effect("E7 an answer that no call waits for is dropped with a diagnostic, and never answered", () =>
    Effect.gen(function*() {
      const { connection, peer, sentinel } = yield* Wire.client({ allow: ["Malformed"] })
      const call = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      const { id } = yield* peer.expect({ method: "_test/echo" })
      yield* peer.send(
        Frames.result("skills-reload", { reloaded: 0 }),
        Frames.result(String(id), { value: "of another type" }),
        Frames.result(99, {}),
        Frames.error(null, -32700, "Parse error"),
        { jsonrpc: "2.0", id, error: null },
        { jsonrpc: "2.0", id: {}, result: {} },
        Frames.result(id as number, { value: "right" }),
        Frames.result(id as number, { value: "twice" })
      )
      yield* peer.expectNothing
      assert.deepStrictEqual(yield* Fiber.join(call), { value: "right" })
      assert.deepStrictEqual(
        (yield* sentinel.of("OrphanResponse")).map(({ id, late }) => [id, late]),
        [["skills-reload", false], [String(id), false], [99, false], [null, false], [id, true]]
      )
      assert.strictEqual((yield* sentinel.of("Malformed")).length, 2)
    }))

  it.effect("E8 a missing jsonrpc is taken with a diagnostic, another version is refused, ours is always there", () =>
    Effect.gen(function*() {
      const { peer, sentinel } = yield* Wire.agent({ handlers: Wire.echoHandler, allow: ["Malformed"] })
      yield* peer.send({ id: 1, method: "_test/echo", params: { value: 1 } })
      yield* peer.expect({ jsonrpc: "2.0", id: 1, result: { value: 1 } })
      assert.deepStrictEqual(yield* sentinel.of("MissingVersion"), [{ _tag: "MissingVersion", method: "_test/echo" }])
      yield* peer.send({ jsonrpc: "1.0", id: 4, method: "_test/echo" })
      yield* peer.expect({ jsonrpc: "2.0", id: 4, error: { code: -32600 } })
    }))

  it.effect("E9 an unknown request is answered -32601 with its name, on either side", () =>
    Effect.gen(function*() {
      for (const { peer } of [yield* Wire.agent(), yield* Wire.client()]) {
        for (const method of ["ping", "_vendor/y/ask", "session/none", "$/none", "constructor", "toString", ""]) {
          yield* peer.send(Frames.request(11, method, { q: 1 }))
          yield* peer.expect({ id: 11, error: { code: -32601, data: { method } } })
        }
      }
    }))

  it.effect("E9 a notification's name as a request is unknown, a request's name as a notification a diagnostic", () =>
    Effect.gen(function*() {
      const { peer, sentinel } = yield* Wire.agent({
        handlers: Wire.handlers({ note: () => Effect.die("must not run") })
      })
      yield* peer.send(Frames.request(1, "_test/note", {}))
      yield* peer.expect({ id: 1, error: { code: -32601 } })
      yield* peer.send(Frames.notification("session/new", { cwd: "/w", mcpServers: [] }))
      yield* peer.expectNothing
      assert.deepStrictEqual(yield* sentinel.of("UnservedNotification"), [
        { _tag: "UnservedNotification", method: "session/new" }
      ])
    }))

  it.effect("E9 params that may be absent may be null too; those that may not are -32602", () =>
    Effect.gen(function*() {
      const { peer } = yield* Wire.agent({
        handlers: Wire.handlers({ echo: (params) => Effect.succeed(params), count: () => Effect.succeed({ count: 1 }) })
      })
      yield* peer.send({ jsonrpc: "2.0", id: 1, method: "_test/echo" })
      yield* peer.expect({ id: 1, result: {} })
      yield* peer.send({ jsonrpc: "2.0", id: 2, method: "_test/echo", params: null })
      yield* peer.expect({ id: 2, result: {} })
      for (const params of [undefined, null, 5, "x", [1], {}]) {
        yield* peer.send({ jsonrpc: "2.0", id: 3, method: "_test/count", params })
        yield* peer.expect({ id: 3, error: { code: -32602 } })
      }
    }))

  it.effect("E10 a batch is answered with one -32600 with id null, and nothing in it is done", () =>
    Effect.gen(function*() {
      const { layer, started } = yield* held
      const { peer } = yield* Wire.agent({ handlers: layer, allow: ["Noise"] })
      const requests = [Frames.request(2, "_test/run"), Frames.request(3, "_test/run")]
      yield* peer.send(JSON.stringify(requests), "[]")
      yield* peer.expect({ id: null, error: { code: -32600 } })
      yield* peer.expect({ id: null, error: { code: -32600 } })
      yield* peer.expectNothing
      assert.strictEqual(yield* started, 0)
      const client = yield* Wire.client({ allow: ["Noise"] })
      yield* client.peer.send(JSON.stringify(requests))
      yield* client.peer.expectNothing
    }))
})

const throwing = (): never => {
  throw new Error("boom")
}
