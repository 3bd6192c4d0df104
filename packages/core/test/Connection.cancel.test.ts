import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Ref } from "effect"
import { Rpc } from "effect/rpc"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

const cancel = (requestId: unknown): Wire.Frames.Json => Frames.notification("$/cancel_request", { requestId })

describe("cancellation", () => {
  it.effect("X1 interrupting a call sends one $/cancel_request, frees the caller, and drops the late answer", () =>
    Effect.gen(function*() {
      const { connection, peer, sentinel } = yield* Wire.client()
      const call = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      const { id } = yield* peer.expect({ method: "_test/echo" })
      yield* Fiber.interrupt(call)
      const notification = yield* peer.expect({ method: "$/cancel_request" })
      assert.deepStrictEqual(notification, { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: id } })
      yield* peer.expectNothing
      const next = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      assert.notStrictEqual((yield* peer.expect({ method: "_test/echo" })).id, id)
      yield* peer.send(Frames.error(id as number, -32800))
      yield* peer.expectNothing
      assert.deepInclude((yield* sentinel.of("OrphanResponse"))[0], { id: id as number, late: true })
      assert.strictEqual((yield* connection.counts).pendingCalls, 1)
      yield* Fiber.interrupt(next)
    }))

  it.effect("X1 a call that was not written yet is not cancelled on the wire", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ outgoingBudget: 100 })
      yield* peer.pauseReading
      const first = yield* Effect.forkChild(connection.call(Wire.echo, { value: "x".repeat(500) }))
      const second = yield* Effect.forkChild(connection.call(Wire.echo, { value: 2 }))
      yield* peer.settle
      assert.strictEqual((yield* connection.counts).pendingCalls, 1)
      yield* Fiber.interrupt(second)
      yield* peer.resumeReading
      const { id } = yield* peer.expect({ method: "_test/echo" })
      yield* peer.expectNothing
      yield* peer.send(Frames.result(id as number, {}))
      yield* Fiber.join(first)
    }))

  it.effect("X1 cancelling gets through a writer that is full, and does not wait for a peer that does not read", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ outgoingBudget: 100 })
      yield* peer.pauseReading
      const call = yield* Effect.forkChild(connection.call(Wire.echo, { value: "x".repeat(500) }))
      const notes = yield* Effect.forEach(
        [1, 2, 3],
        (value) => Effect.forkChild(connection.notify(Wire.note, { value }))
      )
      yield* peer.settle
      yield* Fiber.interrupt(call)
      yield* peer.resumeReading
      yield* peer.expect({ method: "_test/echo" })
      yield* peer.expect({ method: "$/cancel_request" })
      for (const note of notes) yield* Fiber.join(note)
      yield* peer.expect({ method: "_test/note" })
    }))

  it.effect("X1 cancellations of a peer that does not read stay within a bound", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ outgoingBudget: 10_000 })
      yield* peer.pauseReading
      for (let n = 0; n < 2_000; n++) {
        const call = yield* Effect.forkChild(connection.call(Wire.echo, {}), { startImmediately: true })
        yield* Fiber.interrupt(call)
      }
      assert.isBelow((yield* connection.counts).unwritten, 30_000)
      assert.strictEqual((yield* connection.counts).pendingCalls, 0)
      yield* peer.resumeReading
    }))

  it.effect("X1 an interruption at any moment of a call leaves nothing behind and never cancels twice", () =>
    Effect.gen(function*() {
      for (let yields = 0; yields < 12; yields++) {
        for (const answered of [true, false]) {
          const { connection, peer } = yield* Wire.client()
          const call = yield* Effect.forkChild(connection.call(Wire.echo, {}))
          for (let n = 0; n < yields; n++) yield* Effect.yieldNow
          if (answered) yield* peer.send(Frames.result(1, {}))
          yield* Fiber.interrupt(call)
          yield* peer.settle
          assert.strictEqual((yield* connection.counts).pendingCalls, 0)
          const lines = yield* peer.lines
          const calls = lines.filter((line) => line.includes("_test/echo")).length
          const cancels = lines.filter((line) => line.includes("$/cancel_request")).length
          assert.isTrue(cancels <= calls && calls <= 1)
          if (!answered) assert.strictEqual(cancels, calls)
        }
      }
    }))

  it.effect("X2 a cancelled request is answered once: -32800, or the result that its handler has", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const finalized: Array<unknown> = []
      const { peer } = yield* Wire.agent({
        handlers: Wire.handlers({
          run: (params) => {
            const wait = Effect.onInterrupt(Effect.never, () =>
              Effect.sync(() => {
                finalized.push(params.value)
              }))
            switch (params.value) {
              case "rescued":
                return Rpc.uninterruptible(Effect.catchCause(Effect.interruptible(wait), () => Effect.succeed(params)))
              case "uninterruptible":
                return Rpc.uninterruptible(Effect.as(Deferred.await(gate), params))
              default:
                return wait
            }
          }
        })
      })
      const ids = ["plain", "rescued", "uninterruptible"]
      yield* peer.send(...ids.map((value) => Frames.request(value, "_test/run", { value })))
      yield* peer.settle
      yield* peer.send(...ids.map(cancel), ...ids.map(cancel))
      yield* peer.settle
      yield* Deferred.succeed(gate, undefined)
      yield* peer.find({ id: "plain", error: { code: -32800 } })
      yield* peer.find({ id: "rescued", result: { value: "rescued" } })
      yield* peer.find({ id: "uninterruptible", result: { value: "uninterruptible" } })
      yield* peer.expectNothing
      assert.deepStrictEqual(finalized, ["plain", "rescued"])
    }))

  it.effect("X2 a request that is cancelled before its handler ran never runs it", () =>
    Effect.gen(function*() {
      let ran = false
      const { peer } = yield* Wire.agent({
        handlers: Wire.handlers({
          run: () =>
            Effect.sync(() => {
              ran = true
              return {}
            })
        })
      })
      yield* peer.send(Frames.request(1, "_test/run"), cancel(1))
      yield* peer.expect({ id: 1, error: { code: -32800 } })
      yield* peer.expectNothing
      assert.isFalse(ran)
    }))

  it.effect("X2 unknown, finished and other-typed ids have no effect and give no frame", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { peer } = yield* Wire.agent({
        handlers: Wire.handlers({
          run: (params) => Effect.as(Deferred.await(gate), params),
          echo: (params) => Effect.succeed(params)
        })
      })
      yield* peer.send(Frames.request(1, "_test/run", {}), Frames.request(7, "_test/echo", {}))
      yield* peer.expect({ id: 7 })
      yield* peer.send(cancel(999), cancel("1"), cancel(7), cancel("unknown"), cancel(null))
      yield* peer.expectNothing
      yield* Deferred.succeed(gate, undefined)
      yield* peer.expect({ id: 1, result: {} })
      yield* peer.send(cancel(1))
      yield* peer.expectNothing
    }))

  it.effect("X2 cancelling a request frees its id and its place", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agent({
        maxInFlight: 1,
        handlers: Wire.handlers({ run: () => Effect.never })
      })
      for (let n = 0; n < 20; n++) {
        yield* peer.send(Frames.request(1, "_test/run"), cancel(1))
        yield* peer.expect({ id: 1, error: { code: -32800 } })
      }
      assert.strictEqual((yield* connection.counts).inFlight, 0)
    }))

  it.effect("X3 cancellation nests: the calls of a handler end with it, hop by hop", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agent({
        handlers: (self) =>
          Wire.handlers({ run: () => Effect.orDie(self((connection) => connection.call(Wire.echo, {}))) })
      })
      yield* peer.send(Frames.request("outer", "_test/run"))
      const { id } = yield* peer.expect({ method: "_test/echo" })
      yield* peer.send(cancel("outer"))
      yield* peer.find({ method: "$/cancel_request", params: { requestId: id } })
      yield* peer.find({ id: "outer", error: { code: -32800 } })
      assert.deepInclude(yield* connection.counts, { pendingCalls: 0, inFlight: 0 })
    }))

  it.effect("X3 what a handler forked in its scope ends with its request", () =>
    Effect.gen(function*() {
      const ended = yield* Ref.make(0)
      const { peer } = yield* Wire.agent({
        handlers: Wire.handlers({
          run: () =>
            Effect.andThen(
              Effect.forkScoped(Effect.onInterrupt(Effect.never, () => Ref.update(ended, (n) => n + 1)), {
                startImmediately: true
              }),
              Effect.never
            )
        })
      })
      yield* peer.send(Frames.request(1, "_test/run"))
      yield* peer.settle
      yield* peer.send(cancel(1))
      yield* peer.expect({ id: 1, error: { code: -32800 } })
      yield* peer.settle
      assert.strictEqual(yield* Ref.get(ended), 1)
    }))

  it.effect("X2 a cancellation is served while every handler is blocked", () =>
    Effect.gen(function*() {
      const { peer } = yield* Wire.agent({
        handlers: Wire.handlers({ run: () => Effect.never, note: () => Effect.never })
      })
      yield* peer.send(
        ...Array.from({ length: 50 }, (_, id) => Frames.request(id, "_test/run")),
        ...Array.from({ length: 50 }, () => Frames.notification("_test/note", { sessionId: "s1" }))
      )
      yield* peer.settle
      yield* peer.send(cancel(17))
      yield* peer.expect({ id: 17, error: { code: -32800 } })
    }))
})
