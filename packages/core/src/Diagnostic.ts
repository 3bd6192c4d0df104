/**
 * What a connection noticed and went on from: nothing is ever dropped, replaced or refused without one of these.
 *
 * @since 0.1.0
 */
import type * as JsonRpc from "./JsonRpc.ts"

/**
 * Why a line was noise.
 *
 * @category models
 * @since 0.1.0
 */
export type NoiseReason = "NotUtf8" | "NotJson" | "NotAnObject" | "Batch" | "TooLarge" | "Truncated"

/**
 * One observation of a connection.
 *
 * **Details**
 *
 * Bounded in size, and free of file contents and prompt text: a `Noise` shows the first bytes of a line that was no
 * message, a `Fallback` the type of the value it replaced.
 *
 * - `Noise`: a line that is not a message (F3, F4).
 * - `MissingVersion`: a message without the `jsonrpc` member, accepted (E8).
 * - `Malformed`: an object that is no JSON-RPC message (E1).
 * - `DuplicateRequest`: a request whose id is already in flight (E5).
 * - `OrphanResponse`: a response that no call waits for: unknown, late or answered twice (E7).
 * - `UnknownNotification`, `InvalidNotification`, `EarlyNotification`, `ShedNotification`: a notification that no one
 *   handles, that did not decode, that came before the handshake, or that came faster than it is handled (E6, H1, O10).
 * - `UnservedNotification`: a request's name came as a notification, without an id (E9).
 * - `ShedRequest`: a request beyond the in-flight limit (C10).
 * - `Fallback`: a value that did not fit was replaced as the official schema allows.
 * - `HandlerFailed`: a handler died or its result did not encode (C6, C7).
 * - `UnknownSession`: an update for a session that this side does not know (O7).
 * - `LateUpdate`: an update of a turn that is over, refused on the agent's side (O8).
 * - `EmptyTurn`: a turn ended without a single update.
 * - `EmptyChunk`: a message chunk without text was not sent.
 * - `NotOfferedDecision`: a permission was decided with an option that was not offered, and answered as cancelled (P2).
 * - `DeliveryGap`: the count of delivered updates was wrong (O3).
 *
 * @category models
 * @since 0.1.0
 */
export type Diagnostic =
  | { readonly _tag: "Noise"; readonly reason: NoiseReason; readonly bytes: number; readonly preview: string }
  | { readonly _tag: "MissingVersion"; readonly method: string | undefined }
  | { readonly _tag: "Malformed"; readonly problem: string }
  | { readonly _tag: "DuplicateRequest"; readonly method: string; readonly id: JsonRpc.Id }
  | {
    readonly _tag: "OrphanResponse"
    readonly id: JsonRpc.Id
    readonly late: boolean
    readonly error: string | undefined
  }
  | { readonly _tag: "UnknownNotification"; readonly method: string }
  | { readonly _tag: "InvalidNotification"; readonly method: string; readonly issue: string }
  | { readonly _tag: "EarlyNotification"; readonly method: string }
  | { readonly _tag: "ShedNotification"; readonly method: string }
  | { readonly _tag: "UnservedNotification"; readonly method: string }
  | { readonly _tag: "ShedRequest"; readonly method: string; readonly id: JsonRpc.Id }
  | {
    readonly _tag: "Fallback"
    readonly method: string
    readonly path: string
    readonly kind: string
    readonly received: string
  }
  | { readonly _tag: "HandlerFailed"; readonly method: string; readonly problem: string }
  | { readonly _tag: "UnknownSession"; readonly sessionId: string; readonly method: string }
  | { readonly _tag: "LateUpdate"; readonly sessionId: string }
  | { readonly _tag: "EmptyTurn"; readonly sessionId: string }
  | { readonly _tag: "EmptyChunk"; readonly sessionId: string }
  | { readonly _tag: "NotOfferedDecision"; readonly sessionId: string; readonly optionId: string }
  | {
    readonly _tag: "DeliveryGap"
    readonly sessionId: string
    readonly delivered: number
    readonly expected: number
  }
