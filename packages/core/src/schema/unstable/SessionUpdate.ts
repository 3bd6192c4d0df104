/**
 * Session updates, unstable kinds included.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { meta, SessionId } from "../Common.ts"
import * as Stable from "../SessionUpdate.ts"
import * as Unknown from "../Unknown.ts"
import * as Variant from "../Variant.ts"
import { PlanRemoved, PlanUpdate } from "./Plan.ts"
import { SessionMessage, SessionMessageChunk } from "./SessionMessage.ts"
import { SubagentUpdate } from "./Subagent.ts"

export * from "../SessionUpdate.ts"

/**
 * The known kinds of update.
 *
 * @category schemas
 * @since 0.1.0
 */
export const variants = [
  ...Stable.variants,
  Schema.Struct({ sessionUpdate: Schema.Literal("plan_update"), ...PlanUpdate.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("plan_removed"), ...PlanRemoved.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("subagent_update"), ...SubagentUpdate.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("session_message"), ...SessionMessage.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("session_message_chunk"), ...SessionMessageChunk.fields })
] as const

/**
 * Something that has happened in a session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionUpdate = Schema.Union([
  ...variants,
  Unknown.member(Stable.UnknownSessionUpdate, { discriminator: "sessionUpdate" })
]).annotate({ identifier: "SessionUpdate" })

/**
 * Something that has happened in a session.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionUpdate = typeof SessionUpdate.Type

/**
 * Tells the client of an update to a session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionNotification = Schema.Struct({
  sessionId: SessionId,
  update: SessionUpdate,
  ...meta
}).annotate({ identifier: "SessionNotification" })

/**
 * Tells the client of an update to a session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionNotification extends Schema.Schema.Type<typeof SessionNotification> {}

/**
 * The update of one kind.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind<Name extends SessionUpdate["sessionUpdate"]> = Extract<SessionUpdate, { readonly sessionUpdate: Name }>

/**
 * Handles every kind of update, unknown ones included.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<Variant.ByTag<SessionUpdate, "sessionUpdate">> = Variant.byTag<SessionUpdate>()(
  "sessionUpdate"
)

/**
 * Handles some kinds of update, and the others together.
 *
 * @category matching
 * @since 0.1.0
 */
export const matchOrElse: Variant.MatchOrElse<Variant.ByTag<SessionUpdate, "sessionUpdate">> = Variant.byTagOrElse<
  SessionUpdate
>()("sessionUpdate")

/**
 * A plan is now this.
 *
 * @category constructors
 * @since 0.1.0
 */
export const planUpdate = (update: PlanUpdate): Kind<"plan_update"> => ({ ...update, sessionUpdate: "plan_update" })

/**
 * A plan is gone.
 *
 * @category constructors
 * @since 0.1.0
 */
export const planRemoved = (update: PlanRemoved): Kind<"plan_removed"> => ({ ...update, sessionUpdate: "plan_removed" })

/**
 * A session has a subagent, or something about it has changed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const subagent = (update: SubagentUpdate): Kind<"subagent_update"> => ({
  ...update,
  sessionUpdate: "subagent_update"
})

/**
 * A message between two sessions.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sessionMessage = (message: SessionMessage): Kind<"session_message"> => ({
  ...message,
  sessionUpdate: "session_message"
})

/**
 * A piece of a message between two sessions.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sessionMessageChunk = (chunk: SessionMessageChunk): Kind<"session_message_chunk"> => ({
  ...chunk,
  sessionUpdate: "session_message_chunk"
})

/**
 * The notification that carries an update.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notification = (
  sessionId: SessionId,
  update: SessionUpdate,
  options?: Pick<SessionNotification, "_meta">
): SessionNotification => ({ ...options, sessionId, update })
