import type * as AcpError from "@effect-acp/core/AcpError"
import * as Permission from "@effect-acp/core/schema/Permission"
import * as ToolCall from "@effect-acp/core/schema/ToolCall"
import type * as Turn from "@effect-acp/core/Turn"
import { type Frames } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Result } from "effect"
import { cancel, prompt, said, start, stopped, type Subject, update } from "./support/agent.ts"

const options = [
  Permission.allowOnce("yes", "Allow"),
  Permission.allowAlways("always", "Always"),
  Permission.rejectOnce("no", "Reject"),
  Permission.rejectAlways("never", "Never")
]

/** A turn that says what became of a permission request: its outcome, or the error that it failed with. */
const saysOutcome = (turn: Turn.Turn) =>
  Effect.matchEffect(turn.requestPermission({ toolCallId: "call" }, options), {
    onFailure: (error) => turn.say(error._tag),
    onSuccess: (outcome) => turn.say("option" in outcome ? `${outcome._tag} ${outcome.option.optionId}` : outcome._tag)
  })

const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } })

const results: Readonly<Record<string, readonly [result: unknown, said: string]>> = {
  "an option that allows once": [selected("yes"), "Allowed yes"],
  "an option that allows always": [selected("always"), "Allowed always"],
  "K12 F095 an option that rejects once": [selected("no"), "Rejected no"],
  "K12 F095 an option that rejects always": [selected("never"), "Rejected never"],
  "K12 F098 an option that was not offered": [selected("ghost"), "Cancelled"],
  "cancelled": [{ outcome: { outcome: "cancelled" } }, "Cancelled"],
  "an outcome that nobody knows": [{ outcome: { outcome: "allowed", optionId: "yes" } }, "DecodeError"],
  "no option": [{ outcome: { outcome: "selected" } }, "DecodeError"],
  "no outcome": [{}, "DecodeError"],
  "null": [null, "DecodeError"]
}

const ended = (id: Frames.Id) => (frame: Frames.Json) => frame.id === id && !("method" in frame)

const prompted = Effect.fnUntraced(function*({ newSession, peer }: Subject) {
  const sessionId = yield* newSession
  yield* peer.send(prompt(1, sessionId))
  return sessionId
})

/** The updates of tool calls up to the end of turn 1: each status and what else was told. */
const toolUpdates = Effect.fnUntraced(function*({ peer }: Subject) {
  yield* peer.find(ended(1))
  const frames = (yield* peer.lines).map((line) => JSON.parse(line))
  return frames
    .filter(({ method, params }) => method === "session/update" && params.update.sessionUpdate.startsWith("tool_call"))
    .map(({ params }) => {
      const { sessionUpdate, toolCallId: _, ...fields } = params.update
      return [sessionUpdate, fields]
    })
})

describe("Permission", () => {
  for (const [what, [result, outcome]] of Object.entries(results)) {
    it.effect(`P1 ${what}: ${outcome}`, () =>
      Effect.gen(function*() {
        const subject = yield* start({ prompt: saysOutcome })
        const sessionId = yield* prompted(subject)
        yield* subject.peer.respond(yield* subject.peer.expect({ method: "session/request_permission" }), result)
        yield* subject.peer.expect(said(sessionId, outcome))
        yield* subject.peer.expect(stopped(1, "end_turn"))
      }))
  }

  it.effect("P1 an error of the client is not allowed", () =>
    Effect.gen(function*() {
      const subject = yield* start({ prompt: saysOutcome })
      const sessionId = yield* prompted(subject)
      yield* subject.peer.respondError(yield* subject.peer.expect({ method: "session/request_permission" }), -32603)
      yield* subject.peer.expect(said(sessionId, "InternalError"))
    }))

  it.effect("P1 K12 F100 a bound that the author sets is not allowed, and takes the request back", () =>
    Effect.gen(function*() {
      const outcome = yield* Deferred.make<unknown>()
      const subject = yield* start({
        prompt: (turn) =>
          turn.requestPermission({ toolCallId: "call" }, options).pipe(
            Effect.timeoutOption(0),
            Effect.tap((option) => Deferred.succeed(outcome, option._tag)),
            Effect.asVoid
          )
      })
      yield* prompted(subject)
      const { id } = yield* subject.peer.expect({ method: "session/request_permission" })
      yield* subject.peer.expect({ method: "$/cancel_request", params: { requestId: id } })
      yield* subject.peer.expect(stopped(1, "end_turn"))
      assert.strictEqual(yield* Deferred.await(outcome), "None")
    }))

  it.effect("P1 the end of the link is not allowed", () =>
    Effect.gen(function*() {
      const outcome = yield* Deferred.make<Result.Result<unknown, AcpError.CallError>>()
      const subject = yield* start({
        drainGrace: 0,
        prompt: (turn) =>
          Effect.result(turn.requestPermission({ toolCallId: "call" }, options)).pipe(
            Effect.flatMap((result) => Deferred.succeed(outcome, result)),
            Effect.asVoid
          )
      })
      yield* prompted(subject)
      yield* subject.peer.expect({ method: "session/request_permission" })
      yield* subject.peer.close
      const result = yield* Deferred.await(outcome)
      assert.isTrue(Result.isFailure(result) && result.failure._tag === "ConnectionClosed")
    }))

  it.effect("P1 when the turn is over nothing is asked, and nothing is allowed", () =>
    Effect.gen(function*() {
      const turns: Array<Turn.Turn> = []
      const subject = yield* start({
        prompt: (turn) => {
          turns.push(turn)
          return turn.say("said")
        }
      })
      yield* prompted(subject)
      yield* subject.peer.find(stopped(1, "end_turn"))
      yield* subject.peer.receive
      assert.deepStrictEqual(yield* turns[0].requestPermission({ toolCallId: "call" }, options), { _tag: "Cancelled" })
      yield* subject.peer.expectNothing
    }))
})

describe("Tool calls", () => {
  it.effect("K24 F156 a call is told first, then asked for, then run, then completed", () =>
    Effect.gen(function*() {
      const subject = yield* start({
        prompt: (turn) =>
          turn.toolCall({ title: "Read a", kind: "read", toolCallId: "t1", permission: true }, ({ toolCallId }) =>
            turn.say(toolCallId))
      })
      const { peer } = subject
      const sessionId = yield* prompted(subject)
      const toolCallId = "t1"
      yield* peer.expect(
        update(sessionId, { sessionUpdate: "tool_call", toolCallId, title: "Read a", kind: "read", status: "pending" })
      )
      const request = yield* peer.expect({
        method: "session/request_permission",
        params: {
          sessionId,
          toolCall: { toolCallId, title: "Read a", kind: "read" },
          options: [{ kind: "allow_once" }, { kind: "reject_once" }]
        }
      })
      yield* peer.expectNothing
      yield* peer.respond(request, selected("allow_once"))
      yield* peer.expect(update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" }))
      yield* peer.expect(said(sessionId, "t1"))
      yield* peer.expect(update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "completed" }))
      yield* peer.expect(stopped(1, "end_turn"))
    }))

  it.effect("P1 K24 F157 a call that is not allowed fails without running, and the turn ends as it should", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const subject = yield* start({
        prompt: (turn) =>
          turn.toolCall({ title: "x", permission: true }, () => Effect.asVoid(Effect.sync(() => ran.push("ran"))))
      })
      const { peer } = subject
      yield* prompted(subject)
      yield* peer.respond(yield* peer.find({ method: "session/request_permission" }), selected("reject_once"))
      assert.deepStrictEqual(yield* toolUpdates(subject), [
        ["tool_call", { title: "x", status: "pending" }],
        ["tool_call_update", { status: "failed" }]
      ])
      assert.deepStrictEqual(ran, [])
      assert.include((yield* peer.lines).at(-1), `"stopReason":"end_turn"`)
    }))

  it.effect("P1 F086 a permission request that the client cancels ends the turn as cancelled", () =>
    Effect.gen(function*() {
      const subject = yield* start({
        prompt: (turn) => turn.toolCall({ title: "x", permission: options }, () => Effect.void)
      })
      yield* prompted(subject)
      yield* subject.peer.respond(yield* subject.peer.find({ method: "session/request_permission" }), {
        outcome: { outcome: "cancelled" }
      })
      yield* subject.peer.find(stopped(1, "cancelled"))
    }))

  it.effect("K24 F157 a call never stays open: not on failure, defect or interruption", () =>
    Effect.gen(function*() {
      const subject = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* Effect.exit(turn.toolCall({ title: "fails" }, () => Effect.fail("no")))
          yield* Effect.exit(turn.toolCall({ title: "dies" }, () => Effect.die(new Error("no"))))
          yield* Effect.exit(turn.toolCall({ title: "throws" }, () => {
            throw new Error("no")
          }))
          return yield* turn.toolCall({ title: "waits" }, () => Effect.never)
        })
      })
      const { peer } = subject
      const sessionId = yield* prompted(subject)
      yield* peer.settle
      yield* peer.send(cancel(sessionId))
      const updates = yield* toolUpdates(subject)
      assert.deepStrictEqual(
        updates,
        ["fails", "dies", "throws", "waits"].flatMap((title) => [
          ["tool_call", { title, status: "pending" }],
          ["tool_call_update", { status: "in_progress" }],
          ["tool_call_update", { status: "failed" }]
        ])
      )
      assert.include((yield* peer.lines).at(-1), `"stopReason":"cancelled"`)
    }))

  it.effect("K24 F157 a call that waits for permission when the turn is cancelled fails", () =>
    Effect.gen(function*() {
      const subject = yield* start({
        prompt: (turn) => turn.toolCall({ title: "x", permission: true }, () => Effect.void)
      })
      const sessionId = yield* prompted(subject)
      yield* subject.peer.find({ method: "session/request_permission" })
      yield* subject.peer.send(cancel(sessionId))
      assert.deepStrictEqual(yield* toolUpdates(subject), [
        ["tool_call", { title: "x", status: "pending" }],
        ["tool_call_update", { status: "failed" }]
      ])
    }))

  it.effect("K24 only what changed is sent: content that was added, and no status twice", () =>
    Effect.gen(function*() {
      const subject = yield* start({
        prompt: (turn) =>
          turn.toolCall({ title: "x", content: [ToolCall.content("a")] }, (call) =>
            call.attach(ToolCall.terminal("t")).pipe(
              Effect.andThen(call.attach(ToolCall.content("b"))),
              Effect.andThen(call.update({ rawOutput: { ok: true } })),
              Effect.andThen(call.update({ status: "failed" }))
            ))
      })
      yield* prompted(subject)
      const [a, t, b] = [ToolCall.content("a"), ToolCall.terminal("t"), ToolCall.content("b")]
      assert.deepStrictEqual(yield* toolUpdates(subject), [
        ["tool_call", { title: "x", status: "pending", content: [a] }],
        ["tool_call_update", { status: "in_progress" }],
        ["tool_call_update", { content: [a, t] }],
        ["tool_call_update", { content: [a, t, b] }],
        ["tool_call_update", { rawOutput: { ok: true } }],
        ["tool_call_update", { status: "failed" }]
      ])
    }))

  it.effect("ids of calls are unique among all turns, and lives, of a session", () =>
    Effect.gen(function*() {
      const subject = yield* start({
        prompt: (turn) =>
          Effect.replicateEffect(turn.toolCall({ title: "x" }, () => Effect.void), 3).pipe(Effect.asVoid)
      })
      yield* prompted(subject)
      yield* subject.peer.find(ended(1))
      const ids = (yield* subject.peer.lines).flatMap((line) => {
        const { params } = JSON.parse(line)
        return params?.update?.sessionUpdate === "tool_call" ? [params.update.toolCallId] : []
      })
      assert.strictEqual(new Set(ids).size, 3)
    }))
})

describe("What a turn offers", () => {
  it.effect("thoughts, plans and usage are updates of the turn", () =>
    Effect.gen(function*() {
      const subject = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* turn.think("hm")
          yield* turn.plan([{ content: "do it", priority: "high", status: "pending" }])
          yield* turn.usage({ used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } })
        })
      })
      const sessionId = yield* prompted(subject)
      yield* subject.peer.expect(update(sessionId, { sessionUpdate: "agent_thought_chunk", content: { text: "hm" } }))
      yield* subject.peer.expect(update(sessionId, { sessionUpdate: "plan", entries: [{ content: "do it" }] }))
      yield* subject.peer.expect(
        update(sessionId, { sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 0.5 } })
      )
      yield* subject.peer.expect(stopped(1, "end_turn"))
    }))

  it.effect("K23 F155 what the client did not advertise fails before anything is written", () =>
    Effect.gen(function*() {
      const failures: Array<string> = []
      const note = (effect: Effect.Effect<unknown, AcpError.CallError>) =>
        Effect.match(effect, { onFailure: ({ _tag }) => failures.push(_tag), onSuccess: () => failures.push("sent") })
      const subject = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* note(turn.readTextFile("/w/a"))
          yield* note(turn.writeTextFile("/w/a", "x"))
          yield* note(turn.run({ command: "true" }))
          yield* turn.say("done")
        })
      })
      const sessionId = yield* prompted(subject)
      yield* subject.peer.expect(said(sessionId, "done"))
      assert.deepStrictEqual(failures, ["CapabilityMissing", "CapabilityMissing", "CapabilityMissing"])
    }))

  it.effect("a handler that cannot be interrupted can see that it was cancelled", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const seen: Array<boolean> = []
      const subject = yield* start({
        prompt: (turn) =>
          Effect.uninterruptible(Effect.gen(function*() {
            seen.push(yield* turn.isCancelled)
            yield* gate.await
            seen.push(yield* turn.isCancelled)
          }))
      })
      const sessionId = yield* prompted(subject)
      yield* subject.peer.settle
      yield* subject.peer.send(cancel(sessionId))
      yield* subject.peer.settle
      yield* gate.open
      yield* subject.peer.expect(stopped(1, "cancelled"))
      assert.deepStrictEqual(seen, [false, true])
    }))

  it.effect("a fork that is joined gives its result, and its failure is the caller's to see", () =>
    Effect.gen(function*() {
      const subject = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          const fiber = yield* turn.fork(Effect.fail("no"))
          const exit = yield* Fiber.await(fiber)
          yield* turn.say(Exit.isFailure(exit) ? "failed" : "succeeded")
        })
      })
      const sessionId = yield* prompted(subject)
      yield* subject.peer.expect(said(sessionId, "failed"))
      yield* subject.peer.expect(stopped(1, "end_turn"))
    }))
})
