/**
 * The kit and its defect agents as programs.
 */
import { version1 } from "@effect-acp/tck/Requirements"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { execFileSync } from "node:child_process"
import { defects } from "./fixtures/faults.ts"
import { fixture, idsIn, runCommand, settings, settingsOf } from "./support.ts"

/** Programs take longer than what runs in this process. */
const patient = {
  timeout: Duration.seconds(5),
  silence: Duration.millis(200),
  closeGrace: Duration.seconds(2)
}

/** Where silence itself is the fault, it need not be long. */
const impatient = { ...patient, timeout: Duration.seconds(2), closeGrace: Duration.millis(500) }

const judged = defects.filter(({ row }) => version1.some(({ id, tier }) => id === row && tier !== "informational"))

const patienceFor = ({ row }: { readonly row: string }) =>
  ["ACP-JSONRPC-001", "ACP-JSONRPC-005", "ACP-EXT-001", "ACP-SHUTDOWN-001"].includes(row) ? impatient : patient

describe.concurrent("a defect agent as a program", () => {
  for (const defect of judged) {
    it.live(`fails ${defect.row}: ${defect.name}`, () =>
      Effect.gen(function*() {
        const report = yield* runCommand([fixture("defect-agent.ts"), defect.name], {
          settings: settingsOf(defect, patienceFor(defect)),
          requirements: version1.filter(({ id }) => id === defect.row)
        })
        assert.deepStrictEqual(idsIn(report, "FAIL"), [defect.row])
      }), 30_000)
  }
})

describe("an agent as a program", () => {
  it.live("passes every row without a fault", () =>
    Effect.gen(function*() {
      const report = yield* runCommand([fixture("defect-agent.ts")], { settings: settings(patient), jobs: 4 })
      assert.deepStrictEqual(report.reasons, [])
      assert.deepStrictEqual(idsIn(report, "FAIL"), [])
      assert.deepStrictEqual(idsIn(report, "NOT_TESTED"), [])
    }), 60_000)

  it.live(
    "is gone after the run, with what it has started, even when it does not want to",
    () =>
      Effect.gen(function*() {
        const marker = `tck-marker-${process.pid}`
        const report = yield* runCommand([fixture("stubborn-agent.ts"), marker], {
          settings: settings(impatient),
          requirements: version1.filter(({ id }) => id === "ACP-SHUTDOWN-001" || id === "ACP-INIT-001")
        })
        assert.deepStrictEqual(idsIn(report, "FAIL"), ["ACP-SHUTDOWN-001"])
        const running = execFileSync("ps", ["-A", "-o", "args"], { encoding: "utf8" })
        assert.notInclude(running, marker)
      }),
    30_000
  )
})
