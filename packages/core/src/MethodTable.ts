/**
 * The single source of what may be called: one row a method.
 *
 * A row is an `Rpc` whose tag is the wire name, with its params and result schemas and a `Descriptor` annotation. Rows
 * are combined into groups, groups into a table, and dispatch, capability gates, handler surfaces and typed peers are all
 * derived from the rows, at run time and in types.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rpc from "effect/rpc/Rpc"
import type * as RpcGroup from "effect/rpc/RpcGroup"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as AcpError from "./AcpError.ts"
import * as Capabilities from "./Capabilities.ts"
import type { InboundRequest } from "./InboundRequest.ts"

// =============================================================================
// Models
// =============================================================================

/**
 * Who sends a method, from whom to whom.
 *
 * @category models
 * @since 0.1.0
 */
export type Direction = "client_to_agent" | "agent_to_client" | "both"

/**
 * Whether a method is answered.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = "request" | "notification"

/**
 * Who acts on a method: a handler (`app`), a session (`session_control`) or the connection itself (`protocol`).
 *
 * @category models
 * @since 0.1.0
 */
export type RowLayer = "app" | "session_control" | "protocol"

/**
 * What a row says of its method besides its schemas.
 *
 * @category models
 * @since 0.1.0
 */
export interface Descriptor {
  readonly wire: string
  readonly kind: Kind
  readonly direction: Direction
  readonly layer: RowLayer
  /** The name of the handler and of the peer's function; none for rows that no handler sees. */
  readonly callback: string | undefined
  /** What the handling side must have advertised. */
  readonly gate: Capabilities.Gate | undefined
  /** The vendor of an extension row. */
  readonly owner: string | undefined
}

/**
 * The annotation that holds a row's descriptor.
 *
 * @category annotations
 * @since 0.1.0
 */
export const Descriptor: Context.Service<Descriptor, Descriptor> = Context.Service<Descriptor>(
  "@effect-acp/core/MethodTable/Descriptor"
)

/**
 * A row: an `Rpc` that knows in its type what kind it is and what its callback is called.
 *
 * @category models
 * @since 0.1.0
 */
export interface Row<
  Wire extends string,
  RowKind extends Kind,
  Callback extends string | undefined,
  Params extends Schema.Top,
  Result extends Schema.Top
> extends Rpc.Rpc<Wire, Params, Result, typeof AcpError.RequestError> {
  readonly "~kind": RowKind
  readonly "~callback": Callback
}

/**
 * Any row.
 *
 * @category models
 * @since 0.1.0
 */
export interface Any extends Rpc.Any {
  readonly "~kind": Kind
  readonly "~callback": string | undefined
}

/**
 * Reads a row's descriptor.
 *
 * @category annotations
 * @since 0.1.0
 */
export const describe = (row: Rpc.Any): Descriptor => Context.getUnsafe(row.annotations, Descriptor)

// =============================================================================
// Rows
// =============================================================================

/**
 * What every row is declared with.
 *
 * @category models
 * @since 0.1.0
 */
export interface RowOptions<Callback extends string | undefined, Params extends Schema.Top> {
  readonly direction: Direction
  readonly callback: Callback
  readonly params: Params
  readonly gate?: Capabilities.Gate | undefined
  readonly layer?: RowLayer | undefined
  readonly owner?: string | undefined
}

const annotate = <R extends Rpc.Any>(
  rpc: Rpc.AnyWithProps,
  wire: string,
  kind: Kind,
  options: RowOptions<string | undefined, Schema.Top>
): R => {
  const descriptor: Descriptor = {
    wire,
    kind,
    direction: options.direction,
    layer: options.layer ?? "app",
    callback: options.callback,
    gate: options.gate,
    owner: options.owner
  }
  const described = (rpc as Rpc.Rpc<string>).annotate(Descriptor, descriptor)
  return (options.gate === undefined ? described : described.middleware(Capabilities.Gated)) as Rpc.Any as R
}

/**
 * Declares a method that is answered.
 *
 * @category constructors
 * @since 0.1.0
 */
export const request = <
  const Wire extends string,
  const Callback extends string,
  Params extends Schema.Top,
  Result extends Schema.Top
>(
  wire: Wire,
  options: RowOptions<Callback, Params> & { readonly result: Result }
): Row<Wire, "request", Callback, Params, Result> =>
  annotate(
    Rpc.make(wire, { payload: options.params, success: options.result, error: AcpError.RequestError }),
    wire,
    "request",
    options
  )

/**
 * Declares a method that is never answered.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notification = <
  const Wire extends string,
  const Callback extends string | undefined,
  Params extends Schema.Top
>(
  wire: Wire,
  options: RowOptions<Callback, Params>
): Row<Wire, "notification", Callback, Params, Schema.Void> =>
  annotate(
    Rpc.make(wire, { payload: options.params, success: Schema.Void, error: AcpError.RequestError }),
    wire,
    "notification",
    options
  )

// =============================================================================
// Derived types
// =============================================================================

/**
 * The rows of a group.
 *
 * @category utility types
 * @since 0.1.0
 */
export type RowsOf<Group> = Group extends RpcGroup.RpcGroup<infer R> ? R : never

/**
 * The decoded params of a row.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Params<R> = R extends Row<infer _W, infer _K, infer _C, infer P, infer _S> ? P["Type"] : never

/**
 * The decoded result of a row.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Result<R> = R extends Row<infer _W, infer _K, infer _C, infer _P, infer S> ? S["Type"] : never

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

/**
 * The functions that handle the rows of one side, by callback name.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Handlers<R> = {
  readonly [C in Callbacks<R>]: (
    params: Params<RowOf<R, C>>
  ) => Rpc.WrapperOr<Effect.Effect<Result<RowOf<R, C>>, AcpError.RequestError, any>>
}

/**
 * The functions that call the rows of the other side, by callback name.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Peer<R> = {
  readonly [C in Callbacks<R>]: (params: Params<RowOf<R, C>>) => RowOf<R, C> extends { readonly "~kind": "request" }
    ? Effect.Effect<Result<RowOf<R, C>>, AcpError.CallError>
    : Effect.Effect<void, AcpError.NotifyError>
}

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
    readonly [C in keyof H]-?: NonNullable<H[C]> extends
      (params: any) => Rpc.WrapperOr<Effect.Effect<infer _A, infer _E, infer R>> ? R : never
  }[keyof H],
  InboundRequest | Scope.Scope
>

/**
 * Makes handlers of rows into a layer; providing it to a side is serving, and advertising, those methods (G5).
 *
 * **Details**
 *
 * Handlers keep their requirements: what they need, the layer needs. `InboundRequest` and a `Scope` that closes with the
 * request are provided by the connection. A handler may fail with any `RequestError`, which crosses the wire as it is.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHandlers = <Rows extends Any>(group: RpcGroup.RpcGroup<Rows>) =>
<const H extends Partial<Handlers<Rows>>, EX = never, RX = never>(
  build: H | Effect.Effect<H, EX, RX>
): Layer.Layer<Provided<Rows, H>, EX, Exclude<RX, Scope.Scope> | Required<H>> =>
  Layer.effectContext(Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const handlers = (Effect.isEffect(build) ? yield* build : build) as Readonly<Record<string, unknown>>
    const services = new Map<string, unknown>()
    for (const row of group.requests.values()) {
      const { callback, wire } = describe(row)
      const handler = callback === undefined ? undefined : handlers[callback]
      if (handler !== undefined) services.set(row.key, { tag: wire, handler, context })
    }
    return Context.makeUnsafe<any>(services)
  })) as Layer.Layer<any, any, any>

// =============================================================================
// Tables
// =============================================================================

/**
 * One of the two sides of a link.
 *
 * @category models
 * @since 0.1.0
 */
export type Side = Capabilities.Side

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
  /** The gate of a wire name. An unknown method is not a denied one (G3). */
  readonly gateOf: (wire: string) => Capabilities.Gate | "none" | "unknown method"
  /** The handler names of a side with their wire names, in the order of the table. */
  readonly callbacks: (side: Side) => ReadonlyArray<{ readonly callback: string; readonly wire: string }>
}

const directionTo: Record<Side, Direction> = { agent: "client_to_agent", client: "agent_to_client" }

const handles = (side: Side, { direction }: Descriptor): boolean => direction === "both" || direction === directionTo[side]

/**
 * Builds a table from groups of rows.
 *
 * **Gotchas**
 *
 * Throws at module load, with the row's name, when a row breaks one of the table's invariants.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (...groups: ReadonlyArray<RpcGroup.RpcGroup<any>>): MethodTable => {
  const rows = groups.flatMap((group) => [...group.requests.values()] as ReadonlyArray<Rpc.AnyWithProps>)
  const descriptors = rows.map(describe)
  check(descriptors)
  return {
    rows,
    withDirection: (direction) => rows.filter((row) => describe(row).direction === direction),
    handledBy: (side) => rows.filter((row) => handles(side, describe(row))),
    gateOf: (wire) => {
      const descriptor = descriptors.find((descriptor) => descriptor.wire === wire)
      return descriptor === undefined ? "unknown method" : descriptor.gate ?? "none"
    },
    callbacks: (side) =>
      descriptors.flatMap((descriptor) =>
        handles(side, descriptor) && descriptor.callback !== undefined
          ? [{ callback: descriptor.callback, wire: descriptor.wire }]
          : []
      )
  }
}

const check = (descriptors: ReadonlyArray<Descriptor>): void => {
  for (const descriptor of descriptors) checkRow(descriptor)
  checkUnique(descriptors.map(({ direction, kind, wire }) => `${wire} (${direction}, ${kind})`), "is declared twice")
  for (const side of ["agent", "client"] as const) {
    const callbacks = descriptors.flatMap((row) => handles(side, row) && row.callback !== undefined ? [row.callback] : [])
    checkUnique(callbacks, `is the callback of two rows that the ${side} handles`)
  }
}

const checkUnique = (names: ReadonlyArray<string>, problem: string): void => {
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw new Error(`Method table: ${name} ${problem}`)
  }
}

const wireName = /^[A-Za-z0-9_$./:-]+$/

const checkRow = ({ callback, gate, layer, owner, wire }: Descriptor): void => {
  const refuse = (problem: string) => {
    throw new Error(`Method table: ${wire} ${problem}`)
  }
  if (!wireName.test(wire)) refuse("is not a wire name")
  if ((callback === undefined) !== (layer !== "app")) {
    refuse(callback === undefined ? "is of layer app and needs a callback" : `is of layer ${layer} and takes no callback`)
  }
  if (wire.startsWith("$/") && layer !== "protocol") refuse("has the prefix of the protocol layer")
  if (owner === undefined && wire.startsWith("_")) refuse("has the prefix of an extension but no owner")
  if (owner !== undefined && !wire.startsWith(`_${owner}/`)) refuse(`belongs to ${owner} and must start with _${owner}/`)
  for (const path of gate?.paths ?? []) {
    if (path.length === 0) refuse("has an empty gate")
    if (!Capabilities.fields[gate!.side].includes(path[0])) {
      refuse(`is gated by ${path.join(".")}, which is no capability of the ${gate!.side}`)
    }
  }
}
