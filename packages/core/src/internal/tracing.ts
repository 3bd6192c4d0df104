/**
 * Spans of calls and handlers, and their way across the wire in `_meta.traceparent` (V1).
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Tracer from "effect/Tracer"
import * as JsonRpc from "../JsonRpc.ts"

/** The tracer that was provided, as opposed to the one that is there by default. */
const providedTracer = Context.Service<Tracer.Tracer>(Tracer.TracerKey)

/** Nobody looks at the spans of the default tracer: without another one there are none. */
const isTraced = (context: Context.Context<never>): boolean =>
  Context.getOrUndefined(context, providedTracer) !== undefined

const attributes = (method: string, params: unknown): Record<string, unknown> => {
  const sessionId = JsonRpc.member(params, "sessionId")
  return {
    "rpc.system": "jsonrpc",
    "rpc.method": method,
    ...(typeof sessionId === "string" ? { "acp.session.id": sessionId } : {})
  }
}

/** A call that is traced: its params carry the span to the peer. */
export interface TracedCall {
  readonly params: unknown
  readonly end: (exit: Exit.Exit<unknown, unknown>) => void
}

const withTraceparent = (params: unknown, span: Tracer.Span): unknown => {
  if (!Predicate.isObject(params)) return params
  const meta = JsonRpc.member(params, "_meta")
  if (JsonRpc.member(meta, "traceparent") !== undefined) return params
  const { traceparent } = HttpTraceContext.toHeaders(span)
  return { ...params, _meta: { ...(meta as JsonRpc.JsonObject | null | undefined), traceparent } }
}

/** Runs a call in a span, which ends with the call's outcome, or with why it could not be made. */
export const call = <A, E>(
  method: string,
  params: unknown,
  run: (traced: TracedCall | undefined) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.contextWith((context: Context.Context<never>) =>
    isTraced(context)
      ? Effect.flatMap(
        Effect.makeSpan(method, { kind: "client", attributes: attributes(method, params) }),
        (span) => {
          const end = endSpan(span, Context.get(context, Clock.Clock))
          return Effect.onError(
            run({ params: withTraceparent(params, span), end }),
            (cause) => Effect.sync(() => end(Exit.failCause(cause)))
          )
        }
      )
      : run(undefined)
  )

/** Ends a span, once. */
const endSpan = (span: Tracer.Span, clock: Clock.Clock) => (exit: Exit.Exit<unknown, unknown>): void => {
  if (span.status._tag === "Ended") return
  const sessionId = Exit.isSuccess(exit) ? JsonRpc.member(exit.value, "sessionId") : undefined
  if (typeof sessionId === "string") span.attribute("acp.session.id", sessionId)
  span.attribute("acp.outcome", outcomeOf(exit))
  span.end(clock.currentTimeNanosUnsafe(), exit)
}

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) {
    const stopReason = JsonRpc.member(exit.value, "stopReason")
    return typeof stopReason === "string" ? stopReason : "success"
  }
  const error = Exit.findErrorOption(exit)
  if (Option.isNone(error)) return Exit.hasInterrupts(exit) ? "cancelled" : "died"
  return Predicate.hasProperty(error.value, "_tag") ? String(error.value._tag) : "failed"
}

/** Runs a handler in a span that continues the peer's trace, where the context has a tracer. */
export const handler = <A, E, R>(
  context: Context.Context<never>,
  method: string,
  params: unknown,
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (!isTraced(context)) return self
  const parent = peerSpan(params)
  return Effect.useSpan(
    method,
    {
      kind: "server",
      attributes: attributes(method, params),
      ...(parent === undefined ? { root: true } : { parent })
    },
    (span) =>
      Effect.onExit(
        Effect.withParentSpan(self, span, { captureStackTrace: false }),
        (exit) => Effect.sync(() => span.attribute("acp.outcome", outcomeOf(exit)))
      )
  )
}

const peerSpan = (params: unknown): Tracer.ExternalSpan | undefined => {
  const traceparent = JsonRpc.member(JsonRpc.member(params, "_meta"), "traceparent")
  if (typeof traceparent !== "string") return undefined
  return Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromInput({ traceparent })))
}
