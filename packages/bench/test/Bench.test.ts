import * as Catalog from "@effect-acp/bench/Catalog"
import * as Report from "@effect-acp/bench/Report"
import * as Runner from "@effect-acp/bench/Runner"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const caseOf = (id: string): Catalog.Case => Catalog.cases.find((case_) => case_.id === id)!

const run = (id: string) =>
  Runner.runCase(caseOf(id), { pairs: 1, scale: "smoke", onRun: () => Effect.void }).pipe(
    Effect.map(Report.rowsOf),
    Effect.provide(NodeServices.layer)
  )

describe("the benchmark", () => {
  it.live.each(["a", "c"])("measures case %s on every side", (id) =>
    Effect.gen(function*() {
      const [row] = yield* run(id)
      for (const summary of [row.ours, row.sdk, row.floor]) assert.isAbove(summary?.median ?? 0, 0)
      assert.closeTo(row.ratio, row.sdk.median / row.ours.median, 1e-9)
      assert.closeTo((row.limit ?? 0) * (row.ofFloor ?? 0), row.ratio, 1e-9)
    }), 60_000)

  it.live("says when a side cannot run a case", () =>
    Runner.measure("floor", "no such case", "smoke").pipe(
      Effect.flip,
      Effect.map((error) => assert.include(error.message, "no such case")),
      Effect.provide(NodeServices.layer)
    ), 60_000)

  it("summarizes runs by their median, least and greatest", () => {
    assert.deepStrictEqual(Report.summarize([3, 1, 2]), { median: 2, min: 1, max: 3 })
    assert.deepStrictEqual(Report.summarize([4, 1, 2, 3]), { median: 2.5, min: 1, max: 4 })
  })

  it("writes a table that is Markdown", () => {
    assert.strictEqual(
      Report.tableOf(["case", "time"], [["a", "1.00 ms"], ["b", "10.0 ms"]]),
      [
        "| case | time    |",
        "| ---- | ------- |",
        "| a    | 1.00 ms |",
        "| b    | 10.0 ms |"
      ].join("\n")
    )
  })
})
