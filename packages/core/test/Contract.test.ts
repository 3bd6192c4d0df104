/**
 * Every promise of docs/contract.md has a test whose title begins with its number, and no title has a number that is none.
 */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const contract = resolve(root, "docs/contract.md")

interface Promised {
  readonly number: string
  readonly files: ReadonlyArray<string>
}

const promises: ReadonlyArray<Promised> = readFileSync(contract, "utf8").split("\n").flatMap((line) => {
  const [, number] = /^- \*\*([A-Z]+\d+)\*\* /.exec(line) ?? []
  if (number === undefined) return []
  const links = [...line.matchAll(/\]\(([^)]+\.ts)\)/g)].map(([, link]) => resolve(dirname(contract), link))
  return [{ number, files: links }]
})

const chapters = new Set(promises.map(({ number }) => number.replace(/\d+$/, "")))

/** The numbers that titles of the tests of a file begin with; F and three digits are faults met in the field. */
const numbersOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/["'`]([A-Z]{1,2}\d{1,2}) (?=\S)/g)]
    .map(([, number]) => number)
    .filter((number) => chapters.has(number.replace(/\d+$/, "")))

const tests = new Map(
  globSync(resolve(root, "packages/*/test/**/*.test.ts")).map((file) => [file, new Set(numbersOf(file))])
)

const show = (file: string) => relative(root, file)

describe("docs/contract.md", () => {
  it("lists each number once, in chapters that count from 1", () => {
    for (const chapter of chapters) {
      const numbers = promises.map(({ number }) => number).filter((number) => number.replace(/\d+$/, "") === chapter)
      assert.deepStrictEqual(numbers, numbers.map((_, index) => `${chapter}${index + 1}`))
    }
    assert.isAbove(promises.length, 90)
  })

  it("has a test for every number", () => {
    const tested = new Set([...tests.keys()].flatMap(numbersOf))
    assert.deepStrictEqual(promises.map(({ number }) => number).filter((number) => !tested.has(number)), [])
  })

  it("has every number that begins a title", () => {
    const known = new Set(promises.map(({ number }) => number))
    const unknown = [...tests].flatMap(([file, numbers]) =>
      [...numbers].filter((number) => !known.has(number)).map((number) => `${number} in ${show(file)}`)
    )
    assert.deepStrictEqual(unknown, [])
  })

  it("links each number to files that test it", () => {
    const wrong = promises.flatMap(({ files, number }) =>
      files.length === 0
        ? [`${number} has no link`]
        : files.filter((file) => !existsSync(file) || !tests.get(file)?.has(number)).map((file) =>
          `${number} is not in ${show(file)}`
        )
    )
    assert.deepStrictEqual(wrong, [])
  })
})
