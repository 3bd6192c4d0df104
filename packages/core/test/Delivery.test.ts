import { Frames } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Queue, Schema, Stream } from "effect"
import * as Delivery from "../src/internal/delivery.js"
import * as Turns from "./support/turns.ts"
import * as Wire from "./support/wire.ts"

const { chunk } = Frames

const texts = Schema.Array(Schema.String.check(Schema.isMinLength(1)))
const places = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })))

const lines = (messages: ReadonlyArray<Frames.Json>) =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join("")

describe("delivery", () => {
  it.effect.prop(
    "O1 updates arrive in wire order, each once, before the end, however the chunks fall and the consumer pauses",
    [texts, places, Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })))],
    ([words, cuts, pauses]) =>
      Effect.gen(function*() {
        const { peer, session } = yield* Turns.session()
        const got: Array<string> = []
        const turn = yield* Effect.forkChild(
          Stream.runForEach(session.prompt("go"), (event) =>
            Effect.andThen(
              Effect.forEach(Array.from({ length: pauses[got.length] ?? 0 }), () => Effect.yieldNow),
              Effect.sync(() => {
                got.push(...Turns.seen([event]))
              })
            ))
        )
        const prompt = yield* peer.expect({ method: "session/prompt" })
        const bytes = Wire.bytesOf(lines([...words.map((word) => chunk("s1", word)), Turns.endTurn(prompt)]))
        for (const part of Wire.cutAt(bytes, cuts)) yield* peer.sendRaw(part)
        yield* Fiber.join(turn)
        assert.deepStrictEqual(got, [...words, "end:end_turn"])
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 50 } }
  )

  it.effect("O1 updates and the answer in one chunk are all delivered, the answer last", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Turns.session()
      const turn = yield* Turns.runTurn(session.prompt("go"))
      const prompt = yield* peer.expect({ method: "session/prompt" })
      const words = Array.from({ length: 200 }, (_, n) => `word ${n}`)
      yield* peer.send(...words.map((word) => chunk("s1", word)), Turns.endTurn(prompt))
      assert.deepStrictEqual(Turns.seen(yield* Fiber.join(turn)), [...words, "end:end_turn"])
    }))

  it.effect("O1 turns of two sessions that interleave stay apart, each in order", () =>
    Effect.gen(function*() {
      const { open, peer, session } = yield* Turns.session()
      const other = yield* open("s2")
      const first = yield* Turns.runTurn(session.prompt("one"))
      const one = yield* peer.expect({ method: "session/prompt", params: { sessionId: "s1" } })
      const second = yield* Turns.runTurn(other.prompt("two"))
      const two = yield* peer.expect({ method: "session/prompt", params: { sessionId: "s2" } })
      for (let n = 0; n < 100; n++) yield* peer.send(chunk("s1", `a${n}`), chunk("s2", `b${n}`))
      yield* peer.send(Turns.endTurn(two), Turns.endTurn(one))
      const numbered = (letter: string) => Array.from({ length: 100 }, (_, n) => `${letter}${n}`)
      assert.deepStrictEqual(Turns.seen(yield* Fiber.join(first)), [...numbered("a"), "end:end_turn"])
      assert.deepStrictEqual(Turns.seen(yield* Fiber.join(second)), [...numbered("b"), "end:end_turn"])
    }))

  it.effect("O2 a slow consumer has every update before the end of the turn", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Turns.session()
      const steps = yield* Queue.unbounded<void>()
      const got: Array<string> = []
      const turn = yield* Effect.forkChild(
        Stream.runForEach(session.prompt("go"), (event) =>
          Effect.andThen(
            Queue.take(steps),
            Effect.sync(() => {
              got.push(...Turns.seen([event]))
            })
          ))
      )
      const prompt = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(chunk("s1", "1"), chunk("s1", "2"), Turns.endTurn(prompt))
      for (let n = 0; n < 3; n++) {
        yield* peer.settle
        assert.strictEqual(got.length, n)
        yield* Queue.offer(steps, undefined)
      }
      yield* Fiber.join(turn)
      assert.deepStrictEqual(got, ["1", "2", "end:end_turn"])
    }))

  it.effect.prop(
    "O3 every turn that ends has exactly the updates that were read for it; a turn without its answer is no success",
    [Schema.Array(Schema.Literals(["update", "undecodable", "other session", "noise", "request"])), Schema.Boolean],
    ([frames, answered]) =>
      Effect.gen(function*() {
        const { peer, sentinel, session } = yield* Turns.session({
          allow: ["InvalidNotification", "UnknownSession", "Noise"]
        })
        const turn = yield* Turns.runTurn(session.prompt("go"))
        const prompt = yield* peer.expect({ method: "session/prompt" })
        const make: Record<string, (n: number) => Frames.Json | string> = {
          update: (n) => chunk("s1", `${n}`),
          undecodable: () => Frames.notification("session/update", { sessionId: "s1", update: {} }),
          "other session": (n) => chunk("s9", `${n}`),
          noise: () => "noise",
          request: (n) => Frames.request(`r${n}`, "fs/read_text_file", {})
        }
        yield* peer.send(...frames.map((frame, n) => make[frame](n)), ...(answered ? [Turns.endTurn(prompt)] : []))
        if (!answered) yield* peer.close
        const exit = yield* Fiber.await(turn)
        const updates = frames.flatMap((frame, n) => frame === "update" ? [`${n}`] : [])
        if (answered) {
          assert.deepStrictEqual(Exit.map(exit, Turns.seen), Exit.succeed([...updates, "end:end_turn"]))
        } else {
          assert.isTrue(Exit.isFailure(exit))
        }
        assert.deepStrictEqual(yield* sentinel.of("DeliveryGap"), [])
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 50 } }
  )

  it.effect("O3 a count that is wrong fails the turn with what was delivered and what was read", () =>
    Effect.gen(function*() {
      const gaps: Array<unknown> = []
      const turn = yield* Delivery.makeTurn<string, never>({
        limits: { updates: 10, bytes: 10 },
        onGap: (gap) => gaps.push(gap)
      })
      turn.offerUnsafe("1", 1)
      turn.endUnsafe("end")
      turn.offerUnsafe("counted and not delivered", 1)
      const error = yield* Effect.flip(Stream.runDrain(turn.items))
      assert.deepInclude(error, { _tag: "DeliveryGap", delivered: 1, expected: 2 })
      assert.deepStrictEqual(gaps, [error])
    }))

  it.effect("O6 a backlog that is exactly full has room for the end of the turn", () =>
    Effect.gen(function*() {
      const turn = yield* Delivery.makeTurn<string, never>({ limits: { updates: 2, bytes: 2 }, onGap: () => {} })
      assert.isTrue(turn.offerUnsafe("1", 1))
      assert.isTrue(turn.offerUnsafe("2", 1))
      turn.endUnsafe("end")
      assert.deepStrictEqual(yield* Stream.runCollect(turn.items), ["1", "2", "end"])
    }))

  it.effect("O4 an update after the answer is the session's, marked as outside a turn, and not the next turn's", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Turns.session()
      const first = yield* Turns.runTurn(session.prompt("one"))
      const one = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(chunk("s1", "in one"), Turns.endTurn(one), chunk("s1", "late"))
      yield* Fiber.join(first)
      const second = yield* Turns.runTurn(session.prompt("two"))
      const two = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(chunk("s1", "in two"), Turns.endTurn(two))
      assert.deepStrictEqual(Turns.seen(yield* Fiber.join(second)), ["in two", "end:end_turn"])
      yield* peer.close
      assert.deepStrictEqual(Turns.seenOutside(yield* Stream.runCollect(session.updates)), ["outside:late"])
    }))

  it.effect("O4 late updates in the same chunk as the answer, with a prompt already waiting, stay outside", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Turns.session()
      const updates = yield* Effect.forkChild(Stream.runCollect(session.updates), { startImmediately: true })
      const first = yield* Turns.runTurn(session.prompt("one"))
      const one = yield* peer.expect({ method: "session/prompt" })
      const second = yield* Turns.runTurn(session.prompt("two"))
      yield* peer.settle
      yield* peer.send(Turns.endTurn(one), chunk("s1", "late"))
      const two = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(chunk("s1", "in two"), Turns.endTurn(two))
      yield* Fiber.join(first)
      assert.deepStrictEqual(Turns.seen(yield* Fiber.join(second)), ["in two", "end:end_turn"])
      yield* peer.close
      assert.deepStrictEqual(Turns.seenOutside(yield* Fiber.join(updates)), ["outside:late", "turn:in two"])
    }))

  it.effect("O5 _meta orders nothing and arrives as it was sent", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Turns.session()
      const turn = yield* Turns.runTurn(session.prompt("go"))
      const prompt = yield* peer.expect({ method: "session/prompt" })
      const metas = [{ seq: 9, sequence: 3, index: 0 }, { seq: 1, deep: { a: [null, 1] } }, undefined, {}]
      yield* peer.send(...metas.map((meta, n) => chunk("s1", `${n}`, meta)), Turns.endTurn(prompt))
      const events = yield* Fiber.join(turn)
      assert.deepStrictEqual(Turns.seen(events), ["0", "1", "2", "3", "end:end_turn"])
      assert.deepStrictEqual(events.flatMap((event) => event._tag === "Update" ? [event.meta] : []), metas)
    }))

  it.effect("O6 a blocked consumer delays no other session, no answer and no cancellation", () =>
    Effect.gen(function*() {
      const { client, open, peer, session } = yield* Turns.session({
        agentCapabilities: { sessionCapabilities: { list: {} } }
      })
      const other = yield* open("s2")
      const blocked = yield* Effect.forkChild(Stream.runForEach(session.prompt("blocked"), () => Effect.never))
      const one = yield* peer.expect({ method: "session/prompt" })
      for (let n = 0; n < 1_000; n++) yield* peer.send(chunk("s1", `${n}`))
      const second = yield* Turns.runTurn(other.prompt("free"))
      const two = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(chunk("s2", "through"), Turns.endTurn(two))
      assert.deepStrictEqual(Turns.seen(yield* Fiber.join(second)), ["through", "end:end_turn"])
      const listing = yield* Effect.forkChild(client.methods.listSessions({}))
      yield* peer.respond(yield* peer.expect({ method: "session/list" }), { sessions: [] })
      assert.deepStrictEqual((yield* Fiber.join(listing)).sessions, [])
      yield* session.cancel
      yield* peer.expect({ method: "session/cancel", params: { sessionId: "s1" } })
      yield* peer.send(Turns.endTurn(one, "cancelled"))
      yield* Fiber.interrupt(blocked)
    }))

  it.effect("O6 a turn beyond its backlog fails after what came before, and is cancelled; the connection lives", () =>
    Effect.gen(function*() {
      for (const options of [{ backlogUpdates: 10 }, { backlogBytes: 2_000 }]) {
        const { peer, session } = yield* Turns.session(options)
        const got: Array<string> = []
        const release = yield* Queue.unbounded<void>()
        const turn = yield* Effect.forkChild(
          Stream.runForEach(session.prompt("go"), (event) =>
            Effect.andThen(
              Queue.take(release),
              Effect.sync(() => {
                got.push(...Turns.seen([event]))
              })
            ))
        )
        const prompt = yield* peer.expect({ method: "session/prompt" })
        yield* peer.send(...Array.from({ length: 100 }, (_, n) => chunk("s1", `${n}`)))
        yield* peer.expect({ method: "session/cancel" })
        yield* peer.send(Turns.endTurn(prompt, "cancelled"))
        yield* Queue.offerAll(release, Array.from({ length: 200 }, () => undefined))
        const error = yield* Effect.flip(Fiber.join(turn))
        assert.strictEqual(error._tag, "BacklogExceeded")
        assert.deepStrictEqual(got, Array.from({ length: got.length }, (_, n) => `${n}`))
        assert.isBelow(got.length, 15)
        const again = yield* Turns.runTurn(session.prompt("again"))
        yield* peer.send(Turns.endTurn(yield* peer.expect({ method: "session/prompt" })))
        assert.deepStrictEqual(Turns.seen(yield* Fiber.join(again)), ["end:end_turn"])
      }
    }))

  it.effect("O9 every subscriber has every update once and in order, from when it came", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Turns.session()
      const early = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(Stream.runCollect(session.updates), { startImmediately: true }))
      yield* peer.settle
      yield* peer.send(chunk("s1", "before"))
      yield* peer.settle
      const late = yield* Effect.forkChild(Stream.runCollect(session.updates), { startImmediately: true })
      yield* peer.settle
      const turn = yield* Turns.runTurn(session.prompt("go"))
      const prompt = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(chunk("s1", "1"), chunk("s1", "2"), Turns.endTurn(prompt), chunk("s1", "after"))
      yield* Fiber.join(turn)
      yield* peer.close
      const expected = ["turn:1", "turn:2", "outside:after"]
      for (const fiber of early) {
        assert.deepStrictEqual(Turns.seenOutside(yield* Fiber.join(fiber)), ["outside:before", ...expected])
      }
      assert.deepStrictEqual(Turns.seenOutside(yield* Fiber.join(late)), expected)
    }))

  it.effect("O9 a subscriber that falls behind fails alone", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Turns.session({ backlogUpdates: 10 })
      const slow = yield* Effect.forkChild(Stream.runForEach(session.updates, () => Effect.never), {
        startImmediately: true
      })
      const quick = yield* Effect.forkChild(Stream.runCollect(session.updates), { startImmediately: true })
      for (let n = 0; n < 100; n++) {
        yield* peer.send(chunk("s1", `${n}`))
        yield* peer.settle
      }
      yield* peer.close
      assert.strictEqual((yield* Fiber.join(quick)).length, 100)
      yield* Fiber.interrupt(slow)
    }))

  it.effect("O10 an update that does not decode reaches no turn, is not counted, and gives a diagnostic", () =>
    Effect.gen(function*() {
      const { peer, sentinel, session } = yield* Turns.session({ allow: ["InvalidNotification"] })
      const secret = "the secret plan"
      const turn = yield* Turns.runTurn(session.prompt("go"))
      const prompt = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(
        chunk("s1", "1"),
        Frames.notification("session/update", {}),
        Frames.notification("session/update"),
        Frames.notification("session/update", {
          sessionId: "s1",
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: 5, secret } }
        }),
        chunk("s1", "2"),
        Turns.endTurn(prompt)
      )
      assert.deepStrictEqual(Turns.seen(yield* Fiber.join(turn)), ["1", "2", "end:end_turn"])
      assert.strictEqual((yield* sentinel.of("InvalidNotification")).length, 3)
      assert.notInclude(JSON.stringify(yield* sentinel.seen), secret)
    }))
})
