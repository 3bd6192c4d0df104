import * as AcpError from "@effect-acp/core/AcpError"
import { agentMessageChunk } from "@effect-acp/core/schema/SessionUpdate"
import type { Turn } from "@effect-acp/core/Turn"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Latch, Stream } from "effect"
import { busy, cancel, cancelRequest, prompt, refused, said, start, stopped } from "./support/agent.ts"

/** Says its text and ends when the test opens the gate of that text; whatever is not gated ends at once. */
const gated = (gates: Readonly<Record<string, Latch.Latch>>) =>
  Effect.fnUntraced(function*(turn: Turn) {
    yield* turn.say(turn.text)
    yield* gates[turn.text]?.await ?? Effect.void
  })

describe("Turns of an agent", () => {
  it.effect("U1 a prompt during a turn is refused and the running turn is untouched", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { newSession, peer } = yield* start({ prompt: gated({ one: gate }) })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId, "one"), prompt(2, sessionId, "two"), prompt(3, sessionId, "three"))
      yield* peer.expect(said(sessionId, "one"))
      yield* peer.expect(busy(2))
      yield* peer.expect(busy(3))
      yield* peer.expectNothing
      yield* gate.open
      yield* peer.expect(stopped(1, "end_turn"))
      yield* peer.expectNothing
    }))

  it.effect("U1 with the policy queue prompts wait, and nothing of one comes before the answer of another", () =>
    Effect.gen(function*() {
      const gates = { one: yield* Latch.make(), two: yield* Latch.make() }
      const { newSession, peer } = yield* start({ prompt: gated(gates), overlap: "queue" })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId, "one"), prompt(2, sessionId, "two"), prompt(3, sessionId, "three"))
      yield* peer.expect(said(sessionId, "one"))
      yield* peer.expectNothing
      yield* gates.one.open
      yield* peer.expect(stopped(1, "end_turn"))
      yield* peer.expect(said(sessionId, "two"))
      yield* peer.expectNothing
      yield* gates.two.open
      yield* peer.expect(stopped(2, "end_turn"))
      yield* peer.expect(said(sessionId, "three"))
      yield* peer.expect(stopped(3, "end_turn"))
    }))

  it.effect("U1 a waiting prompt that is cancelled is answered at once and never starts", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { newSession, peer } = yield* start({ prompt: gated({ one: gate }), overlap: "queue" })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId, "one"), prompt(2, sessionId, "two"), prompt(3, sessionId, "three"))
      yield* peer.expect(said(sessionId, "one"))
      yield* peer.send(cancelRequest(2))
      yield* peer.expect(stopped(2, "cancelled"))
      yield* gate.open
      yield* peer.expect(stopped(1, "end_turn"))
      yield* peer.expect(said(sessionId, "three"))
      yield* peer.expect(stopped(3, "end_turn"))
    }))

  it.effect("U1 session/cancel ends the running turn and those that wait", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({ prompt: () => Effect.never, overlap: "queue" })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId), prompt(2, sessionId), prompt(3, sessionId))
      yield* peer.settle
      yield* peer.send(cancel(sessionId))
      for (const id of [1, 2, 3]) yield* peer.find(stopped(id, "cancelled"))
      yield* peer.expectNothing
    }))

  it.effect("U2 K13 F103 a prompt in the same tick as the response is admitted", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({ prompt: (turn) => turn.say(turn.text) })
      const sessionId = yield* newSession
      for (let id = 1; id <= 50; id++) {
        yield* peer.send(prompt(id, sessionId, `turn ${id}`))
        yield* peer.expect(said(sessionId, `turn ${id}`))
        yield* peer.expect(stopped(id, "end_turn"))
      }
    }))

  it.effect("U2 the slot is free once the response is accepted for writing, however slow the client reads", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({ prompt: (turn) => turn.say(turn.text) })
      const sessionId = yield* newSession
      yield* peer.pauseReading
      yield* peer.send(prompt(1, sessionId, "one"))
      yield* peer.settle
      yield* peer.send(prompt(2, sessionId, "two"))
      yield* peer.settle
      yield* peer.resumeReading
      yield* peer.expect(said(sessionId, "one"))
      yield* peer.expect(stopped(1, "end_turn"))
      yield* peer.expect(said(sessionId, "two"))
      yield* peer.expect(stopped(2, "end_turn"))
    }))

  it.effect("U3 the response waits for everything that was forked in the turn, and for what that forks", () =>
    Effect.gen(function*() {
      const [one, two] = [yield* Latch.make(), yield* Latch.make()]
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          const inner = Effect.andThen(two.await, turn.say("two"))
          yield* turn.fork(one.await.pipe(Effect.andThen(turn.say("one")), Effect.andThen(turn.fork(inner))))
          yield* turn.say("root")
        })
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.expect(said(sessionId, "root"))
      yield* peer.expectNothing
      yield* one.open
      yield* peer.expect(said(sessionId, "one"))
      yield* peer.expectNothing
      yield* two.open
      yield* peer.expect(said(sessionId, "two"))
      yield* peer.expect(stopped(1, "end_turn"))
    }))

  it.effect("U3 the scope of a turn closes before its response", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* Effect.addFinalizer(() => Effect.ignore(turn.say("released")))
          yield* turn.say("acquired")
        })
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.expect(said(sessionId, "acquired"))
      yield* peer.expect(said(sessionId, "released"))
      yield* peer.expect(stopped(1, "end_turn"))
    }))

  it.effect("U4 what is forked does not change the outcome of the handler", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* turn.fork(Effect.andThen(gate.await, Effect.die(new Error("a fork died"))))
          yield* turn.say("said")
          return "max_tokens" as const
        })
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.expect(said(sessionId, "said"))
      yield* gate.open
      yield* peer.expect(stopped(1, "max_tokens"))
    }))

  it.effect("U4 a failure stands too, unless a cancel comes before the response", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          if (turn.text === "held") yield* turn.fork(gate.await)
          return yield* new AcpError.OtherError({ code: 7, message: "failed", data: { why: "asked" } })
        })
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.expect({ id: 1, error: { code: 7, message: "failed", data: { why: "asked" } } })
      yield* peer.send(prompt(2, sessionId, "held"))
      yield* peer.settle
      yield* peer.send(cancel(sessionId))
      yield* peer.expect(stopped(2, "cancelled"))
    }))

  it.effect("U7 two sessions on one connection do not disturb each other", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: (turn) => turn.text === "wait" ? Effect.never : turn.say(turn.text)
      })
      const [left, right] = [yield* newSession, yield* newSession]
      yield* peer.send(prompt(1, left, "wait"), prompt(2, right, "wait"))
      yield* peer.settle
      yield* peer.send(cancel(left))
      yield* peer.expect(stopped(1, "cancelled"))
      yield* peer.expectNothing
      yield* peer.send(prompt(3, left, "again"))
      yield* peer.expect(said(left, "again"))
      yield* peer.expect(stopped(3, "end_turn"))
      yield* peer.send(cancel(right))
      yield* peer.expect(stopped(2, "cancelled"))
    }))

  it.effect("O8 K09 F067 no update of a turn leaves after its response", () =>
    Effect.gen(function*() {
      const late = yield* Latch.make()
      const outcome = yield* Deferred.make<string>()
      const { newSession, peer, sentinel } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          const straggler = Effect.andThen(late.await, turn.say("too late"))
          yield* Effect.forkDetach(
            Effect.matchEffect(straggler, {
              onFailure: (error) => Deferred.succeed(outcome, error._tag),
              onSuccess: () => Deferred.succeed(outcome, "sent")
            })
          )
          yield* turn.say("in time")
        })
      }, { allow: ["LateUpdate"] })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.expect(said(sessionId, "in time"))
      yield* peer.expect(stopped(1, "end_turn"))
      yield* late.open
      assert.strictEqual(yield* Deferred.await(outcome), "TurnOver")
      yield* peer.expectNothing
      assert.deepStrictEqual(yield* sentinel.of("LateUpdate"), [{ _tag: "LateUpdate", sessionId }])
    }))

  it.effect("O8 an update that waits for a slow client still leaves before the response", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        outgoingBudget: 10,
        prompt: Effect.fnUntraced(function*(turn) {
          yield* turn.say("fills the budget")
          yield* Effect.forkDetach(Effect.ignore(turn.say("waits for room")), { startImmediately: true })
        })
      })
      const sessionId = yield* newSession
      yield* peer.pauseReading
      yield* peer.send(prompt(1, sessionId))
      yield* peer.settle
      yield* peer.resumeReading
      yield* peer.expect(said(sessionId, "fills the budget"))
      yield* peer.expect(said(sessionId, "waits for room"))
      yield* peer.expect(stopped(1, "end_turn"))
    }))

  it.effect("U4 a stream of updates is a turn, which ends with it", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: (turn) => Stream.map(Stream.make("a", "b", turn.text), (text) => agentMessageChunk(text))
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId, "c"))
      for (const text of ["a", "b", "c"]) yield* peer.expect(said(sessionId, text))
      yield* peer.expect(stopped(1, "end_turn"))
    }))

  it.effect("K13 F104 a handler calls the client while the reader goes on", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* turn.say(yield* turn.readTextFile("/w/a"))
        }),
        openSession: () =>
          Effect.succeed({
            modes: { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }, { id: "code", name: "Code" }] }
          })
      }, { client: { fs: { readTextFile: true } } })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      const read = yield* peer.expect({ method: "fs/read_text_file", params: { sessionId, path: "/w/a" } })
      yield* peer.send({ jsonrpc: "2.0", id: 2, method: "session/set_mode", params: { sessionId, modeId: "code" } })
      yield* peer.find({ id: 2, result: {} })
      yield* peer.respond(read, { content: "text" })
      yield* peer.find(said(sessionId, "text"))
      yield* peer.expect({ method: "session/update", params: { update: { sessionUpdate: "current_mode_update" } } })
      yield* peer.expect(stopped(1, "end_turn"))
    }))

  it.effect("an empty chunk is not sent, and a turn without any update is noticed", () =>
    Effect.gen(function*() {
      const { newSession, peer, sentinel } = yield* start({
        prompt: (turn) => Effect.andThen(turn.say(""), turn.think(""))
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.expect(stopped(1, "end_turn"))
      assert.deepStrictEqual(
        (yield* sentinel.seen).map(({ _tag }) => _tag),
        ["EmptyChunk", "EmptyChunk", "EmptyTurn"]
      )
    }))

  it.effect("a defect of a handler is answered without a word of what it was, and the session goes on", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: (turn) => turn.text === "die" ? Effect.die(new Error("secret")) : turn.say("alive")
      }, { allow: ["HandlerFailed"] })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId, "die"))
      const { error } = yield* peer.expect(refused(1, -32603))
      assert.notInclude(JSON.stringify(error), "secret")
      yield* peer.send(prompt(2, sessionId))
      yield* peer.expect(said(sessionId, "alive"))
      yield* peer.expect(stopped(2, "end_turn"))
    }))

  it.effect("input is steered into the turn that is meant, and into no other", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { agent, newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* turn.fork(
            Stream.runForEach(Stream.fromQueue(turn.steered), (content) => turn.say(`got ${JSON.stringify(content)}`))
              .pipe(
                Effect.timeout("1 minute"),
                Effect.ignore
              )
          )
          yield* gate.await
        })
      })
      const sessionId = yield* newSession
      const [session] = yield* agent.sessions
      const content = [{ type: "text", text: "also" } as const]
      assert.deepStrictEqual(yield* session.steer("none", content), { _tag: "NoTurn" })
      yield* peer.send(prompt(1, sessionId))
      yield* peer.settle
      const turnId = (yield* session.turnId)!
      const accepted = yield* session.steer(turnId, content)
      assert.strictEqual(accepted._tag, "Accepted")
      yield* peer.expect(said(sessionId, `got ${JSON.stringify(content)}`))
      assert.deepStrictEqual(yield* session.steer(turnId, content), { ...accepted, _tag: "Stale" })
      yield* peer.send(cancel(sessionId))
      yield* peer.expect(stopped(1, "cancelled"))
      assert.deepStrictEqual(yield* session.steer(turnId, content), { _tag: "NoTurn" })
      assert.isUndefined(yield* session.turnId)
    }))

  it.effect("what is forked when the turn is over is interrupted", () =>
    Effect.gen(function*() {
      const turns: Array<Turn> = []
      const { newSession, peer } = yield* start({
        prompt: (turn) => {
          turns.push(turn)
          return turn.say("said")
        }
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.find(stopped(1, "end_turn"))
      const exit = yield* Effect.flatMap(turns[0].fork(Effect.succeed("ran")), Fiber.await)
      assert.strictEqual(exit._tag, "Failure")
    }))
})
