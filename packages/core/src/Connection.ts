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
import * as Result from "effect/Result"
import type * as Rpc from "effect/rpc/Rpc"
import type * as RpcGroup from "effect/rpc/RpcGroup"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AcpError from "./AcpError.ts"
import * as Capabilities from "./Capabilities.ts"
import type * as Diagnostic from "./Diagnostic.ts"
import type * as Frame from "./Frame.ts"
import type { Session } from "./InboundRequest.ts"
import * as Codecs from "./internal/codecs.ts"
import * as Diagnostics from "./internal/diagnostics.ts"
import * as Dispatcher from "./internal/dispatcher.ts"
import * as Handshake from "./internal/handshake.ts"
import * as Inbox from "./internal/inbox.ts"
import * as Lanes from "./internal/lanes.ts"
import { PendingCalls } from "./internal/pending.ts"
import * as Reader from "./internal/reader.ts"
import * as Writer from "./internal/writer.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as MethodTable from "./MethodTable.ts"
import * as ProtocolMethods from "./ProtocolMethods.ts"
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
  /** JSON text that is accepted and not yet written before callers wait, in UTF-16 units. Default 16 MiB. */
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
   * Calls the peer and acts on the answer in the reader, before the next frame is looked at.
   *
   * `written` runs when the request is accepted for writing, `settle` with the answer: once, unless the call is abandoned.
   * Neither may throw or wait.
   */
  readonly submit: <R extends MethodTable.Any>(
    row: R,
    params: MethodTable.Params<R>,
    hooks: {
      readonly written?: (() => void) | undefined
      readonly settle: (exit: Exit.Exit<MethodTable.Result<R>, AcpError.CallError>) => void
    }
  ) => Effect.Effect<Submission, AcpError.NotifyError>
  /** Sends a notification; done when it is accepted for writing. */
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
    const diagnostics = yield* Diagnostics.make
    const writer = yield* Writer.make(options.outgoingBudget ?? 16 * 1024 * 1024)
    const ending = yield* Deferred.make<AcpError.CloseReason>()
    const closed = yield* Deferred.make<AcpError.CloseReason>()
    const capabilities = options.negotiation ?? Capabilities.makeUnsafe()
    const pending = new PendingCalls()
    const maxInFlight = options.maxInFlight ?? 1_000
    const handshake = Handshake.make(maxInFlight)
    const rows = options.table.handledBy(options.side)
    let ended: AcpError.CloseReason | undefined

    const dispatcher = yield* Dispatcher.make({
      rows,
      handlers: options.handlers,
      capabilities,
      diagnostics,
      maxInFlight,
      sessionOf: options.sessionOf ?? (() => undefined),
      respond: writer.pushUnsafe,
      onAnswered: (method) => method === options.handshake ? handshake.end : undefined
    })
    const fork = Fiber.runIn(yield* Effect.scope)
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const inbox = Inbox.make({
      capabilities,
      diagnostics,
      dispatcher,
      handlers: options.handlers,
      handshake,
      handshakeMethod: options.handshake,
      interceptors: options.interceptors ?? {},
      lanes: Lanes.make(options.maxWaitingNotifications ?? 10_000, (effect) => fork(runFork(effect))),
      respond: writer.pushUnsafe,
      rows
    })

    const end = (reason: AcpError.CloseReason): void => {
      if (ended !== undefined) return
      ended = reason
      Deferred.doneUnsafe(ending, Exit.succeed(reason))
    }

    const read = Reader.make({
      diagnostics,
      pending,
      routes: { ...inbox, ...makeRefusals(options, writer, end) }
    })

    const reader = yield* Effect.forkScoped(
      Stream.runForEachArray(transport.incoming, read).pipe(
        Effect.exit,
        Effect.map((exit) => end(endOf(exit, { _tag: "PeerClosed" })))
      )
    )
    const writing = yield* Effect.forkScoped(
      Stream.run(writer.frames, transport.outgoing).pipe(
        Effect.exit,
        Effect.map((exit) => end(endOf(exit, { _tag: "LocalClose" })))
      )
    )

    const flushBound = options.flushBound ?? Duration.seconds(2)
    const drainGrace = options.drainGrace ?? Duration.zero
    // The one way down, for every cause (Z1).
    const shutdown = Effect.gen(function*() {
      const reason = yield* Deferred.await(ending)
      yield* Fiber.interrupt(reader)
      pending.failAll(Exit.fail(new AcpError.ConnectionClosed({ reason })))
      if (reason._tag === "PeerClosed") yield* Effect.timeoutOption(dispatcher.idle, drainGrace)
      yield* dispatcher.cancelAll
      yield* Effect.timeoutOption(dispatcher.idle, flushBound)
      writer.endUnsafe()
      yield* Effect.timeoutOption(Fiber.await(writing), flushBound)
      yield* Fiber.interrupt(writing)
      yield* Deferred.succeed(closed, reason)
    })
    yield* Effect.forkDetach(shutdown)

    const close = (reason: AcpError.CloseReason = { _tag: "LocalClose" }) =>
      Effect.suspend(() => {
        end(reason)
        return Effect.asVoid(Deferred.await(closed))
      })
    yield* Effect.addFinalizer(() => close())

    const outbound = makeOutbound({
      capabilities,
      diagnostics,
      pending,
      writer,
      ended: () => ended
    })

    return {
      side: options.side,
      capabilities,
      ...outbound,
      closed: Deferred.await(closed),
      close,
      diagnostics: diagnostics.stream,
      report: diagnostics.emitUnsafe,
      counts: Effect.sync(() => ({
        pendingCalls: pending.size,
        inFlight: dispatcher.sizeUnsafe(),
        unwritten: writer.sizeUnsafe()
      }))
    }
  })

const endOf = (
  exit: Exit.Exit<unknown, Transport.TransportError>,
  success: AcpError.CloseReason
): AcpError.CloseReason => {
  if (Exit.isSuccess(exit)) return success
  const failure = Exit.findErrorOption(exit)
  return failure._tag === "Some" ? failure.value.reason : { _tag: "TransportFailed", cause: exit.cause }
}

/** What becomes of noise and malformed objects: an agent answers them, a client does not (F4). */
const makeRefusals = (
  options: Options,
  writer: Writer.Writer,
  end: (reason: AcpError.CloseReason) => void
): Pick<Reader.Routes, "noise" | "malformed" | "message"> => {
  const maxNoise = options.maxNoise ?? Infinity
  const budget = options.outgoingBudget ?? 16 * 1024 * 1024
  let noises = 0
  return {
    message: () => {
      noises = 0
    },
    noise: (noise) => {
      noises++
      if (noises > maxNoise) {
        end({ _tag: "ProtocolViolated", problem: `${noises} lines in a row were no messages; the last: ${noise.preview}` })
      }
      // A peer that floods noise and does not read its answers gets no more of them.
      if (options.side === "agent" && writer.sizeUnsafe() <= budget) {
        writer.pushUnsafe(JsonRpc.failure(null, refusalOf(noise)))
      }
    },
    malformed: ({ answerable, id, problem }) => {
      if (answerable && (options.side === "agent" || id !== null)) {
        writer.pushUnsafe(JsonRpc.failure(id, new AcpError.InvalidRequest({ data: { reason: problem } })))
      }
    }
  }
}

const refusalOf = ({ reason }: Frame.Noise): JsonRpc.ErrorObject => {
  switch (reason) {
    case "Batch":
      return new AcpError.InvalidRequest({ data: { reason: "batches are not supported" } })
    case "NotAnObject":
      return new AcpError.InvalidRequest({ data: { reason: "a message must be an object" } })
    case "TooLarge":
      return new AcpError.ParseError({ data: { reason: "the line is too long" } })
    default:
      return new AcpError.ParseError({})
  }
}

/** Calls and notifications to the peer. */
const makeOutbound = (options: {
  readonly capabilities: Capabilities.Capabilities["Service"]
  readonly diagnostics: Diagnostics.Diagnostics
  readonly pending: PendingCalls
  readonly writer: Writer.Writer
  readonly ended: () => AcpError.CloseReason | undefined
}): Pick<Connection, "call" | "submit" | "notify" | "signal"> => {
  const { capabilities, diagnostics, ended, pending, writer } = options

  /** Encodes the params and, once `room` is there, hands them to `write` in one step (C5, G4). */
  const send = <A>(
    row: MethodTable.Any,
    params: unknown,
    room: Effect.Effect<void>,
    write: (params: string) => A
  ): Effect.Effect<A, AcpError.NotifyError> =>
    Effect.suspend((): Effect.Effect<A, AcpError.NotifyError> => {
      const method = row._tag
      const gate = MethodTable.describe(row).gate
      if (gate !== undefined && !capabilities.allows(gate)) {
        return Effect.fail(
          new AcpError.CapabilityMissing({ method, side: gate.side, capability: Capabilities.describeGate(gate) })
        )
      }
      const encoded = Codecs.of(row as Rpc.Any as Rpc.AnyWithProps).params.encode(params)
      if (Result.isFailure(encoded)) return Effect.fail(new AcpError.EncodeError({ method, issue: encoded.failure }))
      return Effect.flatMap(room, () => {
        const reason = ended()
        return reason === undefined
          ? Effect.succeed(write(encoded.success))
          : Effect.fail(new AcpError.ConnectionClosed({ reason }))
      })
    })

  const decode = (row: MethodTable.Any, received: unknown): Exit.Exit<any, AcpError.CallError> => {
    const decoded = Codecs.of(row as Rpc.Any as Rpc.AnyWithProps).result.decode(received, diagnostics.emitUnsafe)
    return Result.isSuccess(decoded)
      ? Exit.succeed(decoded.success)
      : Exit.fail(new AcpError.DecodeError({ method: row._tag, issue: decoded.failure, received }))
  }

  const abandon = (id: JsonRpc.Id): void => {
    if (pending.take(id) === undefined || ended() !== undefined) return
    const params = JSON.stringify({ requestId: id })
    writer.pushUnsafe(JsonRpc.notification(ProtocolMethods.cancelRequest._tag, params))
  }

  const submit: Connection["submit"] = (row, params, { settle, written }) =>
    send(row, params, writer.ready, (text) => {
      const id = pending.open({
        method: row._tag,
        settle: (outcome) => settle(Exit.isSuccess(outcome) ? decode(row, outcome.value) : outcome)
      })
      writer.pushUnsafe(JsonRpc.request(id, row._tag, text))
      written?.()
      return { id, abandonUnsafe: () => abandon(id) }
    })

  return {
    submit,
    call: (row, params) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const answer = Deferred.makeUnsafe<any, AcpError.CallError>()
          return Effect.flatMap(
            restore(submit(row, params, { settle: (exit) => Deferred.doneUnsafe(answer, exit) })),
            (submission) =>
              Effect.onInterrupt(
                restore(Deferred.await(answer)),
                () => Effect.sync(submission.abandonUnsafe)
              )
          )
        })
      ),
    notify: (row, params) =>
      send(row, params, writer.ready, (text) => writer.pushUnsafe(JsonRpc.notification(row._tag, text))),
    signal: (row, params) =>
      send(row, params, Effect.void, (text) => writer.pushUnsafe(JsonRpc.notification(row._tag, text)))
  }
}

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
