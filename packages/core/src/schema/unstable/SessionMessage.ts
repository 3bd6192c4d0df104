/**
 * Messages between sessions.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { nullishList, orOmit } from "../../internal/leniency.ts"
import { meta, SessionId } from "../Common.ts"
import { ContentBlock } from "../Content.ts"
import { MessageId } from "../Message.ts"

/**
 * A message between two sessions, as one of them sees it.
 *
 * **Details**
 *
 * An absent field is unchanged, null clears it, a value replaces it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionMessage = Schema.Struct({
  messageId: MessageId,
  senderSessionId: orOmit(SessionId),
  recipientSessionId: orOmit(SessionId),
  senderMessageId: orOmit(MessageId),
  recipientMessageId: orOmit(MessageId),
  content: nullishList(ContentBlock),
  ...meta
}).annotate({ identifier: "SessionMessage" })

/**
 * A message between two sessions, as one of them sees it.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionMessage extends Schema.Schema.Type<typeof SessionMessage> {}

/**
 * A piece of a message between two sessions.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionMessageChunk = Schema.Struct({
  messageId: MessageId,
  content: ContentBlock,
  ...meta
}).annotate({ identifier: "SessionMessageChunk" })

/**
 * A piece of a message between two sessions.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionMessageChunk extends Schema.Schema.Type<typeof SessionMessageChunk> {}
