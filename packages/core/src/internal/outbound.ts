/**
 * Calls and notifications to the peer.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Rpc from "effect/rpc/Rpc"
import * as AcpError from "../AcpError.ts"
import * as Capabilities from "../Capabilities.ts"
import type { Connection, Submission } from "../Connection.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"
import * as PublicMetrics from "../Metrics.ts"
import * as ProtocolMethods from "../ProtocolMethods.ts"
import * as Codecs from "./codecs.ts"
import type { Diagnostics } from "./diagnostics.ts"
import * as Metrics from "./metrics.ts"
import type { PendingCalls } from "./pending.ts"
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

interface Hooks {
  readonly written?: (() => void) | undefined
  readonly settle: (exit: Exit.Exit<any, AcpError.CallError>) => void
}

type Encoded = Result.Result<string, AcpError.EncodeError | AcpError.CapabilityMissing>

type Calls = Pick<Connection, "call" | "callInReader" | "submit" | "notify" | "signal">

export const make: (options: Options) => Effect.Effect<Calls> = Effect.fnUntraced(function*(options) {
  const { capabilities, diagnostics, ended, pending, sealed, table, writer } = options
  const context = yield* Effect.context<never>()
  const clock = yield* Clock.Clock

  const rowCodecs = Codecs.forContext(context)
  const codecsOf = (row: MethodTable.Any) => rowCodecs(table.rowOf(row as Rpc.Any as Rpc.AnyWithProps))

  /** Checks that the peer can take the method and writes its params as JSON: nothing else happens until then (C5, G4). */
  const encode = (row: MethodTable.Any, params: unknown): Encoded => {
    const method = row._tag
    const { gate } = MethodTable.describe(row)
    if (gate !== undefined && !capabilities.allows(gate)) {
      return Result.fail(
        new AcpError.CapabilityMissing({ method, side: gate.side, capability: Capabilities.describeGate(gate) })
      )
    }
    return Result.mapError(
      codecsOf(row).params.encode(params),
      (issue) => new AcpError.EncodeError({ method, issue })
    )
  }

  const decode = (row: MethodTable.Any, received: unknown): Exit.Exit<any, AcpError.CallError> => {
    const decoded = codecsOf(row).result.decode(received, diagnostics.emitUnsafe)
    return Result.isSuccess(decoded)
      ? Exit.succeed(decoded.success)
      : Exit.fail(new AcpError.DecodeError({ method: row._tag, issue: decoded.failure, received }))
  }

  const abandon = (id: JsonRpc.Id): void => {
    const call = pending.take(id)
    if (call === undefined) return
    call.abandoned()
    const params = JSON.stringify({ requestId: id })
    writer.pushUnsafe(JsonRpc.notification(ProtocolMethods.cancelRequest._tag, params)) // X1
  }

  /** Writes a request, whose answer is waited for from here on. */
  const open = (
    row: MethodTable.Any,
    text: string,
    { settle, written }: Hooks,
    traced: Tracing.TracedCall | undefined
  ): Submission => {
    const method = row._tag
    const done = Metrics.begin(
      PublicMetrics.callsInFlight,
      Metrics.callDuration(method),
      context,
      () => clock.currentTimeMillisUnsafe()
    )
    const id = pending.open({
      method,
      settle: (outcome) => {
        const exit = Exit.isSuccess(outcome) ? decode(row, outcome.value) : outcome
        done()
        traced?.end(exit)
        settle(exit)
      },
      abandoned: () => {
        done()
        traced?.end(Exit.interrupt())
      }
    })
    writer.pushUnsafe(JsonRpc.request(id, method, text))
    written?.()
    return { id, abandonUnsafe: () => abandon(id) }
  }

  /** Goes on when there is room, with the params as JSON text; a call that is traced has its span from the start. */
  const withText = <A, E>(
    row: MethodTable.Any,
    params: unknown,
    room: Effect.Effect<void>,
    send: (text: string, traced: Tracing.TracedCall | undefined) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | AcpError.NotifyError> =>
    Tracing.call(row._tag, params, (traced): Effect.Effect<A, E | AcpError.NotifyError> => {
      const text = encode(row, traced?.params ?? params)
      if (Result.isFailure(text)) return Effect.fail(text.failure)
      const sent = (): Effect.Effect<A, E | AcpError.ConnectionClosed> => {
        const reason = ended()
        return reason === undefined
          ? send(text.success, traced)
          : Effect.fail(new AcpError.ConnectionClosed({ reason }))
      }
      return writer.hasRoom() ? sent() : Effect.flatMap(room, sent)
    })

  /**
   * A request is written and waited for in one step: no interruption comes between. Who was woken by what came before the
   * answer has his turn before the caller (O2): both are woken in order.
   */
  const callInReader = <A, E>(
    row: MethodTable.Any,
    params: unknown,
    act: (result: any) => Exit.Exit<A, E>
  ): Effect.Effect<A, E | AcpError.CallError> =>
    withText(row, params, writer.room, (text, traced) =>
      Effect.callback<A, E | AcpError.CallError>((resume) => {
        const settle: Hooks["settle"] = (exit) => {
          const acted = Exit.isSuccess(exit) ? act(exit.value) : Exit.failCause(exit.cause)
          later(() => resume(acted))
        }
        const { abandonUnsafe } = open(row, text, { settle }, traced)
        return Effect.sync(abandonUnsafe)
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
      const text = encode(row, params)
      if (Result.isFailure(text)) return Effect.fail(text.failure)
      const frame = JsonRpc.notification(row._tag, text.success)
      return hasRoom() ? push(frame) : Effect.flatMap(writer.room, () => push(frame))
    })

  return {
    call: (row, params) => callInReader(row, params, Exit.succeed),
    callInReader,
    // Only the wait for room can be interrupted: what was written is always handed to the caller (C1, X1).
    submit: (row, params, hooks) =>
      Effect.uninterruptible(
        withText(
          row,
          params,
          Effect.interruptible(writer.room),
          (text, traced) => Effect.sync(() => open(row, text, hooks, traced))
        )
      ),
    notify: (row, params) => send(row, params, writer.hasRoom),
    signal: (row, params) => send(row, params, () => true)
  }
})
