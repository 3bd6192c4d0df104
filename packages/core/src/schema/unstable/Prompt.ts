/**
 * Prompt turns, with what they have used.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { orOmit } from "../../internal/leniency.ts"
import { meta, UInt64 } from "../Common.ts"
import * as Stable from "../Prompt.ts"

export * from "../Prompt.ts"

/**
 * The tokens that a turn has used.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Usage = Schema.Struct({
  totalTokens: UInt64,
  inputTokens: UInt64,
  outputTokens: UInt64,
  thoughtTokens: orOmit(UInt64),
  cachedReadTokens: orOmit(UInt64),
  cachedWriteTokens: orOmit(UInt64),
  ...meta
}).annotate({ identifier: "Usage" })

/**
 * The tokens that a turn has used.
 *
 * @category models
 * @since 0.1.0
 */
export interface Usage extends Schema.Schema.Type<typeof Usage> {}

/**
 * The end of a turn.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PromptResponse = Schema.Struct({
  ...Stable.PromptResponse.fields,
  usage: orOmit(Usage)
}).annotate({ identifier: "PromptResponse" })

/**
 * The end of a turn.
 *
 * @category models
 * @since 0.1.0
 */
export interface PromptResponse extends Schema.Schema.Type<typeof PromptResponse> {}
