import * as Words from "@effect-acp/examples/Words"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

describe("Words", () => {
  it("splits as a shell does", () => {
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["", []],
      ["   ", []],
      ["a", ["a"]],
      [" a  b\tc\n", ["a", "b", "c"]],
      ["node 'a b' \"c d\"", ["node", "a b", "c d"]],
      ["a'b c'd\"e f\"", ["ab cde f"]],
      ["'' \"\"", ["", ""]],
      ["'say \"hi\"'", ["say \"hi\""]],
      ["\"say \\\"hi\\\" \\\\\"", ["say \"hi\" \\"]],
      ["a\\ b \\' \\\" \\\\", ["a b", "'", "\"", "\\"]],
      ["C:\\agents\\run.exe \\n", ["C:\\agents\\run.exe", "\\n"]],
      ["--é=😀", ["--é=😀"]]
    ]
    for (const [line, words] of cases) assert.deepStrictEqual(Words.split(line), Result.succeed(words), line)
  })

  it("fails on a quote that is not closed", () => {
    for (const line of ["'", "a \"b", "a'b", "\"a\\\""]) assert.isTrue(Result.isFailure(Words.split(line)), line)
  })
})
