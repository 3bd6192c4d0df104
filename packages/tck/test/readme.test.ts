/**
 * The example of the README does what it says.
 */
import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fixture } from "./support.ts"

const folder = join(import.meta.dirname, "..")

it("the library example of the README runs", { timeout: 60_000 }, () => {
  const [, example] = /```ts\n([^]*?)```/.exec(readFileSync(join(folder, "README.md"), "utf8"))!
  const agent = [process.execPath, fixture("defect-agent.ts")]
  const { stderr, stdout } = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", example, ...agent], {
    cwd: folder,
    encoding: "utf8"
  })
  assert.strictEqual(stderr, "")
  assert.deepStrictEqual(stdout.trim().split("\n"), [
    "FAIL HOUSE-TITLE-001",
    "PASS ACP-INIT-001",
    "PASS ACP-INIT-002",
    "PASS ACP-INIT-003",
    "PASS ACP-INIT-004"
  ])
})
