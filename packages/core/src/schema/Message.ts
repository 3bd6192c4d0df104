/**
 * Pieces of messages as they stream.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { orOmit } from "../internal/leniency.ts"
import { meta } from "./Common.ts"
import { ContentBlock } from "./Content.ts"

/**
 * The name of a message within its session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MessageId = Schema.String.annotate({ identifier: "MessageId" })

/**
 * The name of a message within its session.
 *
 * @category models
 * @since 0.1.0
 */
export type MessageId = typeof MessageId.Type

/**
 * A piece of a message.
 *
 * **Details**
 *
 * Chunks with the same `messageId` belong to one message; another id starts another message.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ContentChunk = Schema.Struct({
  content: ContentBlock,
  messageId: orOmit(MessageId),
  ...meta
}).annotate({ identifier: "ContentChunk" })

/**
 * A piece of a message.
 *
 * @category models
 * @since 0.1.0
 */
export interface ContentChunk extends Schema.Schema.Type<typeof ContentChunk> {}
