import * as Permission from "@effect-acp/core/Permission"
import * as PermissionQueue from "@effect-acp/core/PermissionQueue"
import * as PermissionRules from "@effect-acp/core/PermissionRules"
import * as SchemaPermission from "@effect-acp/core/schema/Permission"
import type { ToolCallUpdate } from "@effect-acp/core/schema/ToolCall"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Stream, SubscriptionRef } from "effect"
import { TestClock } from "effect/testing"
import * as Support from "./support/client.ts"

const { Frames } = Support

const allowOnce = SchemaPermission.allowOnce("a1", "Allow")
const allowAlways = SchemaPermission.allowAlways("aa", "Always")
const rejectOnce = SchemaPermission.rejectOnce("r1", "Reject")
const rejectAlways = SchemaPermission.rejectAlways("ra", "Never")
const all = [allowAlways, allowOnce, rejectAlways, rejectOnce]

const requestOf = (
  toolCall: Partial<ToolCallUpdate> = {},
  options: ReadonlyArray<SchemaPermission.PermissionOption> = all
): SchemaPermission.RequestPermissionRequest => ({
  sessionId: "s1",
  toolCall: { toolCallId: "t1", ...toolCall },
  options
})

/** A permission request as it stands on the wire. */
const ask = (id: string, options: {
  readonly sessionId?: string
  readonly toolCall?: Support.Frames.Json
  readonly offered?: ReadonlyArray<SchemaPermission.PermissionOption>
} = {}) =>
  Frames.request(id, "session/request_permission", {
    sessionId: options.sessionId ?? "s1",
    toolCall: { toolCallId: "t1", ...options.toolCall },
    options: options.offered ?? all
  })

const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } })

const cancelled = { outcome: { outcome: "cancelled" } }

describe("decisions", () => {
  it("F096 P2 rejecting never falls back to an option that allows, allowing once never to always", () => {
    assert.strictEqual(Permission.reject(requestOf()), rejectOnce)
    assert.strictEqual(Permission.reject(requestOf({}, [allowOnce, rejectAlways])), rejectAlways)
    assert.strictEqual(Permission.reject(requestOf({}, [allowOnce, allowAlways])), "cancelled")
    assert.strictEqual(Permission.allowOnce(requestOf()), allowOnce)
    assert.strictEqual(Permission.allowOnce(requestOf({}, [allowAlways, rejectOnce])), "cancelled")
  })

  it.effect("no ready policy ever chooses always", () =>
    Effect.gen(function*() {
      const policies = [Permission.allowAll, Permission.allowReads, Permission.rejectAll]
      const onlyAlways = requestOf({ kind: "read" }, [allowAlways])
      for (const policy of policies) {
        assert.isFalse(Permission.isAllowing(yield* policy(onlyAlways)))
        const decision = yield* policy(requestOf({ kind: "read" }))
        assert.isTrue(decision === allowOnce || decision === rejectOnce)
      }
    }))
})

describe("policies", () => {
  it.effect("the first decision counts, and what nobody decides is rejected", () =>
    Effect.gen(function*() {
      const policy = Permission.firstOf(
        Permission.rejectIf(({ toolCall }) => toolCall.title === "secret"),
        Permission.allowReads
      )
      assert.strictEqual(yield* policy(requestOf({ kind: "read" })), allowOnce)
      assert.strictEqual(yield* policy(requestOf({ kind: "read", title: "secret" })), rejectOnce)
      assert.strictEqual(yield* policy(requestOf({ kind: "edit" })), "pass")
      const { decide } = yield* Permission.Permission.pipe(Effect.provide(Permission.layer(policy)))
      assert.strictEqual(yield* decide(requestOf({ kind: "edit" })), rejectOnce)
    }))

  it.effect("P4 F100 a policy waits for ever, and with a bound rejects as well as it can", () =>
    Effect.gen(function*() {
      const never: Permission.Policy = () => Effect.never
      const unbounded = yield* Effect.forkChild(never(requestOf()))
      const bounded = yield* Effect.forkChild(Permission.rejectAfter(never, "1 minute")(requestOf()))
      const hopeless = yield* Effect.forkChild(Permission.rejectAfter(never, "1 minute")(requestOf({}, [allowOnce])))
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* Fiber.join(bounded), rejectOnce)
      assert.strictEqual(yield* Fiber.join(hopeless), "cancelled")
      assert.isUndefined(unbounded.pollUnsafe())
    }))

  it.effect("rules are by kind, path and session; rejecting wins, and what is uncertain is not allowed", () =>
    Effect.gen(function*() {
      const rules = yield* PermissionRules.make([
        { decision: "allow", kinds: ["edit"], paths: "/project/**" },
        { decision: "reject", paths: "/project/.git/**" }
      ])
      const decide = (kind: string, ...paths: ReadonlyArray<string>) =>
        rules.policy(requestOf({ kind, locations: paths.map((path) => ({ path })) }))
      assert.strictEqual(yield* decide("edit", "/project/a.ts", "/project/.env"), allowOnce)
      assert.strictEqual(yield* decide("execute", "/project/a.ts"), "pass")
      assert.strictEqual(yield* decide("edit", "/project/a.ts", "/etc/passwd"), "pass")
      assert.strictEqual(yield* decide("edit"), "pass")
      assert.strictEqual(yield* decide("edit", "/work-evil/a.ts"), "pass")
      assert.strictEqual(yield* decide("edit", "/project/.git/hooks/post-commit"), rejectOnce)
      assert.isFalse(Permission.isAllowing(yield* decide("edit", "/project/../etc/passwd")))
      assert.isFalse(Permission.isAllowing(yield* decide("edit", "work/a.ts")))
      const diff = requestOf({
        kind: "edit",
        locations: [{ path: "/project/a.ts" }],
        content: [{ type: "diff", path: "/etc/passwd", newText: "" }]
      })
      assert.strictEqual(yield* rules.policy(diff), "pass")

      yield* rules.remember({ decision: "allow", kinds: ["execute"], sessionId: "s1" })
      assert.strictEqual(yield* decide("execute"), allowOnce)
      assert.strictEqual(yield* rules.policy({ ...requestOf({ kind: "execute" }), sessionId: "s2" }), "pass")
      assert.strictEqual(yield* rules.policy(requestOf({ kind: "execute" }, [allowAlways, rejectOnce])), "pass")
      yield* rules.forget(({ sessionId }) => sessionId === "s1")
      assert.strictEqual(yield* decide("execute"), "pass")
    }))
})

describe("a client that is asked", () => {
  it.effect("P2 F098 answers with an option that was offered, or with cancelled and a diagnostic", () =>
    Effect.gen(function*() {
      const ghost = SchemaPermission.allowOnce("ghost", "Ghost")
      const { diagnostics, peer } = yield* Support.withSession({
        services: Permission.layer(({ toolCall }) =>
          Effect.succeed(
            toolCall.toolCallId === "ghost" ? ghost : toolCall.toolCallId === "always" ? allowAlways : rejectOnce
          )
        )
      })
      yield* peer.send(ask("1", { toolCall: { toolCallId: "ghost" } }))
      yield* peer.expect({ id: "1", result: cancelled })
      assert.deepStrictEqual(diagnostics, [{ _tag: "NotOfferedDecision", sessionId: "s1", optionId: "ghost" }])
      yield* peer.send(ask("2"), ask("3", { toolCall: { toolCallId: "always" } }))
      yield* peer.find({ id: "2", result: selected("r1") })
      yield* peer.find({ id: "3", result: selected("aa") })
    }))

  it.effect("a decision that dies is an error, and the connection goes on", () =>
    Effect.gen(function*() {
      const { peer } = yield* Support.withSession({ services: Permission.layer(() => Effect.die("oops")) })
      yield* peer.send(ask("1"))
      yield* peer.expect({ id: "1", error: { code: -32603 } })
      yield* peer.send(ask("2", { offered: [] }))
      yield* peer.expect({ id: "2" })
    }))

  it.effect("F156 is given the tool call as known so far, and the state has it even if no update ever came", () =>
    Effect.gen(function*() {
      const asked: Array<ToolCallUpdate> = []
      const { peer, session } = yield* Support.withSession({
        services: Permission.layer(({ toolCall }) => Effect.sync(() => asked.push(toolCall)).pipe(Effect.as("pass")))
      })
      yield* peer.send(
        Support.toolCall("known", { title: "Edit a", kind: "edit", locations: [{ path: "/a" }], rawInput: { x: 1 } }),
        ask("1", { toolCall: { toolCallId: "known", title: null, rawInput: { x: 2 } } })
      )
      yield* peer.expect({ id: "1" })
      yield* peer.send(ask("2", { toolCall: { toolCallId: "new" } }))
      yield* peer.expect({ id: "2" })
      assert.deepStrictEqual(asked, [
        {
          toolCallId: "known",
          title: "Edit a",
          kind: "edit",
          status: "pending",
          locations: [{ path: "/a" }],
          rawInput: { x: 2 }
        },
        { toolCallId: "new", title: "new", kind: "other", status: "pending" }
      ])
      const { timeline } = yield* SubscriptionRef.get(session.state)
      assert.deepStrictEqual(timeline.map((entry) => entry._tag === "ToolCall" && entry.title), ["Edit a", "new"])
    }))

  it.effect("P3 answers several requests in any order, and a waiting one holds nothing up", () =>
    Effect.gen(function*() {
      const queue = yield* PermissionQueue.make
      const { peer, session } = yield* Support.withSession({ services: Permission.layer(queue.policy) })
      const turn = yield* Effect.forkChild(Stream.runCollect(session.prompt("go")))
      const prompt = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(
        ask("1"),
        ask("2", { toolCall: { toolCallId: "t2" } }),
        ask("3", { toolCall: { toolCallId: "t3" } })
      )
      yield* peer.settle
      const open = yield* SubscriptionRef.get(queue.open)
      assert.deepStrictEqual(open.map(({ request }) => request.toolCall.toolCallId), ["t1", "t2", "t3"])
      assert.isTrue(yield* open[1].answer(allowOnce))
      assert.isFalse(yield* open[1].answer(rejectOnce))
      yield* peer.expect({ id: "2", result: selected("a1") })
      assert.isTrue(yield* session.isAsking)
      yield* peer.send(Frames.chunk("s1", "meanwhile"), Frames.result(prompt.id as number, Support.endTurn))
      assert.strictEqual((yield* Fiber.join(turn)).length, 2)
      yield* open[0].answer(rejectOnce)
      yield* open[2].answer("cancelled")
      yield* peer.find({ id: "1", result: selected("r1") })
      yield* peer.find({ id: "3", result: cancelled })
      assert.isFalse(yield* session.isAsking)
    }))

  it.effect("X7 F094 ends every open question of a cancelled turn at once, later ones too, and no other session's", () =>
    Effect.gen(function*() {
      const queue = yield* PermissionQueue.make
      const interrupted: Array<string> = []
      const slow: Permission.Policy = (request) =>
        queue.policy(request).pipe(
          Effect.onInterrupt(() => Effect.sync(() => interrupted.push(request.toolCall.toolCallId))),
          Effect.ensuring(Effect.sleep("1 hour"))
        )
      const subject = yield* Support.withSession({ services: Permission.layer(slow) })
      const { peer, session } = subject
      yield* Support.openSession(subject, "s2")
      const turn = yield* Effect.forkChild(Stream.runCollect(session.prompt("go")))
      const prompt = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(
        ask("1"),
        ask("2", { toolCall: { toolCallId: "t2" } }),
        ask("3", { sessionId: "s2", toolCall: { toolCallId: "other" } })
      )
      yield* peer.settle
      const [first] = yield* SubscriptionRef.get(queue.open)
      yield* session.cancel
      yield* peer.expect({ method: "session/cancel", params: { sessionId: "s1" } })
      yield* peer.find({ id: "1", result: cancelled })
      yield* peer.find({ id: "2", result: cancelled })
      yield* peer.send(ask("4"))
      yield* peer.expect({ id: "4", result: cancelled })
      yield* peer.settle
      assert.isFalse(yield* first.answer(allowOnce))
      assert.deepStrictEqual(interrupted.filter((id) => id !== "t1" && id !== "t2"), [])
      const open = yield* SubscriptionRef.get(queue.open)
      assert.deepStrictEqual(open.map(({ request }) => request.toolCall.toolCallId), ["other"])
      yield* peer.expectNothing
      yield* peer.respond(prompt, { stopReason: "cancelled" })
      yield* Fiber.join(turn)
      yield* peer.send(ask("5"))
      yield* peer.expectNothing
    }))

  it.effect("X7 P1 a policy that answers at once allows nothing in a turn that was cancelled", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ services: Permission.layerAllowOnce })
      const turn = yield* Effect.forkChild(Stream.runCollect(session.prompt("go")))
      const prompt = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(ask("1"))
      yield* peer.expect({ id: "1", result: selected("a1") })
      yield* session.cancel
      yield* peer.expect({ method: "session/cancel" })
      yield* peer.send(ask("2"))
      yield* peer.expect({ id: "2", result: cancelled })
      yield* peer.respond(prompt, { stopReason: "cancelled" })
      yield* Fiber.join(turn)
    }))

  it.effect("a request for a session that is not known is refused at once, during a set-up too", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({ services: Permission.layer(() => Effect.never) })
      yield* Effect.forkChild(Effect.ignore(Effect.scoped(client.newSession({ cwd: Support.cwd }))))
      yield* peer.expect({ method: "session/new" })
      yield* peer.send(ask("1"))
      yield* peer.expect({ id: "1", error: { code: -32002, data: { sessionId: "s1" } } })
    }))

  it.effect("closing a session ends its questions", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ services: Permission.layer(() => Effect.never) })
      yield* peer.send(ask("1"))
      yield* peer.settle
      yield* session.close
      yield* peer.expect({ id: "1", result: cancelled })
    }))

  it.effect("asks by the queue what earlier policies pass on", () =>
    Effect.gen(function*() {
      const services = yield* Layer.build(PermissionQueue.layer(Permission.allowReads))
      const queue = Context.get(services, PermissionQueue.PermissionQueue)
      const { decide } = Context.get(services, Permission.Permission)
      assert.strictEqual(yield* decide(requestOf({ kind: "read" })), allowOnce)
      const deciding = yield* Effect.forkChild(decide(requestOf({ kind: "edit" })), { startImmediately: true })
      const [question] = yield* SubscriptionRef.get(queue.open)
      yield* question.answer(allowAlways)
      assert.strictEqual(yield* Fiber.join(deciding), allowAlways)
      assert.deepStrictEqual(yield* SubscriptionRef.get(queue.open), [])
    }))
})
