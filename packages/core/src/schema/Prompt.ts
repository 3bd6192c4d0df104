/**
 * Prompt turns: the user's message and how the agent's work on it ends.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { meta, SessionId } from "./Common.ts"
import { ContentBlock } from "./Content.ts"

/**
 * Sends the user's message; the answer is the end of the turn.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PromptRequest = Schema.Struct({
  sessionId: SessionId,
  prompt: Schema.Array(ContentBlock),
  ...meta
}).annotate({ identifier: "PromptRequest" })

/**
 * Sends the user's message; the answer is the end of the turn.
 *
 * @category models
 * @since 0.1.0
 */
export interface PromptRequest extends Schema.Schema.Type<typeof PromptRequest> {}

/**
 * Why a turn has ended.
 *
 * **Details**
 *
 * - `end_turn`: the agent is done
 * - `max_tokens`: the model's token limit was reached
 * - `max_turn_requests`: the limit of model requests in a turn was reached
 * - `refusal`: the agent refuses; the prompt and what follows it are no part of the next prompt's context
 * - `cancelled`: the client asked for it
 *
 * A closed list: a reason from outside it makes the response undecodable, so that it is never read as success.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StopReason = Schema.Literals(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"])
  .annotate({ identifier: "StopReason" })

/**
 * Why a turn has ended.
 *
 * @category models
 * @since 0.1.0
 */
export type StopReason = typeof StopReason.Type

/**
 * The end of a turn.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PromptResponse = Schema.Struct({
  stopReason: StopReason,
  ...meta
}).annotate({ identifier: "PromptResponse" })

/**
 * The end of a turn.
 *
 * @category models
 * @since 0.1.0
 */
export interface PromptResponse extends Schema.Schema.Type<typeof PromptResponse> {}
