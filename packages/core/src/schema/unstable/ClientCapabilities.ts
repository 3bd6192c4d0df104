/**
 * What a client can do, unstable additions included.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { orOmit } from "../../internal/leniency.ts"
import * as Stable from "../ClientCapabilities.ts"
import { meta } from "../Common.ts"

export * from "../ClientCapabilities.ts"

/**
 * The client understands sessions that belong to another session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SubagentCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "SubagentCapabilities" })

/**
 * The client understands sessions that belong to another session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubagentCapabilities extends Schema.Schema.Type<typeof SubagentCapabilities> {}

/**
 * The client understands `plan_update` and `plan_removed`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "PlanCapabilities" })

/**
 * The client understands `plan_update` and `plan_removed`.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanCapabilities extends Schema.Schema.Type<typeof PlanCapabilities> {}

/**
 * What a client can do.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ClientCapabilities = Schema.Struct({
  ...Stable.ClientCapabilities.fields,
  subagents: orOmit(SubagentCapabilities),
  plan: orOmit(PlanCapabilities)
}).annotate({ identifier: "ClientCapabilities" })

/**
 * What a client can do.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientCapabilities extends Schema.Schema.Type<typeof ClientCapabilities> {}
