/**
 * Where inbound requests and notifications go: the handshake first, then their handlers.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Rpc from "effect/rpc/Rpc"
import * as AcpError from "../AcpError.ts"
import type * as Capabilities from "../Capabilities.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"
import * as ProtocolMethods from "../ProtocolMethods.ts"
import type * as Codecs from "./codecs.ts"
import type { Diagnostics } from "./diagnostics.ts"
import type { Dispatcher } from "./dispatcher.ts"
import type { Handshake } from "./handshake.ts"
import type { Lanes } from "./lanes.ts"
import type { Raw } from "./raw.ts"
import type { Routes } from "./reader.ts"
import * as Tracing from "./tracing.ts"

/** A notification that the library itself acts on, in the reader and in wire order; it must not throw or wait. */
export type Interceptor = (params: unknown, info: { readonly sequence: number; readonly size: number }) => void

/** What a notification carries beside its params. */
interface Place {
  readonly sequence: number
  readonly size: number
}

export const make = (options: {
  readonly capabilities: Capabilities.Capabilities["Service"]
  readonly codecsOf: Codecs.CodecsOf
  readonly diagnostics: Diagnostics
  readonly dispatcher: Dispatcher
  readonly handlers: Context.Context<never>
  readonly handshake: Handshake
  readonly handshakeMethod: string
  readonly interceptors: Readonly<Record<string, Interceptor>>
  readonly lanes: Lanes
  readonly raw: Raw | undefined
  /** Answers at once, from the reader. */
  readonly refuse: (id: JsonRpc.Id, error: AcpError.RequestError) => void
  readonly rows: ReadonlyArray<Rpc.AnyWithProps>
}): Pick<Routes, "request" | "notification"> => {
  const { capabilities, diagnostics, dispatcher, handshake, lanes, raw, refuse } = options
  const interceptors = new Map(Object.entries(options.interceptors))
  const ofKind = (kind: MethodTable.Kind) => options.rows.filter((row) => MethodTable.describe(row).kind === kind)
  const notifications = new Map(ofKind("notification").map((row) => [row._tag, row]))
  const requests = new Set(ofKind("request").map((row) => row._tag))

  const isNegotiated = () => capabilities.negotiatedUnsafe() !== undefined

  // ---------------------------------------------------------------------------
  // Requests
  // ---------------------------------------------------------------------------

  const request: Routes["request"] = (message, sequence) => {
    const { id, method } = message
    if (id === null) {
      return refuse(null, new AcpError.InvalidRequest({ data: { reason: "id must not be null" } })) // E3
    }
    if (!handshake.isRunning()) return admit(message, sequence)
    switch (handshake.hold({ id, run: () => admit(message, sequence) })) {
      case "duplicate":
        diagnostics.emitUnsafe({ _tag: "DuplicateRequest", method, id }) // E5
        break
      case "full":
        diagnostics.emitUnsafe({ _tag: "ShedRequest", method, id })
        refuse(id, new AcpError.InternalError({ message: "Server busy", data: { reason: "initializing" } }))
    }
  }

  const admit = (message: JsonRpc.Request, sequence: number): void => {
    const { id, method } = message
    if (method === options.handshakeMethod && requests.has(method)) return begin(message, sequence)
    if (isNegotiated()) return dispatcher.dispatchUnsafe(message, sequence)
    refuse(id, new AcpError.InvalidRequest({ data: { method, reason: "initialize required" } })) // H1
  }

  const begin = (message: JsonRpc.Request, sequence: number): void => {
    if (isNegotiated()) {
      return refuse(message.id, new AcpError.InvalidRequest({ data: { reason: "already initialized" } })) // H3
    }
    handshake.begin(message.id)
    dispatcher.dispatchUnsafe(message, sequence)
  }

  // ---------------------------------------------------------------------------
  // Notifications
  // ---------------------------------------------------------------------------

  const notification: Routes["notification"] = (message, sequence, size) => {
    if (message.method === ProtocolMethods.cancelRequest._tag) return cancelRequest(message.params)
    const place = { sequence, size }
    if (!handshake.isRunning()) return take(message, place)
    if (handshake.hold({ id: undefined, run: () => take(message, place) }) === "full") {
      diagnostics.emitUnsafe({ _tag: "ShedNotification", method: message.method })
    }
  }

  const take = ({ method, params }: JsonRpc.Notification, place: Place): void => {
    if (!isNegotiated()) return diagnostics.emitUnsafe({ _tag: "EarlyNotification", method })
    const interceptor = interceptors.get(method)
    if (interceptor !== undefined) return interceptor(params, place)
    const handled = handlingOf(method, params)
    if (handled === undefined) return unhandled(method)
    const lane = String(JsonRpc.member(params, "sessionId") ?? "")
    if (lanes.addUnsafe(lane, reported(method, handled))) return
    diagnostics.emitUnsafe({ _tag: "ShedNotification", method })
  }

  const handlingOf = (method: string, params: unknown): Effect.Effect<void, unknown> | undefined => {
    const row = notifications.get(method)
    const entry = row === undefined ? undefined : handlerOf(row)
    if (row !== undefined && entry !== undefined) return handle(row, entry, params)
    return row === undefined && raw?.accepts(method) ? raw.notification?.(method, params) : undefined
  }

  const handlerOf = (row: Rpc.AnyWithProps): Rpc.Handler<string> | undefined => {
    const { gate } = MethodTable.describe(row)
    return gate === undefined || capabilities.allows(gate)
      ? options.handlers.mapUnsafe.get(row.key) as Rpc.Handler<string> | undefined
      : undefined
  }

  const unhandled = (method: string): void =>
    diagnostics.emitUnsafe(
      requests.has(method) ? { _tag: "UnservedNotification", method } : { _tag: "UnknownNotification", method }
    )

  const handle = (
    row: Rpc.AnyWithProps,
    entry: Rpc.Handler<string>,
    params: unknown
  ): Effect.Effect<void, unknown> =>
    Effect.suspend(() => {
      const decoded = options.codecsOf(row).params.decode(params, diagnostics.emitUnsafe)
      if (Result.isSuccess(decoded)) {
        const handled = entry.handler(decoded.success, undefined as never) as Effect.Effect<unknown, unknown>
        const traced = Effect.contextWith((context: Context.Context<never>) =>
          Tracing.handler(context, row._tag, params, handled)
        )
        return Effect.asVoid(Effect.provideContext(traced, entry.context))
      }
      diagnostics.emitUnsafe({ _tag: "InvalidNotification", method: row._tag, issue: decoded.failure })
      return Effect.void
    })

  /** A handler that fails costs its own notification only. */
  const reported = (method: string, handled: Effect.Effect<void, unknown>): Effect.Effect<void> =>
    Effect.catchCause(handled, (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.void
      diagnostics.emitUnsafe({ _tag: "HandlerFailed", method, problem: "the handler failed" })
      return Effect.logError(`The handler of ${method} failed`, cause)
    })

  const cancelRequest = (params: unknown): void => {
    const id = JsonRpc.member(params, "requestId")
    if (!JsonRpc.isId(id)) {
      return diagnostics.emitUnsafe({
        _tag: "InvalidNotification",
        method: ProtocolMethods.cancelRequest._tag,
        issue: "requestId must be a string or an integer"
      })
    }
    if (!handshake.drop(id)) return dispatcher.cancelUnsafe(id)
    refuse(id, new AcpError.RequestCancelled({})) // X2
  }

  return { request, notification }
}
