/**
 * The handlers of rows as a connection runs them: within the middleware of their row, which comes before the decoding.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Result from "effect/Result"
import * as Rpc from "effect/rpc/Rpc"
import type * as RpcMessage from "effect/rpc/RpcMessage"
import type * as RpcMiddleware from "effect/rpc/RpcMiddleware"
import * as Scope from "effect/Scope"
import * as AcpError from "../AcpError.ts"
import * as Capabilities from "../Capabilities.ts"
import { InboundRequest, type Session } from "../InboundRequest.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"
import * as Codecs from "./codecs.ts"
import type { Diagnostics } from "./diagnostics.ts"

/** A row that this side has a handler for. */
export interface Served {
  readonly row: Rpc.AnyWithProps
  /** Writes what a handler gave. */
  readonly result: Codecs.Codec
  /** What the handler was provided with, and what the connection was. */
  readonly context: Context.Context<never>
  /** Runs an effect with that. */
  readonly fork: ReturnType<typeof Effect.runForkWith<never>>
  /** What the handling of a request needs. */
  readonly contextOf: (arrived: Arrived, scope: Scope.Scope) => Context.Context<Scope.Scope>
  readonly handle: (arrived: Arrived) => Handled
}

/** A request as it was read. */
export interface Arrived {
  readonly request: JsonRpc.Request
  readonly sequence: number
  /** What is to run right after the response. */
  readonly afterResponse: Array<() => void>
}

type Handled = Effect.Effect<unknown, unknown, Scope.Scope>

type Metadata = Parameters<RpcMiddleware.RpcMiddleware<never, unknown, never>>[1]

type Handler = (params: unknown, metadata: Metadata) => Rpc.WrapperOr<Handled>

type Middleware = (handled: Handled, metadata: Metadata) => Handled

export const make = (options: {
  /** The connection's own. */
  readonly context: Context.Context<never>
  readonly capabilities: Capabilities.Capabilities["Service"]
  readonly diagnostics: Diagnostics
  readonly sessionOf: (sessionId: string) => Session | undefined
}): (row: Rpc.AnyWithProps, entry: Rpc.Handler<string>) => Served => {
  const { capabilities, context, diagnostics } = options
  const codecsOf = Codecs.forContext(context)
  const gated = Capabilities.makeGated(capabilities, (row) => MethodTable.describe(row).gate)
  const middlewares = Context.add(context, Capabilities.Gated, gated)
  const client = new Rpc.ServerClient(0)

  const sessionOf = (params: unknown) => {
    const sessionId = JsonRpc.member(params, "sessionId")
    return typeof sessionId === "string" ? options.sessionOf(sessionId) : undefined
  }

  return (row, entry) => {
    const { params: codec, result } = codecsOf(row)
    const handler = entry.handler as Handler
    const around = Array.from(row.middlewares, (service) => Context.getUnsafe(middlewares, service) as Middleware)
    const own = Context.merge(entry.context, context)

    const decodeAndHandle = (params: unknown, metadata: Metadata): Handled =>
      Effect.suspend(() => {
        const decoded = codec.decode(params, diagnostics.emitUnsafe)
        return Result.isSuccess(decoded)
          ? interruptible(handler(decoded.success, metadata))
          : Effect.fail(new AcpError.InvalidParams({ data: { issue: decoded.failure } }))
      })

    return {
      row,
      result,
      context: own,
      fork: Effect.runForkWith(own),
      contextOf: ({ afterResponse, request: { id, method, params }, sequence }, scope) =>
        own.pipe(
          Context.add(Scope.Scope, scope),
          Context.add(InboundRequest, {
            id,
            method,
            raw: params,
            session: sessionOf(params),
            sequence,
            afterResponse: (run) => {
              afterResponse.push(run)
            }
          })
        ),
      handle: ({ request: { id, params } }) => {
        const metadata: Metadata = {
          client,
          requestId: id as RpcMessage.RequestId,
          rpc: row,
          payload: params,
          headers: Headers.empty
        }
        const handled = decodeAndHandle(params, metadata)
        return Effect.suspend(() => around.reduce((handled, middleware) => middleware(handled, metadata), handled))
      }
    }
  }
}

/** A result that the handler had when it was cancelled still counts, so only its own work is interruptible (X2). */
const interruptible = (result: ReturnType<Handler>): Handled => {
  if (!Rpc.isWrapper(result)) return Effect.interruptible(result)
  return result.uninterruptible ? result.value : Effect.interruptible(result.value)
}
