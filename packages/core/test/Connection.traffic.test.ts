import type * as Connection from "@effect-acp/core/Connection"
import * as Frame from "@effect-acp/core/Frame"
import * as Transport from "@effect-acp/core/Transport"
import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Exit, Fiber, Layer, Option, Scope, Sink, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

const note = (value: unknown, sessionId = "s1") => Frames.notification("_test/note", { sessionId, value })

/** Two connections joined in memory, each serving by the other. */
const pair = Effect.fnUntraced(function*(
  handlers: Wire.SubjectOptions["handlers"],
  ends: Effect.Effect<readonly [Transport.Transport, Transport.Transport]> = Transport.makeMemory
) {
  const [left, right] = yield* ends
  const peer = yield* Wire.ScriptedPeer.make
  const on = (transport: Transport.Transport) => ({ ...peer, layer: Layer.succeed(Transport.Transport, transport) })
  const one = yield* Wire.client({ peer: on(left), handlers, maxInFlight: 10_000 })
  const two = yield* Wire.client({ peer: on(right), handlers, maxInFlight: 10_000 })
  return [one.connection, two.connection] as const
})

/** One direction of a link whose reader runs within the write: nothing in it takes a turn of the event loop. */
const makeDirect = () => {
  let frames: Array<Frame.Incoming> = []
  let wake: (() => void) | undefined
  const hasFrames = Effect.callback<void>((resume) => {
    wake = () => resume(Effect.void)
  })
  const pull: Effect.Effect<Arr.NonEmptyReadonlyArray<Frame.Incoming>> = Effect.suspend(() => {
    const read = frames
    if (!Arr.isArrayNonEmpty(read)) return Effect.andThen(hasFrames, pull)
    frames = []
    return Effect.succeed(read)
  })
  const write = (text: string) =>
    Effect.sync(() => {
      frames.push(Frame.parse(text, text.length))
      wake?.()
    })
  return { incoming: Stream.fromPull(Effect.succeed(pull)), outgoing: Sink.forEach(write) }
}

const directEnds = Effect.sync(() => {
  const [there, back] = [makeDirect(), makeDirect()]
  return [
    { incoming: back.incoming, outgoing: there.outgoing },
    { incoming: there.incoming, outgoing: back.outgoing }
  ] as const
})

describe("traffic", () => {
  it.effect("O6 an answer is taken while a notification's handler is suspended", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ handlers: Wire.handlers({ note: () => Effect.never }) })
      const call = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      const { id } = yield* peer.expect({})
      yield* peer.send(note(1), note(2), Frames.result(id as number, { value: "through" }))
      assert.deepStrictEqual(yield* Fiber.join(call), { value: "through" })
    }))

  it.effect("O2 notifications before an answer are handled, where their handlers do not wait, before the caller goes on", () =>
    Effect.gen(function*() {
      const handled: Array<unknown> = []
      const { connection, peer } = yield* Wire.client({
        handlers: Wire.handlers({
          note: ({ value }) =>
            Effect.sync(() => {
              handled.push(value)
            })
        })
      })
      const call = yield* Effect.forkChild(Effect.map(connection.call(Wire.echo, {}), () => [...handled]))
      const { id } = yield* peer.expect({})
      yield* peer.send(...Array.from({ length: 20 }, (_, n) => note(n)), Frames.result(id as number, {}))
      assert.deepStrictEqual(yield* Fiber.join(call), Array.from({ length: 20 }, (_, n) => n))
    }))

  it.effect("O6 no handler runs in the reader: what came in one chunk is read before any of them starts", () =>
    Effect.gen(function*() {
      const seen: Array<number> = []
      const look = (self: Wire.Self) =>
        Effect.map(self((connection) => connection.counts), ({ inFlight }) => {
          seen.push(inFlight)
          return {}
        })
      const { peer } = yield* Wire.agent({
        handlers: (self) => Wire.handlers({ note: () => look(self), echo: () => look(self), run: () => Effect.never })
      })
      yield* peer.send(
        note(1),
        Frames.request(1, "_test/echo", {}),
        Frames.request(2, "_test/run"),
        Frames.request(3, "_test/run")
      )
      yield* peer.expect({ id: 1 })
      assert.deepStrictEqual(seen, [3, 3])
    }))

  it.effect("C8 a notification's handler may wait for a call of its own", () =>
    Effect.gen(function*() {
      const done = yield* Deferred.make<unknown>()
      const { peer } = yield* Wire.client({
        handlers: (self) =>
          Wire.handlers({
            note: () =>
              Effect.andThen(
                Effect.orDie(self((connection) => connection.call(Wire.echo, {}))),
                Deferred.succeed(done, "done")
              )
          })
      })
      yield* peer.send(note(1))
      yield* peer.respond(yield* peer.expect({ method: "_test/echo" }), {})
      assert.strictEqual(yield* Deferred.await(done), "done")
    }))

  it.effect("O6 later traffic and cancellations pass handlers that are suspended or have failed", () =>
    Effect.gen(function*() {
      const { peer, sentinel } = yield* Wire.agent({
        handlers: Wire.handlers({
          run: ({ value }) => value === "die" ? Effect.die("boom") : Effect.never,
          note: ({ value }) => value === "die" ? Effect.die("boom") : Effect.never,
          echo: (params) => Effect.succeed(params)
        })
      })
      yield* sentinel.allow("HandlerFailed")
      yield* peer.send(
        Frames.request(1, "_test/run", { value: "die" }),
        Frames.request(2, "_test/run"),
        note("die"),
        note("suspended"),
        Frames.request(3, "_test/echo", { value: "after" }),
        Frames.notification("$/cancel_request", { requestId: 2 })
      )
      yield* peer.find({ id: 1, error: { code: -32603 } })
      yield* peer.find({ id: 3, result: { value: "after" } })
      yield* peer.find({ id: 2, error: { code: -32800 } })
    }))

  it.effect("O1 notifications of one session are handled in order, however slowly; sessions do not wait for one another", () =>
    Effect.gen(function*() {
      const handled: Array<unknown> = []
      const { peer } = yield* Wire.client({
        handlers: Wire.handlers({
          note: ({ sessionId, value }) =>
            Effect.andThen(
              sessionId === "slow" ? Effect.sleep("1 second") : Effect.yieldNow,
              Effect.sync(() => {
                handled.push(value)
              })
            )
        })
      })
      yield* peer.send(
        note("a1", "slow"),
        note("b1", "fast"),
        note("a2", "slow"),
        note("b2", "fast"),
        note("b3", "fast")
      )
      yield* peer.settle
      assert.deepStrictEqual(handled, ["b1", "b2", "b3"])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(handled, ["b1", "b2", "b3", "a1", "a2"])
    }))

  it.effect("Z2 handlers stay alive until the notifications that were read are handled", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const { connection, peer } = yield* Wire.agent({
        handlers: Wire.handlers({
          note: () =>
            Effect.forEach([1, 2, 3], () => Effect.yieldNow).pipe(
              Effect.andThen(Effect.sync(() => {
                log.push("note")
              }))
            ),
          run: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => log.push("interrupted")))
        })
      })
      yield* peer.send(Frames.request(1, "_test/run"), note(1), note(2))
      yield* peer.close
      yield* connection.closed
      assert.deepStrictEqual(log, ["note", "note", "interrupted"])
    }))

  it.effect("C2 the end of the link is what a handler's own call fails with, not a cancellation", () =>
    Effect.gen(function*() {
      const outcomes: Array<string> = []
      const { connection, peer } = yield* Wire.agent({
        handlers: (self) =>
          Wire.handlers({
            run: () =>
              self((connection) => connection.call(Wire.echo, {})).pipe(
                Effect.tapError(({ _tag }) => Effect.sync(() => outcomes.push(_tag))),
                Effect.onInterrupt(() => Effect.sync(() => outcomes.push("interrupted"))),
                Effect.orDie
              )
          }),
        allow: ["HandlerFailed"]
      })
      yield* peer.send(Frames.request(1, "_test/run"))
      yield* peer.expect({ method: "_test/echo" })
      yield* peer.close
      yield* connection.closed
      assert.deepStrictEqual(outcomes, ["ConnectionClosed"])
    }))

  it.effect("C8 two sides call one another a thousand deep, and nothing overflows or remains", () =>
    Effect.gen(function*() {
      const [one, two] = yield* pair((self) =>
        Wire.handlers({
          run: ({ value }) =>
            value === 0
              ? Effect.succeed({ value: "bottom" })
              : Effect.orDie(self((connection) => connection.call(Wire.run, { value: (value as number) - 1 })))
        })
      )
      assert.deepStrictEqual(yield* one.call(Wire.run, { value: 2_000 }), { value: "bottom" })
      for (const connection of [one, two]) {
        assert.deepInclude(yield* connection.counts, { pendingCalls: 0, inFlight: 0, unwritten: 0 })
      }
    }))

  it.effect("C8 interrupting the first of a thousand nested calls ends them all", () =>
    Effect.gen(function*() {
      const reached = yield* Deferred.make<void>()
      const [one, two] = yield* pair((self) =>
        Wire.handlers({
          run: ({ value }) =>
            value === 0
              ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
              : Effect.orDie(self((connection) => connection.call(Wire.run, { value: (value as number) - 1 })))
        })
      )
      const call = yield* Effect.forkChild(one.call(Wire.run, { value: 1_000 }))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(call)
      for (let n = 0; n < 200; n++) yield* Wire.ScriptedPeer.settle
      for (const connection of [one, two]) {
        assert.deepInclude(yield* connection.counts, { pendingCalls: 0, inFlight: 0, unwritten: 0 })
      }
    }))

  it.effect("C1 many calls both ways at once all find their answers", () =>
    Effect.gen(function*() {
      const [one, two] = yield* pair(Wire.echoHandler)
      const all = (connection: Connection.Connection) =>
        Effect.forEach(Array.from({ length: 2_000 }, (_, n) => n), (value) => connection.call(Wire.echo, { value }), {
          concurrency: 100
        })
      const [left, right] = yield* Effect.all([all(one), all(two)], { concurrency: 2 })
      const expected = Array.from({ length: 2_000 }, (_, value) => ({ value }))
      assert.deepStrictEqual(left, expected)
      assert.deepStrictEqual(right, expected)
    }))

  it.live("two peers of one process that answer each other without end leave timers and interruption their turn", () =>
    Effect.gen(function*() {
      const [one] = yield* pair(Wire.echoHandler, directEnds)
      let answered = 0
      const calls = Effect.forever(Effect.map(one.call(Wire.echo, {}), () => answered++), { disableYield: true })
      assert.isTrue(Option.isNone(yield* Effect.timeoutOption(calls, "50 millis")))
      assert.isAbove(answered, 10)
    }))

  it.effect("E9 scalar params and an object that is a request and a response at once keep the connection", () =>
    Effect.gen(function*() {
      const { peer } = yield* Wire.agent({ handlers: Wire.echoHandler })
      yield* peer.send(
        { jsonrpc: "2.0", id: 1, method: "_test/echo", params: 5 },
        { jsonrpc: "2.0", id: 2, method: "_test/echo", params: { value: 1 }, result: "x", error: null },
        { jsonrpc: "2.0", id: 3, method: "_test/echo", params: [1, 2] }
      )
      yield* peer.find({ id: 1, error: { code: -32602 } })
      yield* peer.find({ id: 2, result: { value: 1 } })
      yield* peer.find({ id: 3, error: { code: -32602 } })
    }))

  it.effect("Z3 a peer that goes away in any state leaves nothing", () =>
    Effect.gen(function*() {
      for (const memory of [false, true]) {
        for (let state = 0; state < 4; state++) {
          const scope = yield* Scope.make()
          const [left, right] = yield* Transport.makeMemory
          const scripted = yield* Wire.ScriptedPeer.make
          const peer = memory ? { ...scripted, layer: Layer.succeed(Transport.Transport, left) } : scripted
          const { connection } = yield* Scope.provide(Wire.client({ peer, handlers: Wire.echoHandler }), scope)
          const call = state > 0 ? yield* Effect.forkChild(Effect.exit(connection.call(Wire.echo, {}))) : undefined
          if (state > 1) yield* Wire.ScriptedPeer.settle
          if (state > 2) yield* connection.notify(Wire.note, {})
          yield* memory
            ? Effect.scoped(Effect.provideService(endOf(right), Transport.Transport, right))
            : scripted.close
          yield* connection.closed
          if (call !== undefined) assert.isTrue(Exit.isFailure(yield* Fiber.join(call)))
          assert.deepStrictEqual(yield* connection.counts, {
            pendingCalls: 0,
            inFlight: 0,
            held: 0,
            lanes: 0,
            unwritten: 0
          })
          yield* Scope.close(scope, Exit.void)
        }
      }
    }))
})

/** A peer that reads what is there and then goes away. */
const endOf = (transport: Transport.Transport) =>
  Wire.client({
    peer: { layer: Layer.succeed(Transport.Transport, transport) } as Wire.ScriptedPeer.ScriptedPeer,
    allow: ["UnknownSession"]
  })
