/**
 * Prints in words where our schemas differ from the official ones, and ends with 1 when they do.
 *
 * Compares with the installed SDK, or with the `schema.json` and `schema.unstable.json` in a given directory.
 */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { drift } from "../packages/core/test/schema/drift.ts"
import { report } from "../packages/core/test/schema/oracleDifference.ts"

const program = Effect.gen(function*() {
  const [directory] = process.argv.slice(2)
  const { stable, unstable } = yield* drift(directory === undefined ? undefined : resolve(directory))
  process.stdout.write(`stable schema: ${report(stable)}\n\nunstable schema: ${report(unstable)}\n`)
  process.exitCode = stable.length + unstable.length === 0 ? 0 : 1
})

Effect.runPromise(program)
