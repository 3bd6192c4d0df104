/**
 * The client's part of the kit held against itself, and against clients that are known to be good.
 */
import { version1 } from "@effect-acp/tck/client/ClientRequirements"
import * as ClientRunner from "@effect-acp/tck/client/ClientRunner"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { clientFaults } from "./fixtures/clientFaults.ts"
import { fixture, idsIn } from "./support.ts"

const run = (args: ReadonlyArray<string>, rows = version1) =>
  ClientRunner.run({
    requirements: rows,
    command: process.execPath,
    args,
    timeout: Duration.seconds(15),
    closeGrace: Duration.seconds(1),
    jobs: 4
  }).pipe(Effect.provide(NodeServices.layer))

describe("the rules for clients", () => {
  it("are twenty", () => {
    assert.strictEqual(new Set(version1.map(({ id }) => id)).size, 20)
  })

  it.each(version1.map(({ id }) => id))("%s has a client that breaks it", (id) => {
    assert.isTrue(Object.values(clientFaults).some(({ row }) => row === id))
  })
})

describe("a client without a fault", () => {
  it.live("passes every rule", () =>
    Effect.gen(function*() {
      const report = yield* run([fixture("client.ts")])
      assert.deepStrictEqual(report.reasons, [])
      assert.strictEqual(idsIn(report, "PASS").length, 20)
    }), 60_000)
})

describe.concurrent("a defect client", () => {
  for (const [name, { row }] of Object.entries(clientFaults)) {
    it.live(`fails ${row}: ${name}`, () =>
      Effect.gen(function*() {
        const report = yield* run([fixture("client.ts"), name], version1.filter(({ id }) => id === row))
        assert.deepStrictEqual(idsIn(report, "FAIL"), [row])
        const [{ finding }] = report.results
        for (const part of ["sent", "received", "expected"] as const) assert.isNotEmpty(finding?.[part], part)
      }), 60_000)
  }
})

describe("clients that others wrote", () => {
  it.live("the client of this library passes every rule", () =>
    Effect.gen(function*() {
      const report = yield* run([fixture("effect-client.ts")])
      const failures = report.results.filter(({ state }) => state === "FAIL")
      assert.deepStrictEqual(failures.map(({ finding, id }) => ({ id, finding })), [])
      assert.strictEqual(idsIn(report, "PASS").length, 20)
    }), 120_000)

  it.live("the client of the official SDK is conformant, though it answers noise", () =>
    Effect.gen(function*() {
      const report = yield* run([fixture("sdk-client.ts")])
      assert.deepStrictEqual(report.reasons, [])
      assert.deepStrictEqual(idsIn(report, "FAIL"), ["CLIENT-NOISE-001"])
      assert.deepStrictEqual(idsIn(report, "SKIPPED"), ["CLIENT-FILE-001"])
    }), 120_000)
})
