import * as Content from "@effect-acp/core/schema/Content"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream, SubscriptionRef } from "effect"
import * as Support from "./support/client.ts"

const { Frames, cancelledTurn, endTurn, run, textOf } = Support

describe("turns", () => {
  it.effect("a prompt is sent when it is run, each time, and never before", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const turn = session.prompt("hi")
      yield* peer.expectNothing
      for (let index = 0; index < 2; index++) {
        const running = yield* Effect.forkChild(TurnEvent.runText(turn))
        const request = yield* peer.expect({
          method: "session/prompt",
          params: { sessionId: "s1", prompt: [{ type: "text", text: "hi" }] }
        })
        yield* peer.send(
          Frames.chunk("s1", "a"),
          Support.update("agent_thought_chunk", { content: { type: "text", text: "no" } }),
          Frames.chunk("s1", "b")
        )
        yield* peer.respond(request, endTurn)
        assert.deepStrictEqual(yield* Fiber.join(running), { text: "ab", response: { stopReason: "end_turn" } })
      }
    }))

  it.effect("O1 O2 F069 every update is delivered in order, once, before the end, for two sessions at a time", () =>
    Effect.gen(function*() {
      const subject = yield* Support.withSession()
      const { peer } = subject
      const sessions = [subject.session, yield* Support.openSession(subject, "s2")]
      const turns = []
      const requests = []
      for (const session of sessions) {
        turns.push(yield* run(session.prompt("go")))
        requests.push(yield* peer.expect({ method: "session/prompt" }))
      }
      const numbers = Array.from({ length: 200 }, (_, index) => String(index))
      yield* peer.send(
        ...numbers.flatMap((number) => [Frames.chunk("s1", number), Frames.chunk("s2", number)]),
        ...requests.map(({ id }) => Frames.result(id as number, endTurn))
      )
      for (const turn of turns) {
        const { updates } = yield* Effect.fromResult(yield* Fiber.join(turn))
        assert.deepStrictEqual(textOf(updates), numbers)
      }
    }))

  it.effect("O4 F067 an update after the response is outside the turn, and does not reach the next", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const first = yield* run(session.prompt("1"))
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(
        Frames.chunk("s1", "in"),
        Frames.result(request.id as number, endTurn),
        Support.update("tool_call_update", { toolCallId: "t", status: "completed" })
      )
      assert.deepStrictEqual(textOf((yield* Effect.fromResult(yield* Fiber.join(first))).updates), ["in"])
      const second = yield* run(session.prompt("2"))
      yield* peer.respond(yield* peer.expect({ method: "session/prompt" }), endTurn)
      assert.deepStrictEqual((yield* Effect.fromResult(yield* Fiber.join(second))).updates, [])
      const [late] = yield* Stream.runCollect(Stream.take(session.updates, 1))
      assert.strictEqual(late.phase, "outside")
      assert.strictEqual(late.update.sessionUpdate, "tool_call_update")
    }))

  it.effect("O5 metadata reaches the consumer as it came", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const events = yield* Effect.forkChild(Stream.runCollect(session.prompt("x")))
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(Frames.chunk("s1", "a", { "a.b/c": [1, null] }), Frames.result(request.id as number, endTurn))
      const [update] = yield* Fiber.join(events)
      assert.deepStrictEqual(update._tag === "Update" && update.meta, { "a.b/c": [1, null] })
    }))

  it.effect("O6 a turn that nobody takes fails beyond the backlog, is cancelled, and the session goes on", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ backlogUpdates: 10 })
      const cancelled = yield* Deferred.make<void>()
      const pull = yield* Effect.forkChild(
        Effect.flip(Stream.runForEach(session.prompt("x"), () => Deferred.await(cancelled)))
      )
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(...Array.from({ length: 50 }, () => Frames.chunk("s1", "x")))
      yield* peer.expect({ method: "session/cancel" })
      yield* peer.respond(request, cancelledTurn)
      yield* Deferred.succeed(cancelled, undefined)
      assert.strictEqual((yield* Fiber.join(pull))._tag, "BacklogExceeded")
      const next = yield* run(session.prompt("y"))
      yield* peer.respond(yield* peer.expect({ method: "session/prompt" }), endTurn)
      yield* Effect.fromResult(yield* Fiber.join(next))
    }))

  it.effect("O9 subscribers see every update once, with its place", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const subscribers = []
      for (let index = 0; index < 2; index++) {
        subscribers.push(
          yield* Effect.forkChild(Stream.runCollect(Stream.take(session.updates, 2)), { startImmediately: true })
        )
      }
      const turn = yield* run(session.prompt("x"))
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(Frames.chunk("s1", "1"), Frames.result(request.id as number, endTurn), Frames.chunk("s1", "2"))
      yield* Fiber.join(turn)
      for (const subscriber of subscribers) {
        const events = yield* Fiber.join(subscriber)
        assert.deepStrictEqual(events.map(({ phase, update }) => [phase, TurnEvent.messageText(update)]), [
          ["turn", "1"],
          ["outside", "2"]
        ])
      }
    }))

  it.effect("O10 F035 an update that does not decode is reported and skipped, one of an unknown kind is delivered raw", () =>
    Effect.gen(function*() {
      const { diagnostics, peer, session } = yield* Support.withSession()
      const turn = yield* run(session.prompt("x"))
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(
        Frames.chunk("s1", "1"),
        Support.update("agent_message_chunk", { content: 5 }),
        Support.update("brand_new_update", { foo: 1 }),
        Frames.chunk("s1", "2"),
        Frames.result(request.id as number, endTurn)
      )
      const { updates } = yield* Effect.fromResult(yield* Fiber.join(turn))
      assert.deepStrictEqual(textOf(updates), ["1", "unknown", "2"])
      const unknown = updates[1]
      assert.deepStrictEqual(unknown.sessionUpdate === "unknown" && unknown.raw, {
        sessionUpdate: "brand_new_update",
        foo: 1
      })
      assert.isTrue(diagnostics.some(({ _tag }) => _tag === "InvalidNotification"))
    }))

  it.effect("F037 a stop reason that does not exist is a typed failure, never an end", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const turn = yield* Effect.forkChild(Effect.flip(TurnEvent.runText(session.prompt("go"))))
      yield* peer.respond(yield* peer.expect({ method: "session/prompt" }), {
        stopReason: "error",
        transcriptPath: "/x"
      })
      const error = yield* Fiber.join(turn)
      assert.deepStrictEqual(error._tag === "DecodeError" && error.received, {
        stopReason: "error",
        transcriptPath: "/x"
      })
      assert.strictEqual((yield* SubscriptionRef.get(session.state)).lastStop, "failed")
    }))

  it.effect("F038 every stop reason arrives as what it is", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      for (const stopReason of ["max_tokens", "max_turn_requests", "refusal", "end_turn"]) {
        const turn = yield* Effect.forkChild(TurnEvent.runText(session.prompt("go")))
        yield* peer.respond(yield* peer.expect({ method: "session/prompt" }), { stopReason })
        assert.strictEqual((yield* Fiber.join(turn)).response.stopReason, stopReason)
      }
    }))

  it.effect("F062 F158 a prompt that fails is not sent again", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      for (const [code, tag] of [[-32000, "AuthRequired"], [-32603, "InternalError"]] as const) {
        const turn = yield* Effect.forkChild(Effect.flip(TurnEvent.runText(session.prompt("go"))))
        yield* peer.respondError(yield* peer.expect({ method: "session/prompt" }), code, "Server error")
        assert.strictEqual((yield* Fiber.join(turn))._tag, tag)
        yield* peer.expectNothing
      }
    }))

  it.effect("G4 content that the agent did not advertise is refused before anything is written", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({
        agentCapabilities: { promptCapabilities: { image: true } }
      })
      const audio = Content.audio({ data: "", mimeType: "audio/wav" })
      const error = yield* Effect.flip(Stream.runDrain(session.prompt([Content.text("x"), audio])))
      assert.strictEqual(error._tag === "CapabilityMissing" && error.capability, "promptCapabilities.audio")
      yield* peer.expectNothing
      const turn = yield* run(session.prompt([Content.text("x"), Content.image({ data: "", mimeType: "image/png" })]))
      yield* peer.respond(yield* peer.expect({ method: "session/prompt" }), endTurn)
      yield* Effect.fromResult(yield* Fiber.join(turn))
    }))

  it.effect("prompts of one session queue up, one at a time on the wire", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const turns = []
      for (const text of ["1", "2", "3"]) turns.push(yield* run(session.prompt(text)))
      yield* peer.settle
      for (const text of ["1", "2", "3"]) {
        const request = yield* peer.expect({ method: "session/prompt", params: { prompt: [{ text }] } })
        yield* peer.expectNothing
        yield* peer.send(Frames.chunk("s1", `answer ${text}`), Frames.result(request.id as number, endTurn))
        const { updates } = yield* Effect.fromResult(yield* Fiber.join(turns.shift()!))
        assert.deepStrictEqual(textOf(updates), [`answer ${text}`])
      }
    }))

  it.effect("with overlap reject a second prompt fails as busy, and the session is free again afterwards", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ overlap: "reject" })
      const first = yield* run(session.prompt("1"))
      const request = yield* peer.expect({ method: "session/prompt" })
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(session.prompt("2"))))._tag, "SessionBusy")
      yield* peer.respond(request, endTurn)
      yield* Fiber.join(first)
      const third = yield* run(session.prompt("3"))
      yield* peer.respond(yield* peer.expect({ method: "session/prompt" }), endTurn)
      yield* Effect.fromResult(yield* Fiber.join(third))
    }))

  it.effect("K11 F089 the agent's end in mid-turn is one typed failure with its reason, for every turn and later call", () =>
    Effect.gen(function*() {
      const { client, peer, session } = yield* Support.withSession()
      const turn = yield* run(session.prompt("1"))
      const updates = yield* Effect.forkChild(Stream.runCollect(session.updates), { startImmediately: true })
      yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(Frames.chunk("s1", "partial"))
      yield* peer.settle
      yield* peer.exit({ code: 3, stderr: "segfault" })
      const failed = yield* Effect.flip(Effect.fromResult(yield* Fiber.join(turn)))
      assert.include(failed.message, "segfault")
      const later = yield* Effect.flip(Stream.runDrain(session.prompt("2")))
      assert.strictEqual(later._tag === "ConnectionClosed" && later.reason._tag, "ProcessExited")
      assert.strictEqual((yield* Effect.flip(Effect.scoped(client.newSession({ cwd: "/" }))))._tag, "ConnectionClosed")
      assert.strictEqual((yield* Fiber.join(updates)).length, 1)
    }))
})
