import * as AcpError from "@effect-acp/core/AcpError"
import * as Permission from "@effect-acp/core/schema/Permission"
import type { Turn } from "@effect-acp/core/Turn"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { TestClock } from "effect/testing"
import { busy, cancel, cancelRequest, prompt, said, start, stopped } from "./support/agent.ts"

const options = [Permission.allowOnce("yes", "Allow"), Permission.rejectOnce("no", "Reject")]

const asks = (turn: Turn) => turn.requestPermission({ toolCallId: "call" }, options)

const afterCancel: Readonly<Record<string, Effect.Effect<"end_turn" | "refusal", AcpError.AcpError>>> = {
  "gives a stop reason": Effect.succeed("refusal"),
  fails: Effect.fail(new AcpError.InternalError({ message: "aborted" })),
  dies: Effect.die(new Error("aborted"))
}

describe("Cancellation of turns", () => {
  it.effect("X4 K10 F073 a cancel ends the turn as cancelled, as a result, once", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({ prompt: () => Effect.never })
      const sessionId = yield* newSession
      yield* peer.send(prompt(4, sessionId))
      yield* peer.settle
      yield* peer.send(cancel(sessionId), cancel(sessionId))
      yield* peer.expect(stopped(4, "cancelled"))
      yield* peer.send(cancel(sessionId))
      yield* peer.expectNothing
    }))

  for (const [what, after] of Object.entries(afterCancel)) {
    it.effect(`X4 a handler that ${what} after the cancel is cancelled all the same`, () =>
      Effect.gen(function*() {
        const { newSession, peer } = yield* start({
          prompt: () => Effect.catchCause(Effect.never, () => after)
        }, { allow: ["HandlerFailed"] })
        const sessionId = yield* newSession
        yield* peer.send(prompt(1, sessionId))
        yield* peer.settle
        yield* peer.send(cancel(sessionId))
        yield* peer.expect(stopped(1, "cancelled"))
      }))
  }

  it.effect("X4 K10 F073 a cancel counts until the answer is given, after the handler has its result as well", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { newSession, peer } = yield* start({
        prompt: (turn) => Effect.as(turn.fork(Effect.uninterruptible(gate.await)), "end_turn" as const)
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.settle
      yield* peer.send(cancel(sessionId))
      yield* peer.expectNothing
      yield* gate.open
      yield* peer.expect(stopped(1, "cancelled"))
    }))

  it.effect("X4 K10 F078 F080 a cancel of an idle session is nothing, and so is one of an unknown session", () =>
    Effect.gen(function*() {
      const { newSession, peer, sentinel } = yield* start({ prompt: (turn) => turn.say("ran") }, {
        allow: ["UnknownSession"]
      })
      const sessionId = yield* newSession
      yield* peer.send(cancel(sessionId), cancel("gone"), prompt(1, sessionId))
      yield* peer.expect(said(sessionId, "ran"))
      yield* peer.expect(stopped(1, "end_turn"))
      assert.deepStrictEqual(yield* sentinel.of("UnknownSession"), [
        { _tag: "UnknownSession", sessionId: "gone", method: "session/cancel" }
      ])
    }))

  it.effect("X4 K10 F076 F081 turns that nobody cancels are not cancelled, before and after one that is", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: (turn) => turn.text === "wait" ? Effect.never : turn.say("ran")
      })
      const sessionId = yield* newSession
      for (const id of [1, 3]) {
        yield* peer.send(prompt(id, sessionId))
        yield* peer.expect(said(sessionId, "ran"))
        yield* peer.expect(stopped(id, "end_turn"))
        yield* peer.send(prompt(id + 1, sessionId, "wait"))
        yield* peer.settle
        yield* peer.send(cancel(sessionId))
        yield* peer.expect(stopped(id + 1, "cancelled"))
      }
    }))

  it.effect("X5 K10 F077 a cancel in the same chunk cancels what was read before it, and it alone", () =>
    Effect.gen(function*() {
      const started: Array<string> = []
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          started.push(turn.text)
          yield* turn.text === "long" ? Effect.sleep("1 hour") : turn.say("ran")
        })
      })
      const sessionId = yield* newSession
      yield* peer.send(
        cancel(sessionId),
        prompt(1, sessionId, "long"),
        cancel(sessionId)
      )
      yield* peer.expect(stopped(1, "cancelled"))
      yield* peer.send(prompt(2, sessionId), cancel(sessionId), prompt(3, sessionId))
      yield* peer.find(stopped(2, "cancelled"))
      yield* peer.find((frame) => frame.id === 3)
      assert.notInclude(started, "long")
    }))

  it.effect("X5 a cancel ends only turns that were read before it, on one session", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({ prompt: (turn) => turn.say(turn.text), overlap: "queue" })
      const sessionId = yield* newSession
      yield* peer.send(
        prompt(1, sessionId, "one"),
        prompt(2, sessionId, "two"),
        cancel(sessionId),
        prompt(3, sessionId, "three")
      )
      yield* peer.find(stopped(1, "cancelled"))
      yield* peer.find(stopped(2, "cancelled"))
      yield* peer.find(stopped(3, "end_turn"))
      assert.notInclude((yield* peer.lines).join(), `"text":"one"`)
      assert.include((yield* peer.lines).join(), `"text":"three"`)
    }))

  it.effect("X6 the bound of a cancelled turn does not touch the next one", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { newSession, peer } = yield* start({
        cancelBound: "30 seconds",
        prompt: (turn) => turn.text === "first" ? Effect.never : Effect.andThen(gate.await, turn.say("ran"))
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId, "first"))
      yield* peer.settle
      yield* TestClock.adjust("1 second")
      yield* peer.send(cancel(sessionId))
      yield* peer.expect(stopped(1, "cancelled"))
      yield* peer.send(prompt(2, sessionId))
      yield* peer.settle
      yield* TestClock.adjust("10 minutes")
      yield* peer.expectNothing
      yield* gate.open
      yield* peer.expect(said(sessionId, "ran"))
      yield* peer.expect(stopped(2, "end_turn"))
    }))

  it.effect("X7 K12 F094 F093 a cancel ends every open permission request at once, on the wire too", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: (turn) => Effect.all([asks(turn), asks(turn)], { concurrency: "unbounded", discard: true })
      })
      const [sessionId, other] = [yield* newSession, yield* newSession]
      yield* peer.send(prompt(1, sessionId), prompt(2, other))
      const asked: Array<unknown> = []
      for (let i = 0; i < 4; i++) {
        const request = yield* peer.expect({ method: "session/request_permission" })
        if ((request.params as { sessionId: string }).sessionId === sessionId) asked.push(request.id)
      }
      yield* peer.send(cancel(sessionId))
      for (const requestId of asked) yield* peer.expect({ method: "$/cancel_request", params: { requestId } })
      yield* peer.expect(stopped(1, "cancelled"))
      yield* peer.expectNothing
    }))

  it.effect("X7 a permission request that cannot be interrupted ends as cancelled, and later ones are not asked", () =>
    Effect.gen(function*() {
      const outcomes: Array<string> = []
      const note = (turn: Turn) => Effect.map(asks(turn), ({ _tag }) => outcomes.push(_tag))
      const { newSession, peer } = yield* start({
        prompt: (turn) => Effect.uninterruptible(Effect.asVoid(Effect.andThen(note(turn), note(turn))))
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      const { id } = yield* peer.expect({ method: "session/request_permission" })
      yield* peer.send(cancel(sessionId))
      yield* peer.expect({ method: "$/cancel_request", params: { requestId: id } })
      yield* peer.expect(stopped(1, "cancelled"))
      assert.deepStrictEqual(outcomes, ["Cancelled", "Cancelled"])
    }))

  it.effect("X7 K10 F086 what the client answers to it on cancel makes no end_turn of it", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({ prompt: (turn) => Effect.as(asks(turn), "end_turn" as const) })
      const sessionId = yield* newSession
      yield* peer.send(prompt(4, sessionId))
      const { id } = yield* peer.expect({ method: "session/request_permission" })
      yield* peer.send(cancel(sessionId), {
        jsonrpc: "2.0",
        id,
        result: { outcome: { outcome: "cancelled" } }
      })
      yield* peer.find(stopped(4, "cancelled"))
    }))

  it.effect("X8 a turn that does not wind down within the bound is answered, and says nothing more", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const ended = yield* Latch.make()
      const { newSession, peer } = yield* start({
        cancelBound: "30 seconds",
        prompt: (turn) =>
          turn.text === "next"
            ? turn.say("next")
            : gate.await.pipe(
              Effect.andThen(Effect.ignore(turn.say("too late"))),
              Effect.andThen(ended.open),
              Effect.uninterruptible
            )
      }, { allow: ["LateUpdate"] })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.settle
      yield* peer.send(cancel(sessionId))
      yield* peer.settle
      yield* TestClock.adjust("29 seconds")
      yield* peer.expectNothing
      yield* peer.send(prompt(2, sessionId))
      yield* peer.expect(busy(2))
      yield* TestClock.adjust("1 second")
      yield* peer.expect(stopped(1, "cancelled"))
      yield* peer.send(prompt(3, sessionId, "next"))
      yield* peer.expect(said(sessionId, "next"))
      yield* peer.expect(stopped(3, "end_turn"))
      yield* gate.open
      yield* ended.await
      yield* peer.expectNothing
    }))

  it.effect("X8 what the finalizers of a cancelled turn tell comes before its end", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { newSession, peer } = yield* start({
        prompt: (turn) =>
          Effect.onInterrupt(Effect.never, () => Effect.andThen(gate.await, Effect.ignore(turn.say("cleaned up"))))
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.settle
      yield* peer.send(cancel(sessionId))
      yield* peer.expectNothing
      yield* gate.open
      yield* peer.expect(said(sessionId, "cleaned up"))
      yield* peer.expect(stopped(1, "cancelled"))
    }))

  it.effect("X2 $/cancel_request of a prompt cancels its turn, which is answered once", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: (turn) => turn.text === "wait" ? Effect.asVoid(asks(turn)) : turn.say("ran")
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId, "wait"))
      const { id } = yield* peer.expect({ method: "session/request_permission" })
      yield* peer.send(cancelRequest(1))
      yield* peer.expect({ method: "$/cancel_request", params: { requestId: id } })
      yield* peer.expect(stopped(1, "cancelled"))
      yield* peer.send(cancelRequest(1), prompt(2, sessionId), cancelRequest("2"))
      yield* peer.expect(said(sessionId, "ran"))
      yield* peer.expect(stopped(2, "end_turn"))
    }))

  it.effect("X2 $/cancel_request waits for what the turn cleans up", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { newSession, peer } = yield* start({
        prompt: (turn) =>
          Effect.onInterrupt(Effect.never, () => Effect.andThen(gate.await, Effect.ignore(turn.say("cleaned up"))))
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.settle
      yield* peer.send(cancelRequest(1))
      yield* peer.expectNothing
      yield* gate.open
      yield* peer.expect(said(sessionId, "cleaned up"))
      yield* peer.expect(stopped(1, "cancelled"))
    }))

  it.effect("K11 F117 the end of the link runs the finalizers of a turn", () =>
    Effect.gen(function*() {
      const cleaned = yield* Latch.make()
      const { newSession, peer } = yield* start({
        drainGrace: 0,
        prompt: () => Effect.onInterrupt(Effect.never, () => cleaned.open)
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.settle
      yield* peer.close
      yield* cleaned.await
      yield* peer.expect(stopped(1, "cancelled"))
      yield* peer.expectEnd
    }))
})
