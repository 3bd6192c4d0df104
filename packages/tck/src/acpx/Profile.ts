/**
 * Cases of acpx as requirements, for the same runner.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { at, isObject, items, type JsonObject, preview } from "../Json.ts"
import type * as Peer from "../Peer.ts"
import * as Probe from "../Probe.ts"
import { Failed, NotTested, type Requirement, Skipped, table } from "../Requirement.ts"
import type { Case, Check, Step } from "./Case.ts"
import * as Cases from "./Cases.ts"

const isAllowing = (option: unknown): boolean => String(at(option, "kind")).startsWith("allow")

/** A client with files that are not on any disk, and with an opinion on permissions. */
const answering =
  (permission: Case["permission"], operations: Array<string>): Peer.Answerer => ({ method, params }) => {
    switch (method) {
      case "session/request_permission": {
        const option = items(at(params, "options")).find((_) => isAllowing(_) === (permission === "approve"))
        const outcome = option === undefined
          ? { outcome: "cancelled" }
          : { outcome: "selected", optionId: at(option, "optionId") }
        return { result: { outcome } }
      }
      case "fs/read_text_file":
        operations.push("read")
        return { result: { content: "# acpx\n\nA file of the conformance kit.\n" } }
      case "fs/write_text_file":
        operations.push("write")
        return { result: {} }
      default:
        return { error: { code: -32601, message: "Method not found" } }
    }
  }

const initializeParams: JsonObject = {
  ...Probe.initializeParams,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } }
}

/** The conversation of one case. */
class Conversation {
  readonly calls = new Map<string, Peer.Call>()
  readonly replies = new Map<string, Peer.Reply>()
  readonly agent: Probe.Agent
  readonly operations: ReadonlyArray<string>

  constructor(agent: Probe.Agent, operations: ReadonlyArray<string>) {
    this.agent = agent
    this.operations = operations
  }

  /** The session that the first `new_session` step created. */
  get sessionId(): unknown {
    const reply = this.replies.get("session")
    return reply?._tag === "Result" ? at(reply.result, "sessionId") : undefined
  }

  /** The updates, and their contents. */
  updates(from = 0): ReadonlyArray<unknown> {
    return Probe.updates(this.agent.peer, from).map(({ message }) => at(message, "params"))
  }

  get text(): string {
    return this.updates().map((params) => textsOf(at(params, "update")).join("")).join("")
  }
}

/** Every text in a value, however deep. */
const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (!isObject(value)) return []
  const own = typeof value["text"] === "string" ? [value["text"]] : []
  return [...own, ...Object.values(value).flatMap(textsOf)]
}

const take = Effect.fnUntraced(function*(conversation: Conversation, step: Step) {
  const { agent, calls, replies } = conversation
  const { probe: { settings }, peer } = agent
  switch (step.step) {
    case "new_session": {
      replies.set(step.save, yield* Probe.askForSession(agent, step.params))
      return
    }
    case "prompt":
    case "prompt_background": {
      const params = { sessionId: conversation.sessionId, ...step.params }
      const filled: JsonObject = JSON.parse(
        JSON.stringify(params).replaceAll("\"{busy}\"", JSON.stringify(settings.busyPrompt))
      )
      const call = yield* peer.begin("session/prompt", filled)
      if (step.step === "prompt") replies.set(step.save, yield* Probe.replyTo(agent, call))
      else calls.set(step.save, call)
      return
    }
    case "await_background": {
      replies.set(step.of, yield* Probe.replyTo(agent, calls.get(step.of)!))
      return
    }
    case "cancel": {
      yield* peer.notify("session/cancel", { sessionId: conversation.sessionId })
      return
    }
    case "sleep":
      return yield* Effect.sleep(step.millis)
  }
})

/** Says what was expected and not found. */
const missing = (conversation: Conversation, check: Check): string | undefined => {
  const replyOf = (name: string) => conversation.replies.get(name)
  switch (check.check) {
    case "version_is_number":
      return typeof conversation.agent.facts["protocolVersion"] === "number"
        ? undefined
        : "a protocolVersion that is a number"
    case "session_id": {
      const id = conversation.sessionId
      return typeof id === "string" && id !== "" ? undefined : "a session id"
    }
    case "error": {
      const reply = replyOf(check.of)
      const isExpected = reply?._tag === "Error" && (check.code === undefined || reply.code === check.code)
      return isExpected ? undefined : `an error${check.code === undefined ? "" : ` with code ${check.code}`}`
    }
    case "stop_reason": {
      const reply = replyOf(check.of)
      const reason = reply?._tag === "Result" ? at(reply.result, "stopReason") : undefined
      return check.in.some((known) => known === reason) ? undefined : `a stopReason of ${check.in.join(", ")}`
    }
    case "updates": {
      const after = check.after === undefined ? undefined : replyOf(check.after)
      const from = after?._tag === "Result" ? after.entry.index : 0
      const isEnough = conversation.updates(from).length >= check.atLeast
      return isEnough ? undefined : `at least ${check.atLeast} updates${after === undefined ? "" : " after the answer"}`
    }
    case "one_session": {
      const others = conversation.updates().filter((params) => at(params, "sessionId") !== conversation.sessionId)
      return others.length === 0 ? undefined : "updates of one session"
    }
    case "text":
      return conversation.text.toLowerCase().includes(check.contains) ? undefined : `the text "${check.contains}"`
    case "kinds": {
      const kinds = new Set(conversation.updates().map((params) => at(params, "update", "sessionUpdate")))
      return check.include.every((kind) => kinds.has(kind)) ? undefined : `updates of ${check.include.join(", ")}`
    }
    case "file":
      return conversation.operations.includes(check.operation)
        ? undefined
        : `a file ${check.operation} through the client`
  }
}

/** What the agent wrote last, for a finding. */
const lastWords = ({ agent, replies }: Conversation): string => {
  const reply = [...replies.values()].at(-1)
  const said = Probe.writtenBy(agent.peer).slice(-4).map(({ line }) => preview(line)).join(" ")
  return reply?._tag === "Silence" ? `no answer in time; before that ${said}` : said
}

const showsNoTool = (conversation: Conversation): boolean =>
  !conversation.updates().some((params) => at(params, "update", "sessionUpdate") === "tool_call")

const requirementOf = ({ checks, command, id, permission, steps, title }: Case): Requirement => ({
  id: `ACPX-${id}`,
  tier: command === undefined ? "mandatory" : "capability",
  title,
  check: Effect.fnUntraced(function*(probe) {
    const operations: Array<string> = []
    const peer = yield* probe.launchAs(answering(permission, operations))
    const call = yield* peer.begin("initialize", initializeParams)
    const reply = yield* peer.reply(call, probe.settings.startupTimeout)
    if (reply._tag !== "Result" || !isObject(reply.result)) return yield* Probe.unreached(reply)
    const conversation = new Conversation({ probe, peer, facts: reply.result }, operations)
    for (const step of steps) {
      yield* take(conversation, step)
      const blocked = conversation.replies.get("session")
      if (blocked !== undefined && Probe.isAuthRequired(blocked)) return yield* Probe.unreached(blocked)
      if (needsSession(step) && conversation.sessionId === undefined) {
        return yield* new NotTested({ reason: "no session was created", blockedByAuthentication: false })
      }
    }
    if (command === "late-tool" && showsNoTool(conversation)) {
      return yield* new Skipped({ reason: `the agent does not know the command ${command}` })
    }
    const expected = checks.map((check) => missing(conversation, check)).find((_) => _ !== undefined)
    if (expected === undefined) return
    const sent = steps.length === 0 ? "initialize" : steps.map((step) => preview(step)).join(", ")
    return yield* new Failed({ sent, received: lastWords(conversation), expected })
  })
})

const needsSession = (step: Step): boolean =>
  step.step === "cancel" || (step.step !== "new_session" && "params" in step && step.params["sessionId"] === undefined)

/**
 * The cases that any agent can be held to, as requirements.
 *
 * @category requirements
 * @since 0.1.0
 */
export const core: ReadonlyArray<Requirement> = table(Cases.core.map(requirementOf))

/**
 * All 21 cases, as requirements. Those that need a command of acpx's mock agent are of the tier `capability`.
 *
 * @category requirements
 * @since 0.1.0
 */
export const all: ReadonlyArray<Requirement> = table(Cases.all.map(requirementOf))
