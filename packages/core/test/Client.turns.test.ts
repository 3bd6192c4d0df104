import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import * as Content from "@effect-acp/core/schema/Content"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Stream, SubscriptionRef } from "effect"
import { TestClock } from "effect/testing"
import * as Support from "./support/client.ts"

const { Frames, endTurn } = Support

const cancelledTurn = { stopReason: "cancelled" }

const run = (turn: Stream.Stream<TurnEvent.TurnEvent, any>) =>
  Effect.forkChild(Effect.result(TurnEvent.runCollect(turn)), { startImmediately: true })

const textOf = (updates: ReadonlyArray<Parameters<typeof TurnEvent.messageText>[0]>) =>
  updates.map((update) => TurnEvent.messageText(update) ?? update.sessionUpdate)

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
      yield* peer.respond(yield* peer.expect({ method: "session/prompt" }), { stopReason: "error", transcriptPath: "/x" })
      const error = yield* Fiber.join(turn)
      assert.deepStrictEqual(error._tag === "DecodeError" && error.received, { stopReason: "error", transcriptPath: "/x" })
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
      const { peer, session } = yield* Support.withSession({ agentCapabilities: { promptCapabilities: { image: true } } })
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

describe("cancelling", () => {
  it.effect("interrupting a turn cancels it and waits for the agent's word", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const turn = yield* run(session.prompt("x"))
      const request = yield* peer.expect({ method: "session/prompt" })
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(turn))
      yield* peer.expect({ method: "session/cancel", params: { sessionId: "s1" } })
      yield* peer.settle
      assert.isUndefined(interrupting.pollUnsafe())
      assert.strictEqual((yield* SubscriptionRef.get(session.state)).activity, "cancelling")
      yield* peer.respond(request, cancelledTurn)
      yield* Fiber.join(interrupting)
      yield* peer.expectNothing
    }))

  it.effect("leaving a turn early cancels it", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const turn = yield* Effect.forkChild(Stream.runCollect(Stream.take(session.prompt("x"), 1)))
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(Frames.chunk("s1", "1"))
      yield* peer.expect({ method: "session/cancel" })
      yield* peer.respond(request, cancelledTurn)
      assert.strictEqual((yield* Fiber.join(turn)).length, 1)
    }))

  it.effect("cancel leaves the turn to the end that the agent gives it, updates included, and is sent once", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const turn = yield* run(session.prompt("x"))
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* Effect.andThen(session.cancel, session.cancel)
      yield* peer.expect({ method: "session/cancel" })
      yield* peer.expectNothing
      yield* peer.send(Frames.chunk("s1", "bye"), Frames.result(request.id as number, cancelledTurn))
      const { response, updates } = yield* Effect.fromResult(yield* Fiber.join(turn))
      assert.deepStrictEqual(textOf(updates), ["bye"])
      assert.strictEqual(response.stopReason, "cancelled")
      yield* session.cancel
      yield* peer.expectNothing
      yield* TestClock.adjust("1 minute")
    }))

  it.effect("X9 an agent that does not end a cancelled turn fails it after the grace, and its late word reaches nothing else", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ cancelGrace: "5 seconds" })
      const turn = yield* run(session.prompt("1"))
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* session.cancel
      yield* peer.expect({ method: "session/cancel" })
      yield* TestClock.adjust("5 seconds")
      const failed = yield* Effect.flip(Effect.fromResult(yield* Fiber.join(turn)))
      assert.deepInclude(failed, { _tag: "CancelTimeout", sessionId: "s1", millis: 5_000 })

      const next = yield* run(session.prompt("2"))
      const second = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(
        Frames.chunk("s1", "late"),
        Frames.result(request.id as number, cancelledTurn),
        Frames.chunk("s1", "mine"),
        Frames.result(second.id as number, endTurn)
      )
      const { updates } = yield* Effect.fromResult(yield* Fiber.join(next))
      assert.deepStrictEqual(textOf(updates), ["mine"])
      const [late] = yield* Stream.runCollect(Stream.take(session.updates, 1))
      assert.deepStrictEqual([late.phase, TurnEvent.messageText(late.update)], ["outside", "late"])
    }))

  it.effect("X9 interrupting a turn of an agent that does not answer takes no longer than the grace", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ cancelGrace: "5 seconds" })
      const turn = yield* run(session.prompt("1"))
      yield* peer.expect({ method: "session/prompt" })
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(turn))
      yield* peer.expect({ method: "session/cancel" })
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(interrupting)
    }))

  it.effect("X9 an agent that forgets a cancelled turn keeps the session usable", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({
        cancelGrace: "5 seconds",
        services: Permission.layerAllowOnce
      })
      const forgotten = yield* run(session.prompt("1"))
      yield* peer.expect({ method: "session/prompt" })
      yield* session.cancel
      yield* peer.expect({ method: "session/cancel" })
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(forgotten)
      for (const text of ["2", "3"]) {
        const turn = yield* run(session.prompt(text))
        const request = yield* peer.expect({ method: "session/prompt" })
        yield* peer.send(Frames.chunk("s1", text), Frames.result(request.id as number, endTurn))
        const { updates } = yield* Effect.fromResult(yield* Fiber.join(turn))
        // Until the agent has answered something later, what it says may belong to the turn that it never ended.
        assert.deepStrictEqual(textOf(updates), text === "3" ? ["3"] : [])
      }
    }))

  it.effect("a queued prompt that is interrupted is never sent", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const first = yield* run(session.prompt("1"))
      const request = yield* peer.expect({ method: "session/prompt" })
      const second = yield* run(session.prompt("2"))
      yield* Fiber.interrupt(second)
      yield* peer.respond(request, endTurn)
      yield* Fiber.join(first)
      yield* peer.expectNothing
    }))
})

describe("bounds", () => {
  const pending = Effect.gen(function*() {
    const subject = yield* Support.withSession({ cancelGrace: "1 second" })
    return { ...subject, turn: TurnEvent.noProgress(subject.session.prompt("x"), "1 minute") }
  })

  it.effect("a turn that makes no progress is cancelled and fails; the time starts again with every event", () =>
    Effect.gen(function*() {
      const { peer, turn } = yield* pending
      const running = yield* run(turn)
      yield* peer.expect({ method: "session/prompt" })
      for (let index = 0; index < 3; index++) {
        yield* TestClock.adjust("59 seconds")
        yield* peer.send(Frames.chunk("s1", "still here"))
        yield* peer.settle
      }
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust("1 minute")
      yield* peer.expect({ method: "session/cancel" })
      yield* TestClock.adjust("1 second")
      const failed = yield* Effect.flip(Effect.fromResult(yield* Fiber.join(running)))
      assert.deepInclude(failed, { _tag: "NoProgress", millis: 60_000 })
    }))

  it.live("F114 what waits to be read when the machine wakes up counts as progress", () =>
    Effect.gen(function*() {
      const end: TurnEvent.TurnEvent = { _tag: "End", response: { stopReason: "end_turn" } }
      const asleep = Effect.callback<void>((resume) => {
        setTimeout(() => {
          const wakeUp = performance.now() + 50
          while (performance.now() < wakeUp);
          // The timer of the bound is due before the event loop has looked at the pipe.
          setImmediate(() => setImmediate(() => resume(Effect.void)))
        })
      })
      const turn = Stream.fromEffect(Effect.as(asleep, end))
      const { response } = yield* TurnEvent.runCollect(TurnEvent.noProgress(turn, "20 millis"))
      assert.strictEqual(response.stopReason, "end_turn")
    }))

  it.effect("the time that the user takes to answer does not count where it is said so", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ services: Permission.layer(() => Effect.never) })
      const running = yield* run(session.prompt("x").pipe(
        TurnEvent.noProgress("1 minute", { except: session.isAsking })
      ))
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(Frames.request("q", "session/request_permission", {
        sessionId: "s1",
        toolCall: { toolCallId: "t" },
        options: []
      }))
      yield* peer.settle
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(running.pollUnsafe())
      yield* peer.respond(request, endTurn)
      yield* Effect.fromResult(yield* Fiber.join(running))
    }))

  it.effect("setting a session up has a bound where one is set", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start()
      const opening = yield* Effect.forkChild(
        Effect.flip(Effect.scoped(Client.setupWithin(client.newSession({ cwd: "/" }), "1 minute")))
      )
      const request = yield* peer.expect({ method: "session/new" })
      yield* TestClock.adjust("1 minute")
      yield* peer.expect({ method: "$/cancel_request", params: { requestId: request.id } })
      assert.deepInclude(yield* Fiber.join(opening), { _tag: "SetupTimeout", millis: 60_000 })
    }))
})

describe("modes and config options", () => {
  const setup = {
    modes: { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }, { id: "code", name: "Code" }] },
    configOptions: [
      {
        id: "model",
        name: "Model",
        type: "select",
        currentValue: "a",
        options: [{ group: "g", name: "G", options: [{ value: "a", name: "A" }, { value: "b", name: "B" }] }]
      },
      { id: "brave", name: "Brave", type: "boolean", currentValue: false }
    ]
  }

  it.effect("F163 a mode is set with the agent's answer, and a later notification wins", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ setup })
      const mode = Effect.map(SubscriptionRef.get(session.state), ({ modes }) => modes?.currentModeId)
      assert.strictEqual(yield* mode, "ask")
      const first = yield* Effect.forkChild(session.setMode("code"))
      yield* peer.respond(
        yield* peer.expect({ method: "session/set_mode", params: { sessionId: "s1", modeId: "code" } }),
        {}
      )
      yield* Fiber.join(first)
      assert.strictEqual(yield* mode, "code")
      const second = yield* Effect.forkChild(session.setMode("ask"))
      const request = yield* peer.expect({ method: "session/set_mode" })
      yield* peer.send(
        Frames.result(request.id as number, {}),
        Support.update("current_mode_update", { currentModeId: "code" })
      )
      yield* Fiber.join(second)
      yield* peer.settle
      assert.strictEqual(yield* mode, "code")
    }))

  it.effect("F163 a config option is set with the agent's answer, which has them all", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ setup })
      for (
        const [configId, value, params] of [
          ["model", "b", { configId: "model", value: "b", type: undefined }],
          ["brave", true, { configId: "brave", value: true, type: "boolean" }]
        ] as const
      ) {
        const setting = yield* Effect.forkChild(session.setConfigOption(configId, value))
        const configOptions: ReadonlyArray<unknown> = [
          { ...setup.configOptions[1], currentValue: true },
          setup.configOptions[0]
        ]
        yield* peer.respond(yield* peer.expect({ method: "session/set_config_option", params }), { configOptions })
        yield* Fiber.join(setting)
        assert.deepStrictEqual<unknown>((yield* SubscriptionRef.get(session.state)).configOptions, configOptions)
      }
    }))

  it.effect("F164 what the agent does not offer is refused here, with what it offers", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ setup })
      const refused = Effect.fnUntraced(function*(change: ReturnType<typeof session.setMode>) {
        const error = yield* Effect.flip(change)
        return error._tag === "NotOffered" ? [error.what, error.chosen, error.offered.join()] : [error._tag]
      })
      assert.deepStrictEqual(yield* refused(session.setMode("nope")), ["mode", "nope", "ask,code"])
      assert.deepStrictEqual(yield* refused(session.setConfigOption("x", "a")), ["config option", "x", "model,brave"])
      assert.deepStrictEqual(yield* refused(session.setConfigOption("model", "c")), ["config value", "c", "a,b"])
      assert.deepStrictEqual(yield* refused(session.setConfigOption("model", true)), ["config value", "true", "a,b"])
      assert.deepStrictEqual(yield* refused(session.setConfigOption("brave", "yes")), [
        "config value",
        "yes",
        "true,false"
      ])
      yield* peer.expectNothing
    }))

  it.effect("F045 an answer without the options is a typed failure with what came, and the connection lives", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ setup })
      const setting = yield* Effect.forkChild(Effect.flip(session.setConfigOption("model", "b")))
      yield* peer.respond(yield* peer.expect({ method: "session/set_config_option" }), {})
      const error = yield* Fiber.join(setting)
      assert.deepInclude(error, { _tag: "DecodeError", received: {} })
      assert.include(error.message, "configOptions")
      const again = yield* Effect.forkChild(session.setMode("code"))
      yield* peer.respond(yield* peer.expect({ method: "session/set_mode" }), {})
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(again)))
    }))
})
