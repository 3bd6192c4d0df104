/**
 * What is sent: the same values, in the same order, on every side and in every run.
 */

/** The work that a prompt asks an agent for, and how much of it. */
export interface Order {
  readonly work: Work
  readonly count: number
}

export type Work = "messages" | "mixed" | "line" | "sequential" | "concurrent"

export const write = ({ count, work }: Order): string => `${work} ${count}`

export const read = (prompt: string): Order => {
  const [work, count] = prompt.split(" ")
  return { work: work as Work, count: Number(count) }
}

export const path = "/bench/src/main.ts"
export const cwd = "/bench"

const words = "the agent reads a file and then writes what it found – one step after another until all the tests of it pass and"
  .split(" ")

/** A small generator of numbers: the inputs look like text and never change. */
const makeRandom = (seed: number) => {
  let state = seed
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % bound
  }
}

const random = makeRandom(42)

const sentence = (length: number): string => Array.from({ length }, () => words[random(words.length)]).join(" ")

const messageChunk = () => ({
  sessionUpdate: "agent_message_chunk" as const,
  content: { type: "text" as const, text: `${sentence(3 + random(8))} ` }
})

const toolCall = (index: number) => ({
  sessionUpdate: "tool_call" as const,
  toolCallId: `call_${index}`,
  title: sentence(5),
  kind: "edit" as const,
  status: "pending" as const,
  locations: [{ path, line: 1 + random(500) }],
  rawInput: { path, limit: random(100), text: sentence(6) }
})

const toolCallUpdate = (index: number) => ({
  sessionUpdate: "tool_call_update" as const,
  toolCallId: `call_${index}`,
  status: "completed" as const,
  content: [
    { type: "content" as const, content: { type: "text" as const, text: sentence(12) } },
    { type: "diff" as const, path, oldText: sentence(10), newText: sentence(10) }
  ],
  rawOutput: { exitCode: 0, lines: random(100) }
})

const plan = () => ({
  sessionUpdate: "plan" as const,
  entries: (["completed", "completed", "in_progress", "pending", "pending"] as const).map((status) => ({
    content: sentence(6),
    priority: "medium" as const,
    status
  }))
})

const usage = (index: number) => ({
  sessionUpdate: "usage_update" as const,
  used: 1_000 + index,
  size: 200_000,
  cost: { amount: index / 1_000, currency: "USD" }
})

const variety = 1_024

const messageTable = Array.from({ length: variety }, messageChunk)
const mixedTable = Array.from({ length: variety }, (_, index) => [toolCall, toolCallUpdate, plan, usage][index % 4](index))

export type Update = typeof messageTable[number] | typeof mixedTable[number]

/** One update of each kind, and one that no schema knows. */
export const samples = {
  agent_message_chunk: messageTable[0],
  tool_call: toolCall(0),
  tool_call_update: toolCallUpdate(0),
  usage_update: usage(0),
  plan: plan(),
  unknown: { sessionUpdate: "_bench/progress", done: 3, of: 10 }
}

/** The updates of an order. They are made before anything is timed and used again and again. */
export const updates = ({ count, work }: Order): ReadonlyArray<Update> => {
  if (work === "line") return Array.from({ length: count }, makeLine)
  const table = work === "messages" ? messageTable : mixedTable
  return Array.from({ length: count }, (_, index) => table[index % variety])
}

export const lineBytes = 8 * 1_024 * 1_024

const makeLine = () => ({
  ...messageTable[0],
  content: { type: "text" as const, text: "All work and no play. ".repeat(lineBytes / 22) }
})

/** What the file holds that is read again and again: about 1 KiB. */
export const fileContent = Array.from({ length: 16 }, () => sentence(12)).join("\n")
