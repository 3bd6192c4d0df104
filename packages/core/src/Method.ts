/**
 * One method of the protocol, as a row of the method table.
 *
 * A row is an `Rpc` whose tag is the wire name, with the schemas of its params and its result and a `Descriptor` annotation.
 * `MethodTable` gives everything of this module too.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import * as AcpError from "./AcpError.ts"
import * as Capabilities from "./Capabilities.ts"

// =============================================================================
// Models
// =============================================================================

/**
 * One of the two sides of a link.
 *
 * @category models
 * @since 0.1.0
 */
export type Side = Capabilities.Side

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
  /** What must have been advertised: mostly by the side that handles the method. */
  readonly gate: Capabilities.Gate | undefined
  /** The vendor of an extension row. */
  readonly owner: string | undefined
  /** An extension row whose name is not within its vendor's reserved space. */
  readonly unprefixed: boolean
  /** The row whose place this one takes, with other schemas. */
  readonly refines: Rpc.Any | undefined
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
 * A row: an `Rpc` that knows in its type what kind it is, what its callback is called, and its decoded params and result.
 *
 * @category models
 * @since 0.1.0
 */
export interface Row<
  Wire extends string,
  RowKind extends Kind,
  Callback extends string | undefined,
  Params,
  Result
> extends Rpc.Rpc<Wire, ParamsSchema<Params>, ResultSchema<Result>, typeof AcpError.RequestError> {
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

/**
 * Tells whether a side handles a method; those of direction `both` are handled by either.
 *
 * @category guards
 * @since 0.1.0
 */
export const isHandledBy = ({ direction }: Descriptor, side: Side): boolean =>
  direction === "both" || direction === (side === "agent" ? "client_to_agent" : "agent_to_client")

// =============================================================================
// Options
// =============================================================================

/**
 * A schema of params: on the wire they are an object, and decoding needs no services.
 *
 * @category models
 * @since 0.1.0
 */
export interface ParamsSchema<out Params> extends Schema.Codec<Params, object> {}

/**
 * A schema of results: on the wire they are any JSON, and decoding needs no services.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResultSchema<out Result> extends Schema.Codec<Result, unknown> {}

/**
 * The schema, with its type by the name that it is given: it is what people read when they look at a method.
 *
 * @category combinators
 * @since 0.1.0
 */
export const named = <A>(schema: Schema.Codec<A>): Schema.Codec<A> => schema

/**
 * What every row is declared with.
 *
 * @category options
 * @since 0.1.0
 */
export interface CommonOptions<Params> {
  readonly direction: Direction
  readonly params: ParamsSchema<Params>
  /** What must have been advertised before the method may be called. Default: nothing. */
  readonly gate?: Capabilities.Gate | undefined
}

/**
 * What a row that a handler serves is declared with.
 *
 * @category options
 * @since 0.1.0
 */
export interface AppOptions<Callback extends string, Params> extends CommonOptions<Params> {
  readonly callback: Callback
  readonly layer?: "app" | undefined
}

/**
 * What a row that the library itself acts on is declared with: it has no callback.
 *
 * @category options
 * @since 0.1.0
 */
export interface LibraryOptions<Params> extends CommonOptions<Params> {
  readonly callback?: undefined
  readonly layer: "protocol" | "session_control"
}

/**
 * Whom a wire name belongs to.
 *
 * **Details**
 *
 * Names that start with `_` are for extensions, and the part up to the slash is the vendor's: `_acme/ask` needs the owner
 * `acme`. A vendor that uses a name outside of that space has to say so with `unprefixed`. A name without an owner is the
 * protocol's own.
 *
 * @category options
 * @since 0.1.0
 */
export type Ownership<Wire extends string> = Wire extends `_${infer Owner}/${string}`
  ? { readonly owner: Owner; readonly unprefixed?: undefined }
  : Wire extends `_${string}` ? { readonly owner: never }
  :
    | { readonly owner?: undefined; readonly unprefixed?: undefined }
    | { readonly owner: string; readonly unprefixed: true }

// =============================================================================
// Constructors
// =============================================================================

/**
 * Declares a method that is answered.
 *
 * **Example**
 *
 * ```ts
 * const ask = MethodTable.request("_acme/ask", {
 *   owner: "acme",
 *   direction: "agent_to_client",
 *   callback: "ask",
 *   gate: Capabilities.gate("client", ["_meta", "acme.dev", "ask"]),
 *   params: Schema.Struct({ question: Schema.String }),
 *   result: Schema.Struct({ answer: Schema.String })
 * })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const request = <
  const Wire extends string,
  const Callback extends string,
  Params,
  Result
>(
  wire: Wire,
  options: AppOptions<Callback, Params> & { readonly result: ResultSchema<Result> } & Ownership<Wire>
): Row<Wire, "request", Callback, Params, Result> => make("request", wire, options, options.result)

/**
 * Declares a method that is never answered.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notification: {
  <const Wire extends string, const Callback extends string, Params>(
    wire: Wire,
    options: AppOptions<Callback, Params> & Ownership<Wire>
  ): Row<Wire, "notification", Callback, Params, void>
  <const Wire extends string, Params>(
    wire: Wire,
    options: LibraryOptions<Params>
  ): Row<Wire, "notification", undefined, Params, void>
} = (wire: string, options: AnyOptions): Row<any, "notification", any, any, void> =>
  make("notification", wire, options, Schema.Void)

/**
 * The row with other schemas, to take its place in a table: same name, direction, callback and gate.
 *
 * **Details**
 *
 * Handlers of the one are handlers of the other. A connection whose table holds the refined row speaks it wherever the
 * original is called; see `rowOf` of a table.
 *
 * @category combinators
 * @since 0.1.0
 */
export const refine = <
  Wire extends string,
  RowKind extends Kind,
  Callback extends string | undefined,
  P,
  S,
  Params = P,
  Result = S
>(
  row: Row<Wire, RowKind, Callback, P, S>,
  schemas: { readonly params?: ParamsSchema<Params> | undefined; readonly result?: ResultSchema<Result> | undefined }
): Row<Wire, RowKind, Callback, Params, Result> =>
  fromDescriptor(
    { ...describe(row), refines: row },
    schemas.params ?? row.payloadSchema,
    schemas.result ?? row.successSchema
  )

interface AnyOptions {
  readonly direction: Direction
  readonly params: Schema.Top
  readonly callback?: string | undefined
  readonly gate?: Capabilities.Gate | undefined
  readonly layer?: RowLayer | undefined
  readonly owner?: string | undefined
  readonly unprefixed?: boolean | undefined
}

const make = <R extends Rpc.Any>(kind: Kind, wire: string, options: AnyOptions, result: Schema.Top): R =>
  fromDescriptor(
    {
      wire,
      kind,
      direction: options.direction,
      layer: options.layer ?? "app",
      callback: options.callback,
      gate: options.gate,
      owner: options.owner,
      unprefixed: options.unprefixed ?? false,
      refines: undefined
    },
    options.params,
    result
  )

const fromDescriptor = <R extends Rpc.Any>(descriptor: Descriptor, params: Schema.Top, result: Schema.Top): R => {
  const { direction, gate, kind, wire } = descriptor
  const rpc = Rpc.make(wire, { payload: params, success: result, error: AcpError.RequestError })
    .annotate(Descriptor, descriptor)
  const row = gate === undefined ? rpc : rpc.middleware(Capabilities.Gated)
  // A request and a notification may share their wire name, on one side even: they have two handlers.
  return Object.assign(row, { key: `@effect-acp/core/MethodTable/${direction}/${kind}/${wire}` }) as Rpc.Any as R
}

// =============================================================================
// Derived types
// =============================================================================

/**
 * The decoded params of a row.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Params<R> = R extends Row<infer _W, infer _K, infer _C, infer P, infer _S> ? P : never

/**
 * The decoded result of a row.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Result<R> = R extends Row<infer _W, infer _K, infer _C, infer _P, infer S> ? S : never
