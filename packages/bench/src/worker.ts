/**
 * Measures one case of one side, in a process of its own: `node worker.ts <side> <case> <scale>`.
 */
import type { Scale, Side } from "./Measurement.ts"

const [side, name, scale] = process.argv.slice(2)

/** The module that has the case: only what it needs is loaded, so that memory can be compared. */
const moduleOf = (name: string): string => {
  if (name === "j") return "./imports.ts"
  if (name === "decode") return `./${side}/decode.ts`
  return name.startsWith("growth") ? `./${side}/growth.ts` : `./${side}/cases.ts`
}

const { sides, side: own } = await import(moduleOf(name)) as {
  readonly side: Side
  readonly sides?: Record<string, Side>
}
const measurement = await (sides?.[side] ?? own)[name](scale as Scale)
process.stdout.write(`${JSON.stringify(measurement)}\n`, () => process.exit())
