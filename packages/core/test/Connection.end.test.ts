import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

const nothing = { pendingCalls: 0, inFlight: 0, held: 0, lanes: 0, unwritten: 0 }

describe("the end of a connection", () => {
  it.effect("Z1 every cause takes one path, and closed completes once with the first", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const waiting = yield* Effect.forEach([1, 2], () => Effect.forkChild(connection.closed))
      yield* peer.exit({ code: 1 })
      yield* peer.settle
      yield* connection.close()
      yield* connection.close({ _tag: "TransportFailed", cause: "later" })
      for (const fiber of waiting) assert.strictEqual((yield* Fiber.join(fiber))._tag, "ProcessExited")
      assert.strictEqual((yield* connection.closed)._tag, "ProcessExited")
    }))

  it.effect("Z1 closing from many fibers at once is closing once", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      yield* Effect.forEach(Array.from({ length: 20 }), () => connection.close(), { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* connection.closed, { _tag: "LocalClose" })
      yield* peer.expectEnd
    }))

  it.effect("Z1 nothing is delivered after the end, and nothing is accepted", () =>
    Effect.gen(function*() {
      const handled: Array<unknown> = []
      const { connection, peer } = yield* Wire.client({
        maxNoise: 0,
        allow: ["Noise"],
        handlers: Wire.handlers({
          note: ({ value }) =>
            Effect.sync(() => {
              handled.push(value)
            }),
          run: () => Effect.die("must not run")
        })
      })
      yield* peer.send(
        Frames.notification("_test/note", { value: "before" }),
        "noise that ends it",
        Frames.notification("_test/note", { value: "after" }),
        Frames.request(1, "_test/run")
      )
      yield* connection.closed
      yield* peer.send(Frames.notification("_test/note", { value: "much later" }), Frames.request(2, "_test/run"))
      yield* peer.settle
      assert.notInclude(handled, "after")
      assert.notInclude(handled, "much later")
      assert.strictEqual((yield* Effect.flip(connection.notify(Wire.note, {})))._tag, "ConnectionClosed")
      yield* peer.expectEnd
    }))

  it.effect("Z1 the diagnostics end with the connection", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ allow: ["Noise"] })
      const collected = yield* Effect.forkChild(Stream.runCollect(connection.diagnostics), { startImmediately: true })
      yield* peer.send("noise")
      yield* peer.close
      assert.deepStrictEqual((yield* Fiber.join(collected)).map(({ _tag }) => _tag), ["Noise"])
      assert.deepStrictEqual(yield* Stream.runCollect(connection.diagnostics), [])
    }))

  it.effect("Z1 what was read before the peer closed is handled", () =>
    Effect.gen(function*() {
      const handled: Array<unknown> = []
      const { connection, peer } = yield* Wire.client({
        handlers: Wire.handlers({
          note: ({ value }) =>
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => {
                handled.push(value)
              })
            )
        })
      })
      yield* peer.send(...[1, 2, 3].map((value) => Frames.notification("_test/note", { value })))
      yield* peer.close
      yield* connection.closed
      assert.deepStrictEqual(handled, [1, 2, 3])
    }))

  it.effect("Z2 closing writes everything that was accepted before", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      yield* Effect.forEach(
        Array.from({ length: 500 }, (_, n) => n),
        (value) => connection.notify(Wire.note, { value })
      )
      yield* connection.close()
      for (let value = 0; value < 500; value++) yield* peer.expect({ method: "_test/note", params: { value } })
      yield* peer.expectEnd
    }))

  it.effect("Z2 closing waits for a slow peer, but not beyond the bound", () =>
    Effect.gen(function*() {
      for (const reads of [true, false]) {
        const { connection, peer } = yield* Wire.client({ flushBound: "5 seconds" })
        yield* peer.pauseReading
        yield* connection.notify(Wire.note, { value: "last words" })
        const closing = yield* Effect.forkChild(connection.close())
        yield* TestClock.adjust("4 seconds")
        yield* peer.settle
        assert.isUndefined(closing.pollUnsafe())
        if (reads) yield* peer.resumeReading
        else yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(closing)
        if (reads) yield* peer.expect({ params: { value: "last words" } })
        assert.deepStrictEqual(yield* connection.counts, nothing)
      }
    }))

  it.effect("Z2 answers that wait for room to write do not make closing take any longer", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agent({
        outgoingBudget: 1_000,
        flushBound: "5 seconds",
        handlers: Wire.handlers({ run: () => Effect.succeed({ value: "x".repeat(900) }) })
      })
      yield* peer.pauseReading
      yield* peer.send(...Array.from({ length: 10 }, (_, id) => Frames.request(id, "_test/run")))
      yield* peer.settle
      assert.isAbove((yield* connection.counts).inFlight, 5)
      const closing = yield* Effect.forkChild(connection.close())
      yield* peer.settle
      assert.strictEqual((yield* connection.counts).inFlight, 0)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(closing)
      assert.deepStrictEqual(yield* connection.counts, nothing)
    }))

  it.effect("Z2 handlers are interrupted, their finalizers run, and each request has its answer", () =>
    Effect.gen(function*() {
      const finalized: Array<unknown> = []
      const { connection, peer } = yield* Wire.agent({
        handlers: (self) =>
          Wire.handlers({
            run: ({ value }) =>
              Effect.onInterrupt(Effect.never, () =>
                Effect.andThen(
                  Effect.orDie(self((connection) => connection.notify(Wire.note, { value: "from a finalizer" }))),
                  Effect.sync(() => {
                    finalized.push(value)
                  })
                )),
            note: () =>
              Effect.onInterrupt(Effect.never, () =>
                Effect.sync(() => {
                  finalized.push("note")
                }))
          })
      })
      yield* peer.send(
        Frames.request(1, "_test/run", { value: 1 }),
        Frames.request(2, "_test/run", { value: 2 }),
        Frames.notification("_test/note", {})
      )
      yield* peer.settle
      yield* connection.close()
      assert.sameMembers(finalized, [1, 2, "note"])
      yield* peer.find({ id: 1, error: { code: -32800 } })
      yield* peer.find({ id: 2, error: { code: -32800 } })
      yield* peer.find({ method: "_test/note" })
      yield* peer.find({ method: "_test/note" })
      yield* peer.expectEnd
    }))

  it.effect("Z2 a handler that does not end holds closing up to the bound only", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agent({
        flushBound: "5 seconds",
        handlers: Wire.handlers({
          run: () => Effect.uninterruptible(Effect.as(Effect.sleep("1 minute"), {})),
          note: () => Effect.uninterruptible(Effect.sleep("1 minute"))
        })
      })
      yield* peer.send(Frames.request(1, "_test/run"), Frames.notification("_test/note", {}))
      yield* peer.settle
      const closing = yield* Effect.forkChild(connection.close())
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(closing)
      yield* peer.expectEnd
      yield* TestClock.adjust("1 minute")
    }))

  it.effect("Z2 with a grace, what is in flight when the peer closes its side ends by itself and is answered", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agent({
        drainGrace: "2 seconds",
        handlers: (self) =>
          Wire.handlers({
            run: ({ value }) =>
              Effect.sleep(value as number).pipe(
                Effect.andThen(self((connection) => connection.notify(Wire.note, { value: "still at it" }))),
                Effect.orDie,
                Effect.as({ value })
              )
          })
      })
      yield* peer.send(
        Frames.request(1, "_test/run", { value: 1_000 }),
        Frames.request(2, "_test/run", { value: 9_000 })
      )
      yield* peer.close
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      yield* peer.expect({ method: "_test/note", params: { value: "still at it" } })
      yield* peer.expect({ id: 1, result: { value: 1_000 } })
      assert.strictEqual((yield* Effect.flip(connection.call(Wire.echo, {})))._tag, "ConnectionClosed")
      yield* TestClock.adjust("1 second")
      yield* peer.expect({ id: 2, error: { code: -32800 } })
      yield* peer.expectEnd
    }))

  it.effect("Z3 after the end no table holds anything and no fiber goes on, however it ended", () =>
    Effect.gen(function*() {
      const ends: ReadonlyArray<(subject: Wire.Subject) => Effect.Effect<void>> = [
        ({ peer }) => peer.close,
        ({ peer }) => peer.exit({ code: 1 }),
        ({ peer }) => peer.fail({ _tag: "TransportFailed", cause: "reset" }),
        ({ connection }) => connection.close()
      ]
      for (const end of ends) {
        let running = 0
        const counted = <A>(effect: Effect.Effect<A>) =>
          Effect.ensuring(
            Effect.andThen(
              Effect.sync(() => {
                running++
              }),
              effect
            ),
            Effect.sync(() => {
              running--
            })
          )
        const scope = yield* Scope.make()
        const subject = yield* Scope.provide(
          Wire.agent({
            handlers: Wire.handlers({ run: () => counted(Effect.never), note: () => counted(Effect.never) })
          }),
          scope
        )
        const { connection, peer } = subject
        const call = yield* Effect.forkChild(Effect.exit(connection.call(Wire.echo, {})))
        yield* peer.send(Frames.request(1, "_test/run"), Frames.notification("_test/note", { sessionId: "s1" }))
        yield* peer.settle
        assert.strictEqual(running, 2)
        const ending = yield* Effect.forkChild(Effect.andThen(end(subject), connection.closed))
        yield* peer.settle
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(ending)
        assert.isTrue(Exit.isFailure(yield* Fiber.join(call)))
        assert.deepStrictEqual(yield* connection.counts, nothing)
        assert.strictEqual(running, 0)
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(yield* connection.counts, nothing)
      }
    }))

  it.effect("Z1 closing the scope closes the connection", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Effect.scoped(Wire.client())
      assert.deepStrictEqual(yield* connection.closed, { _tag: "LocalClose" })
      yield* peer.expectEnd
    }))

  it.effect("Z1 a peer whose writer breaks is still heard to the end, and its reason is the one that stands", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const call = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      const { id } = yield* peer.expect({})
      yield* peer.breakReading
      yield* connection.notify(Wire.note, {})
      yield* peer.settle
      yield* peer.send(Frames.result(id as number, { value: "last words" }))
      yield* peer.exit({ code: 9 })
      assert.deepStrictEqual(yield* Fiber.join(call), { value: "last words" })
      assert.deepInclude(yield* connection.closed, { _tag: "ProcessExited", code: 9 })
    }))

  it.effect("Z1 a writer that breaks ends the connection with its cause when nothing else does", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      yield* peer.breakReading
      yield* connection.notify(Wire.note, {})
      const closed = yield* Effect.forkChild(connection.closed)
      yield* peer.settle
      yield* TestClock.adjust("2 seconds")
      yield* TestClock.adjust("2 seconds")
      const reason = yield* Fiber.join(closed)
      assert.strictEqual(reason._tag, "TransportFailed")
    }))
})
