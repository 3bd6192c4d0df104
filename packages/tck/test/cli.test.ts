/**
 * The command line: exit codes, reports, and what is said.
 */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fixture } from "./support.ts"

const program = join(import.meta.dirname, "..", "src", "main.ts")

const kit = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" }
  })
  return { status, stderr, stdout }
}

const agent = (...fault: ReadonlyArray<string>) => ["--", process.execPath, fixture("defect-agent.ts"), ...fault]

const quick = ["--timeout", "3", "--close-grace", "1", "--busy-prompt", "busy"]

describe("exit codes", { timeout: 60_000 }, () => {
  it("is 0 for an agent that is conformant", () => {
    const { status, stdout } = kit(...quick, "--filter", "INIT", ...agent())
    assert.strictEqual(status, 0)
    assert.match(stdout, /PASS {6} ACP-INIT-001/)
    assert.match(stdout, /mandatory +3 +0 +0 +0/)
    assert.match(stdout, /tck-agent 1\.0\.0, protocol version 1/)
    assert.match(stdout, /^Conformant$/m)
  })

  it("is 1 for an agent that is not, with what was sent, came back and was expected", () => {
    const { status, stdout } = kit(...quick, "--filter", "INIT-003", ...agent("accepts-any-version"))
    assert.strictEqual(status, 1)
    assert.match(stdout, /^FAIL .*ACP-INIT-003 .*sent \{.*65535.*; came back \{.*65535.*; expected a version/m)
    assert.match(stdout, /^Not conformant$/m)
    assert.match(stdout, /mandatory requirements failed: ACP-INIT-003/)
  })

  it("is 0 when only advice is not followed", () => {
    const { status, stdout } = kit(...quick, "--filter", "INIT-004", ...agent("has-no-name"))
    assert.match(stdout, /^FAIL .*ACP-INIT-004/m)
    assert.strictEqual(status, 0)
  })

  it("is 1 when sessions need authentication and no method was named", () => {
    const { status, stdout } = kit(...quick, "--filter", "SESSION-001", ...agent("authentication"))
    assert.strictEqual(status, 1)
    assert.match(stdout, /NOT TESTED ACP-SESSION-001/)
    assert.match(stdout, /name a method with --auth-method/)
  })

  it("is 0 when the method is named", () => {
    const options = ["--auth-method", "token", "--allow-logout", "--filter", "SESSION-001,AUTH-003,AUTH-004"]
    const { status, stdout } = kit(...quick, ...options, ...agent("authentication"))
    assert.strictEqual(status, 0)
    assert.match(stdout, /PASS {6} ACP-AUTH-003/)
    assert.match(stdout, /PASS {6} ACP-AUTH-004/)
  })

  it("is 2 for a program that is not there", () => {
    const { status, stderr } = kit("--", "acp-tck-no-such-program")
    assert.strictEqual(status, 2)
    assert.match(stderr, /"acp-tck-no-such-program" cannot be judged: there is no such program/)
  })

  it("is 2 for a program that exits at once, with what it said", () => {
    const { status, stderr } = kit("--", process.execPath, "-e", "console.error('no key'); process.exit(3)")
    assert.strictEqual(status, 2)
    assert.match(stderr, /exited without an answer to initialize/)
    assert.match(stderr, /no key/)
  })

  it("is 2 for a program that does not answer", () => {
    const args = ["--startup-timeout", "0.3", "--close-grace", "0.1"]
    const { status, stderr } = kit(...args, "--", process.execPath, "-e", "setInterval(() => {}, 1000)")
    assert.strictEqual(status, 2)
    assert.match(stderr, /did not answer initialize within 300ms/)
  })

  it("is 2 for a command line that makes no sense", () => {
    assert.strictEqual(kit().status, 2)
    assert.strictEqual(kit("--no-such-flag", ...agent()).status, 2)
    assert.strictEqual(kit("--protocol-version", "7", ...agent()).status, 2)
    assert.strictEqual(kit("--filter", "NOTHING", ...agent()).status, 2)
  })
})

describe("output", { timeout: 60_000 }, () => {
  it("lists the rows", () => {
    const { status, stdout } = kit("--list", "--filter", "CANCEL*1,LOAD-003")
    assert.strictEqual(status, 0)
    const ids = stdout.trim().split("\n").map((line) => line.split("  ").slice(0, 2))
    assert.deepStrictEqual(ids, [["ACP-LOAD-003", "advisory"], ["ACP-CANCEL-001", "mandatory"]])
  })

  it("writes reports for programs and for build servers", () => {
    const folder = mkdtempSync(join(tmpdir(), "acp-tck-test-"))
    const [json, junit] = [join(folder, "report.json"), join(folder, "report.xml")]
    kit(...quick, "--filter", "INIT", "--json-report", json, "--junit-report", junit, ...agent("accepts-any-version"))
    const report = JSON.parse(readFileSync(json, "utf8"))
    const xml = readFileSync(junit, "utf8")
    rmSync(folder, { recursive: true })

    assert.strictEqual(report.conformant, false)
    assert.deepStrictEqual(report.counts, { PASS: 3, FAIL: 1, SKIPPED: 0, NOT_TESTED: 0 })
    const failed = report.results.find(({ id }: { readonly id: string }) => id === "ACP-INIT-003")
    assert.strictEqual(failed.state, "FAIL")
    assert.isNotEmpty(failed.transcript)
    assert.match(failed.finding.expected, /not 65535/)

    assert.match(xml, /<testsuite name="acp-tck version 1" tests="4" failures="1" errors="0" skipped="0"/)
    assert.match(xml, /<testcase classname="mandatory" name="ACP-INIT-003 .*"><failure type="mandatory" message="sent /)
    assert.notMatch(xml.replace(/&(amp|lt|gt|quot|#10|#13|#9);/g, ""), /&/)
  })
})
