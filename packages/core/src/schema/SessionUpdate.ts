/**
 * Session updates: everything that an agent tells about a session while it works.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { AvailableCommandsUpdate } from "./Command.ts"
import { meta, SessionId } from "./Common.ts"
import { CompactionSummaryChunk, CompactionUpdate } from "./Compaction.ts"
import * as Content from "./Content.ts"
import { ContentChunk } from "./Message.ts"
import { Notice } from "./Notice.ts"
import { Plan } from "./Plan.ts"
import { SessionInfoUpdate } from "./Session.ts"
import { ConfigOptionUpdate } from "./SessionConfig.ts"
import { CurrentModeUpdate } from "./SessionMode.ts"
import { ToolCall, ToolCallUpdate } from "./ToolCall.ts"
import * as Unknown from "./Unknown.ts"
import { UsageUpdate } from "./Usage.ts"
import * as Variant from "./Variant.ts"

/**
 * An update of a kind that the schema does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class UnknownSessionUpdate extends Unknown.variant("sessionUpdate") {}

/**
 * The known kinds of update: a discriminator and the members of a shared definition.
 *
 * @category schemas
 * @since 0.1.0
 */
export const variants = [
  Schema.Struct({ sessionUpdate: Schema.Literal("user_message_chunk"), ...ContentChunk.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("agent_message_chunk"), ...ContentChunk.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("agent_thought_chunk"), ...ContentChunk.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("tool_call"), ...ToolCall.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("tool_call_update"), ...ToolCallUpdate.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("plan"), ...Plan.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("available_commands_update"), ...AvailableCommandsUpdate.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("current_mode_update"), ...CurrentModeUpdate.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("config_option_update"), ...ConfigOptionUpdate.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("session_info_update"), ...SessionInfoUpdate.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("usage_update"), ...UsageUpdate.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("notice"), ...Notice.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("compaction_update"), ...CompactionUpdate.fields }),
  Schema.Struct({ sessionUpdate: Schema.Literal("compaction_summary_chunk"), ...CompactionSummaryChunk.fields })
] as const

/**
 * Something that has happened in a session.
 *
 * **Details**
 *
 * `notice` is sent only if the client advertised `session.notices`, the `compaction_` kinds only if it advertised
 * `session.compaction`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionUpdate = Schema.Union([
  ...variants,
  Unknown.member(UnknownSessionUpdate, { discriminator: "sessionUpdate" })
]).annotate({ identifier: "SessionUpdate" })

/**
 * Something that has happened in a session.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionUpdate = typeof SessionUpdate.Type

/**
 * Tells the client of an update to a session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionNotification = Schema.Struct({
  sessionId: SessionId,
  update: SessionUpdate,
  ...meta
}).annotate({ identifier: "SessionNotification" })

/**
 * Tells the client of an update to a session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionNotification extends Schema.Schema.Type<typeof SessionNotification> {}

/**
 * The update of one kind.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind<Name extends SessionUpdate["sessionUpdate"]> = Extract<SessionUpdate, { readonly sessionUpdate: Name }>

/**
 * Handles every kind of update, unknown ones included.
 *
 * **Example**
 *
 * ```ts
 * import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
 *
 * export const textOf = SessionUpdate.matchOrElse({
 *   agent_message_chunk: ({ content }) => content.type === "text" ? content.text : ""
 * }, () => "")
 * ```
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<Variant.ByTag<SessionUpdate, "sessionUpdate">> = Variant.byTag<SessionUpdate>()(
  "sessionUpdate"
)

/**
 * Handles some kinds of update, and the others together.
 *
 * @category matching
 * @since 0.1.0
 */
export const matchOrElse: Variant.MatchOrElse<Variant.ByTag<SessionUpdate, "sessionUpdate">> = Variant.byTagOrElse<
  SessionUpdate
>()("sessionUpdate")

const chunk =
  <Name extends "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk">(sessionUpdate: Name) =>
  (
    content: string | Content.ContentBlock,
    options?: Omit<ContentChunk, "content">
  ) => ({
    ...options,
    sessionUpdate,
    content: typeof content === "string" ? Content.text(content) : content
  })

/**
 * A piece of the user's message; a string becomes a text block.
 *
 * @category constructors
 * @since 0.1.0
 */
export const userMessageChunk = chunk("user_message_chunk")

/**
 * A piece of the agent's message; a string becomes a text block.
 *
 * @category constructors
 * @since 0.1.0
 */
export const agentMessageChunk = chunk("agent_message_chunk")

/**
 * A piece of the agent's reasoning; a string becomes a text block.
 *
 * @category constructors
 * @since 0.1.0
 */
export const agentThoughtChunk = chunk("agent_thought_chunk")

/**
 * A tool call has been asked for.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toolCall = (toolCall: ToolCall): Kind<"tool_call"> => ({ ...toolCall, sessionUpdate: "tool_call" })

/**
 * A tool call has changed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toolCallUpdate = (update: ToolCallUpdate): Kind<"tool_call_update"> => ({
  ...update,
  sessionUpdate: "tool_call_update"
})

/**
 * The plan is now this.
 *
 * @category constructors
 * @since 0.1.0
 */
export const plan = (entries: Plan["entries"], options?: Omit<Plan, "entries">): Kind<"plan"> => ({
  ...options,
  sessionUpdate: "plan",
  entries
})

/**
 * The session offers these commands now.
 *
 * @category constructors
 * @since 0.1.0
 */
export const availableCommands = (
  availableCommands: AvailableCommandsUpdate["availableCommands"],
  options?: Omit<AvailableCommandsUpdate, "availableCommands">
): Kind<"available_commands_update"> => ({
  ...options,
  sessionUpdate: "available_commands_update",
  availableCommands
})

/**
 * The session is in this mode now.
 *
 * @category constructors
 * @since 0.1.0
 */
export const currentMode = (
  currentModeId: CurrentModeUpdate["currentModeId"],
  options?: Omit<CurrentModeUpdate, "currentModeId">
): Kind<"current_mode_update"> => ({ ...options, sessionUpdate: "current_mode_update", currentModeId })

/**
 * The session has these config options now.
 *
 * @category constructors
 * @since 0.1.0
 */
export const configOptions = (
  configOptions: ConfigOptionUpdate["configOptions"],
  options?: Omit<ConfigOptionUpdate, "configOptions">
): Kind<"config_option_update"> => ({ ...options, sessionUpdate: "config_option_update", configOptions })

/**
 * Something about the session has changed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sessionInfo = (update: SessionInfoUpdate): Kind<"session_info_update"> => ({
  ...update,
  sessionUpdate: "session_info_update"
})

/**
 * The context window is used like this now.
 *
 * @category constructors
 * @since 0.1.0
 */
export const usage = (update: UsageUpdate): Kind<"usage_update"> => ({ ...update, sessionUpdate: "usage_update" })

/**
 * Something for the user to know.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notice = (notice: Notice): Kind<"notice"> => ({ ...notice, sessionUpdate: "notice" })

/**
 * A compaction has begun or changed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const compaction = (update: CompactionUpdate): Kind<"compaction_update"> => ({
  ...update,
  sessionUpdate: "compaction_update"
})

/**
 * A piece of a compaction's summary.
 *
 * @category constructors
 * @since 0.1.0
 */
export const compactionSummaryChunk = (chunk: CompactionSummaryChunk): Kind<"compaction_summary_chunk"> => ({
  ...chunk,
  sessionUpdate: "compaction_summary_chunk"
})

/**
 * The notification that carries an update.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notification = (
  sessionId: SessionId,
  update: SessionUpdate,
  options?: Pick<SessionNotification, "_meta">
): SessionNotification => ({ ...options, sessionId, update })
