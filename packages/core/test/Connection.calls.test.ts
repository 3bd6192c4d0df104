import * as AcpError from "@effect-acp/core/AcpError"
import * as AgentMethods from "@effect-acp/core/AgentMethods"
import * as InboundRequest from "@effect-acp/core/InboundRequest"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

/** How a call can end, in any order of any number of calls. */
const history = Schema.Array(Schema.Literals(["answer", "error", "interrupt", "timeout", "garbled"]))

describe("calls", () => {
  it.effect.prop(
    "C1 every call ends through one door and leaves nothing in any table",
    [history, Schema.Boolean],
    ([fates, closes]) =>
      Effect.gen(function*() {
        const { connection, peer } = yield* Wire.client()
        const calls = yield* Effect.forEach(fates, (fate, value) => {
          const call = connection.call(Wire.count, { from: value })
          return Effect.forkChild(fate === "timeout" ? Effect.timeout(call, "1 second") : call)
        })
        const unanswered = yield* Effect.forkChild(connection.call(Wire.count, { from: -1 }))
        const requests = yield* Effect.forEach([...fates, "last"], () => peer.expect({ method: "_test/count" }))
        assert.strictEqual((yield* connection.counts).pendingCalls, fates.length + 1)
        for (const [index, fate] of [...fates.entries()].toReversed()) {
          const id = requests[index].id as number
          if (fate === "answer") yield* peer.send(Frames.result(id, { count: index }))
          if (fate === "error") yield* peer.send(Frames.error(id, -32002))
          if (fate === "garbled") yield* peer.send(Frames.result(id, { count: "x" }))
          if (fate === "interrupt") yield* Fiber.interrupt(calls[index])
        }
        yield* TestClock.adjust("1 second")
        for (const [index, fate] of fates.entries()) {
          const exit = yield* Fiber.await(calls[index])
          assert.strictEqual(doorOf(exit), fate)
        }
        assert.strictEqual((yield* connection.counts).pendingCalls, 1)
        yield* closes ? peer.close : connection.close()
        assert.strictEqual(doorOf(yield* Fiber.await(unanswered)), "end")
        assert.deepStrictEqual(yield* connection.counts, {
          pendingCalls: 0,
          inFlight: 0,
          held: 0,
          lanes: 0,
          unwritten: 0
        })
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 40 } }
  )

  it.effect("C1 answers find their calls in any order", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const first = yield* Effect.forkChild(connection.call(Wire.echo, { value: 1 }))
      const second = yield* Effect.forkChild(connection.call(Wire.echo, { value: 2 }))
      const one = yield* peer.expect({ method: "_test/echo", params: { value: 1 } })
      const two = yield* peer.expect({ method: "_test/echo", params: { value: 2 } })
      assert.notStrictEqual(one.id, two.id)
      yield* peer.respond(two, { value: "two" })
      yield* peer.respond(one, { value: "one" })
      assert.deepStrictEqual(yield* Fiber.join(first), { value: "one" })
      assert.deepStrictEqual(yield* Fiber.join(second), { value: "two" })
    }))

  it.effect("C2 the end of the connection fails every pending and every later call with one error and its cause", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const pending = yield* Effect.forEach(
        [1, 2],
        (value) => Effect.forkChild(Effect.flip(connection.call(Wire.echo, { value })))
      )
      yield* peer.expect({})
      yield* peer.exit({ code: 3, stderr: "no such model: gpt-0\n" })
      const errors = yield* Effect.forEach(pending, Fiber.join)
      const later = yield* Effect.flip(connection.call(Wire.echo, {}))
      const notified = yield* Effect.andThen(connection.closed, Effect.flip(connection.notify(Wire.note, {})))
      for (const error of [...errors, later, notified]) {
        assert.instanceOf(error, AcpError.ConnectionClosed)
        assert.include(error.message, "exited with code 3")
        assert.include(error.message, "no such model: gpt-0")
      }
      assert.strictEqual((yield* connection.closed)._tag, "ProcessExited")
    }))

  it.effect("C2 each way to end is told from the others", () =>
    Effect.gen(function*() {
      const ends: ReadonlyArray<
        readonly [AcpError.CloseReason["_tag"], (subject: Wire.Subject) => Effect.Effect<void>]
      > = [
        ["PeerClosed", ({ peer }) => peer.close],
        ["LocalClose", ({ connection }) => connection.close()],
        ["TransportFailed", ({ peer }) => peer.fail({ _tag: "TransportFailed", cause: new Error("ECONNRESET") })],
        ["ProcessExited", ({ peer }) => peer.exit({ signal: "SIGKILL" })]
      ]
      for (const [tag, end] of ends) {
        const subject = yield* Wire.client()
        const call = yield* Effect.forkChild(Effect.flip(subject.connection.call(Wire.echo, {})))
        yield* subject.peer.expect({})
        yield* end(subject)
        const error = yield* Fiber.join(call)
        assert.isTrue(error._tag === "ConnectionClosed" && error.reason._tag === tag, tag)
        assert.strictEqual((yield* subject.connection.closed)._tag, tag)
      }
    }))

  it.effect("C2 callers that wait for room to write are failed by the end as well", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ outgoingBudget: 1_000 })
      yield* peer.pauseReading
      const value = "x".repeat(2_000)
      const calls = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(Effect.flip(connection.call(Wire.echo, { value }))))
      yield* peer.settle
      assert.strictEqual((yield* connection.counts).pendingCalls, 1)
      yield* peer.exit({ code: 0 })
      for (const call of calls) {
        assert.strictEqual((yield* Fiber.join(call))._tag, "ConnectionClosed")
      }
      yield* TestClock.adjust("10 seconds")
    }))

  it.effect("C2 a caller that waits for room learns of the end before the grace for handlers is over", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agent({
        outgoingBudget: 100,
        drainGrace: "1 minute",
        handlers: Wire.handlers({ run: () => Effect.never })
      })
      yield* peer.send(Frames.request(1, "_test/run"))
      yield* peer.pauseReading
      yield* connection.notify(Wire.note, { value: "x".repeat(500) })
      const call = yield* Effect.forkChild(Effect.flip(connection.call(Wire.echo, {})))
      yield* peer.settle
      yield* peer.close
      assert.strictEqual((yield* Fiber.join(call))._tag, "ConnectionClosed")
      yield* peer.resumeReading
      yield* TestClock.adjust("1 minute")
      yield* connection.closed
    }))

  it.effect("C2 an answer before the end is an answer, with or without its newline", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const call = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      const { id } = yield* peer.expect({})
      yield* peer.sendRaw(JSON.stringify(Frames.result(id as number, { value: "last words" })))
      yield* peer.close
      assert.deepStrictEqual(yield* Fiber.join(call), { value: "last words" })
    }))

  it.effect("C3 the peer's error is typed by its code and keeps message, data, method and id", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const tags: Record<number, string> = {
        [-32700]: "ParseError",
        [-32600]: "InvalidRequest",
        [-32601]: "MethodNotFound",
        [-32602]: "InvalidParams",
        [-32603]: "InternalError",
        [-32800]: "RequestCancelled",
        [-32000]: "AuthRequired",
        [-32002]: "ResourceNotFound",
        [-31999]: "OtherError",
        [1.5]: "OtherError"
      }
      for (const [code, tag] of Object.entries(tags)) {
        const call = yield* Effect.forkChild(Effect.flip(connection.call(Wire.echo, {})))
        const { id } = yield* peer.expect({})
        yield* peer.send(Frames.error(id as number, Number(code), "because", { retry: false }))
        const error = yield* Fiber.join(call)
        assert.strictEqual(error._tag, tag)
        assert.deepInclude(error, {
          code: Number(code),
          message: "because",
          data: { retry: false },
          method: "_test/echo",
          requestId: id as number
        })
        const text = AcpError.format(error)
        for (const part of ["_test/echo", code, "because", "retry"]) assert.include(text, part)
      }
    }))

  it.effect("C3 an error can be caught by its tag", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const call = yield* Effect.forkChild(
        connection.call(Wire.echo, {}).pipe(
          Effect.as("answered"),
          Effect.catchTag("AuthRequired", ({ message }) => Effect.succeed(message))
        )
      )
      const request = yield* peer.expect({})
      yield* peer.respondError(request, -32000, "log in first")
      assert.strictEqual(yield* Fiber.join(call), "log in first")
    }))

  it.effect("C3 an error of a wrong shape still fails its call", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      for (const error of ["text", 5, {}, { code: "x" }, { code: -32601 }, [1]]) {
        const call = yield* Effect.forkChild(Effect.exit(connection.call(Wire.echo, {})))
        const { id } = yield* peer.expect({})
        yield* peer.send({ jsonrpc: "2.0", id, error })
        assert.strictEqual(doorOf(yield* Fiber.join(call)), "error")
      }
    }))

  it.effect("C4 a result that does not fit fails its caller, with the place and what was received; the connection lives", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const received = { count: "many" }
      const call = yield* Effect.forkChild(Effect.flip(connection.call(Wire.count, { from: 1 })))
      yield* peer.respond(yield* peer.expect({}), received)
      const error = yield* Fiber.join(call)
      assert.instanceOf(error, AcpError.DecodeError)
      assert.deepStrictEqual(error.received, received)
      assert.include(error.message, "_test/count")
      assert.include(error.message, "count")
      const again = yield* Effect.forkChild(connection.call(Wire.count, { from: 2 }))
      yield* peer.respond(yield* peer.expect({}), { count: 3 })
      assert.deepStrictEqual(yield* Fiber.join(again), { count: 3 })
    }))

  it.effect("C4 a result nested beyond what can be decoded costs one call only", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
      const call = yield* Effect.forkChild(
        Effect.exit(connection.call(AgentMethods.newSession, { cwd: "/w", mcpServers: [] }))
      )
      const { id } = yield* peer.expect({})
      yield* peer.send(`{"jsonrpc":"2.0","id":${id as number},"result":{"sessionId":"s1","_meta":{"deep":${deep}}}}`)
      yield* Fiber.join(call)
      const next = yield* Effect.forkChild(connection.call(Wire.count, { from: 2 }))
      yield* peer.respond(yield* peer.expect({}), { count: 3 })
      assert.deepStrictEqual(yield* Fiber.join(next), { count: 3 })
    }))

  it.effect("C5 params that do not encode fail their caller only: no id is used and nothing is written", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const cycle: Record<string, unknown> = {}
      cycle.self = cycle
      const before = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      const { id } = yield* peer.expect({})
      for (const value of [1n, cycle, { deep: [1n] }]) {
        assert.strictEqual((yield* Effect.flip(connection.call(Wire.echo, { value })))._tag, "EncodeError")
        assert.strictEqual((yield* Effect.flip(connection.call(Wire.echo, { _meta: value })))._tag, "EncodeError")
        assert.strictEqual((yield* Effect.flip(connection.notify(Wire.note, { value })))._tag, "EncodeError")
      }
      const error = yield* Effect.flip(connection.call(Wire.count, { from: "x" as unknown as number }))
      assert.strictEqual(error._tag, "EncodeError")
      assert.include(error.message, "from")
      yield* peer.expectNothing
      const after = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      assert.strictEqual((yield* peer.expect({})).id, (id as number) + 1)
      yield* Fiber.interruptAll([before, after])
    }))

  it.effect("C6 a result that does not encode is answered -32603, and the connection lives", () =>
    Effect.gen(function*() {
      const { peer, sentinel } = yield* Wire.agent({
        allow: ["HandlerFailed"],
        handlers: Wire.handlers({
          count: ({ from }) => Effect.succeed({ count: from === 0 ? "secret" as unknown as number : from }),
          run: () => Effect.succeed({ value: { secret: 1n } })
        })
      })
      yield* peer.send(Frames.request(1, "_test/count", { from: 0 }))
      assert.deepStrictEqual((yield* peer.expect({ id: 1 })).error, { code: -32603, message: "Internal error" })
      yield* peer.send(Frames.request(2, "_test/run"))
      assert.deepStrictEqual((yield* peer.expect({ id: 2 })).error, { code: -32603, message: "Internal error" })
      yield* peer.send(Frames.request(3, "_test/count", { from: 3 }))
      yield* peer.expect({ id: 3, result: { count: 3 } })
      assert.strictEqual((yield* sentinel.of("HandlerFailed")).length, 2)
    }))

  it.effect("C7 a typed failure crosses as it is; a defect crosses without its message, its stack or any secret", () =>
    Effect.gen(function*() {
      const secret = "sk-1234567890"
      const failures: Record<string, Effect.Effect<never, AcpError.RequestError>> = {
        typed: Effect.fail(new AcpError.ResourceNotFound({ message: "no such file", data: { path: "/x" } })),
        other: Effect.fail(new AcpError.OtherError({ code: 77, message: "mine" })),
        defect: Effect.die(new Error(`token ${secret} refused`)),
        value: Effect.die({ secret }),
        untyped: Effect.fail(new Error(secret) as unknown as AcpError.RequestError),
        interrupted: Effect.interrupt
      }
      const { peer, sentinel } = yield* Wire.agent({
        allow: ["HandlerFailed"],
        handlers: Wire.handlers({ run: ({ value }) => failures[value as string] ?? Effect.succeed({ value: "fine" }) })
      })
      yield* peer.send(Frames.request(0, "_test/run", { value: "typed" }))
      assert.deepStrictEqual((yield* peer.expect({ id: 0 })).error, {
        code: -32002,
        message: "no such file",
        data: { path: "/x" }
      })
      yield* peer.send(Frames.request(0, "_test/run", { value: "other" }))
      assert.deepStrictEqual((yield* peer.expect({ id: 0 })).error, { code: 77, message: "mine" })
      for (const value of ["defect", "value", "untyped", "interrupted"]) {
        yield* peer.send(Frames.request(value, "_test/run", { value }))
        assert.deepStrictEqual((yield* peer.expect({ id: value })).error, { code: -32603, message: "Internal error" })
      }
      yield* peer.send(Frames.request(1, "_test/run", { value: "ok" }))
      yield* peer.expect({ id: 1, result: { value: "fine" } })
      assert.notInclude((yield* peer.lines).join(""), secret)
      assert.notInclude(JSON.stringify(yield* sentinel.seen), secret)
    }))

  it.effect("C8 handlers call the peer from inside a handler, to any depth", () =>
    Effect.gen(function*() {
      const depth = 400
      const onward = (level: number): Effect.Effect<{ readonly value?: unknown }, AcpError.RequestError> =>
        Effect.mapError(
          connection.call(Wire.run, { value: level + 1 }),
          (error) => AcpError.isRequestError(error) ? error : new AcpError.InternalError({})
        )
      const { connection, peer } = yield* Wire.agent({
        handlers: Wire.handlers({ run: ({ value }) => onward(value as number) })
      })
      yield* peer.send(Frames.request("in-0", "_test/run", { value: 0 }))
      const calls: Array<Wire.Frames.Json> = []
      for (let level = 0; level < depth; level++) {
        const call = yield* peer.expect({ method: "_test/run", params: { value: level + 1 } })
        calls.push(call)
        if (level < depth - 1) yield* peer.send(Frames.request(`in-${level + 1}`, "_test/run", { value: level + 1 }))
      }
      for (const call of calls.toReversed()) yield* peer.respond(call, { value: "deep" })
      for (let level = 0; level < depth; level++) yield* peer.find({ id: `in-${level}`, result: { value: "deep" } })
    }))

  it.effect("C9 a handler answers later, and its fiber may end before", () =>
    Effect.gen(function*() {
      const later = yield* Effect.scope
      const replies: Array<Deferred.Deferred<{ readonly value?: unknown }, AcpError.RequestError>> = []
      const { connection, peer } = yield* Wire.agent({
        handlers: Wire.handlers({
          run: () =>
            Effect.tap(InboundRequest.makeDeferred<{ readonly value?: unknown }>(later), (reply) =>
              Effect.sync(() => {
                replies.push(reply)
              }))
        })
      })
      yield* peer.send(...[1, 2, 3, 4].map((id) => Frames.request(id, "_test/run")))
      yield* peer.expectNothing
      assert.strictEqual((yield* connection.counts).inFlight, 4)
      yield* Deferred.succeed(replies[1], { value: "later" })
      yield* peer.expect({ id: 2, result: { value: "later" } })
      yield* Deferred.fail(replies[2], new AcpError.AuthRequired({}))
      yield* peer.expect({ id: 3, error: { code: -32000 } })
      yield* peer.send(Frames.notification("$/cancel_request", { requestId: 1 }))
      yield* peer.expect({ id: 1, error: { code: -32800 } })
      yield* Deferred.succeed(replies[0], { value: "too late" })
      yield* Deferred.interrupt(replies[3])
      yield* peer.expect({ id: 4, error: { code: -32603 } })
      yield* peer.expectNothing
      assert.strictEqual((yield* connection.counts).inFlight, 0)
    }))

  it.effect("C9 an answer whose scope closes is given up, and answered -32603", () =>
    Effect.gen(function*() {
      const job = yield* Scope.make()
      const { peer } = yield* Wire.agent({
        handlers: Wire.handlers({ run: () => InboundRequest.makeDeferred<{ readonly value?: unknown }>(job) })
      })
      yield* peer.send(Frames.request(1, "_test/run"))
      yield* peer.expectNothing
      yield* Scope.close(job, Exit.void)
      yield* peer.expect({ id: 1, error: { code: -32603, message: "Internal error" } })
      yield* peer.expectNothing
    }))

  it.effect("C10 one request more than may be in flight is answered at once, and may be sent again", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { connection, peer, sentinel } = yield* Wire.agent({
        maxInFlight: 2,
        allow: ["ShedRequest"],
        handlers: Wire.handlers({ run: (params) => Effect.as(Deferred.await(gate), params) })
      })
      yield* peer.send(...[1, 2, 3].map((id) => Frames.request(id, "_test/run", { value: id })))
      yield* peer.expect({ id: 3, error: { code: -32603, message: "Server busy" } })
      yield* peer.expectNothing
      assert.strictEqual((yield* connection.counts).inFlight, 2)
      assert.deepStrictEqual(yield* sentinel.of("ShedRequest"), [{ _tag: "ShedRequest", method: "_test/run", id: 3 }])
      yield* Deferred.succeed(gate, undefined)
      yield* peer.expect({ id: 1 })
      yield* peer.expect({ id: 2 })
      yield* peer.send(Frames.request(3, "_test/run", { value: 3 }))
      yield* peer.expect({ id: 3, result: { value: 3 } })
    }))

  it.effect("C10 the bound is 1,000 by default", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agent({
        handlers: Wire.handlers({ run: () => Effect.never }),
        allow: ["ShedRequest"]
      })
      yield* peer.send(...Array.from({ length: 1_001 }, (_, id) => Frames.request(id, "_test/run")))
      yield* peer.expect({ id: 1_000, error: { message: "Server busy" } })
      assert.strictEqual((yield* connection.counts).inFlight, 1_000)
    }))

  it.effect("C11 no call has a time limit of its own", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      const call = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      const request = yield* peer.expect({})
      yield* TestClock.adjust("365 days")
      yield* peer.respond(request, { value: "at last" })
      assert.deepStrictEqual(yield* Fiber.join(call), { value: "at last" })
    }))
})

const doorOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string => {
  if (Exit.isSuccess(exit)) return "answer"
  const error = Exit.findErrorOption(exit)
  if (error._tag === "None") return "interrupt"
  const doors: Record<string, string> = { ConnectionClosed: "end", DecodeError: "garbled", TimeoutError: "timeout" }
  return doors[error.value._tag] ?? "error"
}
