/**
 * Plans by name, in several forms.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { list } from "../../internal/leniency.ts"
import { meta } from "../Common.ts"
import { PlanEntry } from "../Plan.ts"
import * as Unknown from "../Unknown.ts"
import * as Variant from "../Variant.ts"

export * from "../Plan.ts"

/**
 * The name of a plan within its session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanId = Schema.String.annotate({ identifier: "PlanId" })

/**
 * The name of a plan within its session.
 *
 * @category models
 * @since 0.1.0
 */
export type PlanId = typeof PlanId.Type

/**
 * A plan as a list of steps.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanItems = Schema.Struct({
  planId: PlanId,
  entries: list(PlanEntry),
  ...meta
}).annotate({ identifier: "PlanItems" })

/**
 * A plan as a list of steps.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanItems extends Schema.Schema.Type<typeof PlanItems> {}

/**
 * A plan in a file.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanFile = Schema.Struct({
  planId: PlanId,
  uri: Schema.String,
  ...meta
}).annotate({ identifier: "PlanFile" })

/**
 * A plan in a file.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanFile extends Schema.Schema.Type<typeof PlanFile> {}

/**
 * A plan as Markdown.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanMarkdown = Schema.Struct({
  planId: PlanId,
  content: Schema.String,
  ...meta
}).annotate({ identifier: "PlanMarkdown" })

/**
 * A plan as Markdown.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanMarkdown extends Schema.Schema.Type<typeof PlanMarkdown> {}

/**
 * A plan in a form that the schema does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class UnknownPlanUpdateContent extends Unknown.variant("type") {}

/**
 * A plan in one of its forms.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanUpdateContent = Schema.Union([
  Schema.Struct({ type: Schema.Literal("items"), ...PlanItems.fields }),
  Schema.Struct({ type: Schema.Literal("file"), ...PlanFile.fields }),
  Schema.Struct({ type: Schema.Literal("markdown"), ...PlanMarkdown.fields }),
  Unknown.member(UnknownPlanUpdateContent, { discriminator: "type" })
]).annotate({ identifier: "PlanUpdateContent" })

/**
 * A plan in one of its forms.
 *
 * @category models
 * @since 0.1.0
 */
export type PlanUpdateContent = typeof PlanUpdateContent.Type

/**
 * A plan is now this.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanUpdate = Schema.Struct({
  plan: PlanUpdateContent,
  ...meta
}).annotate({ identifier: "PlanUpdate" })

/**
 * A plan is now this.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanUpdate extends Schema.Schema.Type<typeof PlanUpdate> {}

/**
 * A plan is gone.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PlanRemoved = Schema.Struct({
  planId: PlanId,
  ...meta
}).annotate({ identifier: "PlanRemoved" })

/**
 * A plan is gone.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanRemoved extends Schema.Schema.Type<typeof PlanRemoved> {}

/**
 * Handles every form of plan, unknown ones included.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<Variant.ByTag<PlanUpdateContent, "type">> = Variant.byTag<PlanUpdateContent>()("type")
