import * as Transport from "@effect-acp/core/Transport"
import { Frames, ScriptedPeer } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Stream } from "effect"

/** What the side under test reads. */
const reading = (peer: ScriptedPeer.ScriptedPeer) =>
  Effect.forkChild(Effect.exit(Stream.runCollect(peer.transport.incoming)))

/** What the side under test writes. */
const write = (peer: ScriptedPeer.ScriptedPeer, ...lines: ReadonlyArray<string>) =>
  Effect.exit(Stream.run(Stream.fromIterable(lines), peer.transport.outgoing))

const values = (exit: Exit.Exit<ReadonlyArray<unknown>, unknown>) =>
  Exit.isSuccess(exit) ? exit.value.map((frame) => (frame as { readonly value: unknown }).value) : exit.cause

const problemOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.exit(effect), (exit) => Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "none")

describe("ScriptedPeer", () => {
  it.effect("sends messages as lines, in fragments and in chunks", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const fiber = yield* reading(peer)
      yield* peer.send({ a: 1 }, "{\"b\":2}")
      yield* peer.sendFragments("{\"c\":3}\n", [1, 4])
      yield* peer.sendChunks("{\"d\":\"中😀\"}\n", 1)
      yield* peer.sendRaw("{\"e\":5}")
      yield* peer.close
      assert.deepStrictEqual(values(yield* Fiber.join(fiber)), [{ a: 1 }, { b: 2 }, { c: 3 }, { d: "中😀" }, { e: 5 }])
    }))

  it.effect("ends the link in order, with a reason, or as a process does", () =>
    Effect.gen(function*() {
      for (const [end, tag] of [["fail", "TransportFailed"], ["exit", "ProcessExited"]] as const) {
        const peer = yield* ScriptedPeer.make
        const fiber = yield* reading(peer)
        yield* end === "fail" ? peer.fail({ _tag: "TransportFailed", cause: "reset" }) : peer.exit({ code: 3 })
        const error = yield* Effect.flip(Effect.flatten(Fiber.join(fiber)))
        assert.instanceOf(error, Transport.TransportError)
        assert.strictEqual(error.reason._tag, tag)
      }
    }))

  it.effect("expects frames in order, finds them out of order, and expects nothing and the end", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const line = (id: number) => JSON.stringify(Frames.result(id, { n: id }))
      const writing = yield* Effect.forkChild(write(peer, line(1), line(2), line(3)))
      yield* peer.expect({ id: 1, result: { n: 1 } })
      yield* peer.find(({ id }) => id === 3)
      assert.deepStrictEqual((yield* peer.receive).id, 2)
      yield* Fiber.join(writing)
      yield* peer.expectEnd
      assert.deepStrictEqual(yield* peer.lines, [line(1), line(2), line(3)])
      const quiet = yield* ScriptedPeer.make
      yield* quiet.expectNothing
    }))

  it.effect("fails the test with what came instead", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      yield* Effect.forkChild(write(peer, JSON.stringify(Frames.result(1, {}))))
      yield* peer.settle
      assert.include(
        yield* problemOf(peer.expect({ id: 2 })),
        "Expected {\"id\":2}, but got {\"jsonrpc\":\"2.0\",\"id\":1"
      )
      assert.include(yield* problemOf(peer.expectEnd), "Expected the end")
      assert.include(yield* problemOf(peer.expectNothing), "none")
    }))

  it.live("does not wait for ever for a frame", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      assert.include(yield* problemOf(peer.expect({ id: 2 })), "Nothing was received")
    }))

  it.effect("fails the test when a line is no message, or has no newline", () =>
    Effect.gen(function*() {
      for (const line of ["noise", "{\"id\":1}", "[]"]) {
        const peer = yield* ScriptedPeer.make
        yield* Effect.forkChild(write(peer, line))
        assert.include(yield* problemOf(peer.receive), `Not a JSON-RPC 2.0 message: ${line}`)
      }
    }))

  it.effect("stops reading and breaks its reading end", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      yield* peer.pauseReading
      const writing = yield* Effect.forkChild(write(peer, "{\"jsonrpc\":\"2.0\"}"))
      yield* peer.settle
      assert.isUndefined(writing.pollUnsafe())
      yield* peer.breakReading
      yield* peer.resumeReading
      assert.isTrue(Exit.isFailure(yield* Fiber.join(writing)))
    }))
})

describe("Frames", () => {
  it("compares members in depth and leaves the others free", () => {
    const frame = { a: { b: [1, { c: 2 }], d: null }, e: "f" }
    assert.isTrue(Frames.matches({ a: { b: [1, { c: 2 }] } }, frame))
    assert.isTrue(Frames.matches({ a: { d: null }, x: undefined }, frame))
    assert.isTrue(Frames.matches(({ e }) => e === "f", frame))
    assert.isFalse(Frames.matches({ a: { b: [1] } }, frame))
    assert.isFalse(Frames.matches({ a: [] }, frame))
    assert.isFalse(Frames.matches({ e: "g" }, frame))
    assert.isFalse(Frames.matches({ toString: {} }, frame))
  })
})
