import * as AcpError from "@effect-acp/core/AcpError"
import { InboundRequest } from "@effect-acp/core/InboundRequest"
import * as MethodTable from "@effect-acp/core/MethodTable"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, ErrorReporter, Latch, type Layer, Schema } from "effect"
import { RpcGroup, RpcMiddleware } from "effect/rpc"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

class Watched extends RpcMiddleware.Service<Watched>()("test/Watched") {}

const watched = MethodTable.request("_test/watched", {
  owner: "test",
  direction: "both",
  callback: "watched",
  params: Schema.Struct({ number: Schema.Finite }),
  result: Schema.Struct({})
}).middleware(Watched) as unknown as typeof Wire.echo

describe("handlers", () => {
  it.effect("a request is answered before what its handler acquired is released", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { connection, peer } = yield* Wire.agent({
        handlers: Wire.handlers({ run: () => Effect.as(Effect.addFinalizer(() => gate.await), { value: "done" }) })
      })
      yield* peer.send(Frames.request(1, "_test/run"))
      yield* peer.expect({ id: 1, result: { value: "done" } })
      assert.strictEqual((yield* connection.counts).inFlight, 0)
      yield* gate.open
    }))

  it.effect("C7 a release that dies is reported, and its request is answered all the same", () =>
    Effect.gen(function*() {
      const { peer, sentinel } = yield* Wire.agent({
        allow: ["HandlerFailed"],
        handlers: Wire.handlers({ run: () => Effect.as(Effect.addFinalizer(() => Effect.die("no")), {}) })
      })
      yield* peer.send(Frames.request(1, "_test/run"))
      yield* peer.expect({ id: 1, result: {} })
      yield* peer.settle
      assert.deepInclude(yield* sentinel.seen, {
        _tag: "HandlerFailed",
        method: "_test/run",
        problem: "the handler died"
      })
    }))

  it.effect("the middleware of a row is around its handler, and before its params are decoded", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const middleware = Watched.of((handled, { payload, requestId }) =>
        Effect.tap(handled, () =>
          Effect.sync(() => {
            seen.push([requestId, payload])
          })).pipe(Effect.tapCause(() =>
            Effect.sync(() => {
              seen.push([requestId, "refused", payload])
            })
          ))
      )
      const { peer } = yield* Effect.provideService(
        Wire.agent({
          handlers: MethodTable.layerHandlers(RpcGroup.make(watched))(
            { watched: () => Effect.succeed({}) } as never
          ) as Layer.Layer<any>
        }),
        Watched,
        middleware
      )
      yield* peer.send(
        Frames.request(1, "_test/watched", { number: 1, extra: true }),
        Frames.request(2, "_test/watched", { number: "x" })
      )
      yield* peer.find({ id: 1, result: {} })
      yield* peer.find({ id: 2, error: { code: -32602 } })
      assert.deepStrictEqual(seen, [[1, { number: 1, extra: true }], [2, "refused", { number: "x" }]])
    }))

  it.effect("C7 a request is answered whatever throws around its handler", () =>
    Effect.gen(function*() {
      const middleware = Watched.of(() => {
        throw new Error("no")
      })
      const { connection, peer } = yield* Effect.provideService(
        Wire.agent({
          allow: ["HandlerFailed"],
          handlers: MethodTable.layerHandlers(RpcGroup.make(watched))(
            { watched: () => Effect.succeed({}) } as never
          ) as Layer.Layer<any>
        }),
        Watched,
        middleware
      )
      yield* peer.send(Frames.request(1, "_test/watched", { number: 1 }))
      yield* peer.expect({ id: 1, error: { code: -32603 } })
      assert.strictEqual((yield* connection.counts).inFlight, 0)
    }))

  it.effect("C7 a result that throws when it is read is answered", () =>
    Effect.gen(function*() {
      const result = {
        get value() {
          throw new Error("no")
        }
      }
      const { connection, peer } = yield* Wire.agent({
        allow: ["HandlerFailed"],
        handlers: Wire.handlers({ run: () => Effect.succeed(result) })
      })
      yield* peer.send(Frames.request(1, "_test/run"))
      yield* peer.expect({ id: 1, error: { code: -32603 } })
      assert.strictEqual((yield* connection.counts).inFlight, 0)
    }))

  it.effect("C7 what follows a response may throw: it is reported, and the connection goes on", () =>
    Effect.gen(function*() {
      const follow = Effect.flatMap(InboundRequest, ({ afterResponse }) =>
        Effect.sync(() =>
          afterResponse(() => {
            throw new Error("no")
          })
        ))
      const { connection, peer, sentinel } = yield* Wire.agent({
        allow: ["HandlerFailed"],
        handlers: Wire.handlers({ run: () => Effect.as(follow, {}) })
      })
      yield* peer.send(Frames.request(1, "_test/run"), Frames.request(2, "_test/run"))
      yield* peer.expect({ id: 1, result: {} })
      yield* peer.expect({ id: 2, result: {} })
      yield* peer.settle
      assert.deepInclude(yield* sentinel.seen, {
        _tag: "HandlerFailed",
        method: "_test/run",
        problem: "the handler died"
      })
      assert.strictEqual((yield* connection.counts).inFlight, 0)
    }))

  it.effect("what a handler fails with reaches the reporters of errors", () =>
    Effect.gen(function*() {
      const reported: Array<unknown> = []
      const reporter = ErrorReporter.make(({ cause }) => {
        reported.push(Cause.squash(cause))
      })
      const { peer } = yield* Wire.agent({
        handlers: Wire.handlers({ run: () => Effect.fail(new AcpError.AuthRequired({})) })
      }).pipe(Effect.provide(ErrorReporter.layer([reporter]) as Layer.Layer<never>))
      yield* peer.send(Frames.request(1, "_test/run"))
      yield* peer.expect({ id: 1, error: { code: -32000 } })
      assert.isTrue(reported.length === 1 && reported[0] instanceof AcpError.AuthRequired)
    }))
})
