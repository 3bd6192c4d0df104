/**
 * Inbound requests: admission, a fiber each, and exactly one answer (E4).
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import type * as RpcMessage from "effect/rpc/RpcMessage"
import * as RpcServer from "effect/rpc/RpcServer"
import type * as Scope from "effect/Scope"
import * as AcpError from "../AcpError.ts"
import * as Capabilities from "../Capabilities.ts"
import { InboundRequest, type Session } from "../InboundRequest.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"
import * as PublicMetrics from "../Metrics.ts"
import * as Codecs from "./codecs.ts"
import type { Diagnostics } from "./diagnostics.ts"
import * as Metrics from "./metrics.ts"
import * as Raw from "./raw.ts"
import { soon } from "./soon.ts"
import * as Tracing from "./tracing.ts"
import type { Writer } from "./writer.ts"

export interface Dispatcher {
  /** Admits a request. The handler starts in its own fiber, never in the caller's turn. */
  readonly dispatch: (request: JsonRpc.Request, sequence: number) => Effect.Effect<void>
  /** Interrupts the handler of a request that is in flight (X2). */
  readonly cancel: (id: JsonRpc.Id) => Effect.Effect<void>
  /** Interrupts all handlers, and starts none any more. */
  readonly cancelAll: Effect.Effect<void>
  /** Waits until nothing is in flight. */
  readonly idle: Effect.Effect<void>
  readonly sizeUnsafe: () => number
}

/** What travels through the RPC server in place of a payload: decoding is the handler's first step, behind the gate. */
interface Inbound {
  readonly row: Rpc.AnyWithProps
  readonly request: JsonRpc.Request
  readonly sequence: number
  readonly afterResponse: Array<() => void>
  readonly ended: () => void
  /** Whether it was asked to end: only then is its interruption a cancellation. */
  cancelled: boolean
}

export const make: (options: {
  readonly rows: ReadonlyArray<Rpc.AnyWithProps>
  readonly handlers: Context.Context<never>
  readonly raw: Raw.Raw | undefined
  readonly capabilities: Capabilities.Capabilities["Service"]
  readonly diagnostics: Diagnostics
  readonly maxInFlight: number
  readonly sessionOf: (sessionId: string) => Session | undefined
  readonly writer: Writer
  /** Answers at once, from the reader. */
  readonly refuse: (id: JsonRpc.Id, error: JsonRpc.ErrorObject) => void
  /** What follows an answer, such as what waited for it. */
  readonly onAnswered: (method: string) => Effect.Effect<void> | undefined
}) => Effect.Effect<Dispatcher, never, Scope.Scope> = Effect.fnUntraced(function*(options) {
  const { capabilities, diagnostics, handlers, maxInFlight, raw, refuse, writer } = options
  const context = yield* Effect.context<never>()
  const clock = yield* Clock.Clock
  const codecsOf = Codecs.forContext(context)
  const inFlight = new Map<JsonRpc.Id, Inbound>()
  const idle = Latch.makeUnsafe(true)
  let stopped = false
  const rows = new Map(
    options.rows.filter((row) => isServed(row, handlers)).map((row) => [row._tag, row])
  )

  const sessionOf = (params: unknown) => {
    const sessionId = JsonRpc.member(params, "sessionId")
    return typeof sessionId === "string" ? options.sessionOf(sessionId) : undefined
  }

  const serve =
    (handler: Rpc.Handler<string>["handler"], metadata: Parameters<Rpc.Handler<string>["handler"]>[1]) =>
    (inbound: Inbound) => {
      const { request, row, sequence } = inbound
      return Effect.suspend(() => {
        const params = codecsOf(row).params.decode(request.params, diagnostics.emitUnsafe)
        if (Result.isFailure(params)) {
          return Effect.fail(new AcpError.InvalidParams({ data: { issue: params.failure } }))
        }
        return Effect.provideService(
          interruptible(handler(params.success, metadata) as HandlerResult),
          InboundRequest,
          {
            id: request.id,
            method: request.method,
            raw: request.params,
            session: sessionOf(request.params),
            sequence,
            afterResponse: (run) => {
              inbound.afterResponse.push(run)
            }
          }
        )
      })
    }

  const services = new Map<string, unknown>()
  const provide = (row: Rpc.AnyWithProps, entry: Rpc.Handler<string>) =>
    services.set(row.key, {
      ...entry,
      // The yield keeps the handler's code out of the reader, whose fiber this starts in.
      handler: (inbound: Inbound, metadata: Parameters<Rpc.Handler<string>["handler"]>[1]) =>
        Rpc.uninterruptible(
          Effect.andThen(
            soon,
            Tracing.handler(inbound.request.method, inbound.request.params, serve(entry.handler, metadata)(inbound))
          )
        )
    })
  for (const row of rows.values()) provide(row, handlers.mapUnsafe.get(row.key) as Rpc.Handler<string>)
  if (raw !== undefined) provide(Raw.row, raw.request)

  const rowOf = (method: string): Rpc.AnyWithProps | undefined =>
    rows.get(method) ?? (raw?.accepts(method) ? Raw.row : undefined)

  const answer = (inbound: Inbound, exit: Exit.Exit<unknown, unknown>): string => {
    const { request, row } = inbound
    if (exit._tag === "Failure") return JsonRpc.failure(request.id, errorOf(exit.cause, inbound.cancelled))
    const result = codecsOf(row).result.encode(exit.value)
    if (Result.isSuccess(result)) return JsonRpc.success(request.id, result.success)
    diagnostics.emitUnsafe({ _tag: "HandlerFailed", method: request.method, problem: result.failure })
    return JsonRpc.failure(request.id, new AcpError.InternalError({}))
  }

  /** An answer waits for room while its request is still in flight, so what waits is bounded with it (C10). */
  const complete = (inbound: Inbound, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
    writer.hasRoom() ? finish(inbound, exit) : Effect.flatMap(writer.room, () => finish(inbound, exit))

  const finish = (inbound: Inbound, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> => {
    const { id, method } = inbound.request
    if (!inFlight.delete(id)) return Effect.void // E4
    inbound.ended()
    writer.pushUnsafe(answer(inbound, exit))
    for (const run of inbound.afterResponse) run()
    const reported = exit._tag === "Failure" && Cause.hasDies(exit.cause)
      ? reportDefect(method, exit.cause)
      : Effect.void
    return Effect.andThen(reported, Effect.andThen(options.onAnswered(method) ?? Effect.void, rest))
  }

  /** Nothing is left to do once nothing is in flight, and what waited for this answer is. */
  const rest = Effect.sync(() => {
    if (inFlight.size === 0) idle.openUnsafe()
  })

  const reportDefect = (method: string, cause: Cause.Cause<unknown>) =>
    Effect.suspend(() => {
      diagnostics.emitUnsafe({ _tag: "HandlerFailed", method, problem: "the handler died" })
      return Effect.logError(`The handler of ${method} died`, cause)
    })

  const server = yield* RpcServer.makeNoSerialization(
    RpcGroup.make(Raw.row, ...rows.values()) as RpcGroup.RpcGroup<any>,
    {
      onFromServer: (message) => {
        if (message._tag !== "Exit") return Effect.void
        const inbound = inFlight.get(message.requestId)
        return inbound === undefined ? Effect.void : complete(inbound, message.exit)
      },
      disableFatalDefects: true,
      disableClientAcks: true,
      disableTracing: true
    }
  ).pipe(
    Effect.provideContext(Context.makeUnsafe<any>(services)),
    Effect.provideService(
      Capabilities.Gated,
      Capabilities.makeGated(capabilities, (row) => MethodTable.describe(row).gate)
    )
  ) as Effect.Effect<RpcServer.RpcServer<any>, never, Scope.Scope>

  const admit = (request: JsonRpc.Request, row: Rpc.AnyWithProps, sequence: number) => {
    const inbound: Inbound = {
      row,
      request,
      sequence,
      afterResponse: [],
      ended: Metrics.begin(
        PublicMetrics.requestsInFlight,
        Metrics.requestDuration(row === Raw.row ? "(extension)" : row._tag),
        context,
        () => clock.currentTimeMillisUnsafe()
      ),
      cancelled: false
    }
    inFlight.set(request.id, inbound)
    idle.closeUnsafe()
    return server.write(0, {
      _tag: "Request",
      id: request.id as RpcMessage.RequestId,
      tag: row._tag,
      payload: inbound,
      headers: Headers.empty
    } as RpcMessage.Request<any>)
  }

  return {
    dispatch: (request, sequence) =>
      Effect.suspend(() => {
        const { id, method } = request
        if (stopped) {
          refuse(id, new AcpError.RequestCancelled({}))
          return Effect.void
        }
        if (inFlight.has(id)) {
          diagnostics.emitUnsafe({ _tag: "DuplicateRequest", method, id })
          return Effect.void
        }
        if (inFlight.size >= maxInFlight) {
          diagnostics.emitUnsafe({ _tag: "ShedRequest", method, id })
          refuse(id, {
            code: -32603,
            message: "Server busy",
            data: { reason: "too many requests in flight", limit: maxInFlight }
          })
          return Effect.void
        }
        const row = rowOf(method)
        if (row !== undefined) return admit(request, row, sequence)
        refuse(id, new AcpError.MethodNotFound({ data: { method } }))
        return Effect.void
      }),
    cancel: (id) =>
      Effect.suspend(() => {
        const inbound = inFlight.get(id)
        if (inbound === undefined) return Effect.void
        inbound.cancelled = true
        return server.write(0, { _tag: "Interrupt", requestId: id as RpcMessage.RequestId, interruptors: [] })
      }),
    cancelAll: Effect.suspend(() => {
      stopped = true
      for (const inbound of inFlight.values()) inbound.cancelled = true
      return server.disconnect(0)
    }),
    idle: idle.await,
    sizeUnsafe: () => inFlight.size
  }
})

type HandlerResult = Rpc.WrapperOr<Effect.Effect<unknown, AcpError.RequestError>>

/** A result that the handler had when it was cancelled still counts, so only its own work is interruptible (X2). */
const interruptible = (result: HandlerResult): Effect.Effect<unknown, AcpError.RequestError> =>
  Rpc.isWrapper(result) ? result.value : Effect.interruptible(result)

const isServed = (row: Rpc.AnyWithProps, handlers: Context.Context<never>): boolean =>
  MethodTable.describe(row).kind === "request" && handlers.mapUnsafe.has(row.key)

/**
 * A typed failure crosses as it is, a cancellation as that, anything else without a word of what it was (C7): a defect, and
 * an interruption that nobody asked for, such as that of a deferred answer that was given up (C9).
 */
const errorOf = (cause: Cause.Cause<unknown>, cancelled: boolean): JsonRpc.ErrorObject => {
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined && AcpError.isRequestError(failure.error)) return failure.error
  return cancelled && Cause.hasInterruptsOnly(cause)
    ? new AcpError.RequestCancelled({})
    : new AcpError.InternalError({})
}
