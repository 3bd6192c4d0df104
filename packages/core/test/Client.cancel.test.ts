import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream, SubscriptionRef } from "effect"
import { TestClock } from "effect/testing"
import * as Support from "./support/client.ts"

const { Frames, cancelledTurn, endTurn, run, textOf } = Support

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
      const running = yield* run(
        session.prompt("x").pipe(
          TurnEvent.noProgress("1 minute", { except: session.isAsking })
        )
      )
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
