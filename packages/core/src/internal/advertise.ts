/**
 * What a side advertises, derived from the handlers that it was given: there is no second place to forget (G5).
 */
import type * as Context from "effect/Context"
import type * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"

/** Capabilities that the schema has as booleans; the others are objects. */
const booleans = new Set(["loadSession", "fs.readTextFile", "fs.writeTextFile", "terminal"])

const put = (target: Record<string, unknown>, [head, ...rest]: ReadonlyArray<string>, value: unknown): void => {
  if (rest.length === 0) {
    target[head] = value
    return
  }
  const inner = { ...(target[head] as Record<string, unknown> | undefined) }
  put(inner, rest, value)
  target[head] = inner
}

/** A capability is on when every method that it opens has a handler. */
export const fromHandlers = (
  table: MethodTable.MethodTable,
  side: MethodTable.Side,
  handlers: Context.Context<never>
): JsonRpc.JsonObject => {
  const served = new Map<string, boolean>()
  for (const row of table.handledBy(side)) {
    for (const path of MethodTable.describe(row).gate?.paths ?? []) {
      const name = path.join(".")
      served.set(name, (served.get(name) ?? true) && handlers.mapUnsafe.has(row.key))
    }
  }
  const capabilities: Record<string, unknown> = {}
  for (const [name, on] of served) {
    if (on) put(capabilities, name.split("."), booleans.has(name) ? true : {})
  }
  return capabilities
}

/** Two capability objects as one, member by member. */
export const merge = (left: JsonRpc.JsonObject, right: JsonRpc.JsonObject): JsonRpc.JsonObject => {
  const merged: Record<string, unknown> = { ...left }
  for (const [key, value] of Object.entries(right)) {
    const known = merged[key]
    merged[key] = isObject(known) && isObject(value) ? merge(known, value) : value
  }
  return merged
}

const isObject = (u: unknown): u is JsonRpc.JsonObject => typeof u === "object" && u !== null && !Array.isArray(u)
