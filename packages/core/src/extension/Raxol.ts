/**
 * The `_raxol/*` extension: sessions with a journal, which a client attaches to, replays and steers.
 *
 * **Details**
 *
 * These are its rows and the shapes of what it puts under `_meta`. Nothing is served by default: an agent without handlers
 * answers its requests with -32601, and {@link layerIgnore} is for a client that wants no records.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import { nullish } from "../internal/leniency.ts"
import * as MethodTable from "../MethodTable.ts"
import { meta, SessionId, UInt64 } from "../schema/Common.ts"
import { LoadSessionRequest, LoadSessionResponse } from "../schema/Session.ts"
import * as Unknown from "../schema/Unknown.ts"

// =============================================================================
// Schemas
// =============================================================================

/**
 * What tells one turn from another: opaque, and never reused within a session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TurnId = Schema.Union([Schema.String, Schema.Finite]).annotate({ identifier: "TurnId" })

/**
 * Puts text into a running turn, if it still is the turn that the client thinks it is.
 *
 * **Details**
 *
 * A `clientMsgId` that was used before is the same message: it is not put in twice.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SteerRequest = Schema.Struct({
  sessionId: SessionId,
  text: nullish(Schema.String),
  expectedTurnId: TurnId,
  clientMsgId: Schema.String,
  ...meta
}).annotate({ identifier: "SteerRequest" })

/**
 * Puts text into a running turn, if it still is the turn that the client thinks it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface SteerRequest extends Schema.Schema.Type<typeof SteerRequest> {}

/**
 * What became of a steer; none of the outcomes is an error.
 *
 * **Details**
 *
 * - `accepted`: the text is part of the turn, at `offset` of the journal; the turn has a new id.
 * - `duplicate`: the message was accepted before, with this outcome.
 * - `stale`: another turn is running.
 * - `no_live_turn`: no turn is running.
 * - `client_msg_id_reuse`: the id belongs to a message with other text.
 * - `no_steer_channel`: the agent takes no text during turns.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SteerResponse = Schema.Union([
  Schema.Struct({
    outcome: Schema.Literals(["accepted", "duplicate"]),
    turnId: TurnId,
    offset: UInt64,
    clientMsgId: Schema.String,
    ...meta
  }),
  Schema.Struct({
    outcome: Schema.Literal("stale"),
    expectedTurnId: TurnId,
    actualTurnId: TurnId,
    ...meta
  }),
  Schema.Struct({
    outcome: Schema.Literals(["no_live_turn", "client_msg_id_reuse", "no_steer_channel"]),
    ...meta
  })
]).annotate({ identifier: "SteerResponse" })

/**
 * What became of a steer.
 *
 * @category models
 * @since 0.1.0
 */
export type SteerResponse = typeof SteerResponse.Type

/**
 * Where the content of a record comes from: it describes the record and filters nothing.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Taint = Unknown.openLiterals(["user", "agent", "external", "system"]).annotate({ identifier: "Taint" })

/**
 * A record of a session's journal that is no session update.
 *
 * **Details**
 *
 * Offsets start at 1 and rise by 1. `ts` is as the journal has it, a number or a text.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionRecordNotification = Schema.Struct({
  sessionId: SessionId,
  offset: UInt64,
  kind: Unknown.openLiterals(["session_created", "session_update", "turn_started", "turn_completed", "steer"]),
  payload: Schema.Unknown,
  taint: Taint,
  ts: Schema.Union([Schema.Finite, Schema.String]),
  ...meta
}).annotate({ identifier: "SessionRecordNotification" })

/**
 * A record of a session's journal that is no session update.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionRecordNotification extends Schema.Schema.Type<typeof SessionRecordNotification> {}

// =============================================================================
// Rows
// =============================================================================

/**
 * Attaches to a session and replays its journal, from the offset under `_meta`.
 *
 * @category rows
 * @since 0.1.0
 */
export const loadSession = MethodTable.request("_raxol/session.load", {
  owner: "raxol",
  direction: "client_to_agent",
  callback: "raxolLoadSession",
  params: MethodTable.named<LoadSessionRequest>(LoadSessionRequest),
  result: MethodTable.named<LoadSessionResponse>(LoadSessionResponse)
})

/**
 * Puts text into a running turn.
 *
 * @category rows
 * @since 0.1.0
 */
export const steerSession = MethodTable.request("_raxol/session.steer", {
  owner: "raxol",
  direction: "client_to_agent",
  callback: "raxolSteerSession",
  params: MethodTable.named<SteerRequest>(SteerRequest),
  result: MethodTable.named<SteerResponse>(SteerResponse)
})

/**
 * Reports a record of a session's journal.
 *
 * @category rows
 * @since 0.1.0
 */
export const sessionRecord = MethodTable.notification("_raxol/session.record", {
  owner: "raxol",
  direction: "agent_to_client",
  callback: "raxolSessionRecord",
  params: MethodTable.named<SessionRecordNotification>(SessionRecordNotification)
})

/**
 * The rows that an agent serves.
 *
 * @category groups
 * @since 0.1.0
 */
export const AgentMethods = MethodTable.group(loadSession, steerSession)

/**
 * The rows that a client serves.
 *
 * @category groups
 * @since 0.1.0
 */
export const ClientMethods = MethodTable.group(sessionRecord)

/**
 * Makes handlers of an agent's methods into a layer, by callback name.
 *
 * @category layers
 * @since 0.1.0
 */
export const agentHandlers = MethodTable.layerHandlers(AgentMethods)

/**
 * Makes handlers of a client's methods into a layer, by callback name.
 *
 * @category layers
 * @since 0.1.0
 */
export const clientHandlers = MethodTable.layerHandlers(ClientMethods)

/**
 * A client that takes records and makes nothing of them.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerIgnore: Layer.Layer<Rpc.ToHandler<typeof sessionRecord>> = clientHandlers({
  raxolSessionRecord: () => Effect.void
})

// =============================================================================
// Metadata
// =============================================================================

/**
 * The key of this extension under `_meta`.
 *
 * @category constants
 * @since 0.1.0
 */
export const metaKey = "raxol.io"

/**
 * Where a client wants to attach: under `_meta` of `_raxol/session.load` and of `session/load`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Attachment {
  /** The first record that the client has not seen. */
  readonly fromOffset: number
  /** What is replayed: everything from the offset, only what comes from now on, or nothing at all. */
  readonly historyPolicy: "from_offset" | "tip" | "none"
  /** What entitles the client to attach, as it came: not a text means not entitled. */
  readonly capability: unknown
}

/**
 * Where an update stands in the journal: under `_meta` of `session/update`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Position {
  readonly offset: number
  readonly taint?: string | undefined
  readonly ts?: unknown
}

interface HasMeta {
  readonly _meta?: { readonly [key: string]: unknown } | null
}

const riderOf = ({ _meta }: HasMeta): { readonly [key: string]: unknown } | undefined => {
  const rider = _meta?.[metaKey]
  return Predicate.isObject(rider) ? rider as { readonly [key: string]: unknown } : undefined
}

const isOffset = (u: unknown): u is number => Number.isSafeInteger(u) && (u as number) >= 0

/**
 * Where a request to load a session wants to attach; nothing if its client does not know of offsets.
 *
 * **Details**
 *
 * Lenient, and never in the client's favour: an offset that is none is 0, a policy that is none is `from_offset`, and the
 * capability is what was sent.
 *
 * @category accessors
 * @since 0.1.0
 */
export const attachmentOf = (request: HasMeta): Attachment | undefined => {
  const rider = riderOf(request)
  if (rider === undefined) return undefined
  const { capability, fromOffset, historyPolicy } = rider
  return {
    fromOffset: isOffset(fromOffset) ? fromOffset : 0,
    historyPolicy: historyPolicy === "tip" || historyPolicy === "none" ? historyPolicy : "from_offset",
    capability
  }
}

/**
 * Where an update stands in the journal, if its agent says so.
 *
 * @category accessors
 * @since 0.1.0
 */
export const positionOf = (notification: HasMeta): Position | undefined => {
  const rider = riderOf(notification)
  if (rider === undefined || !isOffset(rider["offset"])) return undefined
  const { offset, taint, ts } = rider
  return {
    offset: offset as number,
    ...(typeof taint === "string" ? { taint } : {}),
    ...(ts === undefined ? {} : { ts })
  }
}

/**
 * The last offset of the journal when the history had been replayed, if the answer says so.
 *
 * @category accessors
 * @since 0.1.0
 */
export const highWatermarkOf = (response: HasMeta): number | undefined => {
  const mark = riderOf(response)?.["highWatermark"]
  return isOffset(mark) ? mark : undefined
}
