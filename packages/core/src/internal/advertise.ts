/**
 * What a side advertises, derived from the handlers that it was given: there is no second place to forget (G5).
 */
import type * as Context from "effect/Context"
import type * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"
import * as CapabilityPaths from "./capabilityPaths.ts"

const put = (target: Record<string, unknown>, [head, ...rest]: ReadonlyArray<string>, value: unknown): void => {
  if (rest.length === 0) {
    target[head] ??= value
    return
  }
  const inner = { ...(target[head] as Record<string, unknown> | undefined) }
  put(inner, rest, value)
  target[head] = inner
}

/** A capability is on when every method that it opens, and that this side handles, has a handler; extensions' as well. */
export const fromHandlers = (
  table: MethodTable.MethodTable,
  side: MethodTable.Side,
  handlers: Context.Context<never>
): JsonRpc.JsonObject => {
  const served = new Map<string, { readonly path: ReadonlyArray<string>; readonly on: boolean }>()
  for (const row of MethodTable.withHandled(table, handlers).handledBy(side)) {
    const { gate } = MethodTable.describe(row)
    if (gate?.side !== side) continue
    for (const path of gate.paths) {
      const name = JSON.stringify(path)
      served.set(name, { path, on: (served.get(name)?.on ?? true) && handlers.mapUnsafe.has(row.key) })
    }
  }
  const capabilities: Record<string, unknown> = {}
  for (const { on, path } of served.values()) {
    if (on) put(capabilities, path, CapabilityPaths.find(side, path) === "switch" ? true : {})
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
