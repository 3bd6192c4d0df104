/**
 * System prompts: instructions from the client for a whole session.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { meta } from "../Common.ts"
import { ContentBlock } from "../Content.ts"
import * as Unknown from "../Unknown.ts"

/**
 * How a system prompt goes together with the agent's own; other values are allowed.
 *
 * **Details**
 *
 * An agent that does not support a mode answers with an error.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SystemPromptMode = Unknown.openLiterals(["append", "override"]).annotate({
  identifier: "SystemPromptMode"
})

/**
 * How a system prompt goes together with the agent's own; other values are allowed.
 *
 * @category models
 * @since 0.1.0
 */
export type SystemPromptMode = typeof SystemPromptMode.Type

/**
 * Instructions from the client for a whole session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SystemPrompt = Schema.Struct({
  mode: SystemPromptMode,
  content: Schema.Array(ContentBlock),
  ...meta
}).annotate({ identifier: "SystemPrompt" })

/**
 * Instructions from the client for a whole session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SystemPrompt extends Schema.Schema.Type<typeof SystemPrompt> {}
