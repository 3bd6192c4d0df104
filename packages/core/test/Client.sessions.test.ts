import type * as AcpError from "@effect-acp/core/AcpError"
import * as SessionState from "@effect-acp/core/SessionState"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import * as UnstableMethods from "@effect-acp/core/unstable/AgentMethods"
import * as UnstableProtocol from "@effect-acp/core/unstable/Protocol"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope, Stream, SubscriptionRef } from "effect"
import * as Support from "./support/client.ts"

const { Frames, cwd } = Support

const commands = (name: string, sessionId = "s1") =>
  Support.update("available_commands_update", { availableCommands: [{ name, description: name }] }, sessionId)

const textsOf = (events: ReadonlyArray<TurnEvent.SessionEvent>) =>
  events.map(({ phase, update }) => `${phase}:${TurnEvent.messageText(update) ?? update.sessionUpdate}`)

/** Takes what a session's subscriber got, ended by the end of its scope. */
const collectUpdates = (stream: Stream.Stream<TurnEvent.SessionEvent, AcpError.BacklogExceeded>) =>
  Effect.forkChild(Stream.runCollect(stream), { startImmediately: true })

describe("sessions that are created", () => {
  it.effect("O7 updates before the answer that names the session are kept and come first", () =>
    Effect.gen(function*() {
      const subject = yield* Support.start()
      const opening = yield* Effect.forkChild(subject.client.newSession({ cwd }))
      const request = yield* subject.peer.expect({ method: "session/new" })
      yield* subject.peer.send(
        commands("early"),
        Frames.chunk("s1", "early"),
        Frames.result(request.id as number, { sessionId: "s1" }),
        Frames.chunk("s1", "late")
      )
      const session = yield* Fiber.join(opening)
      const state = yield* SubscriptionRef.get(session.state)
      assert.deepStrictEqual(state.commands.map(({ name }) => name), ["early"])
      yield* subject.peer.settle
      const collected = yield* Stream.runCollect(Stream.take(session.updates, 3))
      assert.deepStrictEqual(textsOf(collected), [
        "outside:available_commands_update",
        "outside:early",
        "outside:late"
      ])
    }))

  it.effect("O7 updates of another id that came during a creation are reported, not kept for a later session", () =>
    Effect.gen(function*() {
      const subject = yield* Support.start({ agentCapabilities: { loadSession: true } })
      const opening = yield* Effect.forkChild(subject.client.newSession({ cwd }))
      const request = yield* subject.peer.expect({ method: "session/new" })
      yield* subject.peer.send(Frames.chunk("ghost", "not yours"))
      yield* subject.peer.respond(request, { sessionId: "s1" })
      yield* Fiber.join(opening)
      assert.deepInclude(subject.diagnostics, {
        _tag: "UnknownSession",
        sessionId: "ghost",
        method: "session/update"
      })
      const loading = yield* Effect.forkChild(subject.client.loadSession({ cwd, sessionId: "ghost" }))
      const load = yield* subject.peer.expect({ method: "session/load" })
      yield* subject.peer.respond(load, {})
      const ghost = yield* Fiber.join(loading)
      assert.deepStrictEqual(ghost.history, [])
      assert.deepStrictEqual((yield* SubscriptionRef.get(ghost.state)).timeline, [])
    }))

  it.effect("O7 an update for an id that nobody creates is reported at once", () =>
    Effect.gen(function*() {
      const { diagnostics, peer } = yield* Support.start()
      yield* peer.send(Frames.chunk("ghost", "x"))
      yield* peer.settle
      assert.deepStrictEqual(diagnostics, [{ _tag: "UnknownSession", sessionId: "ghost", method: "session/update" }])
    }))

  it.effect("O7 a session that is forked keeps what is told of it before the answer", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({
        agentCapabilities: { sessionCapabilities: { fork: {} } },
        protocol: UnstableProtocol.v1
      })
      const forking = yield* Effect.forkChild(
        client.newSessionBy(UnstableMethods.forkSession, { cwd, sessionId: "original" })
      )
      const request = yield* peer.expect({ method: "session/fork", params: { sessionId: "original", cwd } })
      yield* peer.send(commands("early", "fork"), Frames.result(request.id as number, { sessionId: "fork" }))
      const session = yield* Fiber.join(forking)
      assert.strictEqual(session.sessionId, "fork")
      assert.deepStrictEqual((yield* SubscriptionRef.get(session.state)).commands.map(({ name }) => name), ["early"])
    }))

  it.effect("F039 the list of MCP servers is always written", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({
        agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } }
      })
      for (
        const [method, open] of [
          ["session/new", client.newSession({ cwd })],
          ["session/load", client.loadSession({ cwd, sessionId: "a" })],
          ["session/resume", client.resumeSession({ cwd, sessionId: "b" })]
        ] as const
      ) {
        const opening = yield* Effect.forkChild(open)
        const request = yield* peer.expect({ method, params: { cwd, mcpServers: [] } })
        yield* peer.respond(request, { sessionId: "s1" })
        yield* Fiber.join(opening)
      }
    }))

  it.effect("a creation that fails leaves nothing behind and can be tried again", () =>
    Effect.gen(function*() {
      const subject = yield* Support.start()
      const failing = yield* Effect.forkChild(Effect.exit(subject.client.newSession({ cwd })))
      const request = yield* subject.peer.expect({ method: "session/new" })
      yield* subject.peer.send(Frames.chunk("s1", "of the first try"))
      yield* subject.peer.respondError(request, -32603, "no")
      assert.isTrue(Exit.isFailure(yield* Fiber.join(failing)))
      const session = yield* Support.openSession(subject)
      assert.deepStrictEqual((yield* SubscriptionRef.get(session.state)).timeline, [])
      assert.strictEqual((yield* subject.client.connection.counts).pendingCalls, 0)
    }))

  it.effect("a creation that is interrupted is cancelled, and its answer opens nothing", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start()
      const opening = yield* Effect.forkChild(client.newSession({ cwd }))
      const request = yield* peer.expect({ method: "session/new" })
      yield* Fiber.interrupt(opening)
      yield* peer.expect({ method: "$/cancel_request", params: { requestId: request.id } })
      yield* peer.respond(request, { sessionId: "s1" })
      yield* peer.settle
      assert.strictEqual((yield* client.connection.counts).pendingCalls, 0)
      yield* peer.send(Frames.request("q", "session/request_permission", {
        sessionId: "s1",
        toolCall: { toolCallId: "t" },
        options: []
      }))
      yield* peer.expect({ id: "q", error: { code: -32002, data: { sessionId: "s1" } } })
    }))

  it.effect("a session whose user fails is closed, and another can be opened", () =>
    Effect.gen(function*() {
      const subject = yield* Support.start({ agentCapabilities: { sessionCapabilities: { close: {} } } })
      const using = yield* Effect.forkChild(
        Effect.exit(Effect.scoped(Effect.andThen(Support.openSession(subject), Effect.fail("user error"))))
      )
      const close = yield* subject.peer.find({ method: "session/close", params: { sessionId: "s1" } })
      yield* subject.peer.respond(close, {})
      assert.deepStrictEqual(yield* Fiber.join(using), Exit.fail("user error"))
      const second = yield* Support.openSession(subject, "s2")
      const closing = yield* Effect.forkChild(second.close)
      yield* subject.peer.respond(yield* subject.peer.expect({ params: { sessionId: "s2" } }), {})
      yield* Fiber.join(closing)
    }))
})

describe("sessions that are loaded", () => {
  const start = Support.start({ agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } } })

  it.effect("O8 what comes before the answer is marked as replay and kept apart; what comes after is live", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* start
      const loading = yield* Effect.forkChild(client.loadSession({ cwd, sessionId: "s1" }))
      const request = yield* peer.expect({ method: "session/load", params: { sessionId: "s1" } })
      yield* peer.send(
        Support.update("user_message_chunk", { content: { type: "text", text: "question" } }),
        Frames.chunk("s1", "old"),
        Frames.result(request.id as number, null),
        Frames.chunk("s1", "live")
      )
      const session = yield* Fiber.join(loading)
      assert.deepStrictEqual(textsOf(session.history), ["replay:user_message_chunk", "replay:old"])
      const live = yield* Stream.runCollect(Stream.take(session.updates, 1))
      assert.deepStrictEqual(textsOf(live), ["outside:live"])
    }))

  it.effect("F071 null, {} and an object with settings are answers to load", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* start
      const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] }
      for (const [sessionId, result] of [["a", null], ["b", {}], ["c", { modes }]] as const) {
        const loading = yield* Effect.forkChild(client.loadSession({ cwd, sessionId }))
        yield* peer.respond(yield* peer.expect({ method: "session/load" }), result)
        const session = yield* Fiber.join(loading)
        const state = yield* SubscriptionRef.get(session.state)
        assert.strictEqual(state.modes?.currentModeId, sessionId === "c" ? "ask" : undefined)
      }
    }))

  it.effect("O7 updates before the answer to resume are kept, and are no replay", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* start
      const resuming = yield* Effect.forkChild(client.resumeSession({ cwd, sessionId: "s1" }))
      const request = yield* peer.expect({ method: "session/resume" })
      yield* peer.send(commands("early"), Frames.result(request.id as number, {}))
      const session = yield* Fiber.join(resuming)
      assert.deepStrictEqual(session.history, [])
      const first = yield* Stream.runCollect(Stream.take(session.updates, 1))
      assert.deepStrictEqual(textsOf(first), ["outside:available_commands_update"])
    }))

  it.effect("a replay survives another session's set-up, and its failure", () =>
    Effect.gen(function*() {
      const subject = yield* start
      const { client, peer } = subject
      const loading = yield* Effect.forkChild(client.loadSession({ cwd, sessionId: "old" }))
      const load = yield* peer.expect({ method: "session/load" })
      yield* peer.send(Frames.chunk("old", "one"))
      yield* Support.openSession(subject, "new")
      yield* peer.send(Frames.chunk("old", "two"))
      const failing = yield* Effect.forkChild(Effect.exit(client.newSession({ cwd })))
      yield* peer.respondError(yield* peer.expect({ method: "session/new" }), -32603)
      yield* Fiber.join(failing)
      yield* peer.send(Frames.chunk("old", "three"), Frames.result(load.id as number, {}))
      const session = yield* Fiber.join(loading)
      assert.deepStrictEqual(textsOf(session.history), ["replay:one", "replay:two", "replay:three"])
    }))

  it.effect("F147 a session that the agent does not know is a typed failure, and loading it can be tried again", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* start
      const failing = yield* Effect.forkChild(Effect.flip(client.loadSession({ cwd, sessionId: "s1" })))
      const request = yield* peer.expect({ method: "session/load" })
      yield* peer.send(
        Frames.chunk("s1", "of the first try"),
        Frames.error(request.id as number, -32002, "Resource not found", { sessionId: "s1" })
      )
      const error = yield* Fiber.join(failing)
      assert.strictEqual(error._tag, "ResourceNotFound")
      const loading = yield* Effect.forkChild(client.loadSession({ cwd, sessionId: "s1" }))
      yield* peer.respond(yield* peer.expect({ method: "session/load" }), {})
      assert.deepStrictEqual((yield* Fiber.join(loading)).history, [])
    }))

  it.effect("a session is open once on a connection", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* start
      const loading = yield* Effect.forkChild(client.loadSession({ cwd, sessionId: "s1" }))
      const request = yield* peer.expect({ method: "session/load" })
      assert.strictEqual((yield* Effect.flip(client.resumeSession({ cwd, sessionId: "s1" })))._tag, "SessionInUse")
      yield* peer.respond(request, {})
      const session = yield* Fiber.join(loading)
      assert.strictEqual((yield* Effect.flip(client.loadSession({ cwd, sessionId: "s1" })))._tag, "SessionInUse")
      yield* session.close
      const again = yield* Effect.forkChild(client.loadSession({ cwd, sessionId: "s1" }))
      yield* peer.respond(yield* peer.expect({ method: "session/load" }), {})
      yield* Fiber.join(again)
    }))

  it.effect("a huge replay is there whole, in order, and beyond the backlog it is a failure, not a part", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({
        agentCapabilities: { loadSession: true },
        backlogUpdates: 5_000
      })
      const replay = (count: number) =>
        Effect.gen(function*() {
          const loading = yield* Effect.forkChild(Effect.exit(Effect.scoped(
            Effect.map(client.loadSession({ cwd, sessionId: "s1" }), ({ history }) => history)
          )))
          const request = yield* peer.expect({ method: "session/load" })
          yield* peer.send(
            ...Array.from({ length: count }, (_, index) => Frames.chunk("s1", String(index))),
            Frames.result(request.id as number, {})
          )
          return yield* Fiber.join(loading)
        })
      const whole = yield* Effect.flatten(replay(5_000))
      assert.deepStrictEqual(textsOf(whole), whole.map((_, index) => `replay:${index}`))
      assert.strictEqual(whole.length, 5_000)
      const partial = yield* Effect.flip(Effect.flatten(replay(5_001)))
      assert.strictEqual(partial._tag, "BacklogExceeded")
    }))
})

describe("sessions that are listed, closed and deleted", () => {
  const capabilities = { sessionCapabilities: { list: {}, close: {}, delete: {} } }

  it.effect("a list is read page by page, only as far as it is taken, and to its end", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({ agentCapabilities: capabilities })
      const page = (ids: ReadonlyArray<string>, nextCursor?: string | null) => ({
        sessions: ids.map((sessionId) => ({ sessionId, cwd })),
        nextCursor
      })
      const some = yield* Effect.forkChild(Stream.runCollect(Stream.take(client.listSessions({ cwd }), 2)))
      yield* peer.respond(
        yield* peer.expect({ method: "session/list", params: { cwd, cursor: undefined } }),
        page(["a", "b"], "2")
      )
      assert.deepStrictEqual((yield* Fiber.join(some)).map(({ sessionId }) => sessionId), ["a", "b"])
      yield* peer.expectNothing

      const all = yield* Effect.forkChild(Stream.runCollect(client.listSessions()))
      yield* peer.respond(yield* peer.expect({ params: { cwd: undefined } }), page(["a"], "2"))
      yield* peer.respond(yield* peer.expect({ params: { cursor: "2" } }), page([], "3"))
      yield* peer.respond(yield* peer.expect({ params: { cursor: "3" } }), page(["b"], null))
      assert.deepStrictEqual((yield* Fiber.join(all)).map(({ sessionId }) => sessionId), ["a", "b"])
    }))

  it.effect("F046 a malformed entry of a list is left out with a diagnostic, the others stay", () =>
    Effect.gen(function*() {
      const { client, diagnostics, peer } = yield* Support.start({ agentCapabilities: capabilities })
      const listing = yield* Effect.forkChild(Stream.runCollect(client.listSessions()))
      yield* peer.respond(yield* peer.expect({ method: "session/list" }), {
        sessions: [{ sessionId: "a", cwd }, { id: "b", cwd }, { sessionId: "c", cwd, updatedAt: 1712000000 }],
        nextCursor: null
      })
      const sessions = yield* Fiber.join(listing)
      assert.deepStrictEqual(sessions.map(({ sessionId }) => sessionId), ["a", "c"])
      assert.isUndefined(sessions[1].updatedAt)
      assert.strictEqual(diagnostics.filter(({ _tag }) => _tag === "Fallback").length, 2)
    }))

  it.effect("F150 a handle of a closed session fails locally", () =>
    Effect.gen(function*() {
      const subject = yield* Support.withSession()
      const { peer, session } = subject
      const updates = yield* collectUpdates(session.updates)
      yield* session.close
      const uses: ReadonlyArray<Effect.Effect<void, AcpError.AcpError>> = [
        Stream.runDrain(session.prompt("x")),
        session.setMode("code"),
        session.setConfigOption("a", true)
      ]
      for (const use of uses) {
        assert.strictEqual((yield* Effect.flip(use))._tag, "SessionDetached")
      }
      assert.deepStrictEqual(yield* Fiber.join(updates), [])
      yield* session.cancel
      yield* session.close
      yield* peer.expectNothing
    }))

  it.effect("F148 closing cancels the running turn, then tells the agent, once", () =>
    Effect.gen(function*() {
      const subject = yield* Support.start({ agentCapabilities: capabilities })
      const scope = yield* Scope.make()
      const session = yield* Scope.provide(Support.openSession(subject), scope)
      const { peer } = subject
      const turn = yield* Effect.forkChild(TurnEvent.runText(session.prompt("long")))
      const prompt = yield* peer.expect({ method: "session/prompt" })
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* peer.expect({ method: "session/cancel" })
      yield* peer.respond(prompt, { stopReason: "cancelled" })
      const close = yield* peer.expect({ method: "session/close", params: { sessionId: "s1" } })
      yield* peer.respond(close, {})
      yield* Fiber.join(closing)
      assert.strictEqual((yield* Fiber.join(turn)).response.stopReason, "cancelled")
      yield* session.close
      yield* peer.expectNothing
    }))

  it.effect("deleting or closing by id detaches the handle that is open here", () =>
    Effect.gen(function*() {
      const subject = yield* Support.start({ agentCapabilities: capabilities })
      for (const method of ["session/close", "session/delete"] as const) {
        const session = yield* Support.openSession(subject, method)
        const end = method === "session/close" ? subject.client.closeSession : subject.client.deleteSession
        const ending = yield* Effect.forkChild(end(method))
        yield* subject.peer.respond(yield* subject.peer.expect({ method, params: { sessionId: method } }), {})
        yield* Fiber.join(ending)
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(session.prompt("x"))))._tag, "SessionDetached")
      }
      yield* subject.peer.expectNothing
    }))

  it.effect("sessions of two clients with the same id do not disturb one another", () =>
    Effect.gen(function*() {
      const left = yield* Support.withSession()
      const right = yield* Support.withSession()
      yield* left.peer.send(Frames.chunk("s1", "left"))
      yield* left.peer.settle
      yield* left.session.close
      const turn = yield* Effect.forkChild(TurnEvent.runText(right.session.prompt("x")))
      const prompt = yield* right.peer.expect({ method: "session/prompt" })
      yield* right.peer.send(Frames.chunk("s1", "right"), Frames.result(prompt.id as number, Support.endTurn))
      assert.strictEqual((yield* Fiber.join(turn)).text, "right")
      const { timeline } = yield* SubscriptionRef.get(left.session.state)
      assert.deepStrictEqual(timeline.map((entry) => entry._tag === "Message" && SessionState.messageText(entry)), [
        "left"
      ])
    }))

  it.effect("G4 what the agent did not advertise is refused before anything is written, by its capability", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({ agentCapabilities: { loadSession: false } })
      const missing = Effect.fnUntraced(function*(call: Effect.Effect<unknown, AcpError.SetupError, Scope.Scope>) {
        const error = yield* Effect.flip(call)
        return error._tag === "CapabilityMissing" ? error.capability : error._tag
      })
      assert.strictEqual(yield* missing(client.loadSession({ cwd, sessionId: "a" })), "loadSession")
      assert.strictEqual(yield* missing(client.resumeSession({ cwd, sessionId: "a" })), "sessionCapabilities.resume")
      assert.strictEqual(yield* missing(Stream.runDrain(client.listSessions())), "sessionCapabilities.list")
      assert.strictEqual(yield* missing(client.closeSession("a")), "sessionCapabilities.close")
      assert.strictEqual(yield* missing(client.deleteSession("a")), "sessionCapabilities.delete")
      assert.strictEqual(yield* missing(client.logout), "auth.logout")
      assert.strictEqual(
        yield* missing(client.newSession({ cwd, additionalDirectories: ["/other"] })),
        "sessionCapabilities.additionalDirectories"
      )
      assert.strictEqual(
        yield* missing(client.newSession({
          cwd,
          mcpServers: [{ type: "http", name: "h", url: "https://x", headers: [] }]
        })),
        "mcpCapabilities.http"
      )
      yield* peer.expectNothing
    }))
})
