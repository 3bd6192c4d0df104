/**
 * What one process measures: a few named figures, lower is better for each of them.
 */

export type Measurement = Readonly<Record<string, number>>

/** How much of a case is run: see `Sizes`. */
export type Scale = "full" | "smoke"

/** The cases of one side, by name. */
export type Side = Readonly<Record<string, (scale: Scale) => Promise<Measurement>>>

/** A run that lost or made up something measures nothing. */
export const check = (what: string, actual: number, expected: number): void => {
  if (actual !== expected) throw new Error(`${what}: expected ${expected}, got ${actual}`)
}

const mebibyte = 1_024 * 1_024

/** The most memory that the process was seen to hold, beyond what it held at the start. */
export const makePeak = () => {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let peak = before
  return {
    sample: () => {
      peak = Math.max(peak, process.memoryUsage.rss())
    },
    mebibytes: () => (peak - before) / mebibyte
  }
}

/** How far apart the first and the last of several ends are. */
export const spread = (millis: ReadonlyArray<number>): number => Math.max(...millis) / Math.min(...millis)
