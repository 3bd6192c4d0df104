/**
 * What holds of every method table; a table that breaks a rule does not load.
 */
import type * as Rpc from "effect/rpc/Rpc"
import type * as Capabilities from "../Capabilities.ts"
import * as Method from "../Method.ts"
import * as CapabilityPaths from "./capabilityPaths.ts"

const sides = ["agent", "client"] as const

/** Throws with the name of the first row that breaks an invariant. */
export const check = (rows: ReadonlyArray<Rpc.AnyWithProps>): void => {
  for (const row of rows) {
    if (!row.annotations.mapUnsafe.has(Method.Descriptor.key)) {
      throw refusal(row._tag, "is no row: declare it with MethodTable.request or MethodTable.notification")
    }
    const problem = problemOf(row, Method.describe(row))
    if (problem !== undefined) throw refusal(row._tag, problem)
  }
  const descriptors = rows.map(Method.describe)
  for (const side of sides) checkSide(side, descriptors.filter((row) => Method.isHandledBy(row, side)))
}

const refusal = (wire: string, problem: string) => new Error(`Method table: ${JSON.stringify(wire)} ${problem}`)

/** Invariants 1 and 3. A request and a notification are told apart by the envelope, so they may share a name. */
const checkSide = (side: Method.Side, descriptors: ReadonlyArray<Method.Descriptor>): void => {
  const names = new Set<string>()
  const callbacks = new Map<string, string>()
  for (const { callback, kind, wire } of descriptors) {
    const name = `${kind} ${wire}`
    if (names.has(name)) throw refusal(wire, `is declared twice as a ${kind} that the ${side} handles`)
    names.add(name)
    if (callback === undefined) continue
    const other = callbacks.get(callback)
    if (other !== undefined) {
      throw refusal(
        wire,
        `has the callback ${callback}, which is that of ${JSON.stringify(other)} on the ${side}'s side`
      )
    }
    callbacks.set(callback, wire)
  }
}

const problemOf = (row: Rpc.AnyWithProps, descriptor: Method.Descriptor): string | undefined =>
  resultProblem(row, descriptor) ?? callbackProblem(descriptor) ?? nameProblem(descriptor) ??
    gateProblem(descriptor.gate)

/** Invariant 2. */
const resultProblem = (row: Rpc.AnyWithProps, { kind }: Method.Descriptor): string | undefined => {
  const hasResult = row.successSchema.ast._tag !== "Void"
  if (hasResult === (kind === "request")) return undefined
  return hasResult ? "is a notification and has no result" : "is a request and needs a result"
}

/** Invariant 4. */
const callbackProblem = ({ callback, layer }: Method.Descriptor): string | undefined => {
  if ((callback === undefined) === (layer !== "app")) return undefined
  return callback === undefined ? "is of layer app and needs a callback" : `is of layer ${layer} and takes no callback`
}

/** Invariant 5. */
const nameProblem = ({ layer, owner, unprefixed, wire }: Method.Descriptor): string | undefined => {
  if (wire === "") return "is no name"
  if (wire.startsWith("$/") && layer !== "protocol") return "has the prefix $/ of the protocol layer"
  if (owner === undefined) return wire.startsWith("_") ? "has the prefix _ of extensions but no owner" : undefined
  if (wire.startsWith(`_${owner}/`)) return undefined
  return unprefixed && !wire.startsWith("_")
    ? undefined
    : `belongs to ${owner} and must start with _${owner}/, or say that it is unprefixed`
}

/** Invariant 7, of whole paths. */
const gateProblem = (gate: Capabilities.Gate | undefined): string | undefined => {
  for (const path of gate?.paths ?? []) {
    if (path.length === 0) return "has an empty path in its gate"
    const problem = CapabilityPaths.problemOf(gate!.side, path)
    if (problem !== undefined) return `is gated by ${problem}`
  }
  return undefined
}
