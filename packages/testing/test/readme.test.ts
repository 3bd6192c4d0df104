import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"

const here = import.meta.dirname

describe("README", () => {
  it("its examples are the ones that are compiled and run here", () => {
    const readme = readFileSync(`${here}/../README.md`, "utf8")
    const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code)
    const files = readdirSync(`${here}/readme`).map((name) => readFileSync(`${here}/readme/${name}`, "utf8"))
    assert.deepStrictEqual(blocks.toSorted(), files.toSorted())
  })
})
