import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import * as Writer from "../src/internal/writer.js"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

describe("writing", () => {
  it.effect("F6 fifty writers of large frames never interleave, in the order of acceptance", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ handlers: Wire.echoHandler })
      const text = (n: number) => `${n}:${"x\u2028\n".repeat(30_000)}`
      yield* Effect.forEach(
        Array.from({ length: 50 }, (_, n) => n),
        (n) => connection.notify(Wire.note, { value: text(n) }),
        {
          concurrency: "unbounded"
        }
      )
      for (let n = 0; n < 50; n++) {
        const { params } = yield* peer.expect({ method: "_test/note" })
        assert.strictEqual((params as { readonly value: string }).value, text(n))
      }
      for (const line of yield* peer.lines) assert.notMatch(line, /[\r\u2028\u2029]/)
    }))

  it.effect("F6 a sender that is interrupted leaves whole frames or none", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ outgoingBudget: 50_000 })
      yield* peer.pauseReading
      const senders = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        (value) => Effect.forkChild(connection.notify(Wire.note, { value: `${value}${"x".repeat(20_000)}` }))
      )
      yield* peer.settle
      yield* Fiber.interruptAll(senders)
      yield* peer.resumeReading
      yield* connection.notify(Wire.note, { value: "last" })
      yield* peer.find({ method: "_test/note", params: { value: "last" } })
    }))

  it.effect("F6 a peer that does not read makes senders wait; once it has read, the budget is free again", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.client({ outgoingBudget: 10_000 })
      yield* peer.pauseReading
      let sent = 0
      const sender = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 1_000 }, (_, n) => n),
          (value) =>
            Effect.tap(
              connection.notify(Wire.note, { value: `${value}${"x".repeat(1_000)}` }),
              () =>
                Effect.sync(() => {
                  sent++
                })
            )
        )
      )
      yield* peer.settle
      assert.isBelow(sent, 30)
      assert.isBelow((yield* connection.counts).unwritten, 20_000)
      yield* peer.resumeReading
      yield* Fiber.join(sender)
      yield* peer.settle
      assert.strictEqual((yield* connection.counts).unwritten, 0)
      assert.strictEqual((yield* peer.lines).length, 1_000)
    }))

  it.effect("E4 answers wait for a peer that does not read, within the bound of requests in flight, and all arrive", () =>
    Effect.gen(function*() {
      const { connection, peer, sentinel } = yield* Wire.agent({
        outgoingBudget: 10_000,
        maxInFlight: 20,
        handlers: Wire.handlers({
          run: ({ value }) => Effect.succeed({ value: `${String(value)}${"x".repeat(5_000)}` })
        })
      })
      yield* sentinel.allow("ShedRequest")
      yield* peer.pauseReading
      for (let id = 0; id < 100; id++) yield* peer.send(Frames.request(id, "_test/run", { value: id }))
      yield* peer.settle
      const { inFlight, unwritten } = yield* connection.counts
      assert.isAtMost(inFlight, 20)
      assert.isBelow(unwritten, 10_000 + 5_100 + 80 * 200)
      yield* peer.resumeReading
      for (let id = 0; id < 100; id++) yield* peer.find({ id })
      assert.strictEqual((yield* connection.counts).inFlight, 0)
    }))

  it.effect("a peer that reads a large frame while it is refused something is not cut off", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agent({ outgoingBudget: 1_000 })
      yield* peer.pauseReading
      yield* connection.notify(Wire.note, { value: "x".repeat(100_000) })
      yield* peer.send(Frames.request(1, "_test/none"))
      yield* peer.settle
      yield* peer.resumeReading
      yield* peer.expect({ method: "_test/note" })
      yield* peer.expect({ id: 1, error: { code: -32601 } })
    }))

  it.effect("F6 frames that wait are written in batches, and who waits goes on before all of them are", () =>
    Effect.gen(function*() {
      const writer = yield* Writer.make(200_000)
      const frame = "x".repeat(1_000)
      while (writer.hasRoom()) writer.pushUnsafe(frame)
      assert.isAbove(writer.sizeUnsafe(), 200_000)
      const batches: Array<readonly [frames: number, hasRoom: boolean]> = []
      yield* Stream.runForEachArray(writer.frames, (frames) =>
        Effect.sync(() => {
          batches.push([frames.length, writer.hasRoom()])
          if (writer.sizeUnsafe() === 1_000) writer.endUnsafe()
        }))
      // There is room again once half of the budget is written.
      assert.deepStrictEqual(batches, [[50, false], [50, false], [50, false], [50, true], [1, true]])
    }))

  it.effect("F6 who waits first goes on first, and no more are woken than there is room for", () =>
    Effect.gen(function*() {
      const writer = yield* Writer.make(10_000)
      const frame = "x".repeat(1_000)
      while (writer.hasRoom()) writer.pushUnsafe(frame)
      const woken: Array<number> = []
      const waiting = yield* Effect.forEach(
        Array.from({ length: 1_000 }, (_, n) => n),
        (n) =>
          Effect.forkChild(
            Effect.map(writer.room, () => {
              woken.push(n)
              writer.pushUnsafe(frame)
            }),
            { startImmediately: true }
          )
      )
      yield* Fiber.interrupt(waiting[1])
      const inSteps: Array<number> = []
      yield* Stream.runForEachArray(writer.frames, () =>
        Effect.sync(() => {
          inSteps.push(woken.length - inSteps.reduce((sum, count) => sum + count, 0))
          if (writer.hasRoom()) writer.endUnsafe()
        }))
      assert.deepStrictEqual(woken, waiting.flatMap((_, n) => n === 1 ? [] : n))
      assert.isAtMost(Math.max(...inSteps), 12)
      assert.isTrue(writer.hasRoom())
    }))

  it.effect("Z1 a peer that floods requests and reads no answers is cut off", () =>
    Effect.gen(function*() {
      const { connection, peer } = yield* Wire.agent({ outgoingBudget: 10_000 })
      yield* peer.pauseReading
      for (let id = 0; id < 1_000; id++) yield* peer.send(Frames.request(id, "_test/none"))
      yield* peer.settle
      yield* peer.resumeReading
      const reason = yield* connection.closed
      assert.strictEqual(reason._tag, "ProtocolViolated")
      assert.isBelow((yield* peer.lines).length, 300)
    }))
})
