import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { markdown } from "./methodsMarkdown.ts"

describe("docs/methods.md", () => {
  it("is what `pnpm methods` prints", () => {
    const file = fileURLToPath(new URL("../../../docs/methods.md", import.meta.url))
    assert.strictEqual(readFileSync(file, "utf8"), markdown())
  })
})
