import * as Connection from "@effect-acp/core/Connection"
import * as Raxol from "@effect-acp/core/extension/Raxol"
import * as MethodTable from "@effect-acp/core/MethodTable"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Schema } from "effect"
import * as Pair from "./support/pair.ts"

const steer = { sessionId: "s", text: "faster", expectedTurnId: "t1", clientMsgId: "m1" }

const load = { sessionId: "s", cwd: "/tmp", mcpServers: [] }

const record: Raxol.SessionRecordNotification = {
  sessionId: "s",
  offset: 1,
  kind: "session_created",
  payload: null,
  taint: "system",
  ts: 0
}

describe("raxol", () => {
  it.effect("J11 is answered with -32601 by an agent that does not serve it", () =>
    Effect.gen(function*() {
      const { client } = yield* Pair.make({})
      const raxol = Connection.peer(client.connection, Raxol.AgentMethods)
      assert.strictEqual((yield* Effect.flip(raxol.raxolSteerSession(steer)))._tag, "MethodNotFound")
      assert.strictEqual((yield* Effect.flip(raxol.raxolLoadSession(load)))._tag, "MethodNotFound")
    }))

  it.effect("is served like any method", () =>
    Effect.gen(function*() {
      const agent = Raxol.agentHandlers({
        raxolLoadSession: (request) =>
          Effect.succeed({
            _meta: { [Raxol.metaKey]: { highWatermark: 10 + (Raxol.attachmentOf(request)?.fromOffset ?? 0) } }
          }),
        raxolSteerSession: ({ clientMsgId, expectedTurnId }) =>
          Effect.succeed(
            expectedTurnId === "t1"
              ? { outcome: "accepted", turnId: "t2", offset: 3, clientMsgId }
              : { outcome: "stale", expectedTurnId, actualTurnId: "t1" }
          )
      })
      const { client } = yield* Pair.make({ agent })
      const raxol = Connection.peer(client.connection, Raxol.AgentMethods)
      assert.deepStrictEqual(yield* raxol.raxolSteerSession(steer), {
        outcome: "accepted",
        turnId: "t2",
        offset: 3,
        clientMsgId: "m1"
      })
      assert.deepStrictEqual(yield* raxol.raxolSteerSession({ ...steer, expectedTurnId: 0 }), {
        outcome: "stale",
        expectedTurnId: 0,
        actualTurnId: "t1"
      })
      const loaded = yield* raxol.raxolLoadSession({ ...load, _meta: { [Raxol.metaKey]: { fromOffset: 7 } } })
      assert.strictEqual(Raxol.highWatermarkOf(loaded), 17)
    }))

  it.effect("keeps the leniency of the schemas that it borrows from the protocol", () =>
    Effect.gen(function*() {
      const seen = yield* Deferred.make<unknown>()
      const handlers = Raxol.agentHandlers({
        raxolLoadSession: (request) => Effect.as(Deferred.succeed(seen, request), {})
      })
      const { agent, client } = yield* Pair.make({ agent: handlers })
      const careless = MethodTable.refine(Raxol.loadSession, { params: Schema.Record(Schema.String, Schema.Unknown) })
      yield* client.connection.call(careless, { ...load, mcpServers: null })
      assert.deepStrictEqual(yield* Deferred.await(seen), load)
      assert.deepInclude(agent.diagnostics[0], {
        _tag: "Fallback",
        method: "_raxol/session.load",
        kind: "default-on-null",
        path: "mcpServers"
      })
    }))

  it.effect("tells records to a client that wants them, and is ignored by one that does not", () =>
    Effect.gen(function*() {
      const seen = yield* Deferred.make<Raxol.SessionRecordNotification>()
      const wanting = yield* Pair.make({
        client: Raxol.clientHandlers({ raxolSessionRecord: (record) => Deferred.succeed(seen, record) })
      })
      yield* wanting.agent.connection.notify(Raxol.sessionRecord, record)
      assert.deepStrictEqual(yield* Deferred.await(seen), record)

      const barrier = Raxol.agentHandlers({ raxolSteerSession: () => Effect.succeed({ outcome: "no_live_turn" }) })
      const ignoring = yield* Pair.make({ client: Raxol.layerIgnore, agent: barrier })
      yield* ignoring.agent.connection.notify(Raxol.sessionRecord, record)
      yield* ignoring.client.connection.call(Raxol.steerSession, steer)
      assert.deepStrictEqual(ignoring.client.diagnostics, [])
      assert.deepStrictEqual(ignoring.frames.length, 3)
    }))
})

describe("raxol's metadata", () => {
  const rider = (raxol: unknown) => ({ _meta: { [Raxol.metaKey]: raxol } })

  it("says where to attach, and reads garbage in nobody's favour", () => {
    assert.isUndefined(Raxol.attachmentOf({}))
    assert.isUndefined(Raxol.attachmentOf({ _meta: null }))
    assert.isUndefined(Raxol.attachmentOf(rider("all")))
    assert.deepStrictEqual(Raxol.attachmentOf(rider({})), {
      fromOffset: 0,
      historyPolicy: "from_offset",
      capability: undefined
    })
    assert.deepStrictEqual(Raxol.attachmentOf(rider({ fromOffset: 4, historyPolicy: "tip", capability: "RXC1.a.b" })), {
      fromOffset: 4,
      historyPolicy: "tip",
      capability: "RXC1.a.b"
    })
    for (const fromOffset of [-1, 1.5, "3", null, Number.MAX_SAFE_INTEGER + 1]) {
      const capability = { not: "a text" }
      assert.deepStrictEqual(Raxol.attachmentOf(rider({ fromOffset, historyPolicy: "everything", capability })), {
        fromOffset: 0,
        historyPolicy: "from_offset",
        capability
      })
    }
  })

  it("says where an update stands", () => {
    assert.deepStrictEqual(Raxol.positionOf(rider({ offset: 6, taint: "agent", ts: "now" })), {
      offset: 6,
      taint: "agent",
      ts: "now"
    })
    assert.deepStrictEqual(Raxol.positionOf(rider({ offset: 6, taint: 1 })), { offset: 6 })
    assert.isUndefined(Raxol.positionOf(rider({ taint: "agent" })))
    assert.isUndefined(Raxol.highWatermarkOf(rider({ highWatermark: "10" })))
  })
})
