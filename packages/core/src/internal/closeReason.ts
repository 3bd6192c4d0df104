/**
 * Why connections end, and how to say so.
 */
import * as Predicate from "effect/Predicate"

/**
 * Why a connection ended.
 *
 * - `LocalClose`: this side closed it.
 * - `PeerClosed`: the peer closed its side in order.
 * - `ProcessExited`: the agent's process ended; `code` or `signal`, and `stderr`, the last lines it wrote there.
 * - `TransportFailed`: reading or writing failed; `cause` is what the platform said.
 * - `ProtocolViolated`: the peer sent what a policy does not bear.
 *
 * @category models
 * @since 0.1.0
 */
export type CloseReason =
  | { readonly _tag: "LocalClose" }
  | { readonly _tag: "PeerClosed" }
  | {
    readonly _tag: "ProcessExited"
    readonly command: string
    readonly code: number | null
    readonly signal: string | null
    readonly stderr: string
  }
  | { readonly _tag: "TransportFailed"; readonly cause: unknown }
  | { readonly _tag: "ProtocolViolated"; readonly problem: string }

const describeExit = (reason: Extract<CloseReason, { _tag: "ProcessExited" }>): string => {
  const how = reason.signal === null ? `exited with code ${reason.code ?? "unknown"}` : `was killed by ${reason.signal}`
  const tail = reason.stderr.trim()
  return `${reason.command} ${how}${tail === "" ? " and wrote nothing to stderr" : `; its stderr ends with:\n${tail}`}`
}

/** What a failure says of itself. */
export const describeCause = (cause: unknown): string =>
  Predicate.hasProperty(cause, "message") ? String(cause.message) : String(cause)

/**
 * Says why a connection ended, in words.
 *
 * @category formatting
 * @since 0.1.0
 */
export const describeCloseReason = (reason: CloseReason): string => {
  switch (reason._tag) {
    case "LocalClose":
      return "this side closed the connection"
    case "PeerClosed":
      return "the peer closed the connection"
    case "ProcessExited":
      return describeExit(reason)
    case "TransportFailed":
      return `the transport failed: ${describeCause(reason.cause)}`
    case "ProtocolViolated":
      return `the peer violated the protocol: ${reason.problem}`
  }
}
