/**
 * Cancellation: of a turn, and of a single request.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { meta, RequestId, SessionId } from "./Common.ts"

/**
 * Asks the agent to end the session's turn.
 *
 * **Details**
 *
 * The turn still answers, with the stop reason `cancelled`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CancelNotification = Schema.Struct({
  sessionId: SessionId,
  ...meta
}).annotate({ identifier: "CancelNotification" })

/**
 * Asks the agent to end the session's turn.
 *
 * @category models
 * @since 0.1.0
 */
export interface CancelNotification extends Schema.Schema.Type<typeof CancelNotification> {}

/**
 * Asks the peer to stop working on one request.
 *
 * **Details**
 *
 * The request is still answered: with its result, or with the error -32800.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CancelRequestNotification = Schema.Struct({
  requestId: RequestId,
  ...meta
}).annotate({ identifier: "CancelRequestNotification" })

/**
 * Asks the peer to stop working on one request.
 *
 * @category models
 * @since 0.1.0
 */
export interface CancelRequestNotification extends Schema.Schema.Type<typeof CancelRequestNotification> {}
