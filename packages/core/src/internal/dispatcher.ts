/**
 * Inbound requests: admission, a fiber each, and exactly one answer (E4).
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ErrorReporter from "effect/ErrorReporter"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import type * as Rpc from "effect/rpc/Rpc"
import * as RpcSchema from "effect/rpc/RpcSchema"
import * as Scope from "effect/Scope"
import * as AcpError from "../AcpError.ts"
import type * as Capabilities from "../Capabilities.ts"
import type { Session } from "../InboundRequest.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"
import * as PublicMetrics from "../Metrics.ts"
import type { Diagnostics } from "./diagnostics.ts"
import * as Metrics from "./metrics.ts"
import * as Raw from "./raw.ts"
import * as Served from "./served.ts"
import { later } from "./soon.ts"
import * as Tracing from "./tracing.ts"
import type { Writer } from "./writer.ts"

export interface Dispatcher {
  /** Admits a request. The handler starts in its own fiber, never in the caller's turn. */
  readonly dispatchUnsafe: (request: JsonRpc.Request, sequence: number) => void
  /** Interrupts the handler of a request that is in flight (X2). */
  readonly cancelUnsafe: (id: JsonRpc.Id) => void
  /** Interrupts all handlers, and starts none any more. */
  readonly cancelAll: Effect.Effect<void>
  /** Waits until nothing is in flight. */
  readonly idle: Effect.Effect<void>
  readonly sizeUnsafe: () => number
}

/** A request in flight. */
interface Inbound extends Served.Arrived {
  readonly served: Served.Served
  /** In milliseconds. */
  readonly beganAt: number
  /** The handler's, then that of an answer that is given later; none until the handler starts. */
  fiber: Fiber.Fiber<unknown, unknown> | undefined
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
  readonly onAnswered: (method: string) => void
}) => Effect.Effect<Dispatcher> = Effect.fnUntraced(function*(options) {
  const { diagnostics, handlers, maxInFlight, raw, refuse, writer } = options
  const context = yield* Effect.context<never>()
  const flights = yield* Metrics.makeFlights(PublicMetrics.requestsInFlight, Metrics.requestDuration)
  const serve = Served.make({ ...options, context })
  const inFlight = new Map<JsonRpc.Id, Inbound>()
  const idle = Latch.makeUnsafe(true)
  let stopped = false

  const served = new Map(
    options.rows.filter((row) => isServed(row, handlers)).map((row) => [
      row._tag,
      serve(row, handlers.mapUnsafe.get(row.key) as Rpc.Handler<string>)
    ])
  )
  const servedRaw = raw === undefined ? undefined : serve(Raw.row, raw.request)

  const servedOf = (method: string): Served.Served | undefined =>
    served.get(method) ?? (raw?.accepts(method) ? servedRaw : undefined)

  // ---------------------------------------------------------------------------
  // Answers
  // ---------------------------------------------------------------------------

  const answer = ({ cancelled, request, served }: Inbound, exit: Exit.Exit<unknown, unknown>): string => {
    if (exit._tag === "Failure") return JsonRpc.failure(request.id, errorOf(exit.cause, cancelled))
    const frame = served.result.encode(exit.value, (result) => JsonRpc.success(request.id, result))
    if (Result.isSuccess(frame)) return frame.success
    diagnostics.emitUnsafe({ _tag: "HandlerFailed", method: request.method, problem: frame.failure })
    return JsonRpc.failure(request.id, new AcpError.InternalError({}))
  }

  const finish = (inbound: Inbound, exit: Exit.Exit<unknown, unknown>): void => {
    const { beganAt, request: { id, method }, served } = inbound
    inFlight.delete(id)
    flights.end(served.row === Raw.row ? "(extension)" : method, beganAt)
    writer.pushUnsafe(answer(inbound, exit))
    for (const run of inbound.afterResponse) served.fork(contained(method, Effect.sync(run)))
    if (exit._tag === "Failure") served.fork(report(method, exit.cause))
    // Nothing is left to do once nothing is in flight, and what waited for this answer is.
    options.onAnswered(method)
    if (inFlight.size === 0) idle.openUnsafe()
  }

  /** An answer waits for room while its request is still in flight, so what waits is bounded with it (C10). */
  const complete = (inbound: Inbound, exit: Exit.Exit<unknown, unknown>): void =>
    writer.whenRoomUnsafe(() => finish(inbound, exit))

  const report = (method: string, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
    const reported = ErrorReporter.report(cause)
    if (!Cause.hasDies(cause)) return reported
    diagnostics.emitUnsafe({ _tag: "HandlerFailed", method, problem: "the handler died" })
    return Effect.andThen(reported, Effect.logError(`The handler of ${method} died`, cause))
  }

  /** What it fails with is reported. */
  const contained = (method: string, effect: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.catchCause(effect, (cause) => report(method, cause))

  // ---------------------------------------------------------------------------
  // Requests
  // ---------------------------------------------------------------------------

  /** Everything but the handler's own work is uninterruptible: a request that is in flight is answered (E4). */
  const run = <R>(
    inbound: Inbound,
    effect: Effect.Effect<unknown, unknown, R>,
    context: Context.Context<R>,
    onEnd: (exit: Exit.Exit<unknown, unknown>) => void
  ): void => {
    const fiber = Effect.runForkWith(context)(inbound.cancelled ? interrupted(effect) : effect, uninterruptible)
    inbound.fiber = fiber
    fiber.addObserver(onEnd)
  }

  const start = (inbound: Inbound): void => {
    const { request: { method, params }, served } = inbound
    const scope = Scope.makeUnsafe()
    const context = served.contextOf(inbound, scope)
    const handled = Tracing.handler(context, method, params, served.handle(inbound))
    run(inbound, handled, context, (exit) => settle(inbound, scope, exit))
  }

  const settle = (inbound: Inbound, scope: Scope.Closeable, exit: Exit.Exit<unknown, unknown>): void => {
    const { request: { method }, served } = inbound
    const closing = Scope.closeUnsafe(scope, exit)
    const closed = closing && contained(method, closing)
    if (isLate(exit)) {
      const late = Effect.andThen(closed ?? Effect.void, Effect.interruptible(Deferred.await(exit.value)))
      return run(inbound, late, served.context, (exit) => complete(inbound, exit))
    }
    complete(inbound, exit)
    if (closed !== undefined) served.fork(closed, uninterruptible)
  }

  const admit = (request: JsonRpc.Request, served: Served.Served, sequence: number): void => {
    const inbound: Inbound = {
      served,
      request,
      sequence,
      afterResponse: [],
      beganAt: flights.begin(),
      fiber: undefined,
      cancelled: false
    }
    inFlight.set(request.id, inbound)
    idle.closeUnsafe()
    // The handler's code stays out of the reader, whose turn this is.
    later(() => start(inbound))
  }

  return {
    dispatchUnsafe(request, sequence) {
      const { id, method } = request
      if (stopped) return refuse(id, new AcpError.RequestCancelled({}))
      if (inFlight.has(id)) return diagnostics.emitUnsafe({ _tag: "DuplicateRequest", method, id })
      if (inFlight.size >= maxInFlight) {
        diagnostics.emitUnsafe({ _tag: "ShedRequest", method, id })
        return refuse(id, {
          code: -32603,
          message: "Server busy",
          data: { reason: "too many requests in flight", limit: maxInFlight }
        })
      }
      const served = servedOf(method)
      if (served === undefined) return refuse(id, new AcpError.MethodNotFound({ data: { method } }))
      admit(request, served, sequence)
    },
    cancelUnsafe(id) {
      const inbound = inFlight.get(id)
      if (inbound === undefined) return
      inbound.cancelled = true
      if (inbound.fiber !== undefined) interrupt(inbound.fiber)
    },
    cancelAll: Effect.sync(() => {
      stopped = true
      for (const inbound of inFlight.values()) {
        inbound.cancelled = true
        inbound.fiber?.interruptUnsafe()
      }
    }),
    idle: idle.await,
    sizeUnsafe: () => inFlight.size
  }
})

/** A handler that gives its answer later has ended for all but the answer (C9). */
const isLate = (exit: Exit.Exit<unknown, unknown>): exit is Exit.Success<Deferred.Deferred<unknown, unknown>> =>
  exit._tag === "Success" && Deferred.isDeferred(exit.value)

const uninterruptible = { uninterruptible: true }

const interrupt = (fiber: Fiber.Fiber<unknown, unknown>): void =>
  fiber.interruptUnsafe(undefined, RpcSchema.ClientAbort.annotation)

/** What is cancelled before it starts does what cannot be interrupted, and no more. */
const interrupted = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    interrupt(fiber)
    return self
  })

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
