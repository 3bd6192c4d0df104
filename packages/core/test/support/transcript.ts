/**
 * A conversation as an agent has told it.
 */
import * as Content from "@effect-acp/core/schema/Content"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import * as ToolCall from "@effect-acp/core/schema/ToolCall"

export const transcript: ReadonlyArray<SessionUpdate.SessionUpdate> = [
  SessionUpdate.userMessageChunk("Please rename "),
  SessionUpdate.userMessageChunk("the function."),
  SessionUpdate.availableCommands([{ name: "plan", description: "Make a plan" }]),
  SessionUpdate.currentMode("code"),
  SessionUpdate.agentThoughtChunk("Where is "),
  SessionUpdate.agentThoughtChunk("it used?"),
  SessionUpdate.plan([{ content: "Find it", priority: "high", status: "in_progress" }]),
  SessionUpdate.toolCallUpdate({ toolCallId: "search", status: "in_progress" }),
  SessionUpdate.toolCall({ toolCallId: "search", title: "Search for it", kind: "search" }),
  SessionUpdate.agentMessageChunk("I look ", { messageId: "m1" }),
  SessionUpdate.toolCallUpdate({
    toolCallId: "search",
    status: "completed",
    content: [ToolCall.content("3 places")],
    locations: [{ path: "/project/a.ts", line: 3 }]
  }),
  SessionUpdate.agentMessageChunk("around.", { messageId: "m1" }),
  SessionUpdate.toolCall({
    toolCallId: "edit",
    title: "Edit a.ts",
    kind: "edit",
    status: "pending",
    rawInput: { to: "b" }
  }),
  SessionUpdate.toolCallUpdate({
    toolCallId: "edit",
    status: "completed",
    content: [ToolCall.diff({ path: "/project/a.ts", oldText: "a", newText: "b" })]
  }),
  SessionUpdate.compaction({ compactionId: "c1", status: "in_progress" }),
  SessionUpdate.compactionSummaryChunk({ compactionId: "c1", content: Content.text("Renamed ") }),
  SessionUpdate.compactionSummaryChunk({ compactionId: "c1", content: Content.text("a to b") }),
  SessionUpdate.compaction({ compactionId: "c1", status: "completed" }),
  SessionUpdate.plan([{ content: "Find it", priority: "high", status: "completed" }]),
  SessionUpdate.usage({ used: 100, size: 1_000, cost: { amount: 0.1, currency: "USD" } }),
  SessionUpdate.usage({ used: 200, size: 1_000 }),
  SessionUpdate.sessionInfo({ title: "Rename", updatedAt: "2026-01-01T00:00:00Z" }),
  SessionUpdate.sessionInfo({ title: "Rename a to b" }),
  SessionUpdate.notice({ severity: "warning", title: "Quota is low" }),
  SessionUpdate.agentMessageChunk("Done "),
  SessionUpdate.agentMessageChunk("it.")
]
