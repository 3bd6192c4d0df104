/**
 * The tool calls of a language model, as a client sees them: told before they run, and never left open.
 */
import * as Effect from "effect/Effect"
import type * as AcpError from "../AcpError.ts"
import type { Description } from "../Model.ts"
import * as SessionUpdate from "../schema/SessionUpdate.ts"
import * as ToolCall from "../schema/ToolCall.ts"
import type { Turn } from "../Turn.ts"

type Told = Effect.Effect<void, AcpError.NotifyError | AcpError.TurnOver>

export interface Calls {
  /** Tells of a call whose parameters are still to come. */
  readonly announce: (id: string, name: string) => Told
  /** Tells what a call is about, once its parameters are there. */
  readonly describe: (id: string, name: string, params: unknown) => Told
  readonly start: (id: string) => Told
  readonly progress: (id: string, result: unknown) => Told
  readonly end: (id: string, result: unknown, isFailure: boolean) => Told
  /** What a call is about, for whoever decides about it. */
  readonly described: (id: string) => ToolCall.ToolCallUpdate
  /** Fails what has not ended. */
  readonly failOpen: Effect.Effect<void>
}

interface Call extends Description {
  readonly rawInput?: unknown
  readonly described: boolean
}

export const make = (turn: Turn, describeCall: (name: string, params: unknown) => Description): Calls => {
  const open = new Map<string, Call>()

  const update = (toolCallId: string, fields: Omit<ToolCall.ToolCallUpdate, "toolCallId">) =>
    turn.update(SessionUpdate.toolCallUpdate({ ...fields, toolCallId }))

  const announce: Calls["announce"] = (toolCallId, name) =>
    Effect.suspend(() => {
      if (open.has(toolCallId)) return Effect.void
      open.set(toolCallId, { title: name, described: false })
      return turn.update(SessionUpdate.toolCall({ toolCallId, title: name, status: "pending" }))
    })

  const describe: Calls["describe"] = (toolCallId, name, params) =>
    Effect.suspend(() => {
      const known = open.get(toolCallId)
      if (known?.described === true) return Effect.void
      const fields = { title: name, rawInput: params, ...describeCall(name, params) }
      open.set(toolCallId, { ...fields, described: true })
      return known === undefined
        ? turn.update(SessionUpdate.toolCall({ ...fields, toolCallId, status: "pending" }))
        : update(toolCallId, fields)
    })

  const end: Calls["end"] = (toolCallId, result, isFailure) =>
    Effect.suspend(() => {
      if (!open.delete(toolCallId)) return Effect.void
      return update(toolCallId, {
        status: isFailure ? "failed" : "completed",
        content: contentOf(result),
        rawOutput: result
      })
    })

  return {
    announce,
    describe,
    start: (id) => update(id, { status: "in_progress" }),
    progress: (id, result) => update(id, { content: contentOf(result) }),
    end,
    described: (toolCallId) => {
      const { described: _, ...fields } = open.get(toolCallId) ?? { described: false }
      return { ...fields, toolCallId }
    },
    failOpen: Effect.suspend(() => {
      const left = [...open.keys()]
      open.clear()
      return Effect.forEach(left, (id) => Effect.ignore(update(id, { status: "failed" })), { discard: true })
    })
  }
}

const contentOf = (result: unknown): ReadonlyArray<ToolCall.ToolCallContent> => {
  const text = typeof result === "string" ? result : JSON.stringify(result)
  return text === undefined || text === "" ? [] : [ToolCall.content(text)]
}
