/**
 * What each side advertised, written once by the handshake, and the gate that fails closed.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Rpc from "effect/rpc/Rpc"
import * as RpcMiddleware from "effect/rpc/RpcMiddleware"
import * as AcpError from "./AcpError.ts"
import * as CapabilityPaths from "./internal/capabilityPaths.ts"
import type * as JsonRpc from "./JsonRpc.ts"

/**
 * One of the two sides of a link.
 *
 * @category models
 * @since 0.1.0
 */
export type Side = "agent" | "client"

/**
 * Which capability of which side opens a method: any one of the paths.
 *
 * @category models
 * @since 0.1.0
 */
export interface Gate {
  readonly side: Side
  readonly paths: ReadonlyArray<ReadonlyArray<string>>
}

/**
 * A gate on capabilities, any one of which opens it.
 *
 * **Details**
 *
 * A path is written with dots, `gate("agent", "sessionCapabilities.list")`, or as the list of its members, which may then
 * have any name: `gate("client", ["_meta", "acme.dev/tools", "ask"])`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const gate = (side: Side, ...paths: ReadonlyArray<string | ReadonlyArray<string>>): Gate => ({
  side,
  paths: paths.map((path) => typeof path === "string" ? path.split(".") : path)
})

/**
 * A gate that nothing opens.
 *
 * @category constructors
 * @since 0.1.0
 */
export const never = (side: Side): Gate => ({ side, paths: [] })

/**
 * The top-level members of each side's capability object, unstable ones included.
 *
 * @category constants
 * @since 0.1.0
 */
export const fields: Record<Side, ReadonlyArray<string>> = {
  agent: CapabilityPaths.fields("agent"),
  client: CapabilityPaths.fields("client")
}

/**
 * Tells whether a capability is on: literally `true`, or an object; nothing else (G2).
 *
 * @category guards
 * @since 0.1.0
 */
export const isOn = (capabilities: unknown, path: ReadonlyArray<string>): boolean => {
  let value = capabilities
  for (const key of path) {
    if (!Predicate.isObject(value) || !Object.hasOwn(value, key)) return false
    value = (value as JsonRpc.JsonObject)[key]
  }
  return value === true || (Predicate.isObject(value) && !Array.isArray(value))
}

/**
 * What the two sides agreed on.
 *
 * @category models
 * @since 0.1.0
 */
export interface Negotiated {
  readonly protocolVersion: number
  /** The capability object of each side, as advertised. */
  readonly agent: JsonRpc.JsonObject
  readonly client: JsonRpc.JsonObject
}

/**
 * The outcome of the handshake of one connection.
 *
 * @category services
 * @since 0.1.0
 */
export class Capabilities extends Context.Service<Capabilities, {
  /** What was agreed on, or undefined before the handshake. */
  readonly negotiatedUnsafe: () => Negotiated | undefined
  /** Tells whether a gate is open. Closed before the handshake. */
  readonly allows: (gate: Gate) => boolean
  /** Writes the outcome; a second one is refused with `false` (G6). */
  readonly commitUnsafe: (negotiated: Negotiated) => boolean
}>()("@effect-acp/core/Capabilities") {}

/**
 * The capabilities of a new connection: nothing is on.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeUnsafe = (): Capabilities["Service"] => {
  let negotiated: Negotiated | undefined
  return Capabilities.of({
    negotiatedUnsafe: () => negotiated,
    allows: ({ paths, side }) => negotiated !== undefined && paths.some((path) => isOn(negotiated![side], path)),
    commitUnsafe: (outcome) => {
      if (negotiated !== undefined) return false
      negotiated = outcome
      return true
    }
  })
}

/**
 * Names a gate's capabilities for a person.
 *
 * @category formatting
 * @since 0.1.0
 */
export const describeGate = (gate: Gate): string =>
  gate.paths.length === 0 ? "never" : gate.paths.map(formatPath).join(" or ")

const formatPath = ([first, ...rest]: ReadonlyArray<string>): string =>
  rest.reduce(
    (path, member) => /^\w+$/.test(member) ? `${path}.${member}` : `${path}[${JSON.stringify(member)}]`,
    first
  )

/**
 * The middleware of every gated row: it refuses the call with -32601 before its params are decoded (G1).
 *
 * @category middleware
 * @since 0.1.0
 */
export class Gated extends RpcMiddleware.Service<Gated>()("@effect-acp/core/Capabilities/Gated", {
  error: AcpError.MethodNotFound
}) {}

/**
 * The gate of one connection. `gateOf` reads the gate of a row.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeGated = (
  capabilities: Capabilities["Service"],
  gateOf: (row: Rpc.AnyWithProps) => Gate | undefined
): Gated["Service"] =>
  Gated.of((effect, { rpc }) => {
    const gate = gateOf(rpc)
    return gate === undefined || capabilities.allows(gate)
      ? effect
      : Effect.fail(new AcpError.MethodNotFound({ data: { method: rpc._tag } }))
  })
