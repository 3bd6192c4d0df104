/**
 * The scripted agent: a program that plays one scenario and keeps a record of every line.
 *
 * Arguments: the name of the scenario, and the file of the record.
 */
import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { at, isObject, type JsonObject } from "../Json.ts"
import { type Event, type Name, type Scenario, scenarios, type Scripted } from "./Scenario.ts"

const [name, file] = process.argv.slice(2)

const scenario: Scenario = scenarios[name as Name]

const record = (entry: JsonObject): void => appendFileSync(file, `${JSON.stringify(entry)}\n`)

const write = (line: string): void => {
  record({ direction: "sent", line })
  process.stdout.write(`${line}\n`)
}

const send = (message: JsonObject): void => write(JSON.stringify({ jsonrpc: "2.0", ...message }))

const pending = new Map<unknown, (message: JsonObject) => void>()
const capabilities: { client: unknown } = { client: undefined }
const cancels = new Map<unknown, () => void>()
const counters = { session: 0, request: 1000 }

/** How long a script waits for an answer before it goes on without one. */
const patience = 5000

const request: Scripted["request"] = (method, params, id = counters.request++) => {
  const answer = new Promise<JsonObject>((resolve) => pending.set(id, resolve))
  send({ id, method, params })
  return Promise.race([answer, setTimeout(patience, undefined, { ref: false })])
}

const scripted = (sessionId: string): Scripted => {
  const update = (update: JsonObject) => send({ method: "session/update", params: { sessionId, update } })
  return {
    capabilities: capabilities.client,
    sessionId,
    cancelled: new Promise((resolve) => cancels.set(sessionId, resolve)),
    say: (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
    update,
    notify: (method, params) => send({ method, params }),
    request,
    line: write,
    mark: (event: Event) => record({ event }),
    exit: () => process.exit(1)
  }
}

/** A client that does not wait for an answer shows it when the answer takes its time. */
const sendLater = (message: JsonObject): void => void setTimeout(30).then(() => send(message))

const answer = (id: unknown, method: unknown, params: unknown): void => {
  switch (method) {
    case "initialize":
      capabilities.client = at(params, "clientCapabilities")
      return sendLater({
        id,
        result: {
          protocolVersion: scenario.protocolVersion ?? 1,
          agentCapabilities: {},
          agentInfo: { name: "acp-tck-scripted", version: "0.1.0" },
          authMethods: []
        }
      })
    case "session/new":
      return sendLater({ id, result: { sessionId: `tck-session-${++counters.session}` } })
    case "session/prompt":
      void scenario.turn(scripted(String(at(params, "sessionId")))).then((stopReason) => {
        send({ id, result: { stopReason } })
        record({ event: "turn ended" satisfies Event })
      })
      return
    default:
      return send({ id, error: { code: -32601, message: "Method not found" } })
  }
}

const receive = (message: unknown): void => {
  if (!isObject(message)) return
  const { id, method, params } = message
  if (method === "session/cancel") return cancels.get(at(params, "sessionId"))?.()
  if (method !== undefined && id !== undefined) return answer(id, method, params)
  if (method === undefined) pending.get(id)?.(message)
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

// A terminal sends its signals to all that runs in it; this agent waits for the word of its client.
process.on("SIGINT", () => {})

record({ pid: process.pid })
createInterface({ input: process.stdin })
  .on("line", (line) => {
    record({ direction: "received", line })
    receive(parse(line))
  })
  .on("close", () => process.exit(0))
