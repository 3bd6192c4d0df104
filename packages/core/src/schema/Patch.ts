/**
 * Fields with three states: absent, null and a value.
 *
 * **Details**
 *
 * In updates that patch (a session's title, a compaction's summary) an absent field leaves the value as it is, null
 * clears it, and a value replaces it.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"

/**
 * A field of a patch.
 *
 * @category models
 * @since 0.1.0
 */
export type Patch<A> = A | null | undefined

/**
 * Applies one field of a patch; `undefined` is the cleared value.
 *
 * **Example**
 *
 * ```ts
 * import * as Patch from "@effect-acp/core/schema/Patch"
 *
 * Patch.apply("old", undefined) // "old"
 * Patch.apply("old", null) // undefined
 * Patch.apply("old", "new") // "new"
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const apply: {
  <A>(patch: Patch<A>): (current: A | undefined) => A | undefined
  <A>(current: A | undefined, patch: Patch<A>): A | undefined
} = dual(
  2,
  <A>(current: A | undefined, patch: Patch<A>): A | undefined =>
    patch === undefined ? current : patch === null ? undefined : patch
)

/**
 * The record that a patch describes: every field optional, none null.
 *
 * @category models
 * @since 0.1.0
 */
export type Patched<P, Keys extends keyof P> = { readonly [K in Keys]?: Exclude<P[K], null | undefined> }

/**
 * Applies some fields of a patch to a record; a cleared field is absent from the result.
 *
 * **Details**
 *
 * Returns `current` itself if nothing has changed.
 *
 * @category combinators
 * @since 0.1.0
 */
export const applyAll = <P extends object, const Keys extends keyof P & string>(
  current: Patched<P, Keys>,
  patch: P,
  keys: ReadonlyArray<Keys>
): Patched<P, Keys> => {
  const before: { readonly [K in Keys]?: unknown } = current
  const changed = keys.filter((key) => Object.hasOwn(patch, key) && apply(before[key], patch[key]) !== before[key])
  if (changed.length === 0) return current
  const next: Record<string, unknown> = { ...current }
  for (const key of changed) {
    if (patch[key] === null) delete next[key]
    else next[key] = patch[key]
  }
  return next as Patched<P, Keys>
}
