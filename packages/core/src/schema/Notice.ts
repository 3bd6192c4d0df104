/**
 * Notices: what the agent tells the user in passing.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { orOmit } from "../internal/leniency.ts"
import { meta } from "./Common.ts"
import * as Unknown from "./Unknown.ts"

/**
 * How grave a notice is; other values are allowed.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NoticeSeverity = Unknown.openLiterals(["info", "warning", "error"]).annotate({
  identifier: "NoticeSeverity"
})

/**
 * How grave a notice is; other values are allowed.
 *
 * @category models
 * @since 0.1.0
 */
export type NoticeSeverity = typeof NoticeSeverity.Type

/**
 * Something for the user to know now; no part of the session's history.
 *
 * **Details**
 *
 * An agent sends it only if the client advertised `session.notices`, and must not rely on its being seen.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Notice = Schema.Struct({
  severity: NoticeSeverity,
  title: Schema.String.check(Schema.isMinLength(1)),
  description: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "Notice" })

/**
 * Something for the user to know now; no part of the session's history.
 *
 * @category models
 * @since 0.1.0
 */
export interface Notice extends Schema.Schema.Type<typeof Notice> {}
