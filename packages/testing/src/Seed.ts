/**
 * Random choices that a seed repeats.
 *
 * @since 0.1.0
 */

/**
 * A source of random choices: the same seed gives the same choices.
 *
 * @category models
 * @since 0.1.0
 */
export interface Seed {
  readonly seed: number
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly next: () => number
  /** A whole number from 0 to `below` (exclusive). */
  readonly int: (below: number) => number
  /** Tells whether something of a probability happens. */
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(items: ReadonlyArray<A>) => A
}

/**
 * The choices of a seed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (seed: number): Seed => {
  let state = seed >>> 0
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    seed,
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(items.length)]
  }
}
