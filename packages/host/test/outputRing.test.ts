import type * as Module from "@effect-acp/host/internal/outputRing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const { OutputRing }: typeof Module = await import(
  new URL("../src/internal/outputRing.ts", import.meta.url).href
)

const bytesOf = (text: string) => Buffer.byteLength(text)

/** The longest end of a text, in whole characters, that has at most `limit` bytes. */
const endOf = (text: string, limit: number) => {
  const characters = [...text]
  let kept = ""
  while (characters.length > 0 && bytesOf(characters.at(-1)! + kept) <= limit) kept = characters.pop()! + kept
  return kept
}

const Character = Schema.Literals(["a", "é", "中", "😀", "\n", "\u0000", "\uFEFF", "zz"])
const Chunks = Schema.Array(Schema.Array(Character))

describe("OutputRing", () => {
  it.effect.prop(
    "T2 F144 holds the longest end of whole characters, for every limit",
    [Chunks],
    ([chunks]) =>
      Effect.sync(() => {
        const parts = chunks.map((characters) => characters.join(""))
        const text = parts.join("")
        for (let limit = 0; limit <= bytesOf(text) + 1; limit++) {
          const ring = new OutputRing(limit)
          let pushed = ""
          for (const part of parts) {
            ring.push(part)
            pushed += part
            assert.strictEqual(ring.truncated, bytesOf(pushed) > ring.size)
            assert.isAtMost(ring.size, limit)
          }
          const kept = ring.toString()
          assert.strictEqual(ring.total, bytesOf(text))
          assert.isTrue(text.endsWith(kept))
          assert.strictEqual(bytesOf(kept), ring.size)
          if (bytesOf(text) <= limit) assert.strictEqual(kept, text)
          // Cutting more than once can only cut at borders that a single cut would pass too.
          else assert.isAtMost(bytesOf(endOf(text, limit)) - bytesOf(kept), 3)
        }
      })
  )

  it.effect.prop(
    "T2 one push keeps exactly the longest end",
    [Schema.Array(Character)],
    ([characters]) =>
      Effect.sync(() => {
        const text = characters.join("")
        for (let limit = 0; limit <= bytesOf(text); limit++) {
          const ring = new OutputRing(limit)
          ring.push(text)
          assert.strictEqual(ring.toString(), endOf(text, limit))
        }
      })
  )

  it("T2 memory follows the content, not the limit", () => {
    const ring = new OutputRing(Number.MAX_SAFE_INTEGER)
    ring.push("a")
    assert.strictEqual(ring.toString(), "a")
  })
})
