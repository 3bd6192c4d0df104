/**
 * The agent's plan for a task.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { list } from "../internal/leniency.ts"
import { meta } from "./Common.ts"
import * as Unknown from "./Unknown.ts"

/**
 * How important a step is to the whole.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanEntryPriority = Unknown.knownLiterals(["high", "medium", "low"]).annotate({
  identifier: "PlanEntryPriority"
})

/**
 * How important a step is to the whole.
 *
 * @category models
 * @since 0.1.0
 */
export type PlanEntryPriority = typeof PlanEntryPriority.Type

/**
 * How far a step has come.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanEntryStatus = Unknown.knownLiterals(["pending", "in_progress", "completed"]).annotate({
  identifier: "PlanEntryStatus"
})

/**
 * How far a step has come.
 *
 * @category models
 * @since 0.1.0
 */
export type PlanEntryStatus = typeof PlanEntryStatus.Type

/**
 * A step of a plan.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanEntry = Schema.Struct({
  content: Schema.String,
  priority: PlanEntryPriority,
  status: PlanEntryStatus,
  ...meta
}).annotate({ identifier: "PlanEntry" })

/**
 * A step of a plan.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanEntry extends Schema.Schema.Type<typeof PlanEntry> {}

/**
 * A plan; each one replaces the plan before.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Plan = Schema.Struct({
  entries: list(PlanEntry),
  ...meta
}).annotate({ identifier: "Plan" })

/**
 * A plan; each one replaces the plan before.
 *
 * @category models
 * @since 0.1.0
 */
export interface Plan extends Schema.Schema.Type<typeof Plan> {}

/**
 * A step of a plan; `medium` and `pending` unless said otherwise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const entry = (
  content: string,
  options?: { readonly priority?: PlanEntryPriority; readonly status?: PlanEntryStatus }
): PlanEntry => ({ content, priority: options?.priority ?? "medium", status: options?.status ?? "pending" })
