/**
 * Shows what an agent tells in a turn.
 */
import * as Content from "@effect-acp/core/schema/Content"
import type { PlanEntry, PlanEntryStatus } from "@effect-acp/core/schema/Plan"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import * as ToolCall from "@effect-acp/core/schema/ToolCall"
import * as Effect from "effect/Effect"
import { Display, type Line, type Style } from "./Display.ts"

export interface TurnView {
  readonly update: (update: SessionUpdate.SessionUpdate) => Effect.Effect<void>
  /** Says what was not shown of a long message. */
  readonly end: Effect.Effect<void>
}

/** Begins to show a turn; of its message, the first lines. */
export const make = (options: { readonly messageLines: number }): Effect.Effect<TurnView, never, Display> =>
  Effect.map(Display, (display) => {
    const toolCalls = new Map<string, ToolCall.ToolCallUpdate>()
    let shownLines = 0
    let hiddenLines = 0

    const say = (text: string, style: Style) => {
      const lines = text.split(/(?<=\n)/u)
      const shown = lines.slice(0, Math.max(0, options.messageLines - shownLines)).join("")
      shownLines += lines.filter((line) => line.endsWith("\n")).length
      hiddenLines = Math.max(0, shownLines - options.messageLines)
      return display.text(shown, style)
    }

    const showToolCall = (changed: ToolCall.ToolCallUpdate) => {
      const known = toolCalls.get(changed.toolCallId)
      const toolCall = { ...known, ...changed }
      toolCalls.set(changed.toolCallId, toolCall)
      const isNews = known === undefined || known.status !== toolCall.status || known.title !== toolCall.title
      return isNews ? display.block(toolCallBlock(toolCall)) : Effect.void
    }

    return {
      update: SessionUpdate.matchOrElse({
        agent_message_chunk: ({ content }) => say(plainText(content), "plain"),
        agent_thought_chunk: ({ content }) => say(plainText(content), "dim"),
        plan: ({ entries }) => display.block(planBlock(entries)),
        tool_call: (update) => showToolCall(withStatus(update)),
        tool_call_update: showToolCall
      }, () => Effect.void),
      end: Effect.suspend(() =>
        hiddenLines === 0 ? Effect.void : display.line(["dim", `... and ${hiddenLines} more lines`])
      )
    }
  })

const plainText = Content.match({
  text: ({ text }) => text,
  image: () => "[image]",
  audio: () => "[audio]",
  resource_link: ({ uri }) => uri,
  resource: ({ resource }) => resource.uri,
  unknown: ({ raw }) => `[${String(raw["type"])}]`
})

// =============================================================================
// Plans
// =============================================================================

const planMarks: Record<string, readonly [Style, string]> = {
  pending: ["dim", "[ ]"],
  in_progress: ["yellow", "[~]"],
  completed: ["green", "[x]"]
} satisfies Record<Extract<PlanEntryStatus, string>, unknown>

const planBlock = (entries: ReadonlyArray<PlanEntry>) => ({
  key: "plan",
  lines: entries.map(({ content, status }): Line => [planMarks[status] ?? planMarks.pending, ` ${content}`]),
  plain: `plan: ${entries.map(({ content, status }) => `${(planMarks[status] ?? planMarks.pending)[1]} ${content}`).join(", ")}`
})

// =============================================================================
// Tool calls
// =============================================================================

const withStatus = ({ sessionUpdate: _, ...toolCall }: SessionUpdate.Kind<"tool_call">): ToolCall.ToolCallUpdate => ({
  ...toolCall,
  status: toolCall.status ?? "pending"
})

const statusStyles: Record<string, Style> = { pending: "dim", in_progress: "yellow", completed: "green", failed: "red" }

const toolCallBlock = (toolCall: ToolCall.ToolCallUpdate) => {
  const status = String(toolCall.status ?? "pending")
  const title = toolCall.title ?? toolCall.toolCallId
  const produced = status === "completed" || status === "failed" ? (toolCall.content ?? []).map(describe) : []
  return {
    key: `tool call ${toolCall.toolCallId}`,
    lines: [
      ["tool ", ["bold", title], " ", [statusStyles[status] ?? "plain", status], ["dim", produced.map((_) => `, ${_}`).join("")]]
    ] satisfies ReadonlyArray<Line>,
    plain: `tool ${title}: ${[status, ...produced].join(", ")}`
  }
}

const describe = ToolCall.match({
  content: ({ content }) => content.type === "text" ? `${countLines(content.text)} lines of text` : content.type,
  diff: ({ newText, oldText, path }) =>
    `${path}: ${oldText === undefined || oldText === null ? "new" : `${countLines(oldText)} lines before`}, ${
      countLines(newText)
    } lines now`,
  terminal: () => "terminal",
  unknown: ({ raw }) => String(raw["type"])
})

const countLines = (text: string) => text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length
