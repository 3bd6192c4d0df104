/**
 * The fold behind `SessionState`: a copy of a state that events change in place, so that a batch of them copies once.
 */
import type { CompactionUpdate } from "../schema/Compaction.ts"
import type { ContentBlock } from "../schema/Content.ts"
import type { ContentChunk } from "../schema/Message.ts"
import * as Patch from "../schema/Patch.ts"
import type { SessionUpdate } from "../schema/SessionUpdate.ts"
import type { ToolCallUpdate } from "../schema/ToolCall.ts"
import type { Compaction, Entry, Event, Message, SessionState, ToolCall } from "../SessionState.ts"

const noticeLimit = 100

/** Where the tool calls of a timeline are. A timeline only grows, so the one that it grows into goes on with the same. */
const knownPositions = new WeakMap<ReadonlyArray<Entry>, Map<string, number>>()

const positionsOf = (timeline: ReadonlyArray<Entry>): Map<string, number> => {
  const known = knownPositions.get(timeline)
  if (known !== undefined) return known
  const positions = new Map<string, number>()
  for (const [index, entry] of timeline.entries()) {
    if (entry._tag === "ToolCall") positions.set(entry.toolCallId, index)
  }
  return positions
}

export class Draft {
  private readonly before: SessionState
  private next: { -readonly [K in keyof SessionState]: SessionState[K] } | undefined
  private timeline: Array<Entry> | undefined
  private readonly positions: Map<string, number>

  constructor(state: SessionState) {
    this.before = state
    this.positions = positionsOf(state.timeline)
  }

  finish(): SessionState {
    if (this.timeline !== undefined) knownPositions.set(this.timeline, this.positions)
    return this.next ?? this.before
  }

  apply(event: Event): void {
    switch (event._tag) {
      case "Update":
        return this.update(event.update)
      case "SetUp":
        return this.setUp(event.setup)
      case "TurnStarted": {
        this.push({ _tag: "Message", role: "user", messageId: undefined, content: event.prompt })
        return this.set({ activity: "running", prompted: this.entries.length - 1 })
      }
      case "TurnCancelled":
        this.endOpenCalls("cancelled")
        return this.set({ activity: "cancelling" })
      case "TurnEnded": {
        const { stopReason = "failed" } = event
        this.endOpenCalls(stopReason === "cancelled" ? "cancelled" : "unfinished")
        return this.set({ activity: "idle", lastStop: stopReason, prompted: undefined })
      }
      case "PermissionAsked":
        return this.fill(event.toolCall)
      case "Forgotten":
        this.timeline = []
        return this.set({ timeline: this.timeline, prompted: undefined })
    }
  }

  private get state(): SessionState {
    return this.next ?? this.before
  }

  private get entries(): ReadonlyArray<Entry> {
    return this.state.timeline
  }

  private set(changes: Partial<SessionState>): void {
    this.next = Object.assign(this.next ?? { ...this.before }, changes)
  }

  private owned(): Array<Entry> {
    if (this.timeline === undefined) {
      this.timeline = [...this.before.timeline]
      this.set({ timeline: this.timeline })
    }
    return this.timeline
  }

  private push(entry: Entry): void {
    const index = this.owned().push(entry) - 1
    if (entry._tag === "ToolCall") this.positions.set(entry.toolCallId, index)
  }

  private replace(index: number, entry: Entry): void {
    this.owned()[index] = entry
  }

  private update(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        return this.userChunk(update)
      case "agent_message_chunk":
        return this.chunk("agent", update)
      case "agent_thought_chunk":
        return this.chunk("thought", update)
      case "tool_call":
      case "tool_call_update":
        return this.toolCall(update)
      case "plan":
        return this.set({ plan: update.entries })
      case "available_commands_update":
        return this.set({ commands: update.availableCommands })
      case "current_mode_update": {
        const { currentModeId } = update
        return this.set({ modes: { availableModes: [], ...this.state.modes, currentModeId } })
      }
      case "config_option_update":
        return this.set({ configOptions: update.configOptions })
      case "session_info_update":
        return this.set({
          title: Patch.apply(this.state.title, update.title),
          updatedAt: Patch.apply(this.state.updatedAt, update.updatedAt)
        })
      case "usage_update": {
        const { cost, size, used } = update
        return this.set({ usage: { size, used, cost: Patch.apply(this.state.usage?.cost, cost) } })
      }
      case "notice": {
        const { sessionUpdate: _, ...notice } = update
        return this.set({ notices: [...this.state.notices, notice].slice(-noticeLimit) })
      }
      case "compaction_update":
        return this.compaction(update)
      case "compaction_summary_chunk":
        return this.summaryChunk(update.compactionId, update.content)
      case "unknown":
        return
    }
  }

  private setUp({ configOptions, modes }: Extract<Event, { _tag: "SetUp" }>["setup"]): void {
    if (this.state.activity === "idle") this.endOpenCalls("unfinished")
    if (modes !== undefined && modes !== null) this.set({ modes })
    if (configOptions !== undefined && configOptions !== null) this.set({ configOptions })
  }

  // ---------------------------------------------------------------------------
  // Messages
  // ---------------------------------------------------------------------------

  /** The agent's echo of a prompt takes the place of the prompt: it is not said twice. */
  private userChunk(chunk: ContentChunk): void {
    const { prompted } = this.state
    if (prompted === undefined || prompted !== this.entries.length - 1) return this.chunk("user", chunk)
    this.replace(prompted, message("user", chunk))
    this.set({ prompted: undefined })
  }

  private chunk(role: Message["role"], chunk: ContentChunk): void {
    const index = this.messageIndex(role, chunk.messageId ?? undefined)
    const known = this.entries[index]
    if (known?._tag !== "Message") return this.push(message(role, chunk))
    this.replace(index, { ...known, content: append(known.content, chunk.content) })
  }

  private messageIndex(role: Message["role"], messageId: string | undefined): number {
    const belongs = (entry: Entry | undefined) =>
      entry?._tag === "Message" && entry.role === role && entry.messageId === messageId
    const last = this.entries.length - 1
    if (belongs(this.entries[last])) return last
    return messageId === undefined ? -1 : this.entries.findLastIndex(belongs)
  }

  // ---------------------------------------------------------------------------
  // Tool calls
  // ---------------------------------------------------------------------------

  /** A position may be that of another state, which went on differently from the same one: then, and only then, look. */
  private callIndex(toolCallId: string): number {
    const index = this.positions.get(toolCallId)
    if (index === undefined) return -1
    const isCall = (entry: Entry | undefined) => entry?._tag === "ToolCall" && entry.toolCallId === toolCallId
    return isCall(this.entries[index]) ? index : this.entries.findLastIndex(isCall)
  }

  private toolCall(update: ToolCallUpdate): void {
    const index = this.callIndex(update.toolCallId)
    const known = this.entries[index]
    if (known?._tag !== "ToolCall") return this.push(merge(untold(update.toolCallId), update))
    this.replace(index, merge(known, update))
  }

  /** A permission request may be read long after it was sent: it never takes back what was told since. */
  private fill(asked: ToolCallUpdate): void {
    const index = this.callIndex(asked.toolCallId)
    const known = this.entries[index]
    if (known?._tag !== "ToolCall") return this.push(merge(untold(asked.toolCallId), asked))
    this.replace(index, merge(merge(untold(asked.toolCallId), asked), told(known)))
  }

  private endOpenCalls(status: "cancelled" | "unfinished"): void {
    for (const [index, entry] of this.entries.entries()) {
      if (entry._tag !== "ToolCall" || (entry.status !== "pending" && entry.status !== "in_progress")) continue
      this.replace(index, { ...entry, status })
    }
  }

  // ---------------------------------------------------------------------------
  // Compactions
  // ---------------------------------------------------------------------------

  private changeCompaction(compactionId: string, change: (known: Compaction) => Compaction): void {
    const index = this.entries.findLastIndex((entry) =>
      entry._tag === "Compaction" && entry.compactionId === compactionId
    )
    const known = this.entries[index]
    if (known?._tag === "Compaction") return this.replace(index, change(known))
    this.push(
      change({ _tag: "Compaction", compactionId, status: "in_progress", summary: [], error: undefined })
    )
  }

  private compaction({ compactionId, error, status, summary }: CompactionUpdate): void {
    this.changeCompaction(compactionId, (known) => ({
      ...known,
      status,
      summary: Patch.apply<ReadonlyArray<ContentBlock>>(known.summary, summary) ?? [],
      error: Patch.apply(known.error, error)
    }))
  }

  private summaryChunk(compactionId: string, content: ContentBlock): void {
    this.changeCompaction(compactionId, (known) => ({ ...known, summary: append(known.summary, content) }))
  }
}

const message = (role: Message["role"], { content, messageId }: ContentChunk): Message => ({
  _tag: "Message",
  role,
  messageId: messageId ?? undefined,
  content: [content]
})

/** Plain text goes on with the text before it. */
const append = (blocks: ReadonlyArray<ContentBlock>, block: ContentBlock): ReadonlyArray<ContentBlock> => {
  const last = blocks[blocks.length - 1]
  if (last === undefined || !isPlainText(last) || !isPlainText(block)) return [...blocks, block]
  const joined = { ...last, text: last.text + block.text }
  return blocks.length === 1 ? [joined] : [...blocks.slice(0, -1), joined]
}

const isPlainText = (block: ContentBlock): block is Extract<ContentBlock, { type: "text" }> =>
  block.type === "text" && !block.annotations && !block._meta

const untold = (toolCallId: string): ToolCall => ({
  _tag: "ToolCall",
  toolCallId,
  title: toolCallId,
  name: undefined,
  kind: "other",
  status: "pending",
  content: [],
  locations: [],
  rawInput: undefined,
  rawOutput: undefined
})

/** Absent and null keep what is known; lists replace it. */
const merge = (known: ToolCall, update: ToolCallUpdate): ToolCall => {
  const name = update.name ?? known.name
  return {
    ...known,
    name,
    title: update.title ?? (isUntitled(known) ? name ?? known.toolCallId : known.title),
    kind: update.kind ?? known.kind,
    status: update.status ?? known.status,
    content: update.content ?? known.content,
    locations: update.locations ?? known.locations,
    rawInput: update.rawInput ?? known.rawInput,
    rawOutput: update.rawOutput ?? known.rawOutput
  }
}

const isUntitled = ({ name, title, toolCallId }: ToolCall): boolean => title === (name ?? toolCallId)

/** What was told of a tool call, without what only stands in for it. */
export const told = (call: ToolCall): ToolCallUpdate => ({
  toolCallId: call.toolCallId,
  status: call.status,
  ...(isUntitled(call) ? {} : { title: call.title }),
  ...(call.name === undefined ? {} : { name: call.name }),
  ...(call.kind === "other" ? {} : { kind: call.kind }),
  ...(call.content.length === 0 ? {} : { content: call.content }),
  ...(call.locations.length === 0 ? {} : { locations: call.locations }),
  ...(call.rawInput === undefined ? {} : { rawInput: call.rawInput }),
  ...(call.rawOutput === undefined ? {} : { rawOutput: call.rawOutput })
})

/** The tool call that a person is asked about: what the request says, completed by what was told before. */
export const asAsked = (known: ToolCall | undefined, asked: ToolCallUpdate): ToolCallUpdate => {
  const { _tag, ...call } = merge(known ?? untold(asked.toolCallId), asked)
  return {
    ...told({ _tag, ...call }),
    ...(asked._meta === undefined ? {} : { _meta: asked._meta }),
    title: call.title,
    kind: call.kind
  }
}
