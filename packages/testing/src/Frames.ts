/**
 * The messages that a scripted peer writes, and how it tells which it got.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"

/**
 * A JSON object as it stands on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export type Json = { readonly [key: string]: unknown }

/**
 * An id as it stands on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export type Id = string | number | null

/**
 * A request.
 *
 * @category constructors
 * @since 0.1.0
 */
export const request = (id: Id, method: string, params?: unknown): Json => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params })
})

/**
 * A notification.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notification = (method: string, params?: unknown): Json => ({
  jsonrpc: "2.0",
  method,
  ...(params === undefined ? {} : { params })
})

/**
 * A response with a result.
 *
 * @category constructors
 * @since 0.1.0
 */
export const result = (id: Id, result: unknown): Json => ({ jsonrpc: "2.0", id, result })

/**
 * A response with an error.
 *
 * @category constructors
 * @since 0.1.0
 */
export const error = (id: Id, code: number, message = "error", data?: unknown): Json => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) }
})

/**
 * A `session/update` with one chunk of the agent's message.
 *
 * @category constructors
 * @since 0.1.0
 */
export const chunk = (sessionId: string, text: string, meta?: unknown): Json =>
  notification("session/update", {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    ...(meta === undefined ? {} : { _meta: meta })
  })

/**
 * What a frame is compared with: an object whose members it must have, in depth, or a predicate.
 *
 * @category models
 * @since 0.1.0
 */
export type Pattern = Json | ((frame: Json) => boolean)

/**
 * Tells whether a frame fits a pattern. Members that the pattern does not name are free; arrays must have its length.
 *
 * @category guards
 * @since 0.1.0
 */
export const matches = (pattern: Pattern, frame: Json): boolean =>
  typeof pattern === "function" ? pattern(frame) : includes(pattern, frame)

const includes = (pattern: unknown, value: unknown): boolean => {
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && value.length === pattern.length &&
      pattern.every((item, index) => includes(item, value[index]))
  }
  if (!Predicate.isObject(pattern)) return Object.is(pattern, value)
  return Predicate.isObject(value) && !Array.isArray(value) &&
    Object.entries(pattern).every(([key, expected]) =>
      Object.hasOwn(value, key) ? includes(expected, (value as Json)[key]) : expected === undefined
    )
}

/**
 * Writes a pattern for a message of a failed expectation.
 *
 * @category formatting
 * @since 0.1.0
 */
export const describe = (pattern: Pattern): string =>
  typeof pattern === "function" ? "a frame that fits the predicate" : JSON.stringify(pattern)
