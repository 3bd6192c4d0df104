/**
 * The kit held against itself: every row fails on the agent that has its fault, and no other row does.
 */
import { version1 } from "@effect-acp/tck/Requirements"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { defects } from "./fixtures/faults.ts"
import { idsIn, runInProcess } from "./support.ts"

const detailOf =
  (id: string) => (report: { readonly results: ReadonlyArray<{ id: string; detail: string | undefined }> }) =>
    report.results.find((result) => result.id === id)?.detail

const isInformational = (id: string) => version1.some((row) => row.id === id && row.tier === "informational")

describe("the table", () => {
  it("holds the 56 requirements of version 1", () => {
    assert.strictEqual(version1.length, 56)
  })

  it.each(version1.map(({ id }) => id))("%s has a defect agent", (id) => {
    assert.isTrue(defects.some(({ row }) => row === id))
  })
})

describe("an agent without a fault", () => {
  it.live("passes every row that concerns it", () =>
    Effect.gen(function*() {
      const report = yield* runInProcess({})
      assert.deepStrictEqual(report.reasons, [])
      assert.deepStrictEqual(idsIn(report, "FAIL"), [])
      assert.deepStrictEqual(idsIn(report, "NOT_TESTED"), [])
      assert.deepStrictEqual(idsIn(report, "SKIPPED"), ["ACP-AUTH-001", "ACP-AUTH-003", "ACP-AUTH-004"])
    }))

  it.live("passes every row that concerns it, with authentication", () =>
    Effect.gen(function*() {
      const report = yield* runInProcess({ authentication: true })
      assert.deepStrictEqual(report.reasons, [])
      assert.deepStrictEqual(idsIn(report, "FAIL"), [])
      assert.deepStrictEqual(idsIn(report, "NOT_TESTED"), [])
      assert.deepStrictEqual(idsIn(report, "SKIPPED"), ["ACP-AUTH-005"])
    }))
})

describe.concurrent("a defect agent", () => {
  for (const defect of defects.filter(({ row }) => !isInformational(row))) {
    it.live(`${defect.row} fails, and nothing beside it, on an agent that ${defect.name}`, () =>
      Effect.gen(function*() {
        const report = yield* runInProcess(defect)
        const failing = [defect.row, ...defect.alsoFails ?? []].toSorted()
        assert.deepStrictEqual(idsIn(report, "FAIL").toSorted(), failing)
        if (defect.blocks !== true) assert.deepStrictEqual(idsIn(report, "NOT_TESTED"), [])
        const finding = report.results.find(({ id }) => id === defect.row)?.finding
        for (const part of ["sent", "received", "expected"] as const) assert.isNotEmpty(finding?.[part], part)
      }))
  }

  for (const defect of defects.filter(({ row }) => isInformational(row))) {
    it.live(`${defect.row} writes down what it sees of an agent that ${defect.name}`, () =>
      Effect.gen(function*() {
        const [sound, defective] = [yield* runInProcess({}), yield* runInProcess(defect)]
        assert.deepStrictEqual(idsIn(defective, "FAIL"), [])
        assert.deepStrictEqual(idsIn(defective, "NOT_TESTED"), [])
        assert.notStrictEqual(detailOf(defect.row)(defective), detailOf(defect.row)(sound))
        assert.isString(detailOf(defect.row)(defective))
      }))
  }
})
