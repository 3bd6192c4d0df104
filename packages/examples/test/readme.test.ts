/**
 * What the README shows is code that runs.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { repository, runNode } from "./support.ts"

const read = (path: string) => readFileSync(join(repository, path), "utf8")

const blocks = (language: string) =>
  [...read("README.md").matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gmu"))].map(([, code]) => code)

describe("the README", () => {
  it("shows these programs, all of them and nothing else", () => {
    assert.deepStrictEqual(blocks("ts"), [
      read("packages/examples/src/readme/client.ts"),
      read("packages/examples/src/readme/agent.ts"),
      read("packages/examples/test/readme.scripted.test.ts")
    ])
  })

  it("shows programs of about twenty lines", () => {
    for (const block of blocks("ts").slice(0, 2)) assert.isAtMost(block.split("\n").length, 26)
  })

  it("names the commands that do the set-up", () => {
    assert.include(
      blocks("sh"),
      "npx -y -p node@24 -p pnpm@12.4.2 pnpm demo\nnpx -y -p node@24 -p pnpm@12.4.2 pnpm test\n"
    )
    assert.include(read("package.json"), "\"packageManager\": \"pnpm@12.4.2\"")
  })

  it("points at files that are there", () => {
    const links = [...read("README.md").matchAll(/\]\((?!https?:)([^)]+)\)/gu)].map(([, path]) => path)
    assert.isAbove(links.length, 5)
    for (const link of links) {
      assert.doesNotThrow(() =>
        read(
          join(
            link,
            link === "packages/examples/src/readme" ? "client.ts" : link.startsWith("packages/") ? "package.json" : ""
          )
        ), link)
    }
  })

  it.live("the client runs the agent", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* runNode(["packages/examples/src/readme/client.ts"])
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 0)
      assert.include(stdout, `README.md has ${read("README.md").length} characters`)
      assert.include(stdout, "stop reason: end_turn")
    }), 30_000)
})
