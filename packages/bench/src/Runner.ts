/**
 * Runs the cases: each side in a fresh process, one after the other, pair by pair.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { fileURLToPath } from "node:url"
import type { Case } from "./Catalog.ts"
import type { Measurement, Scale } from "./Measurement.ts"

export class RunFailed extends Data.TaggedError("RunFailed")<{ readonly side: string; readonly id: string }> {
  override get message(): string {
    return `Case ${this.id} did not work on the side "${this.side}"; what it wrote is above`
  }
}

export type SideName = "ours" | "sdk" | "floor"

export interface Samples {
  readonly case: Case
  readonly sides: Readonly<Record<SideName, ReadonlyArray<Measurement>>>
}

const worker = fileURLToPath(new URL("worker.ts", import.meta.url))

/** Runs one side of a case once. */
export const measure = Effect.fnUntraced(function*(
  side: SideName,
  id: string,
  scale: Scale
) {
  const { string } = yield* ChildProcessSpawner
  const command = ChildProcess.make(process.execPath, ["--expose-gc", worker, side, id, scale], { stderr: "inherit" })
  const output = yield* Effect.mapError(string(command), () => new RunFailed({ side, id }))
  return yield* Effect.try({
    try: () => JSON.parse(output) as Measurement,
    catch: () => new RunFailed({ side, id })
  })
})

/** Runs a case as often as asked. Who is first changes from pair to pair. */
export const runCase = Effect.fnUntraced(function*(case_: Case, options: {
  readonly pairs: number
  readonly scale: Scale
  readonly onRun: (side: SideName, pair: number) => Effect.Effect<void>
}) {
  const sides = { ours: Array<Measurement>(), sdk: Array<Measurement>(), floor: Array<Measurement>() }
  for (let pair = 0; pair < options.pairs; pair++) {
    const order: Array<SideName> = pair % 2 === 0 ? ["ours", "sdk"] : ["sdk", "ours"]
    if (case_.hasFloor) order.push("floor")
    for (const side of order) {
      yield* options.onRun(side, pair)
      sides[side].push(yield* measure(side, case_.id, options.scale))
    }
  }
  return { case: case_, sides } satisfies Samples
})
