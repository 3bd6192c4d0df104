/**
 * Sorts what arrives. Runs no user code and waits for none (C8, O6).
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as AcpError from "../AcpError.ts"
import * as Frame from "../Frame.ts"
import * as JsonRpc from "../JsonRpc.ts"
import type { Diagnostics } from "./diagnostics.ts"
import * as Metrics from "./metrics.ts"
import type { Call, Outcome, PendingCalls } from "./pending.ts"

export interface Routes {
  /** Takes a request that passed the envelope. */
  readonly request: (request: JsonRpc.Request, sequence: number) => void
  readonly notification: (notification: JsonRpc.Notification, sequence: number, size: number) => void
  /** Learns that a frame arrived that is a message. */
  readonly message: () => void
  /** Takes what is no message. */
  readonly noise: (noise: Frame.Noise) => void
  /** Takes an object that is no JSON-RPC message. */
  readonly malformed: (malformed: JsonRpc.Malformed) => void
}

export const make = (options: {
  readonly routes: Routes
  readonly pending: PendingCalls
  readonly settle: (call: Call, outcome: Outcome) => void
  readonly diagnostics: Diagnostics
  /** Nothing is looked at any more once the connection has ended (Z1). */
  readonly hasEnded: () => boolean
  readonly context: Context.Context<never>
}): (items: ReadonlyArray<Frame.Incoming>) => void => {
  const { context, diagnostics, hasEnded, pending, routes } = options
  const log = Effect.runForkWith(context)
  let sequence = 0

  const settle = (message: JsonRpc.Success | JsonRpc.Failure): void => {
    const call = message.id === null ? undefined : pending.take(message.id)
    if (call === undefined) return diagnostics.emitUnsafe(orphan(message))
    options.settle(
      call,
      message._tag === "Success"
        ? Exit.succeed(message.result)
        : Exit.fail(
          AcpError.fromWire(JsonRpc.errorObject(message.error), { method: call.row._tag, requestId: message.id })
        )
    )
  }

  const orphan = (message: JsonRpc.Success | JsonRpc.Failure) =>
    ({
      _tag: "OrphanResponse",
      id: message.id,
      late: pending.wasIssued(message.id),
      error: message._tag === "Failure" ? JsonRpc.errorObject(message.error).message : undefined
    }) as const

  const route = (frame: Frame.Frame): void => {
    const message = JsonRpc.classify(frame.value)
    sequence++
    if (message._tag === "Malformed") {
      diagnostics.emitUnsafe({ _tag: "Malformed", problem: message.problem })
      return routes.malformed(message)
    }
    routes.message()
    if (!JsonRpc.isVersioned(frame.value)) {
      diagnostics.emitUnsafe({ _tag: "MissingVersion", method: "method" in message ? message.method : undefined })
    }
    switch (message._tag) {
      case "Request":
        return routes.request(message, sequence)
      case "Notification":
        return routes.notification(message, sequence, frame.size)
      default:
        return settle(message)
    }
  }

  const readNoise = (noise: Frame.Noise): void => {
    const { envelope, preview, reason, size } = noise
    diagnostics.emitUnsafe({ _tag: "Noise", reason, bytes: size, preview })
    const call = envelope?.kind === "response" && envelope.id !== null ? pending.take(envelope.id) : undefined
    if (call === undefined) return routes.noise(noise)
    options.settle(
      call,
      Exit.fail(
        new AcpError.DecodeError({
          method: call.row._tag,
          issue: "it was longer than the limit for a line; raise maxLineBytes",
          received: undefined
        })
      )
    )
  }

  /** Whatever a frame brings about, the next one is read. */
  const read = (item: Frame.Incoming): void => {
    try {
      if (item instanceof Frame.Noise) readNoise(item)
      else route(item)
    } catch (defect) {
      diagnostics.emitUnsafe({ _tag: "HandlerFailed", method: "(reader)", problem: "acting on a frame threw" })
      log(Effect.logError("Acting on a frame threw", defect))
    }
  }

  const count = (items: ReadonlyArray<Frame.Incoming>): void => {
    let bytes = 0
    for (const { size } of items) bytes += size
    Metrics.framesIn.updateUnsafe(items.length, context)
    Metrics.bytesIn.updateUnsafe(bytes, context)
  }

  return (items) => {
    count(items)
    for (const item of items) {
      if (hasEnded()) return
      read(item)
    }
  }
}
