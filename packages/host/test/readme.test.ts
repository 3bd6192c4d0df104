import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"

const here = import.meta.dirname
const examples = readdirSync(`${here}/readme`)

const run = (example: string, ...args: ReadonlyArray<string>) =>
  execFileSync(process.execPath, [`${here}/readme/${example}.ts`, ...args], { encoding: "utf8", timeout: 30_000 })

describe("README", () => {
  it("its examples are the ones that are compiled and run here", () => {
    const blocks = [...readFileSync(`${here}/../README.md`, "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) =>
      code
    )
    const files = examples.map((name) => readFileSync(`${here}/readme/${name}`, "utf8"))
    assert.deepStrictEqual(blocks.toSorted(), files.toSorted())
  })

  it("client", { timeout: 40_000 }, () => {
    const output = run("client", process.execPath, `${here}/fixtures/agent.mjs`)
    const lines = output.trim().split("\n")
    assert.deepStrictEqual(lines.filter((line) => line.startsWith("turn")), [
      "turn: Update",
      "turn: Update",
      "turn: End"
    ])
    assert.isBelow(lines.indexOf("terminal: hello"), lines.indexOf("turn: End"))
    assert.strictEqual(lines.length, 4)
  })

  it("buffers", { timeout: 40_000 }, () => {
    assert.strictEqual(run("buffers"), "")
  })

  it("registry", { timeout: 40_000 }, () => {
    const file = `${mkdtempSync(`${tmpdir()}/acp-registry-`)}/registry.json`
    const agent = {
      id: "a",
      name: "A",
      version: "1.0.0",
      description: "",
      distribution: { npx: { package: "a", args: ["--acp"] } }
    }
    writeFileSync(file, JSON.stringify({ version: "1.0.0", agents: [agent] }))
    assert.strictEqual(run("registry", file), "npx -y a --acp\n")
  })
})
