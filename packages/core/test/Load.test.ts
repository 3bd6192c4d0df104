import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import * as Load from "./support/load.ts"

const mebibyte = 1024 * 1024

const quiet = Effect.provideService(References.MinimumLogLevel, "None")

describe("load", () => {
  it.live(
    "Z3 connections that ended in every way leave no entry, no handle and no memory",
    () =>
      Effect.gen(function*() {
        const { entries, grown, handles, held } = yield* Load.leaks(210)
        assert.strictEqual(entries, 0)
        assert.isAtMost(held, 2)
        assert.isAtMost(handles, 1)
        assert.isBelow(grown, 4 * mebibyte)
      }).pipe(quiet),
    30_000
  )

  it.live("O6 a consumer that keeps up costs no memory, however many updates come", () =>
    Effect.gen(function*() {
      const { grown, received } = yield* Load.manyUpdates(50_000)
      assert.strictEqual(received, 50_000)
      assert.isBelow(grown, 8 * mebibyte)
    }), 30_000)

  it.live("O1 a hundred sessions of one connection stream at once, each in order", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* Load.manySessions(100, 30), 100)
    }), 30_000)

  it.live("F4 any number of lines of noise does not grow memory", () =>
    Effect.gen(function*() {
      assert.isBelow(yield* Load.muchNoise(200_000), 4 * mebibyte)
    }), 30_000)
})
