/**
 * The cases of acpx: every one passes on a good agent, and fails on one that has its fault.
 */
import * as Cases from "@effect-acp/tck/acpx/Cases"
import * as Profile from "@effect-acp/tck/acpx/Profile"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { Agent, Fault, Json } from "./fixtures/agent.ts"
import { exampleAgent } from "./interop.ts"
import { idsIn, runCommand, runInProcess, settings } from "./support.ts"

const paramsOf = (request: Json): Json => (request["params"] ?? {}) as Json

const saying = (words: string) => (request: Json): boolean =>
  request["method"] === "session/prompt" && JSON.stringify(paramsOf(request)["prompt"]).includes(words)

/** Refuses the requests that `when` picks. */
const refusing = (when: (request: Json) => boolean, code = -32603): Fault => ({
  handle: (request, agent) => {
    if (request["id"] === undefined || !when(request)) return false
    agent.refuse(request["id"], code, "No")
    return true
  }
})

/** Succeeds where an error is due. */
const accepting = (when: (request: Json) => boolean, result: Json): Fault => ({
  handle: (request, agent) => {
    if (!when(request)) return false
    agent.answer(request["id"], result)
    return true
  }
})

const endsSilently = (request: Json, agent: Agent): boolean => {
  if (request["method"] !== "session/prompt") return false
  agent.answer(request["id"], { stopReason: "end_turn" })
  return true
}

const unknownSession = (request: Json): boolean =>
  request["method"] === "session/prompt" && !String(paramsOf(request)["sessionId"]).startsWith("session-")

const created = (cwd: unknown) => (request: Json): boolean =>
  request["method"] === "session/new" && paramsOf(request)["cwd"] === cwd

const stopReason = { stopReason: "end_turn" }

/** Takes a refusal for a permission. */
const overruling: Fault = {
  line: (line, agent) => {
    if (!line.includes("\"reject\"")) return false
    agent.line(line.replace("\"reject\"", "\"allow\""))
    return true
  }
}

/** For each case an agent that fails it. */
const faults: Readonly<Record<string, Fault>> = {
  "001": { result: { initialize: (result) => ({ ...result, protocolVersion: "1" }) } },
  "002": { result: { "session/new": () => ({ sessionId: "" }) } },
  "003": { handle: endsSilently },
  "004": { result: { "session/prompt": () => ({ stopReason: "stuck" }) } },
  "005": { handle: (request) => request["method"] === "session/cancel" },
  "006": refusing(created(42), -32603),
  "007": overruling,
  "008": accepting(unknownSession, stopReason),
  "009": (() => {
    const confused = new WeakSet<Agent>()
    return {
      handle: (request: Json, agent: Agent) => {
        if (request["method"] === "session/cancel") confused.add(agent)
        return request["method"] === "session/prompt" && confused.has(agent)
      }
    }
  })(),
  "010": refusing(saying("echo two")),
  "011": accepting(unknownSession, stopReason),
  "012": overruling,
  "013": refusing((request) => saying("\"echo\"")(request)),
  "014": refusing(saying("xyzzy")),
  "015": accepting(created(null), { sessionId: "session-1" }),
  "016": refusing(saying("resource_link")),
  "017": {
    handle: (request, agent) => {
      if (!saying("read README.md")(request)) return false
      agent.update(paramsOf(request)["sessionId"], {
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: "acpx, I suppose" }
      })
      return endsSilently(request, agent)
    }
  },
  "018": refusing(saying("write /tmp")),
  "019": refusing(saying("background")),
  "020": refusing(saying("after the cancel")),
  "021": {
    write: (message, write) => {
      if (!JSON.stringify(message).includes("tool_call_update")) write(message)
    }
  }
}

describe("the cases of acpx", () => {
  it("are 21, of which 14 are for every agent", () => {
    assert.strictEqual(Cases.all.length, 21)
    assert.strictEqual(Cases.core.length, 14)
  })

  it.live("all pass on an agent that knows the commands of the mock", () =>
    Effect.gen(function*() {
      const report = yield* runInProcess({}, Profile.all)
      assert.deepStrictEqual(report.results.filter(({ state }) => state !== "PASS"), [])
    }))

  it.live("pass on the example agent, except for the command that it does not have", () =>
    Effect.gen(function*() {
      const report = yield* runCommand(exampleAgent.slice(1), {
        settings: settings({ busyPrompt: "slow 200", timeout: Duration.seconds(20), closeGrace: Duration.seconds(2) }),
        requirements: Profile.all,
        jobs: 4
      })
      assert.deepStrictEqual(idsIn(report, "FAIL"), [])
      assert.deepStrictEqual(idsIn(report, "SKIPPED"), ["ACPX-021"])
      assert.strictEqual(idsIn(report, "PASS").length, 20)
    }), 120_000)
})

describe.concurrent("an agent with a fault", () => {
  for (const { id, title } of Cases.all) {
    it.live(`fails ${id} ${title}`, () =>
      Effect.gen(function*() {
        const report = yield* runInProcess(faults[id], Profile.all.filter((row) => row.id === `ACPX-${id}`))
        assert.deepStrictEqual(idsIn(report, "FAIL"), [`ACPX-${id}`])
      }))
  }
})
