import * as Patch from "@effect-acp/core/schema/Patch"
import type { SessionInfoUpdate } from "@effect-acp/core/schema/Session"
import { assert, describe, it } from "@effect/vitest"

describe("a field of a patch", () => {
  it("leaves, clears or replaces", () => {
    assert.strictEqual(Patch.apply("old", undefined), "old")
    assert.strictEqual(Patch.apply("old", null), undefined)
    assert.strictEqual(Patch.apply("old", "new"), "new")
    assert.strictEqual(Patch.apply(0)(5), 0)
  })
})

describe("a patch", () => {
  const keys = ["title", "updatedAt"] as const
  const patch = (update: SessionInfoUpdate) => Patch.applyAll({ title: "a" }, update, keys)

  it("is applied to a record", () => {
    assert.deepStrictEqual(patch({ title: null, updatedAt: "today" }), { updatedAt: "today" })
    assert.deepStrictEqual(patch({ title: "b" }), { title: "b" })
  })

  it("that changes nothing gives the record itself", () => {
    const current = { title: "a" }
    assert.strictEqual(Patch.applyAll<SessionInfoUpdate, "title" | "updatedAt">(current, {}, keys), current)
    assert.strictEqual(
      Patch.applyAll<SessionInfoUpdate, "title" | "updatedAt">(current, { title: "a", updatedAt: null }, keys),
      current
    )
  })
})
