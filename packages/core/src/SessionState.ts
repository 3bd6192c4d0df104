/**
 * What a session looks like now: its updates, folded into an immutable value that a user interface can render as it is.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import { Draft } from "./internal/sessionFold.ts"
import type { AvailableCommand } from "./schema/Command.ts"
import type { CompactionStatus } from "./schema/Compaction.ts"
import type { ContentBlock } from "./schema/Content.ts"
import type { Notice } from "./schema/Notice.ts"
import type { PlanEntry } from "./schema/Plan.ts"
import type { StopReason } from "./schema/Prompt.ts"
import type { NewSessionResponse } from "./schema/Session.ts"
import type { SessionConfigOption } from "./schema/SessionConfig.ts"
import type { SessionModeState } from "./schema/SessionMode.ts"
import type * as SessionUpdate from "./schema/SessionUpdate.ts"
import type { ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolKind } from "./schema/ToolCall.ts"
import type { Cost } from "./schema/Usage.ts"

// =============================================================================
// Models
// =============================================================================

/**
 * A message of the conversation, its chunks joined: adjacent text is one text block.
 *
 * Chunks with a `messageId` belong to the message of that id; those without one go on with the message that is last.
 *
 * @category models
 * @since 0.1.0
 */
export interface Message {
  readonly _tag: "Message"
  /** `thought` is the agent's reasoning. */
  readonly role: "user" | "agent" | "thought"
  readonly messageId: string | undefined
  readonly content: ReadonlyArray<ContentBlock>
}

/**
 * A tool call as known so far.
 *
 * **Details**
 *
 * Everything that was told of one id is merged, whatever came first: the call, its updates, or a permission request for
 * it. What was not told has a value that can be shown: the title is the tool's name or the id, the kind `other`, the status
 * `pending`.
 *
 * Besides the protocol's own, a status can be `cancelled` or `unfinished`: the call was open when its turn was cancelled or
 * ended. A later update still changes it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolCall {
  readonly _tag: "ToolCall"
  readonly toolCallId: string
  readonly title: string
  readonly name: string | undefined
  readonly kind: ToolKind
  readonly status: ToolCallStatus | "cancelled" | "unfinished"
  readonly content: ReadonlyArray<ToolCallContent>
  readonly locations: ReadonlyArray<ToolCallLocation>
  readonly rawInput: unknown
  readonly rawOutput: unknown
}

/**
 * A compaction of the context, in its place in the conversation.
 *
 * @category models
 * @since 0.1.0
 */
export interface Compaction {
  readonly _tag: "Compaction"
  readonly compactionId: string
  readonly status: CompactionStatus
  readonly summary: ReadonlyArray<ContentBlock>
  readonly error: string | undefined
}

/**
 * One thing in the conversation.
 *
 * @category models
 * @since 0.1.0
 */
export type Entry = Message | ToolCall | Compaction

/**
 * How full the context window is, in tokens, and what the session has cost so far.
 *
 * @category models
 * @since 0.1.0
 */
export interface Usage {
  readonly used: number
  readonly size: number
  readonly cost: Cost | undefined
}

/**
 * A session at one moment.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionState {
  /** The conversation, each entry in the place of its first appearance. */
  readonly timeline: ReadonlyArray<Entry>
  readonly plan: ReadonlyArray<PlanEntry>
  /** The modes and the current one, if the agent told of any. */
  readonly modes: SessionModeState | undefined
  readonly configOptions: ReadonlyArray<SessionConfigOption>
  readonly commands: ReadonlyArray<AvailableCommand>
  readonly usage: Usage | undefined
  readonly title: string | undefined
  /** An ISO 8601 timestamp. */
  readonly updatedAt: string | undefined
  /** What the agent told in passing; the last 100. */
  readonly notices: ReadonlyArray<Notice>
  /** `cancelling` lasts from the cancellation of a turn to its end. */
  readonly activity: "idle" | "running" | "cancelling"
  /** How the last turn ended; `failed` when it ended without a response. */
  readonly lastStop: StopReason | "failed" | undefined
  /**
   * The place of the running turn's prompt while the agent may still echo it.
   *
   * @internal
   */
  readonly prompted: number | undefined
}

/**
 * Whatever changes a session.
 *
 * - `Update`: an update of the agent; a `TurnEvent` of this tag is one.
 * - `SetUp`: the answer to new, load or resume. What a replay left open is unfinished.
 * - `TurnStarted`: a prompt was sent. It becomes a user message, which an echo of the agent replaces.
 * - `TurnCancelled`: the agent was told to cancel; open tool calls are cancelled.
 * - `TurnEnded`: the answer to the prompt, or no answer. What is still open is cancelled or unfinished.
 * - `PermissionAsked`: the tool call of a permission request; it fills what was not told yet.
 * - `Forgotten`: the conversation so far is not kept any longer.
 *
 * @category models
 * @since 0.1.0
 */
export type Event =
  | { readonly _tag: "Update"; readonly update: SessionUpdate.SessionUpdate }
  | { readonly _tag: "SetUp"; readonly setup: Pick<NewSessionResponse, "modes" | "configOptions"> }
  | { readonly _tag: "TurnStarted"; readonly prompt: ReadonlyArray<ContentBlock> }
  | { readonly _tag: "TurnCancelled" }
  | { readonly _tag: "TurnEnded"; readonly stopReason: StopReason | undefined }
  | { readonly _tag: "PermissionAsked"; readonly toolCall: ToolCallUpdate }
  | { readonly _tag: "Forgotten" }

// =============================================================================
// Folding
// =============================================================================

/**
 * A session of which nothing is known.
 *
 * @category constructors
 * @since 0.1.0
 */
export const empty: SessionState = {
  timeline: [],
  plan: [],
  modes: undefined,
  configOptions: [],
  commands: [],
  usage: undefined,
  title: undefined,
  updatedAt: undefined,
  notices: [],
  activity: "idle",
  lastStop: undefined,
  prompted: undefined
}

/**
 * The session after some events: the same as after each of them in turn, at the price of one copy.
 *
 * Returns `self` itself when nothing has changed.
 *
 * @category folding
 * @since 0.1.0
 */
export const reduceAll: {
  (events: Iterable<Event>): (self: SessionState) => SessionState
  (self: SessionState, events: Iterable<Event>): SessionState
} = dual(2, (self: SessionState, events: Iterable<Event>): SessionState => {
  const draft = new Draft(self)
  for (const event of events) draft.apply(event)
  return draft.finish()
})

/**
 * The session after an event.
 *
 * Returns `self` itself when nothing has changed.
 *
 * @category folding
 * @since 0.1.0
 */
export const reduce: {
  (event: Event): (self: SessionState) => SessionState
  (self: SessionState, event: Event): SessionState
} = dual(2, (self: SessionState, event: Event): SessionState => {
  const draft = new Draft(self)
  draft.apply(event)
  return draft.finish()
})

/**
 * The session that a list of updates describes, such as a recorded one.
 *
 * @category folding
 * @since 0.1.0
 */
export const fromUpdates = (updates: Iterable<SessionUpdate.SessionUpdate>): SessionState => {
  const draft = new Draft(empty)
  for (const update of updates) draft.apply({ _tag: "Update", update })
  return draft.finish()
}

// =============================================================================
// Reading
// =============================================================================

/**
 * The text of a message, without its other content.
 *
 * @category accessors
 * @since 0.1.0
 */
export const messageText = (message: Message): string =>
  message.content.map((block) => block.type === "text" ? block.text : "").join("")

/**
 * The tool calls of the conversation, in order.
 *
 * @category accessors
 * @since 0.1.0
 */
export const toolCalls = (self: SessionState): ReadonlyArray<ToolCall> =>
  self.timeline.filter((entry) => entry._tag === "ToolCall")

/**
 * What is known of one tool call.
 *
 * @category accessors
 * @since 0.1.0
 */
export const toolCall: {
  (toolCallId: string): (self: SessionState) => ToolCall | undefined
  (self: SessionState, toolCallId: string): ToolCall | undefined
} = dual(
  2,
  (self: SessionState, toolCallId: string): ToolCall | undefined =>
    self.timeline.findLast((entry): entry is ToolCall => entry._tag === "ToolCall" && entry.toolCallId === toolCallId)
)

/**
 * Tells whether a tool call may still go on.
 *
 * @category guards
 * @since 0.1.0
 */
export const isOpen = (self: ToolCall): boolean => self.status === "pending" || self.status === "in_progress"
