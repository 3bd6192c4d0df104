/**
 * Modes: ways for an agent to work, of which a session is in one at a time.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { list, orOmit } from "../internal/leniency.ts"
import { meta, SessionId } from "./Common.ts"

/**
 * The name of a mode.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionModeId = Schema.String.annotate({ identifier: "SessionModeId" })

/**
 * The name of a mode.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionModeId = typeof SessionModeId.Type

/**
 * A way for the agent to work.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionMode = Schema.Struct({
  id: SessionModeId,
  name: Schema.String,
  description: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "SessionMode" })

/**
 * A way for the agent to work.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionMode extends Schema.Schema.Type<typeof SessionMode> {}

/**
 * The modes of a session, and the one that it is in.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionModeState = Schema.Struct({
  currentModeId: SessionModeId,
  availableModes: list(SessionMode),
  ...meta
}).annotate({ identifier: "SessionModeState" })

/**
 * The modes of a session, and the one that it is in.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionModeState extends Schema.Schema.Type<typeof SessionModeState> {}

/**
 * The session has changed its mode.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CurrentModeUpdate = Schema.Struct({
  currentModeId: SessionModeId,
  ...meta
}).annotate({ identifier: "CurrentModeUpdate" })

/**
 * The session has changed its mode.
 *
 * @category models
 * @since 0.1.0
 */
export interface CurrentModeUpdate extends Schema.Schema.Type<typeof CurrentModeUpdate> {}

/**
 * Asks for another mode.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SetSessionModeRequest = Schema.Struct({
  sessionId: SessionId,
  modeId: SessionModeId,
  ...meta
}).annotate({ identifier: "SetSessionModeRequest" })

/**
 * Asks for another mode.
 *
 * @category models
 * @since 0.1.0
 */
export interface SetSessionModeRequest extends Schema.Schema.Type<typeof SetSessionModeRequest> {}

/**
 * The session is in the mode asked for.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SetSessionModeResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "SetSessionModeResponse" })

/**
 * The session is in the mode asked for.
 *
 * @category models
 * @since 0.1.0
 */
export interface SetSessionModeResponse extends Schema.Schema.Type<typeof SetSessionModeResponse> {}
