import * as AcpError from "@effect-acp/core/AcpError"
import type * as Connection from "@effect-acp/core/Connection"
import * as Metrics from "@effect-acp/core/Metrics"
import * as Transport from "@effect-acp/core/Transport"
import { Recording } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Metric, Option, Tracer } from "effect"
import * as Turns from "./support/turns.ts"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

const makeTracer = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span(options) {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const named = (name: string) => {
    const span = spans.find((span) => span.name === name)
    if (span === undefined) throw new Error(`No span ${name} among ${spans.map(({ name }) => name).join(", ")}`)
    return span
  }
  return { spans, named, provide: Effect.provideService(Tracer.Tracer, tracer) }
}

const metaOf = (frame: Wire.Frames.Json) => (frame.params as { readonly _meta?: Wire.Frames.Json } | undefined)?._meta

describe("to be seen", () => {
  it.effect("V1 a call is a span with session and outcome, and the peer learns of the trace", () =>
    Effect.gen(function*() {
      const { named, provide } = makeTracer()
      const { connection, peer } = yield* Wire.client()
      const call = (value: string) =>
        Effect.forkChild(
          provide(Effect.withSpan(connection.call(Wire.echo, { sessionId: "s1", value, _meta: { mine: 1 } }), "outer"))
        )
      const answered = yield* call("a")
      const request = yield* peer.expect({ method: "_test/echo", params: { value: "a" } })
      const span = named("_test/echo")
      assert.deepStrictEqual(metaOf(request), { mine: 1, traceparent: `00-${span.traceId}-${span.spanId}-01` })
      assert.strictEqual(span.kind, "client")
      assert.strictEqual(Option.getOrUndefined(span.parent)?.spanId, named("outer").spanId)
      yield* peer.respond(request, {})
      yield* Fiber.join(answered)
      assert.strictEqual(span.status._tag, "Ended")
      assert.deepInclude(Object.fromEntries(span.attributes), {
        "rpc.system": "jsonrpc",
        "rpc.method": "_test/echo",
        "acp.session.id": "s1",
        "acp.outcome": "success"
      })
    }))

  it.effect("V1 the outcome of a call is its error, or that it was cancelled", () =>
    Effect.gen(function*() {
      const { provide, spans } = makeTracer()
      const { connection, peer } = yield* Wire.client()
      const start = Effect.forkChild(Effect.exit(provide(connection.call(Wire.count, { from: 1 }))))
      const failed = yield* start
      yield* peer.respondError(yield* peer.expect({}), -32002)
      const garbled = yield* start
      yield* peer.respond(yield* peer.expect({}), { count: "x" })
      yield* Fiber.join(failed)
      yield* Fiber.join(garbled)
      const cancelled = yield* start
      yield* peer.expect({})
      yield* Fiber.interrupt(cancelled)
      yield* start
      yield* peer.expect({ method: "$/cancel_request" })
      yield* peer.expect({})
      yield* peer.close
      yield* connection.closed
      assert.deepStrictEqual(spans.map((span) => span.attributes.get("acp.outcome")), [
        "ResourceNotFound",
        "DecodeError",
        "cancelled",
        "ConnectionClosed"
      ])
      assert.isTrue(spans.every((span) => span.status._tag === "Ended"))
    }))

  it.effect("V1 a handler is a span that continues the peer's trace, and its own calls continue it", () =>
    Effect.gen(function*() {
      const { named, provide } = makeTracer()
      const { peer } = yield* provide(Wire.agent({
        handlers: (self) =>
          Wire.handlers({
            run: () => Effect.orDie(self((connection) => connection.call(Wire.echo, {}))),
            note: () => Effect.void
          })
      }))
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      yield* peer.send(Frames.request(1, "_test/run", { sessionId: "s1", _meta: { traceparent } }))
      const inner = yield* peer.expect({ method: "_test/echo" })
      yield* peer.respond(inner, {})
      yield* peer.expect({ id: 1 })
      const span = named("_test/run")
      assert.strictEqual(span.kind, "server")
      assert.strictEqual(span.traceId, "0af7651916cd43dd8448eb211c80319c")
      assert.strictEqual(Option.getOrUndefined(span.parent)?.spanId, "b7ad6b7169203331")
      assert.deepInclude(Object.fromEntries(span.attributes), { "acp.session.id": "s1", "acp.outcome": "success" })
      assert.include(String(metaOf(inner)?.traceparent), span.traceId)
      assert.strictEqual(Option.getOrUndefined(named("_test/echo").parent)?.spanId, span.spanId)
      yield* peer.send(Frames.notification("_test/note", { _meta: { traceparent } }))
      yield* peer.settle
      assert.strictEqual(named("_test/note").traceId, span.traceId)
    }))

  it.effect("V1 a traceparent that is none starts a trace of its own, and one that the caller set stays", () =>
    Effect.gen(function*() {
      const { named, provide } = makeTracer()
      const { connection, peer } = yield* provide(
        Wire.agent({ handlers: Wire.handlers({ run: () => Effect.fail(failure) }) })
      )
      yield* peer.send(Frames.request(1, "_test/run", { _meta: { traceparent: "nonsense" } }))
      yield* peer.expect({ id: 1, error: {} })
      assert.isTrue(Option.isNone(named("_test/run").parent))
      assert.strictEqual(named("_test/run").attributes.get("acp.outcome"), "InternalError")
      yield* Effect.forkChild(provide(connection.call(Wire.echo, { _meta: { traceparent: "mine" } })))
      assert.deepStrictEqual(metaOf(yield* peer.expect({ method: "_test/echo" })), { traceparent: "mine" })
    }))

  it.effect("V1 a turn is a span with its session and stop reason", () =>
    Effect.gen(function*() {
      const { named, provide } = makeTracer()
      const { peer, session } = yield* Turns.session()
      const turn = yield* provide(Turns.runTurn(session.prompt("go")))
      yield* peer.send(Turns.endTurn(yield* peer.expect({ method: "session/prompt" }), "refusal"))
      yield* Fiber.join(turn)
      assert.deepInclude(Object.fromEntries(named("session/prompt").attributes), {
        "acp.session.id": "s1",
        "acp.outcome": "refusal"
      })
    }))

  it.effect("V1 without a tracer nothing is added to what is sent", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client()
      yield* Effect.forkChild(Effect.withSpan(connection.call(Wire.echo, {}), "unseen"))
      assert.deepStrictEqual((yield* peer.expect({})).params, {})
    }))

  it.effect("V2 frames, bytes, calls, requests and everything noticed are counted", () =>
    Effect.gen(function*() {
      const registry = yield* Metric.MetricRegistry
      assert.strictEqual(registry.size, 0)
      const { connection, peer } = yield* Wire.agent({
        maxInFlight: 1,
        handlers: Wire.handlers({ run: () => Effect.never, echo: (params) => Effect.succeed(params) }),
        allow: ["Noise", "ShedRequest"]
      })
      yield* peer.send(
        Frames.request(1, "_test/run"),
        Frames.request(2, "_test/run"),
        "noise",
        Frames.notification("_x/y")
      )
      const call = yield* Effect.forkChild(connection.call(Wire.echo, {}))
      const { id } = yield* peer.find({ method: "_test/echo" })
      assert.strictEqual((yield* Metric.value(Metrics.callsInFlight)).value, 1)
      assert.strictEqual((yield* Metric.value(Metrics.requestsInFlight)).value, 1)
      yield* Fiber.interrupt(call)
      yield* peer.send(
        Frames.result(id as number, {}),
        Frames.result("other", {}),
        Frames.notification("$/cancel_request", { requestId: 1 })
      )
      yield* peer.find({ id: 1 })
      const counted = (kind: string) =>
        Effect.map(Metric.value(Metric.withAttributes(Metrics.diagnostics, { kind })), ({ count }) => count)
      assert.deepStrictEqual(
        yield* Effect.forEach(
          ["Noise", "ShedRequest", "UnknownNotification", "LateResponse", "OrphanResponse"],
          counted
        ),
        [1, 1, 1, 1, 1]
      )
      assert.strictEqual((yield* Metric.value(Metrics.callsInFlight)).value, 0)
      assert.strictEqual((yield* Metric.value(Metrics.requestsInFlight)).value, 0)
      const lines = yield* peer.lines
      const out = { direction: "out" }
      assert.strictEqual((yield* Metric.value(Metric.withAttributes(Metrics.frames, out))).count, lines.length)
      assert.strictEqual((yield* Metric.value(Metric.withAttributes(Metrics.bytes, out))).count, lines.join("").length)
      assert.strictEqual((yield* Metric.value(Metric.withAttributes(Metrics.frames, { direction: "in" }))).count, 8)
      const duration = yield* Metric.value(Metric.withAttributes(Metrics.requestDuration, { method: "initialize" }))
      assert.strictEqual(duration.count, 1)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

  it.effect("V2 delivery decisions and the duration of turns are counted", () =>
    Effect.gen(function*() {
      const counted = (decision: string) =>
        Effect.map(Metric.value(Metric.withAttributes(Metrics.deliveries, { decision })), ({ count }) => count)
      const decisions = Effect.forEach(["turn", "held"], counted)
      const measured = Effect.map(
        Metric.value(Metric.withAttributes(Metrics.callDuration, { method: "session/prompt" })),
        ({ count }) => count
      )
      const [turnBefore, heldBefore] = yield* decisions
      const before = yield* measured
      const { peer, session } = yield* Turns.session()
      const turn = yield* Turns.runTurn(session.prompt("go"))
      const prompt = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(
        Frames.chunk("s1", "1"),
        Frames.chunk("s1", "2"),
        Turns.endTurn(prompt),
        Frames.chunk("s1", "late")
      )
      yield* Fiber.join(turn)
      yield* peer.settle
      assert.deepStrictEqual(yield* decisions, [turnBefore + 2, heldBefore + 1])
      assert.strictEqual(yield* measured, before + 1)
    }))

  it.effect("V3 a tap sees every frame each way, with time and direction", () =>
    Effect.gen(function*() {
      const peer = yield* Wire.ScriptedPeer.make
      const seen: Array<Transport.Tapped> = []
      const transport = Transport.tap(peer.transport, (frame) =>
        Effect.sync(() => {
          seen.push(frame)
        }))
      yield* Wire.agent({
        peer: { ...peer, layer: Layer.succeed(Transport.Transport, transport) },
        handlers: Wire.echoHandler,
        allow: ["Noise"]
      })
      yield* peer.send(Frames.request(1, "_test/echo", { value: "π" }), "noise")
      yield* peer.find({ error: {} })
      assert.deepStrictEqual(seen.map(({ direction, noise }) => noise ?? direction), [
        "in",
        "out",
        "in",
        "NotJson",
        "out",
        "out"
      ])
      assert.deepStrictEqual(
        seen.filter(({ direction }) => direction === "out").map(({ text }) => text),
        [...(yield* peer.lines)]
      )
      assert.deepStrictEqual(JSON.parse(seen[2].text), Frames.request(1, "_test/echo", { value: "π" }))
      assert.isTrue(seen.every(({ at }) => at === 0))
    }))

  it.effect("V3 a recording is written, read, and replayed as a transport", () =>
    Effect.gen(function*() {
      const drive = (connection: Connection.Connection) =>
        Effect.gen(function*() {
          const first = yield* connection.call(Wire.echo, { value: 1 })
          const second = yield* Effect.flip(connection.call(Wire.echo, { value: 2 }))
          return [first, second._tag]
        })
      const peer = yield* Wire.ScriptedPeer.make
      const recorder = yield* Recording.record(peer.transport)
      const live = yield* Wire.client({ peer: { ...peer, layer: recorder.layer } })
      const driving = yield* Effect.forkChild(drive(live.connection))
      yield* peer.send("noise of the start")
      yield* peer.respond(yield* peer.expect({}), { value: "one" })
      yield* peer.respondError(yield* peer.expect({}), -32000)
      const expected = yield* Fiber.join(driving)
      yield* live.sentinel.allow("Noise")
      const recording = yield* Recording.parse(Recording.stringify(yield* recorder.recording))
      assert.deepStrictEqual(recording, yield* recorder.recording)

      const again = yield* Recording.record(Recording.replay(recording))
      const replayed = yield* Wire.client({ peer: { ...peer, layer: again.layer }, allow: ["Noise"] })
      assert.deepStrictEqual(yield* drive(replayed.connection), expected)
      assert.deepStrictEqual(yield* replayed.connection.closed, { _tag: "PeerClosed" })
      assert.deepStrictEqual(yield* again.recording, recording)
      assert.strictEqual((yield* Effect.flip(Recording.parse("nonsense\n")))._tag, "RecordingError")
    }))

  it.effect("V3 a layer is tapped as well", () =>
    Effect.gen(function*() {
      let seen = 0
      const peer = yield* Wire.ScriptedPeer.make
      const layer = Transport.layerTap(peer.layer, () =>
        Effect.sync(() => {
          seen++
        }))
      const transport = Context.get(yield* Layer.build(layer), Transport.Transport)
      yield* Wire.agent({ peer: { ...peer, layer: Layer.succeed(Transport.Transport, transport) } })
      assert.strictEqual(seen, 2)
    }))
})

const failure = new AcpError.InternalError({})
