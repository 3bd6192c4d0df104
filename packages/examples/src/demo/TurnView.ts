/**
 * Shows what an agent tells in a turn.
 */
import * as Content from "@effect-acp/core/schema/Content"
import type { PlanEntry } from "@effect-acp/core/schema/Plan"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import * as ToolCall from "@effect-acp/core/schema/ToolCall"
import { Terminals } from "@effect-acp/host/Terminals"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Display, type Line, type Style } from "./Display.ts"

export interface TurnView {
  readonly update: (update: SessionUpdate.SessionUpdate) => Effect.Effect<void>
  /** Says what was not shown of a long message. */
  readonly end: Effect.Effect<void>
}

/** Begins to show a turn; of its message, the first lines. */
export const make = Effect.fnUntraced(function*(options: { readonly messageLines: number }) {
  const display = yield* Display
  const message = makeMessage(display, options.messageLines)
  const showToolCall = yield* makeToolCalls(display)
  const view: TurnView = {
    update: SessionUpdate.matchOrElse({
      agent_message_chunk: ({ content }) => message.say(plainText(content), "plain"),
      agent_thought_chunk: ({ content }) => message.say(plainText(content), "dim"),
      plan: ({ entries }) => display.block(planBlock(entries)),
      tool_call: (update) => showToolCall({ ...update, status: update.status ?? "pending" }),
      tool_call_update: showToolCall
    }, () => Effect.void),
    end: message.end
  }
  return view
})

// =============================================================================
// Messages
// =============================================================================

const makeMessage = (display: Display["Service"], mostLines: number) => {
  let lines = 0
  return {
    say: (text: string, style: Style) => {
      const pieces = text.split(/(?<=\n)/u)
      const shown = pieces.slice(0, Math.max(0, mostLines - lines)).join("")
      lines += pieces.filter((line) => line.endsWith("\n")).length
      return display.text(shown, style)
    },
    end: Effect.suspend(() =>
      lines > mostLines ? display.line(["dim", `... and ${lines - mostLines} more lines`]) : Effect.void
    )
  }
}

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
}

const planBlock = (entries: ReadonlyArray<PlanEntry>) => ({
  key: "plan",
  lines: entries.map(({ content, status }): Line => [planMarks[status] ?? planMarks.pending, ` ${content}`]),
  plain: `plan: ${
    entries.map(({ content, status }) => `${(planMarks[status] ?? planMarks.pending)[1]} ${content}`).join(", ")
  }`
})

// =============================================================================
// Tool calls
// =============================================================================

const makeToolCalls = Effect.fnUntraced(function*(display: Display["Service"]) {
  const terminals = yield* Terminals
  const scope = yield* Effect.scope
  const known = new Map<string, ToolCall.ToolCallUpdate>()
  const shown = new Map<string, Fiber.Fiber<void>>()

  const showOutput = Effect.fnUntraced(function*(terminalId: string) {
    const terminal = yield* terminals.get(terminalId)
    if (Option.isNone(terminal)) return
    yield* Stream.runForEach(Stream.splitLines(terminal.value.output), (line) => display.line(["dim", "| "], line))
  })

  /** Begins to show the terminals of a tool call, and waits a little for them when it is over. */
  const showTerminals = Effect.fnUntraced(function*({ content, status }: ToolCall.ToolCallUpdate) {
    for (const item of content ?? []) {
      if (item.type !== "terminal") continue
      const { terminalId } = item
      if (!shown.has(terminalId)) shown.set(terminalId, yield* Effect.forkIn(showOutput(terminalId), scope))
      if (isOver(status)) yield* Effect.timeoutOption(Fiber.await(shown.get(terminalId)!), "1 second")
    }
  })

  return Effect.fnUntraced(function*(changed: ToolCall.ToolCallUpdate) {
    const before = known.get(changed.toolCallId)
    const toolCall = { ...before, ...changed }
    known.set(changed.toolCallId, toolCall)
    yield* showTerminals(toolCall)
    if (before?.status !== toolCall.status || before?.title !== toolCall.title) {
      yield* display.block(toolCallBlock(toolCall))
    }
  })
})

const isOver = (status: ToolCall.ToolCallUpdate["status"]) => status === "completed" || status === "failed"

const statusStyles: Record<string, Style> = { pending: "dim", in_progress: "yellow", completed: "green", failed: "red" }

const toolCallBlock = (toolCall: ToolCall.ToolCallUpdate) => {
  const status = String(toolCall.status ?? "pending")
  const title = toolCall.title ?? toolCall.toolCallId
  const produced = isOver(status) ? (toolCall.content ?? []).map(describe) : []
  return {
    key: `tool call ${toolCall.toolCallId}`,
    lines: [
      ["tool ", ["bold", title], " ", [statusStyles[status] ?? "plain", status], [
        "dim",
        produced.map((_) => `, ${_}`).join("")
      ]]
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
