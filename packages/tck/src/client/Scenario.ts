/**
 * What the scripted agent does in its turn, by name.
 */
import { at, isObject, type JsonObject } from "../Json.ts"

/** What a script has in its hands. */
export interface Scripted {
  /** What the client advertised. */
  readonly capabilities: unknown
  readonly sessionId: string
  /** Settles when the client has cancelled the turn. */
  readonly cancelled: Promise<void>
  readonly say: (text: string) => void
  readonly update: (update: JsonObject) => void
  readonly notify: (method: string, params: JsonObject) => void
  /** Asks the client, and settles when the answer is there; a script does not wait for ever. */
  readonly request: (method: string, params: JsonObject, id?: string | number) => Promise<JsonObject | undefined>
  readonly line: (text: string) => void
  /** Tells the kit how far the script has come. */
  readonly mark: (event: Event) => void
  readonly exit: () => Promise<never>
}

/** What the kit is told. */
export type Event = "busy" | "turn ended"

/** A script: what is answered to `initialize`, and what happens in a turn. */
export interface Scenario {
  readonly protocolVersion?: number
  readonly turn: (agent: Scripted) => Promise<"end_turn" | "cancelled">
}

const option = (optionId: string, kind: string): JsonObject => ({ optionId, name: kind.replace("_", " "), kind })

const allKinds = [
  option("yes-7f3a", "allow_once"),
  option("always-91c0", "allow_always"),
  option("no-c27e", "reject_once"),
  option("never-04bd", "reject_always")
]

/** Ids that are easily mistaken for something else. */
export const awkwardIds = [0, "7", 7, "größe"] as const

const ask = (agent: Scripted, options = allKinds, id?: string | number) => {
  const toolCall = { toolCallId: "call-1", title: "Touch nothing", kind: "other", status: "pending" }
  return agent.request("session/request_permission", { sessionId: agent.sessionId, toolCall, options }, id)
}

/** Requests that need a capability, and where it is advertised. None of them does any harm. */
const gated = (
  sessionId: string
): ReadonlyArray<readonly [path: ReadonlyArray<string>, method: string, JsonObject]> => [
  [["fs", "readTextFile"], "fs/read_text_file", { sessionId, path: "/acp-tck/no-such-file" }],
  [["fs", "writeTextFile"], "fs/write_text_file", { sessionId, path: "/acp-tck/no-such-folder/file", content: "" }],
  [["terminal"], "terminal/create", { sessionId, command: "acp-tck-no-such-command", args: [] }],
  [["elicitation", "form"], "elicitation/create", {
    sessionId,
    mode: "form",
    message: "Anything?",
    requestedSchema: { type: "object", properties: {} }
  }]
]

const isAdvertised = (capabilities: unknown, path: ReadonlyArray<string>): boolean => {
  const value = at(capabilities, ...path)
  return value === true || isObject(value)
}

export const scenarios = {
  plain: {
    turn: async (agent) => {
      agent.say("Hello ")
      agent.say("there")
      return "end_turn"
    }
  },
  "another-version": {
    protocolVersion: 9999,
    turn: async () => "end_turn"
  },
  permission: {
    turn: async (agent) => {
      agent.say("May I?")
      await ask(agent)
      agent.say("Thank you")
      return "end_turn"
    }
  },
  "awkward-ids": {
    turn: async (agent) => {
      await Promise.all(awkwardIds.map((id) => ask(agent, allKinds, id)))
      return "end_turn"
    }
  },
  "rejections-only": {
    turn: async (agent) => {
      await ask(agent, [option("no-c27e", "reject_once"), option("never-04bd", "reject_always")])
      return "end_turn"
    }
  },
  "unknown-request": {
    turn: async (agent) => {
      await agent.request("_tck/does_not_exist", { value: 1 })
      await ask(agent)
      return "end_turn"
    }
  },
  "unknown-notification": {
    turn: async (agent) => {
      agent.notify("_tck/does_not_exist", { value: 1 })
      agent.update({ sessionUpdate: "_tck_unknown_update", value: 1 })
      await ask(agent)
      return "end_turn"
    }
  },
  gated: {
    turn: async (agent) => {
      const denied = gated(agent.sessionId).filter(([path]) => !isAdvertised(agent.capabilities, path))
      await Promise.all(denied.map(([, method, params]) => agent.request(method, params)))
      return "end_turn"
    }
  },
  "relative-path": {
    turn: async (agent) => {
      if (isAdvertised(agent.capabilities, ["fs", "readTextFile"])) {
        await agent.request("fs/read_text_file", { sessionId: agent.sessionId, path: "package.json" })
      }
      return "end_turn"
    }
  },
  noise: {
    turn: async (agent) => {
      agent.line("debug: thinking about it")
      agent.line("")
      agent.say("Hello")
      await ask(agent)
      return "end_turn"
    }
  },
  busy: {
    turn: async (agent) => {
      agent.say("This takes a while")
      agent.mark("busy")
      await agent.cancelled
      await ask(agent)
      return "cancelled"
    }
  },
  dies: {
    turn: (agent) => {
      agent.say("I do not feel well")
      return agent.exit()
    }
  }
} satisfies Readonly<Record<string, Scenario>>

/** The name of a scenario. */
export type Name = keyof typeof scenarios
