/**
 * What is sent: the same values, in the same order, on every side and in every run.
 */

/** What a prompt asks an agent for: updates of some kind, or files to read, so many of them at a time. */
export interface Order {
  readonly work: "messages" | "mixed" | "line" | "calls"
  readonly count: number
  readonly width?: number | undefined
}

export const write = ({ count, width = 1, work }: Order): string => `${work} ${count} ${width}`

export const read = (prompt: string) => {
  const [work, count, width] = prompt.split(" ")
  return { work: work as Order["work"], count: Number(count), width: Number(width) }
}

/** How many updates a turn that fulfils the order has. */
export const updatesOf = ({ count, work }: Order): number => work === "calls" ? 0 : count

export const path = "/bench/src/main.ts"
export const cwd = "/bench"

const words =
  "the agent reads a file and then writes what it found – one step after another until all the tests of it pass and"
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

/** Each tool call is reported, then completed, so that there are as many of them as there are plans. */
const mixed = (index: number) => {
  const call = index - index % 4
  return [toolCall, toolCallUpdate, plan, usage][index % 4](call)
}

const variety = 1_024

const messageTable = Array.from({ length: variety }, messageChunk)

export type Update = ReturnType<typeof messageChunk | typeof mixed>

/** One update of each kind, and one that no schema knows. */
export const samples = {
  agent_message_chunk: messageTable[0],
  tool_call: toolCall(0),
  tool_call_update: toolCallUpdate(0),
  usage_update: usage(0),
  plan: plan(),
  unknown: { sessionUpdate: "_bench/progress", done: 3, of: 10 }
}

const made = new Map<string, ReadonlyArray<Update>>()

/** The updates of an order: made once, when they are first asked for, which is before anything is timed. */
export const updates = (order: Order): ReadonlyArray<Update> => {
  const key = write(order)
  const known = made.get(key) ?? make(order)
  made.set(key, known)
  return known
}

const make = ({ count, work }: Order): ReadonlyArray<Update> =>
  Array.from({ length: count }, (_, index) => {
    if (work === "mixed") return mixed(index)
    return work === "line" ? makeLine() : messageTable[index % variety]
  })

export const lineBytes = 8 * 1_024 * 1_024

const makeLine = () => ({
  ...messageTable[0],
  content: { type: "text" as const, text: "All work and no play. ".repeat(lineBytes / 22) }
})

/** What the file holds that is read again and again: about 1 KiB. */
export const fileContent = Array.from({ length: 16 }, () => sentence(12)).join("\n")
