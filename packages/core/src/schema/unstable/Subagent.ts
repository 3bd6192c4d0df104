/**
 * Sessions that belong to another session.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { nullish, orOmit } from "../../internal/leniency.ts"
import { meta, SessionId } from "../Common.ts"
import { StateUpdate } from "./SessionState.ts"

/**
 * The client may cancel the session's work without ending the session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionCancelCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SessionCancelCapabilities" })

/**
 * The client may cancel the session's work without ending the session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionCancelCapabilities extends Schema.Schema.Type<typeof SessionCancelCapabilities> {}

/**
 * What the client may do with a subagent's session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubagentSessionCapabilities = Schema.Struct({
  cancel: orOmit(SessionCancelCapabilities),
  ...meta
}).annotate({ identifier: "SubagentSessionCapabilities" })

/**
 * What the client may do with a subagent's session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubagentSessionCapabilities extends Schema.Schema.Type<typeof SubagentSessionCapabilities> {}

/**
 * A session has a subagent, or something about it has changed.
 *
 * **Details**
 *
 * An absent field is unchanged, null clears it. The first update with a `sessionId` announces the subagent. Paths are absolute.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubagentUpdate = Schema.Struct({
  sessionId: SessionId,
  title: orOmit(Schema.String),
  description: orOmit(Schema.String),
  capabilities: orOmit(SubagentSessionCapabilities),
  state: orOmit(StateUpdate),
  cwd: nullish(Schema.String),
  additionalDirectories: nullish(Schema.Array(Schema.String)),
  ...meta
}).annotate({ identifier: "SubagentUpdate" })

/**
 * A session has a subagent, or something about it has changed.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubagentUpdate extends Schema.Schema.Type<typeof SubagentUpdate> {}
