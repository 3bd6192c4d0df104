/**
 * How much of its context window a session has used, and what it has cost.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { orOmit } from "../internal/leniency.ts"
import { Double, meta, UInt64 } from "./Common.ts"

/**
 * What a session has cost so far.
 *
 * **Details**
 *
 * `currency` is an ISO 4217 code, or another unit such as `credits`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Cost = Schema.Struct({
  amount: Double,
  currency: Schema.String,
  ...meta
}).annotate({ identifier: "Cost" })

/**
 * What a session has cost so far.
 *
 * @category models
 * @since 0.1.0
 */
export interface Cost extends Schema.Schema.Type<typeof Cost> {}

/**
 * The state of a session's context window.
 *
 * **Details**
 *
 * `used` and `size` are in tokens; `cost` is cumulative.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UsageUpdate = Schema.Struct({
  used: UInt64,
  size: UInt64,
  cost: orOmit(Cost),
  ...meta
}).annotate({ identifier: "UsageUpdate" })

/**
 * The state of a session's context window.
 *
 * @category models
 * @since 0.1.0
 */
export interface UsageUpdate extends Schema.Schema.Type<typeof UsageUpdate> {}
