import type * as Diagnostic from "@effect-acp/core/Diagnostic"
import { InvariantSentinel } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, PubSub, Stream } from "effect"

const gap: Diagnostic.Diagnostic = { _tag: "DeliveryGap", sessionId: "s1", delivered: 1, expected: 2 }
const late: Diagnostic.Diagnostic = { _tag: "OrphanResponse", id: 1, late: true, error: undefined }

/** A test that watches a connection which reports what it is told to. */
const watched = (
  reports: ReadonlyArray<Diagnostic.Diagnostic>,
  options?: Parameters<typeof InvariantSentinel.watch>[1],
  test: (sentinel: InvariantSentinel.Sentinel) => Effect.Effect<unknown> = () => Effect.void
) =>
  Effect.gen(function*() {
    const hub = yield* PubSub.unbounded<Diagnostic.Diagnostic>()
    const sentinel = yield* InvariantSentinel.watch({ diagnostics: Stream.fromPubSub(hub) }, options)
    yield* PubSub.publishAll(hub, reports)
    yield* test(sentinel)
  }).pipe(Effect.scoped, Effect.exit)

describe("InvariantSentinel", () => {
  it.effect("fails a test in which an invariant was broken", () =>
    Effect.gen(function*() {
      const exit = yield* watched([late, gap])
      assert.isTrue(Exit.isFailure(exit))
      assert.include(Exit.isFailure(exit) ? String(exit.cause) : "", "DeliveryGap")
    }))

  it.effect("bears what is no invariant, and what the test declared", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* watched([late]), Exit.void)
      assert.deepStrictEqual(yield* watched([gap], { allow: ["DeliveryGap"] }), Exit.void)
      assert.deepStrictEqual(yield* watched([gap], undefined, ({ allow }) => allow("DeliveryGap")), Exit.void)
      assert.isTrue(Exit.isFailure(yield* watched([late], { invariants: ["OrphanResponse"] })))
    }))

  it.effect("shows what was reported", () =>
    Effect.gen(function*() {
      const exit = yield* watched([gap, late], { allow: ["DeliveryGap"] }, ({ of, seen }) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* seen, [gap, late])
          assert.deepStrictEqual((yield* of("DeliveryGap"))[0].expected, 2)
        }))
      assert.deepStrictEqual(exit, Exit.void)
    }))
})
