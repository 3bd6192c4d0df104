/**
 * Calls and notifications to the peer.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Rpc from "effect/rpc/Rpc"
import * as AcpError from "../AcpError.ts"
import * as Capabilities from "../Capabilities.ts"
import type { Connection } from "../Connection.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"
import * as PublicMetrics from "../Metrics.ts"
import * as ProtocolMethods from "../ProtocolMethods.ts"
import * as Codecs from "./codecs.ts"
import type { Diagnostics } from "./diagnostics.ts"
import * as Metrics from "./metrics.ts"
import type { Call, Outcome, PendingCalls } from "./pending.ts"
import { later } from "./soon.ts"
import * as Tracing from "./tracing.ts"
import type { Writer } from "./writer.ts"

export interface Options {
  readonly table: MethodTable.MethodTable
  readonly capabilities: Capabilities.Capabilities["Service"]
  readonly diagnostics: Diagnostics
  readonly pending: PendingCalls
  readonly writer: Writer
  /** Why no call can be made any more. */
  readonly ended: () => AcpError.CloseReason | undefined
  /** Why nothing at all is accepted any more: while handlers wind down, they may still tell the peer. */
  readonly sealed: () => AcpError.CloseReason | undefined
}

/** What sending by a row takes. */
interface Sending extends Codecs.RowCodecs {
  readonly gate: Capabilities.Gate | undefined
}

/** A request that is ready to be written. */
interface Request {
  readonly id: number
  readonly frame: string
}

type Encoded = Result.Result<string, AcpError.EncodeError | AcpError.CapabilityMissing>

export interface Outbound extends Pick<Connection, "call" | "callInReader" | "submit" | "notify" | "signal"> {
  /** Gives a call that was taken its outcome. */
  readonly settleUnsafe: (call: Call, outcome: Outcome) => void
}

export const make: (options: Options) => Effect.Effect<Outbound> = Effect.fnUntraced(function*(options) {
  const { capabilities, diagnostics, ended, pending, sealed, table, writer } = options
  const context = yield* Effect.context<never>()
  const flights = yield* Metrics.makeFlights(PublicMetrics.callsInFlight, Metrics.callDuration)

  const rowCodecs = Codecs.forContext(context)
  const sendings = new WeakMap<MethodTable.Any, Sending>()

  const sendingOf = (row: MethodTable.Any): Sending => {
    const known = sendings.get(row)
    if (known !== undefined) return known
    const made = {
      gate: MethodTable.describe(row).gate,
      ...rowCodecs(table.rowOf(row as Rpc.Any as Rpc.AnyWithProps))
    }
    sendings.set(row, made)
    return made
  }

  /** Checks that the peer can take the method and writes its frame: nothing else happens until then (C5, G4). */
  const encode = (row: MethodTable.Any, value: unknown, write: (params: unknown) => string): Encoded => {
    const { gate, params } = sendingOf(row)
    if (gate !== undefined && !capabilities.allows(gate)) {
      const capability = Capabilities.describeGate(gate)
      return Result.fail(new AcpError.CapabilityMissing({ method: row._tag, side: gate.side, capability }))
    }
    return Result.mapError(
      params.encode(value, write),
      (issue) => new AcpError.EncodeError({ method: row._tag, issue })
    )
  }

  const decode = (row: MethodTable.Any, received: unknown): Exit.Exit<any, AcpError.CallError> => {
    const decoded = sendingOf(row).result.decode(received, diagnostics.emitUnsafe)
    return Result.isSuccess(decoded)
      ? Exit.succeed(decoded.success)
      : Exit.fail(new AcpError.DecodeError({ method: row._tag, issue: decoded.failure, received }))
  }

  const leave = ({ beganAt, row, traced }: Call, exit: Exit.Exit<unknown, unknown>): void => {
    flights.end(row._tag, beganAt)
    traced?.end(exit)
  }

  const settleUnsafe = (call: Call, outcome: Outcome): void => {
    const exit = Exit.isSuccess(outcome) ? decode(call.row, outcome.value) : outcome
    leave(call, exit)
    call.settle(exit)
  }

  const abandon = (id: JsonRpc.Id): void => {
    const call = pending.take(id)
    if (call === undefined) return
    leave(call, Exit.interrupt())
    writer.pushUnsafe(JsonRpc.notification(ProtocolMethods.cancelRequest._tag, { requestId: id })) // X1
  }

  /** Goes on with the frame of a request when there is room; a call that is traced has its span from the start. */
  const withRequest = <A, E>(
    row: MethodTable.Any,
    params: unknown,
    room: Effect.Effect<void>,
    send: (request: Request, traced: Tracing.TracedCall | undefined) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | AcpError.NotifyError> =>
    Tracing.call(row._tag, params, (traced): Effect.Effect<A, E | AcpError.NotifyError> => {
      const write = (params: unknown) => JsonRpc.request(pending.nextId, row._tag, params)
      const frame = encode(row, traced?.params ?? params, write)
      if (Result.isFailure(frame)) return Effect.fail(frame.failure)
      const id = pending.newId()
      const sent = (): Effect.Effect<A, E | AcpError.ConnectionClosed> => {
        const reason = ended()
        return reason === undefined
          ? send({ id, frame: frame.success }, traced)
          : Effect.fail(new AcpError.ConnectionClosed({ reason }))
      }
      return writer.hasRoom() ? sent() : Effect.flatMap(room, sent)
    })

  /** Accepts a request for writing, whose answer is waited for from here on. */
  const open = (
    { frame, id }: Request,
    row: MethodTable.Any,
    traced: Tracing.TracedCall | undefined,
    settle: Call["settle"]
  ): void => {
    pending.add(id, { row, beganAt: flights.begin(), traced, settle })
    writer.pushUnsafe(frame)
  }

  /**
   * A request is written and waited for in one step: no interruption comes between. Who was woken by what came before the
   * answer has his turn before the caller (O2): both are woken in order.
   */
  const callInReader = <A, E>(
    row: MethodTable.Any,
    params: unknown,
    act: (result: any) => Exit.Exit<A, E>
  ): Effect.Effect<A, E | AcpError.CallError> =>
    withRequest(row, params, writer.room, (request, traced) =>
      Effect.callback<A, E | AcpError.CallError>((resume) => {
        open(request, row, traced, (exit) => {
          const acted = Exit.isSuccess(exit) ? act(exit.value) : Exit.failCause(exit.cause)
          later(() => resume(acted))
        })
        return Effect.sync(() => abandon(request.id))
      }))

  const push = (frame: string): Effect.Effect<void, AcpError.ConnectionClosed> => {
    const reason = sealed()
    if (reason !== undefined) return Effect.fail(new AcpError.ConnectionClosed({ reason }))
    writer.pushUnsafe(frame)
    return Effect.void
  }

  // Every update of a turn comes through here: where nobody has to wait it is a single step.
  const send = (
    row: MethodTable.Any,
    params: unknown,
    hasRoom: () => boolean
  ): Effect.Effect<void, AcpError.NotifyError> =>
    Effect.suspend((): Effect.Effect<void, AcpError.NotifyError> => {
      const frame = encode(row, params, (params) => JsonRpc.notification(row._tag, params))
      if (Result.isFailure(frame)) return Effect.fail(frame.failure)
      return hasRoom() ? push(frame.success) : Effect.flatMap(writer.room, () => push(frame.success))
    })

  return {
    call: (row, params) => callInReader(row, params, Exit.succeed),
    callInReader,
    // Only the wait for room can be interrupted: what was written is always handed to the caller (C1, X1).
    submit: (row, params, { settle, written }) =>
      Effect.uninterruptible(
        withRequest(row, params, Effect.interruptible(writer.room), (request, traced) =>
          Effect.sync(() => {
            open(request, row, traced, settle)
            written?.()
            return { id: request.id, abandonUnsafe: () => abandon(request.id) }
          }))
      ),
    notify: (row, params) => send(row, params, writer.hasRoom),
    signal: (row, params) => send(row, params, () => true),
    settleUnsafe
  }
})
