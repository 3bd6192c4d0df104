import * as Frame from "@effect-acp/core/Frame"
import * as Transport from "@effect-acp/core/Transport"
import { FaultyTransport, ScriptedPeer, Seed } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"

const count = 200

/** The numbers of the frames that arrive on this side, noise as text. */
const received = (options: FaultyTransport.Options) =>
  Effect.gen(function*() {
    const peer = yield* ScriptedPeer.make
    const transport = FaultyTransport.make(peer.transport, options)
    const seen: Array<number | string> = []
    const reading = yield* Effect.forkChild(
      Effect.exit(Stream.runForEach(transport.incoming, (item) =>
        Effect.sync(() => {
          seen.push(item instanceof Frame.Noise ? item.reason : (item.value.n as number | undefined) ?? "other")
        })))
    )
    for (let n = 0; n < count; n++) yield* peer.send({ n })
    yield* peer.close
    yield* peer.settle
    yield* TestClock.adjust("1 minute")
    return { seen, exit: yield* Fiber.join(reading) }
  })

const all = Array.from({ length: count }, (_, n) => n)
const numbers = (seen: ReadonlyArray<number | string>) => seen.filter((item) => typeof item === "number")

describe("FaultyTransport", () => {
  it.effect("without faults changes nothing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* received({ seed: 1 }), { seen: all, exit: Exit.void })
    }))

  it.effect("loses, doubles, reorders and spoils frames, the same ones for the same seed", () =>
    Effect.gen(function*() {
      const faults = (incoming: FaultyTransport.Faults) =>
        Effect.map(received({ seed: 7, incoming }), ({ seen }) => seen)
      const dropped = yield* faults({ drop: 0.2 })
      assert.isTrue(dropped.length < count && dropped.length > count / 2)
      const doubled = yield* faults({ duplicate: 0.2 })
      assert.deepStrictEqual([...new Set(doubled)], all)
      assert.isAbove(doubled.length, count)
      const reordered = yield* faults({ reorder: 0.2 })
      assert.notDeepEqual(reordered, all)
      assert.deepStrictEqual(numbers(reordered).toSorted((a, b) => a - b), all)
      const spoiled = yield* faults({ garbage: 0.2 })
      assert.deepStrictEqual(numbers(spoiled), all)
      assert.isAbove(spoiled.length, count)
      const everything = { drop: 0.1, duplicate: 0.1, reorder: 0.1, garbage: 0.1, delay: 0.5 }
      assert.deepStrictEqual(yield* faults(everything), yield* faults(everything))
    }))

  it.effect("cuts the link", () =>
    Effect.gen(function*() {
      const { exit, seen } = yield* received({ seed: 1, incoming: { cutAfter: 10 } })
      assert.deepStrictEqual(seen, all.slice(0, 10))
      assert.isTrue(Exit.isFailure(exit))
    }))

  it.effect("slows every frame down", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const transport = FaultyTransport.make(peer.transport, { seed: 1, outgoing: { pace: "1 second" } })
      const frames = Array.from({ length: 3 }, (_, id) => JSON.stringify({ jsonrpc: "2.0", id, result: {} }))
      const writing = yield* Effect.forkChild(Stream.run(Stream.fromIterable(frames), transport.outgoing))
      for (const id of [0, 1, 2]) {
        yield* peer.settle
        assert.strictEqual((yield* peer.lines).length, id)
        yield* TestClock.adjust("1 second")
      }
      yield* Fiber.join(writing)
      yield* peer.expect({ id: 0 })
    }))

  it.effect("wraps a layer", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const layer = FaultyTransport.layer(peer.layer, { seed: 1, incoming: { drop: 1 } })
      const seen = yield* Effect.forkChild(
        Effect.provide(Effect.flatMap(Transport.Transport, ({ incoming }) => Stream.runCollect(incoming)), layer)
      )
      yield* peer.send({ n: 1 })
      yield* peer.close
      assert.deepStrictEqual(yield* Fiber.join(seen), [])
      assert.isDefined(Layer.isLayer(layer))
    }))
})

describe("Seed", () => {
  it("repeats its choices, within their bounds", () => {
    const choices = (seed: number) => {
      const { chance, int, next, pick } = Seed.make(seed)
      return Array.from({ length: 1_000 }, () => [next(), int(10), chance(0.5), pick(["a", "b"])] as const)
    }
    assert.deepStrictEqual(choices(1), choices(1))
    assert.notDeepEqual(choices(1), choices(2))
    assert.isTrue(
      choices(3).every(([next, int]) => next >= 0 && next < 1 && Number.isInteger(int) && int >= 0 && int < 10)
    )
    const heads = choices(4).filter(([, , chance]) => chance).length
    assert.isTrue(heads > 400 && heads < 600)
  })
})
