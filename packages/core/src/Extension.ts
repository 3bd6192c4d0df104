/**
 * Methods that the protocol does not have.
 *
 * **Details**
 *
 * A vendor's method is a row like the protocol's own, declared with an `owner`:
 *
 * ```ts
 * const ask = MethodTable.request("_acme/ask", {
 *   owner: "acme",
 *   direction: "agent_to_client",
 *   callback: "ask",
 *   gate: Capabilities.gate("client", ["_meta", "acme.dev", "ask"]),
 *   params: Schema.Struct({ question: Schema.String, due: Schema.DateFromString }),
 *   result: Schema.Struct({ answer: Schema.String })
 * })
 * const AcmeMethods = MethodTable.group(ask)
 *
 * // Served, and advertised under `_meta`, by whoever gets this layer
 * const handlers = MethodTable.layerHandlers(AcmeMethods)({ ask: ({ question }) => Effect.succeed({ answer: question }) })
 *
 * // Called on any connection
 * const answer = connection.call(ask, { question: "?", due })
 * const acme = Connection.peer(connection, AcmeMethods)
 * ```
 *
 * The schemas of an extension may transform: their encoded side is what is on the wire, and has to be JSON. What has no row
 * at all goes, as it is, to {@link RawHandlers}.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as AcpError from "./AcpError.ts"
import type { InboundRequest } from "./InboundRequest.ts"

/**
 * What becomes of methods that have no row.
 *
 * **Details**
 *
 * Where it is not provided, a request is answered with -32601 and a notification is dropped with a diagnostic.
 *
 * @category services
 * @since 0.1.0
 */
export class RawHandlers extends Context.Service<RawHandlers, {
  /** Tells whether a name is for these handlers. */
  readonly accepts: (method: string) => boolean
  readonly request: (
    method: string,
    params: unknown
  ) => Effect.Effect<unknown, AcpError.RequestError, InboundRequest | Scope.Scope>
  /** None: the notification is dropped with a diagnostic. */
  readonly notification: ((method: string, params: unknown) => Effect.Effect<void>) | undefined
}>()("@effect-acp/core/Extension/RawHandlers") {}

/**
 * What handlers of methods without a row are made of.
 *
 * @category options
 * @since 0.1.0
 */
export interface RawOptions<R1, R2> {
  /** Which names are taken, besides having no row. Default: those that start with `_`. */
  readonly accepts?: ((method: string) => boolean) | undefined
  /** Answers a request with JSON. Default: fails with -32601. */
  readonly request?:
    | ((method: string, params: unknown) => Effect.Effect<unknown, AcpError.RequestError, R1>)
    | undefined
  /** Default: the notification is dropped with a diagnostic. */
  readonly notification?: ((method: string, params: unknown) => Effect.Effect<void, never, R2>) | undefined
}

/**
 * Handles methods that have no row, with their params as they came.
 *
 * **Details**
 *
 * Requests are served like any other: in a fiber of their own, cancelled by `$/cancel_request`, with `InboundRequest` and a
 * `Scope` that closes with the request. Notifications of one session are handled one after the other.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerRaw = <R1 = never, R2 = never>(
  options: RawOptions<R1, R2>
): Layer.Layer<RawHandlers, never, Exclude<R1, InboundRequest | Scope.Scope> | R2> =>
  Layer.effect(RawHandlers)(
    Effect.contextWith((services: Context.Context<Exclude<R1, InboundRequest | Scope.Scope> | R2>) => {
      const { accepts, notification, request } = options
      // The scope of a handler is that of its request.
      const context = Context.omit(Scope.Scope)(services as Context.Context<any>)
      return Effect.succeed({
        accepts: accepts ?? isReserved,
        request: request === undefined
          ? notFound
          : (method, params) => Effect.provideContext(request(method, params), context),
        notification: notification && ((method, params) => Effect.provideContext(notification(method, params), context))
      })
    })
  )

/**
 * Tells whether a name is in the space that the protocol reserves for extensions: it starts with `_`.
 *
 * @category guards
 * @since 0.1.0
 */
export const isReserved = (method: string): boolean => method.startsWith("_")

const notFound = (method: string) => Effect.fail(new AcpError.MethodNotFound({ data: { method } }))
