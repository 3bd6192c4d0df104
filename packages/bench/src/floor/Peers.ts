/**
 * The frames of the other sides, sent by nobody in particular.
 */
/* oxlint-disable no-await-in-loop -- one thing after the other is what is measured */
import * as Workload from "../Workload.ts"
import * as Wire from "./Wire.ts"

const sessionId = "session_1"

/** Answers what it is asked: a prompt by its work, and each result by the next call of the work. */
export const makeAgent = (target: Wire.Target) => {
  let calls = 0
  let waiting: (() => void) | undefined

  const call = (id: number) => ({
    jsonrpc: "2.0",
    id,
    method: "fs/read_text_file",
    params: { sessionId, path: Workload.path }
  })

  const update = (update: Workload.Update) => ({
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId, update }
  })

  const answers = (count: number) =>
    new Promise<void>((resolve) => {
      calls = count
      waiting = resolve
    })

  const perform = async (order: Workload.Order): Promise<void> => {
    if (order.work !== "calls") return Wire.send(target, Workload.updates(order).map(update))
    const { count, width = 1 } = order
    for (let first = 0; first < count; first += width) {
      const wave = Array.from({ length: Math.min(width, count - first) }, (_, index) => call(first + index))
      await Promise.all([answers(wave.length), Wire.send(target, wave)])
    }
  }

  return (message: any): void => {
    if (message.method !== undefined) {
      void perform(Workload.read(message.params.prompt[0].text)).then(() =>
        Wire.send(target, [{ jsonrpc: "2.0", id: message.id, result: { stopReason: "end_turn" } }])
      )
    } else if (--calls === 0) {
      waiting?.()
    }
  }
}

/** Sends prompts, answers calls, and gives every update to `onUpdate`. */
export const makeClient = (target: Wire.Target, onUpdate: (update: unknown) => void) => {
  let over: (() => void) | undefined
  return {
    onMessage: (message: any): void => {
      if (message.method === "session/update") {
        onUpdate(message.params.update)
      } else if (message.method !== undefined) {
        void Wire.send(target, [{ jsonrpc: "2.0", id: message.id, result: { content: Workload.fileContent } }])
      } else {
        over?.()
      }
    },
    prompt: async (order: Workload.Order): Promise<void> => {
      const end = new Promise<void>((resolve) => {
        over = resolve
      })
      const prompt = [{ type: "text", text: Workload.write(order) }]
      await Wire.send(target, [{ jsonrpc: "2.0", id: 0, method: "session/prompt", params: { sessionId, prompt } }])
      await end
    }
  }
}
