/**
 * JSON as it is on the wire, before anybody knows what it means.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"

/**
 * A JSON object whose members nobody has looked at yet.
 *
 * @category models
 * @since 0.1.0
 */
export interface JsonObject {
  readonly [key: string]: unknown
}

/**
 * Whether a value is a JSON object: not an array and not null.
 *
 * @category guards
 * @since 0.1.0
 */
export const isObject = (value: unknown): value is JsonObject => Predicate.isObject(value)

/**
 * Follows members into a value; `undefined` where the path leads nowhere.
 *
 * @category accessors
 * @since 0.1.0
 */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, key) => isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined, value)

/**
 * The elements of an array, and none of anything else.
 *
 * @category accessors
 * @since 0.1.0
 */
export const items = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/**
 * A value as one line of text for people, cut at 300 characters.
 *
 * @category formatting
 * @since 0.1.0
 */
export const preview = (value: unknown): string =>
  shorten(typeof value === "string" ? value : JSON.stringify(value) ?? "nothing")

const longest = 300

const shorten = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`
