/**
 * The single source of what may be called: one row a method.
 *
 * Rows are combined into groups, groups into a table, and dispatch, capability gates, handlers and typed peers are all derived
 * from the rows, at run time and in types. Vendors declare rows of their own in the same way.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import type * as Scope from "effect/Scope"
import type * as AcpError from "./AcpError.ts"
import type * as Capabilities from "./Capabilities.ts"
import type { InboundRequest } from "./InboundRequest.ts"
import * as TableInvariants from "./internal/tableInvariants.ts"
import { type Any, describe, type Direction, isHandledBy, type Params, type Result, type Side } from "./Method.ts"

export * from "./Method.ts"

// =============================================================================
// Groups
// =============================================================================

/**
 * Combines rows into a group, in this order.
 *
 * **Details**
 *
 * `RpcGroup.make` keeps one row for each wire name; this keeps a request and a notification that share theirs. Throws when
 * a row is given twice.
 *
 * @category constructors
 * @since 0.1.0
 */
export const group = <const Rows extends ReadonlyArray<Any>>(...rows: Rows): RpcGroup.RpcGroup<Rows[number]> => {
  const requests = new Map<string, Any>()
  const keys = new Set<string>()
  for (const row of rows) {
    if (keys.has(row.key)) throw new Error(`Method group: ${JSON.stringify(row._tag)} is declared twice`)
    keys.add(row.key)
    requests.set(requests.has(row._tag) ? row.key : row._tag, row)
  }
  return Object.assign(RpcGroup.make(...rows), { requests }) as RpcGroup.RpcGroup<any>
}

/**
 * The rows of a group.
 *
 * @category utility types
 * @since 0.1.0
 */
export type RowsOf<Group> = Group extends RpcGroup.RpcGroup<infer R> ? R : never

/**
 * The row of a group that has a callback name.
 *
 * @category utility types
 * @since 0.1.0
 */
export type RowOf<R, Callback> = R extends { readonly "~callback": Callback } ? R : never

/**
 * The callback names of rows.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Callbacks<R> = R extends { readonly "~callback": infer C extends string } ? C : never

// =============================================================================
// Peers and handlers
// =============================================================================

/**
 * The functions that call the rows of the other side, by callback name.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Peer<R> = {
  readonly [C in Callbacks<R>]: RowOf<R, C> extends { readonly "~kind": "request" }
    ? (params: Params<RowOf<R, C>>) => Effect.Effect<Result<RowOf<R, C>>, AcpError.CallError>
    : (params: Params<RowOf<R, C>>) => Effect.Effect<void, AcpError.NotifyError>
}

/**
 * The functions that handle the rows of one side, by callback name.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Handlers<R> = {
  readonly [C in Callbacks<R>]: (params: Params<RowOf<R, C>>) => Rpc.WrapperOr<
    Effect.Effect<Answer<RowOf<R, C>>, AcpError.RequestError, any>
  >
}

/**
 * What the handler of a row gives: its result, or for a request also a `Deferred` of it, to answer later (C9).
 *
 * @category utility types
 * @since 0.1.0
 */
export type Answer<R> = R extends { readonly "~kind": "request" }
  ? Result<R> | Deferred.Deferred<Result<R>, AcpError.RequestError>
  : Result<R>

/**
 * The handler services that a set of handlers provides.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Provided<R, H> = {
  readonly [C in keyof H]: RowOf<R, C> extends Rpc.Any ? Rpc.ToHandler<RowOf<R, C>> : never
}[keyof H]

/**
 * What a set of handlers needs from its layer: all services of the handlers but those of the request itself.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Required<H> = Exclude<
  {
    readonly [C in keyof H]: H[C] extends (params: any) => Rpc.WrapperOr<Effect.Effect<infer _A, infer _E, infer R>> ? R
      : never
  }[keyof H],
  InboundRequest | Scope.Scope
>

/**
 * Refuses handlers that are of no row: those of the other side, or with a name that is misspelled.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Only<R, H> = { readonly [C in Exclude<keyof H, Callbacks<R>>]: never }

/**
 * Makes handlers of rows into a layer; providing it to a side is serving, and advertising, those methods (G5).
 *
 * **Details**
 *
 * Handlers keep their requirements: what they need, the layer needs. `InboundRequest` and a `Scope` that closes with the
 * request are provided by the connection. A handler may fail with any `RequestError`, which crosses the wire as it is, and
 * may give a `Deferred` to answer later (C9).
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHandlers =
  <Rows extends Any>(group: RpcGroup.RpcGroup<Rows>) =>
  <const H extends Partial<Handlers<Rows>> & object, EX = never, RX = never>(
    build: (H & Only<Rows, H>) | Effect.Effect<H & Only<Rows, H>, EX, RX>
  ): Layer.Layer<Provided<Rows, H>, EX, Exclude<RX, Scope.Scope> | Required<H>> =>
    Layer.effectContext(Effect.gen(function*() {
      const context = yield* Effect.context<never>()
      const handlers = (Effect.isEffect(build) ? yield* build : build) as Readonly<Record<string, unknown>>
      const services = new Map<string, unknown>()
      for (const row of group.requests.values()) {
        const { callback, wire } = describe(row)
        const handler = callback === undefined ? undefined : handlers[callback]
        if (handler !== undefined) services.set(row.key, { tag: wire, handler, context, [HandledRow]: row })
      }
      return Context.makeUnsafe<any>(services)
    })) as Layer.Layer<any, any, any>

/** Where a handler service says which row it handles. */
const HandledRow = "~effect-acp/MethodTable/HandledRow"

// =============================================================================
// Tables
// =============================================================================

/**
 * A checked set of rows and the questions that can be asked of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface MethodTable {
  /** All rows, in the order of declaration. */
  readonly rows: ReadonlyArray<Rpc.AnyWithProps>
  /** The rows with exactly this direction. */
  readonly withDirection: (direction: Direction) => ReadonlyArray<Rpc.AnyWithProps>
  /** The rows that a side handles; those of direction `both` are handled by either. */
  readonly handledBy: (side: Side) => ReadonlyArray<Rpc.AnyWithProps>
  /** The row that the table has in the place of a row: one that refines it, or else the row itself. */
  readonly rowOf: <R extends Rpc.Any>(row: R) => R
  /** The gate of a wire name. An unknown method is not a denied one (G3). */
  readonly gateOf: (wire: string) => Capabilities.Gate | "none" | "never" | "unknown method"
  /** The handler names of a side with their wire names, in the order of the table. */
  readonly callbacks: (side: Side) => ReadonlyArray<{ readonly callback: string; readonly wire: string }>
}

/**
 * Builds a table from groups of rows.
 *
 * **Gotchas**
 *
 * Throws at module load, with the row's name, when a row breaks one of the table's invariants: a name that is declared
 * twice or outside of its owner's space, two rows of one side with the same callback, a gate that is no capability.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (...groups: ReadonlyArray<RpcGroup.RpcGroup<any>>): MethodTable => fromRows(groups.flatMap(rowsOf))

/**
 * The table with the rows of further groups behind its own.
 *
 * @category combinators
 * @since 0.1.0
 */
export const extend = (table: MethodTable, ...groups: ReadonlyArray<RpcGroup.RpcGroup<any>>): MethodTable =>
  fromRows([...table.rows, ...groups.flatMap(rowsOf)])

/**
 * The table with those extension rows that `services` has handlers for: providing the handlers is enough (G5).
 *
 * @category combinators
 * @since 0.1.0
 */
export const withHandled = (table: MethodTable, services: Context.Context<never>): MethodTable => {
  const known = new Set(table.rows.map((row) => row.key))
  const handled = [...services.mapUnsafe.values()].flatMap((service) =>
    Predicate.hasProperty(service, HandledRow) ? [service[HandledRow] as Rpc.AnyWithProps] : []
  )
  const added = handled.filter((row) => describe(row).owner !== undefined && !known.has(row.key))
  return added.length === 0 ? table : fromRows([...table.rows, ...added])
}

const rowsOf = (group: RpcGroup.RpcGroup<any>): ReadonlyArray<Rpc.AnyWithProps> => Array.from(group.requests.values())

const fromRows = (rows: ReadonlyArray<Rpc.AnyWithProps>): MethodTable => {
  TableInvariants.check(rows)
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const descriptors = rows.map(describe)
  return {
    rows,
    withDirection: (direction) => rows.filter((row) => describe(row).direction === direction),
    handledBy: (side) => rows.filter((row) => isHandledBy(describe(row), side)),
    rowOf: <R extends Rpc.Any>(row: R): R => {
      const own = byKey.get(row.key)
      return own !== undefined && isRefinement(own, row) ? own as Rpc.Any as R : row
    },
    gateOf: (wire) => {
      const descriptor = descriptors.find((descriptor) => descriptor.wire === wire)
      if (descriptor === undefined) return "unknown method"
      const { gate } = descriptor
      return gate === undefined ? "none" : gate.paths.length === 0 ? "never" : gate
    },
    callbacks: (side) =>
      descriptors.flatMap((descriptor) =>
        isHandledBy(descriptor, side) && descriptor.callback !== undefined
          ? [{ callback: descriptor.callback, wire: descriptor.wire }]
          : []
      )
  }
}

const isRefinement = (row: Rpc.Any, of: Rpc.Any): boolean => {
  const { refines } = describe(row)
  return refines !== undefined && (refines === of || isRefinement(refines, of))
}
