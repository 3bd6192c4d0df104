/**
 * The heart: one link to one peer, the same for either side.
 *
 * A connection reads frames and sorts them without ever running or awaiting user code, gives each inbound request a fiber
 * and one answer, keeps the calls that wait for the peer, and writes through one writer. It knows methods only through the
 * table that it is given, and no version of the protocol.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as RpcGroup from "effect/rpc/RpcGroup"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AcpError from "./AcpError.ts"
import * as Capabilities from "./Capabilities.ts"
import type * as Diagnostic from "./Diagnostic.ts"
import type { Session } from "./InboundRequest.ts"
import * as Codecs from "./internal/codecs.ts"
import * as Diagnostics from "./internal/diagnostics.ts"
import * as Dispatcher from "./internal/dispatcher.ts"
import * as Handshake from "./internal/handshake.ts"
import * as Inbox from "./internal/inbox.ts"
import * as Lanes from "./internal/lanes.ts"
import * as Outbound from "./internal/outbound.ts"
import { PendingCalls } from "./internal/pending.ts"
import * as Raw from "./internal/raw.ts"
import * as Reader from "./internal/reader.ts"
import * as Refusals from "./internal/refusals.ts"
import * as Writer from "./internal/writer.ts"
import type * as JsonRpc from "./JsonRpc.ts"
import * as MethodTable from "./MethodTable.ts"
import * as Transport from "./Transport.ts"

// =============================================================================
// Options
// =============================================================================

/**
 * The bounds of a connection. Each has a default.
 *
 * @category options
 * @since 0.1.0
 */
export interface Limits {
  /** Inbound requests in flight; one more is answered "Server busy" (C10). Default 1,000. */
  readonly maxInFlight?: number | undefined
  /** Notifications that wait for the handler of one session; one more is dropped with a diagnostic. Default 10,000. */
  readonly maxWaitingNotifications?: number | undefined
  /** JSON text that is accepted and not yet written before callers wait, in UTF-16 units. Default 512 Ki. */
  readonly outgoingBudget?: number | undefined
  /** Lines of noise in a row that are borne; one more ends the connection. Default: any number (F4). */
  readonly maxNoise?: number | undefined
  /** How long requests in flight may go on after the peer closed its side. Default: not at all. */
  readonly drainGrace?: Duration.Input | undefined
  /** How long closing waits for handlers to end and for frames to be written, each. Default 2 seconds (Z2). */
  readonly flushBound?: Duration.Input | undefined
}

/**
 * What a connection is built from.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options extends Limits {
  readonly side: Capabilities.Side
  readonly table: MethodTable.MethodTable
  /** The request that must succeed before anything else may pass. */
  readonly handshake: string
  /** The handlers of this side, as the `Rpc.Handler` services that layers provide. */
  readonly handlers: Context.Context<never>
  /** Where the outcome of the handshake is kept; made here when it is not given. */
  readonly negotiation?: Capabilities.Capabilities["Service"] | undefined
  /** The session that a request names, for `InboundRequest.session`. */
  readonly sessionOf?: ((sessionId: string) => Session | undefined) | undefined
  /** Notifications that this library acts on itself, by wire name. */
  readonly interceptors?: Readonly<Record<string, Inbox.Interceptor>> | undefined
}

// =============================================================================
// Models
// =============================================================================

/**
 * A link to one peer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Connection {
  readonly side: Capabilities.Side
  readonly capabilities: Capabilities.Capabilities["Service"]
  /**
   * Calls the peer and waits for its answer, without a time limit of its own (C11).
   *
   * Interrupting it sends one `$/cancel_request` and returns at once (X1).
   */
  readonly call: <R extends MethodTable.Any>(
    row: R,
    params: MethodTable.Params<R>
  ) => Effect.Effect<MethodTable.Result<R>, AcpError.CallError>
  /**
   * Calls the peer and acts on its result in the reader: what `act` changes stands before the next frame is looked at, and
   * what it gives is the call's. It must not throw or wait, and does not run for a call that failed or was interrupted.
   *
   * Interrupting it is as for `call`.
   */
  readonly callInReader: <R extends MethodTable.Any, A, E = never>(
    row: R,
    params: MethodTable.Params<R>,
    act: (result: MethodTable.Result<R>) => Exit.Exit<A, E>
  ) => Effect.Effect<A, E | AcpError.CallError>
  /**
   * Writes a request, for an answer that is taken in the reader, before the next frame is looked at.
   *
   * `written` runs when the request is accepted for writing, `settle` with the answer: once, unless the call is abandoned.
   * Neither may throw or wait. Only waiting for room to write can be interrupted, and always: run this in an
   * uninterruptible region to be sure of the submission, and abandon that on interruption.
   */
  readonly submit: <R extends MethodTable.Any>(
    row: R,
    params: MethodTable.Params<R>,
    hooks: {
      readonly written?: (() => void) | undefined
      readonly settle: (exit: Exit.Exit<MethodTable.Result<R>, AcpError.CallError>) => void
    }
  ) => Effect.Effect<Submission, AcpError.NotifyError>
  /** Sends a notification; done when it is accepted for writing. Works while handlers wind down after the link's end. */
  readonly notify: <R extends MethodTable.Any>(
    row: R,
    params: MethodTable.Params<R>
  ) => Effect.Effect<void, AcpError.NotifyError>
  /** Sends a notification past the callers that wait for room: for cancellation, which must get through. */
  readonly signal: <R extends MethodTable.Any>(
    row: R,
    params: MethodTable.Params<R>
  ) => Effect.Effect<void, AcpError.NotifyError>
  /** Why the connection ended, once it has (Z1). */
  readonly closed: Effect.Effect<AcpError.CloseReason>
  /** Ends the connection: pending calls fail, handlers are interrupted, accepted frames are written. Idempotent. */
  readonly close: (reason?: AcpError.CloseReason) => Effect.Effect<void>
  /** What was noticed from the time of subscription on; a slow subscriber loses the oldest. */
  readonly diagnostics: Stream.Stream<Diagnostic.Diagnostic>
  readonly report: (diagnostic: Diagnostic.Diagnostic) => void
  /** How many entries the tables of the connection hold now. */
  readonly counts: Effect.Effect<Counts>
}

/**
 * A call that was written.
 *
 * @category models
 * @since 0.1.0
 */
export interface Submission {
  readonly id: JsonRpc.Id
  /** Gives the call up: the peer is asked to cancel it and its answer is dropped. */
  readonly abandonUnsafe: () => void
}

/**
 * The entries of a connection's tables.
 *
 * @category models
 * @since 0.1.0
 */
export interface Counts {
  readonly pendingCalls: number
  readonly inFlight: number
  /** Messages that wait for the handshake. */
  readonly held: number
  /** Sessions whose notifications are being handled. */
  readonly lanes: number
  readonly unwritten: number
}

/**
 * The connection of the current side.
 *
 * @category services
 * @since 0.1.0
 */
export const Connection: Context.Service<Connection, Connection> = Context.Service<Connection>(
  "@effect-acp/core/Connection"
)

// =============================================================================
// Constructors
// =============================================================================

/**
 * Joins a transport to handlers and runs until the scope closes or the link ends.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (options: Options) => Effect.Effect<Connection, never, Transport.Transport | Scope.Scope> = Effect
  .fnUntraced(function*(options) {
    const transport = yield* Transport.Transport
    const context = yield* Effect.context<never>()
    const budget = options.outgoingBudget ?? 512 * 1024
    const maxInFlight = options.maxInFlight ?? 1_000
    const diagnostics = yield* Diagnostics.make
    const writer = yield* Writer.make(budget)
    const lanes = yield* Lanes.make(options.maxWaitingNotifications ?? 10_000)
    const capabilities = options.negotiation ?? Capabilities.makeUnsafe()
    const handshake = Handshake.make(maxInFlight)
    const pending = new PendingCalls()
    const table = MethodTable.withHandled(options.table, options.handlers)
    const rows = table.handledBy(options.side)
    const raw = Raw.make(rows, options.handlers)
    const ending = yield* Deferred.make<AcpError.CloseReason>()
    const closed = yield* Deferred.make<AcpError.CloseReason>()
    let ended: AcpError.CloseReason | undefined
    let sealed: AcpError.CloseReason | undefined

    const end = (reason: AcpError.CloseReason): void => {
      if (ended !== undefined) return
      ended = reason
      const closed = Exit.fail(new AcpError.ConnectionClosed({ reason }))
      for (const call of pending.takeAll()) settleUnsafe(call, closed) // C2
      writer.releaseUnsafe() // and who waits to call
      Deferred.doneUnsafe(ending, Exit.succeed(reason))
    }

    const refusals = Refusals.make({ side: options.side, maxNoise: options.maxNoise ?? Infinity, budget, writer, end })
    const dispatcher = yield* Dispatcher.make({
      rows,
      handlers: options.handlers,
      raw,
      capabilities,
      diagnostics,
      maxInFlight,
      sessionOf: options.sessionOf ?? (() => undefined),
      writer,
      refuse: refusals.refuse,
      onAnswered: (method) => {
        if (method === options.handshake) handshake.endUnsafe()
      }
    })
    const inbox = Inbox.make({
      capabilities,
      codecsOf: Codecs.forContext(context),
      diagnostics,
      dispatcher,
      handlers: options.handlers,
      handshake,
      handshakeMethod: options.handshake,
      interceptors: options.interceptors ?? {},
      lanes,
      raw,
      refuse: refusals.refuse,
      rows
    })

    const { settleUnsafe, ...calls } = yield* Outbound.make({
      table,
      capabilities,
      diagnostics,
      pending,
      writer,
      ended: () => ended,
      sealed: () => sealed
    })

    const read = Reader.make({
      diagnostics,
      pending,
      settle: settleUnsafe,
      hasEnded: () => ended !== undefined,
      context,
      routes: { ...inbox, ...refusals }
    })
    const flushBound = options.flushBound ?? Duration.seconds(2)
    const reader = yield* Effect.forkScoped(
      Stream.runForEachArray(transport.incoming, (items) => {
        read(items)
        return Effect.void
      }).pipe(
        Effect.exit,
        Effect.map((exit) => end(endOf(exit)))
      )
    )
    const writing = yield* Effect.forkScoped(
      Stream.run(writer.frames, transport.outgoing).pipe(
        Effect.exit,
        // What the peer wrote before it went, and why it went, comes through the reader (R3).
        Effect.tap(() => Effect.timeoutOption(Fiber.await(reader), flushBound)),
        Effect.map((exit) => end(endOf(exit)))
      )
    )

    // The one way down, for every cause (Z1).
    const shutdown = Effect.gen(function*() {
      const reason = yield* Deferred.await(ending)
      // Callers learn of the end before their fibers are interrupted by it.
      yield* Effect.yieldNow
      yield* Fiber.interrupt(reader)
      if (reason._tag === "PeerClosed") {
        yield* bounded(dispatcher.idle, options.drainGrace ?? Duration.zero)
        yield* bounded(lanes.idle, flushBound)
      }
      writer.unboundUnsafe()
      yield* dispatcher.cancelAll
      yield* bounded(Effect.andThen(lanes.stop, dispatcher.idle), flushBound)
      sealed = reason
      writer.endUnsafe()
      yield* bounded(Fiber.await(writing), flushBound)
      yield* Fiber.interrupt(writing)
      yield* writer.discard
      yield* diagnostics.end
      yield* Deferred.succeed(closed, reason)
    })
    yield* Effect.forkDetach(shutdown)

    const close = (reason: AcpError.CloseReason = { _tag: "LocalClose" }) =>
      Effect.suspend(() => {
        end(reason)
        return Effect.asVoid(Deferred.await(closed))
      })
    yield* Effect.addFinalizer(() => close())

    return {
      side: options.side,
      capabilities,
      ...calls,
      closed: Deferred.await(closed),
      close,
      diagnostics: diagnostics.stream,
      report: diagnostics.emitUnsafe,
      counts: Effect.sync(() => ({
        pendingCalls: pending.size,
        inFlight: dispatcher.sizeUnsafe(),
        held: handshake.sizeUnsafe(),
        lanes: lanes.sizeUnsafe(),
        unwritten: writer.sizeUnsafe()
      }))
    }
  })

const endOf = (exit: Exit.Exit<unknown, Transport.TransportError>): AcpError.CloseReason => {
  if (Exit.isSuccess(exit)) return { _tag: "PeerClosed" }
  const failure = Exit.findErrorOption(exit)
  return failure._tag === "Some" ? failure.value.reason : { _tag: "TransportFailed", cause: exit.cause }
}

/** Waits, but no longer than a bound, and does not give the awaited work up. */
const bounded = (effect: Effect.Effect<unknown>, bound: Duration.Input): Effect.Effect<unknown> =>
  Duration.isZero(Duration.fromInputUnsafe(bound))
    ? Effect.void
    : Effect.timeoutOption(Effect.interruptible(effect), bound)

/**
 * The functions that call the rows of a group, by callback name.
 *
 * @category constructors
 * @since 0.1.0
 */
export const peer = <Rows extends MethodTable.Any>(
  connection: Connection,
  group: RpcGroup.RpcGroup<Rows>
): MethodTable.Peer<Rows> => {
  const functions: Record<string, (params: never) => Effect.Effect<unknown, unknown>> = {}
  for (const row of group.requests.values()) {
    const { callback, kind } = MethodTable.describe(row)
    if (callback === undefined) continue
    functions[callback] = (params) => kind === "request" ? connection.call(row, params) : connection.notify(row, params)
  }
  return functions as MethodTable.Peer<Rows>
}
