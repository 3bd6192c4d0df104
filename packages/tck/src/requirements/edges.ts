/**
 * Extensions, errors, the end, and what is only written down.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { at, preview } from "../Json.ts"
import type * as Peer from "../Peer.ts"
import * as Probe from "../Probe.ts"
import { Failed, type Requirement, Skipped } from "../Requirement.ts"

const isOneLine = (message: unknown): boolean =>
  typeof message === "string" && message.trim() !== "" && !/[\r\n]/u.test(message)

const judged: ReadonlyArray<Requirement> = [
  {
    id: "ACP-EXT-001",
    tier: "mandatory",
    title: "A request for an extension method is answered",
    check: Effect.fnUntraced(function*(probe) {
      const agent = yield* Probe.start(probe)
      const reply = yield* Probe.call(agent, "_tck/extension", { value: 1 })
      if (reply._tag === "Silence" || reply._tag === "Ended") return yield* Probe.unexpected(reply, "some answer")
    })
  },
  {
    id: "ACP-ERROR-001",
    tier: "advisory",
    title: "The message of an error is one line that is not empty",
    check: Effect.fnUntraced(function*(probe) {
      const agent = yield* Probe.start(probe)
      const replies = [
        yield* Probe.call(agent, "_tck/does_not_exist", {}),
        yield* Probe.call(agent, "session/new", { mcpServers: [] })
      ]
      const errors = replies.filter((reply) => reply._tag === "Error")
      if (errors.length === 0) return yield* new Skipped({ reason: "the agent answered with no error" })
      const wrong = errors.find(({ error }) => !isOneLine(at(error, "message")))
      if (wrong !== undefined) return yield* Probe.unexpected(wrong, "an error whose message is one line and not empty")
    })
  },
  {
    id: "ACP-SHUTDOWN-001",
    tier: "advisory",
    title: "The agent exits when its input ends",
    check: Effect.fnUntraced(function*(probe) {
      const { agent: { peer } } = yield* Probe.startSession(probe)
      yield* peer.closeInput
      const exit = yield* Effect.timeoutOption(peer.exit, probe.settings.closeGrace)
      if (Option.isSome(exit)) return `exited with ${exit.value.signal ?? `code ${exit.value.code}`}`
      return yield* new Failed({
        sent: "the end of stdin",
        received: "the agent still runs",
        expected: "that it exits"
      })
    })
  }
]

/** What came back between an entry and now, and whether the agent still answers. */
const record = Effect.fnUntraced(function*(agent: Probe.Agent, from: number) {
  yield* Probe.settle(agent)
  const lines = Probe.writtenBy(agent.peer, from).map(({ line }) => preview(line))
  const after: Peer.Reply = yield* Probe.askForSession(agent)
  const answers = after._tag === "Result" || after._tag === "Error"
  return `${lines.length === 0 ? "nothing came back" : lines.join(" ")}; ${
    answers ? "answers afterwards" : "is silent afterwards"
  }`
})

const recordLine = (id: string, title: string, line: string): Requirement => ({
  id,
  tier: "informational",
  title,
  check: Effect.fnUntraced(function*(probe) {
    const agent = yield* Probe.start(probe)
    const sent = yield* agent.peer.sendLine(line)
    return yield* record(agent, sent.index)
  })
})

const recorded: ReadonlyArray<Requirement> = [
  {
    id: "ACP-STDERR-001",
    tier: "informational",
    title: "How much the agent writes to stderr",
    check: Effect.fnUntraced(function*(probe) {
      const { agent: { peer } } = yield* Probe.wholeExchange(probe)
      const { bytes } = yield* peer.stderr
      return `${bytes} bytes`
    })
  },
  recordLine("ACP-INFO-PARSE-001", "What a line that is no JSON leads to", "{not valid json at all"),
  recordLine("ACP-INFO-INVALIDREQ-001", "What an object that is no message leads to", "{\"foo\":\"bar\"}"),
  {
    id: "ACP-INFO-UNKNOWNSESSION-001",
    tier: "informational",
    title: "What a prompt for an unknown session leads to",
    check: Effect.fnUntraced(function*(probe) {
      const agent = yield* Probe.start(probe)
      const reply = yield* Probe.call(agent, "session/prompt", {
        sessionId: "tck-no-such-session",
        prompt: [Probe.hello]
      })
      return Probe.received(reply)
    })
  }
]

export const edges: ReadonlyArray<Requirement> = [...judged, ...recorded]
