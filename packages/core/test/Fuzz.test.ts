import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fuzz from "./support/fuzz.ts"

const seeds = Array.from({ length: 400 }, (_, seed) => seed + 1)

describe("fuzz", () => {
  it.live(
    "E4 random peers cause no crash, no hang, no leak and no wrong answer",
    () => Effect.forEach(seeds, Fuzz.runSeed, { discard: true }),
    60_000
  )

  it.live(
    "C1 two sides on a link that loses, doubles, reorders, delays, spoils and cuts end every call rightly",
    () => Effect.forEach(seeds.slice(0, 200), Fuzz.runFaulty, { discard: true }),
    60_000
  )
})
