/**
 * Where inbound requests and notifications go: the handshake first, then their handlers.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Rpc from "effect/rpc/Rpc"
import * as AcpError from "../AcpError.ts"
import type * as Capabilities from "../Capabilities.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"
import * as ProtocolMethods from "../ProtocolMethods.ts"
import * as Codecs from "./codecs.ts"
import type { Diagnostics } from "./diagnostics.ts"
import type { Dispatcher } from "./dispatcher.ts"
import type { Handshake } from "./handshake.ts"
import type { Lanes } from "./lanes.ts"
import type { Routes } from "./reader.ts"

/** A notification that the library itself acts on, in the reader and in wire order; it must not throw or wait. */
export type Interceptor = (params: unknown, info: { readonly sequence: number; readonly size: number }) => void

export const make = (options: {
  readonly capabilities: Capabilities.Capabilities["Service"]
  readonly diagnostics: Diagnostics
  readonly dispatcher: Dispatcher
  readonly handlers: Context.Context<never>
  readonly handshake: Handshake
  readonly handshakeMethod: string
  readonly interceptors: Readonly<Record<string, Interceptor>>
  readonly lanes: Lanes
  readonly respond: (frame: string) => void
  readonly rows: ReadonlyArray<Rpc.AnyWithProps>
}): Pick<Routes, "request" | "notification"> => {
  const { capabilities, diagnostics, dispatcher, handshake, interceptors, lanes } = options
  const notifications = new Map(
    options.rows.filter((row) => MethodTable.describe(row).kind === "notification").map((row) => [row._tag, row])
  )
  const requests = new Set(options.rows.filter((row) => !notifications.has(row._tag)).map((row) => row._tag))

  const refuse = (id: JsonRpc.Id, error: AcpError.RequestError) => {
    options.respond(JsonRpc.failure(id, error))
    return undefined
  }

  const holdRequest = (request: JsonRpc.Request, sequence: number) => {
    if (!handshake.hold(Effect.suspend(() => routeRequest(request, sequence) ?? Effect.void))) {
      diagnostics.emitUnsafe({ _tag: "ShedRequest", method: request.method, id: request.id })
      refuse(request.id, new AcpError.InternalError({ message: "Server busy", data: { reason: "initializing" } }))
    }
    return undefined
  }

  const begin = (request: JsonRpc.Request, sequence: number) => {
    if (capabilities.negotiatedUnsafe() !== undefined) {
      return refuse(request.id, new AcpError.InvalidRequest({ data: { reason: "already initialized" } }))
    }
    handshake.begin()
    return dispatcher.dispatch(request, sequence)
  }

  const routeRequest = (request: JsonRpc.Request, sequence: number): Effect.Effect<void> | undefined => {
    const { id, method } = request
    if (id === null) return refuse(null, new AcpError.InvalidRequest({ data: { reason: "id must not be null" } }))
    if (handshake.isRunning()) return holdRequest(request, sequence)
    if (method === options.handshakeMethod && requests.has(method)) return begin(request, sequence)
    if (capabilities.negotiatedUnsafe() === undefined) {
      return refuse(id, new AcpError.InvalidRequest({ data: { method, reason: "initialize required" } }))
    }
    return dispatcher.dispatch(request, sequence)
  }

  const cancelRequest = (params: unknown) => {
    const id = JsonRpc.member(params, "requestId")
    if (!JsonRpc.isId(id)) {
      return diagnostics.emitUnsafe({
        _tag: "InvalidNotification",
        method: ProtocolMethods.cancelRequest._tag,
        issue: "requestId must be a string or an integer"
      })
    }
    const cancel = dispatcher.cancel(id)
    // A request that waits for the handshake is not in flight yet: its cancellation waits behind it.
    if (handshake.isRunning()) handshake.hold(cancel)
    return cancel
  }

  const handle = (row: Rpc.AnyWithProps, params: unknown): Effect.Effect<void> => {
    const entry = options.handlers.mapUnsafe.get(row.key) as Rpc.Handler<string> | undefined
    if (entry === undefined) return Effect.void
    return Effect.suspend(() => {
      const decoded = Codecs.of(row).params.decode(params, diagnostics.emitUnsafe)
      if (Result.isSuccess(decoded)) {
        const handled = entry.handler(decoded.success, undefined as never) as Effect.Effect<unknown, unknown>
        return Effect.asVoid(Effect.provideContext(handled, entry.context))
      }
      diagnostics.emitUnsafe({ _tag: "InvalidNotification", method: row._tag, issue: decoded.failure })
      return Effect.void
    }).pipe(
      Effect.catchCause((cause) => {
        diagnostics.emitUnsafe({ _tag: "HandlerFailed", method: row._tag, problem: "the handler failed" })
        return Effect.logError(`The handler of ${row._tag} failed`, cause)
      })
    )
  }

  const unknown = (method: string) =>
    diagnostics.emitUnsafe(
      requests.has(method) ? { _tag: "UnservedNotification", method } : { _tag: "UnknownNotification", method }
    )

  const routeNotification: Routes["notification"] = (notification, sequence, size) => {
    const { method, params } = notification
    if (method === ProtocolMethods.cancelRequest._tag) return cancelRequest(params) ?? undefined
    if (handshake.isRunning()) {
      const held = handshake.hold(
        Effect.suspend(() => routeNotification(notification, sequence, size) ?? Effect.void)
      )
      if (!held) diagnostics.emitUnsafe({ _tag: "ShedNotification", method })
      return undefined
    }
    if (capabilities.negotiatedUnsafe() === undefined) {
      diagnostics.emitUnsafe({ _tag: "EarlyNotification", method })
      return undefined
    }
    const interceptor = interceptors[method]
    if (interceptor !== undefined) {
      interceptor(params, { sequence, size })
      return undefined
    }
    const row = notifications.get(method)
    if (row === undefined) {
      unknown(method)
      return undefined
    }
    if (!lanes.addUnsafe(String(JsonRpc.member(params, "sessionId") ?? ""), handle(row, params))) {
      diagnostics.emitUnsafe({ _tag: "ShedNotification", method })
    }
    return undefined
  }

  return { request: routeRequest, notification: routeNotification }
}
