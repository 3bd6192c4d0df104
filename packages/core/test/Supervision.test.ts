import type * as AcpError from "@effect-acp/core/AcpError"
import * as Permission from "@effect-acp/core/Permission"
import * as Supervision from "@effect-acp/core/Supervision"
import * as Transport from "@effect-acp/core/Transport"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import { ScriptedPeer } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Support from "./support/client.ts"

const { Frames, cwd } = Support

/** A client whose every start has another agent, each in the test's hands. */
const start = Effect.fnUntraced(function*(
  agentCapabilities: Support.Frames.Json,
  options: Partial<Supervision.Options> = {}
) {
  const started = yield* Queue.unbounded<ScriptedPeer.ScriptedPeer>()
  const released: Array<ScriptedPeer.ScriptedPeer> = []
  const transport = Layer.effect(Transport.Transport)(Effect.gen(function*() {
    const peer = yield* ScriptedPeer.make
    yield* Queue.offer(started, peer)
    yield* Effect.addFinalizer(() => Effect.sync(() => released.push(peer)))
    return peer.transport
  }))
  const clientInfo = { name: "client-under-test", version: "1.0.0" }
  const building = yield* Effect.forkChild(
    Supervision.layer(transport, { clientInfo, ...options }).pipe(
      Layer.provide(Permission.layerDeny),
      Layer.build,
      Effect.map(Context.get(Supervision.SupervisedClient))
    )
  )
  const accept = Effect.gen(function*() {
    const peer = yield* Queue.take(started)
    yield* peer.acceptInitialize(agentCapabilities)
    return peer
  })
  const peer = yield* accept
  const client = yield* Fiber.join(building)
  const restarts: Array<Supervision.Restart> = []
  yield* Effect.forkScoped(
    Stream.runForEach(client.restarts, (restart) => Effect.sync(() => restarts.push(restart))),
    { startImmediately: true }
  )
  return { client, peer, accept, started, released, restarts }
})

const openSession = Effect.fnUntraced(function*(
  client: Supervision.SupervisedClient["Service"],
  peer: ScriptedPeer.ScriptedPeer,
  sessionId: string
) {
  const opening = yield* Effect.forkChild(client.newSession({ cwd, mcpServers: [] }))
  yield* peer.respond(yield* peer.expect({ method: "session/new" }), { sessionId })
  return yield* Fiber.join(opening)
})

describe("a supervised client", () => {
  it.effect("K14 says how the agent ended, starts another, loads its sessions, and sends no prompt again", () =>
    Effect.gen(function*() {
      const { accept, client, peer, released, restarts } = yield* start({ loadSession: true })
      const session = yield* openSession(client, peer, "s1")
      const turn = yield* Effect.forkChild(Effect.flip(TurnEvent.runText(session.prompt("work"))))
      yield* peer.expect({ method: "session/prompt" })
      yield* peer.exit({ code: 139, stderr: "segmentation fault" })
      const failed = yield* Fiber.join(turn)
      assert.strictEqual(failed._tag === "ConnectionClosed" && failed.reason._tag, "ProcessExited")
      assert.include(failed.message, "segmentation fault")

      const waiting = yield* Effect.forkChild(session.current)
      yield* peer.settle
      yield* TestClock.adjust("200 millis")
      const second = yield* accept
      assert.deepStrictEqual(released, [peer])
      const load = yield* second.expect({ method: "session/load", params: { sessionId: "s1", cwd, mcpServers: [] } })
      assert.isUndefined(waiting.pollUnsafe())
      yield* second.send(Frames.chunk("s1", "what I remember"), Frames.result(load.id as number, null))
      const current = yield* Fiber.join(waiting)
      assert.deepStrictEqual(current.history.map(({ update }) => TurnEvent.messageText(update)), ["what I remember"])
      yield* second.expectNothing
      assert.strictEqual(restarts[0].reason._tag, "ProcessExited")
      assert.deepStrictEqual(restarts[0].sessions, [{ sessionId: "s1", outcome: "loaded" }])

      const next = yield* Effect.forkChild(TurnEvent.runText(session.prompt("go on")))
      yield* second.respond(yield* second.expect({ method: "session/prompt" }), Support.endTurn)
      yield* Fiber.join(next)
    }))

  it.effect("resumes with an agent that cannot load, and loses what it does not know", () =>
    Effect.gen(function*() {
      const { accept, client, peer, restarts } = yield* start({ sessionCapabilities: { resume: {} } })
      const kept = yield* openSession(client, peer, "kept")
      const gone = yield* openSession(client, peer, "gone")
      yield* peer.close
      yield* peer.settle
      yield* TestClock.adjust("200 millis")
      const second = yield* accept
      yield* second.respond(yield* second.expect({ method: "session/resume", params: { sessionId: "kept" } }), {})
      yield* second.respondError(yield* second.expect({ method: "session/resume" }), -32002)
      yield* kept.current
      const lost = yield* Effect.flip(gone.current)
      assert.deepInclude(lost, { _tag: "SessionLost", sessionId: "gone" })
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(gone.prompt("x"))))._tag, "SessionLost")
      yield* second.settle
      assert.deepStrictEqual(restarts[0].sessions, [
        { sessionId: "kept", outcome: "resumed" },
        { sessionId: "gone", outcome: "lost" }
      ])
    }))

  it.effect("an agent that can neither load nor resume loses its sessions without being asked", () =>
    Effect.gen(function*() {
      const { accept, client, peer, restarts } = yield* start({})
      const session = yield* openSession(client, peer, "s1")
      yield* peer.close
      yield* peer.settle
      yield* TestClock.adjust("200 millis")
      const second = yield* accept
      const lost = yield* Effect.flip(session.current)
      yield* second.settle
      assert.strictEqual(lost._tag === "SessionLost" && (lost.cause as AcpError.AcpError)._tag, "CapabilityMissing")
      yield* second.expectNothing
      assert.deepStrictEqual(restarts[0].sessions, [{ sessionId: "s1", outcome: "lost" }])
      yield* openSession(client, second, "s2")
    }))

  it.effect("waits longer before each restart in a row, and gives up in the end, for everybody", () =>
    Effect.gen(function*() {
      const { accept, client, peer, started } = yield* start({ loadSession: true }, { maxRestarts: 3 })
      const session = yield* openSession(client, peer, "s1")
      let last = peer
      for (const delay of [200, 400, 800]) {
        yield* last.exit({ code: 1, stderr: "again" })
        yield* last.settle
        yield* TestClock.adjust(delay - 1)
        assert.strictEqual(yield* Queue.size(started), 0)
        yield* TestClock.adjust(1)
        last = yield* accept
      }
      yield* last.exit({ code: 1, stderr: "the last time" })
      yield* last.settle
      for (const use of [client.client, session.current, Effect.scoped(client.newSession({ cwd }))]) {
        const lost: AcpError.AcpError = yield* Effect.flip(use as Effect.Effect<unknown, AcpError.AcpError>)
        assert.deepInclude(lost, { _tag: "AgentLost", restarts: 3 })
        assert.include(lost.message, "the last time")
      }
    }))

  it.effect("a start that fails counts, and an agent that has run for long begins a new row", () =>
    Effect.gen(function*() {
      const { accept, client, peer, started } = yield* start({}, { maxRestarts: 2, stableAfter: "1 hour" })
      yield* peer.close
      yield* peer.settle
      yield* TestClock.adjust("200 millis")
      const broken = yield* Queue.take(started)
      yield* broken.respondError(yield* broken.expect({ method: "initialize" }), -32603)
      yield* broken.settle
      yield* TestClock.adjust("400 millis")
      const third = yield* accept
      yield* client.client
      yield* TestClock.adjust("1 hour")
      yield* third.close
      yield* third.settle
      yield* TestClock.adjust("200 millis")
      yield* accept
      yield* client.client
    }))

  it.effect("a session whose scope is closed is not opened again", () =>
    Effect.gen(function*() {
      const { accept, client, peer, restarts } = yield* start({ loadSession: true })
      yield* Effect.scoped(openSession(client, peer, "s1"))
      yield* peer.close
      yield* peer.settle
      yield* TestClock.adjust("200 millis")
      const second = yield* accept
      yield* second.expectNothing
      assert.deepStrictEqual(restarts[0].sessions, [])
    }))

  it.effect("a first agent that cannot be started fails the layer", () =>
    Effect.gen(function*() {
      const failed = yield* Supervision.layer(
        Layer.effect(Transport.Transport)(Effect.fail("no such command")),
        { clientInfo: { name: "c", version: "1" } }
      ).pipe(Layer.provide(Permission.layerDeny), Layer.build, Effect.flip)
      assert.strictEqual(failed, "no such command")
    }))
})
