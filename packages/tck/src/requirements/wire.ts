/**
 * Lines, envelopes and the shape of messages.
 */
import * as Effect from "effect/Effect"
import { at, isObject, preview } from "../Json.ts"
import * as OfficialSchema from "../OfficialSchema.ts"
import type * as Peer from "../Peer.ts"
import * as Probe from "../Probe.ts"
import { Failed, type Requirement, Skipped } from "../Requirement.ts"
import { type Entry, kindOf, notUtf8 } from "../Transcript.ts"

const basicSteps = "initialize, session/new and one prompt"

/** Fails with the first line of which `wrong` says something. */
const everyLine = (peer: Peer.Peer, expected: string, wrong: (entry: Entry) => string | undefined) => {
  for (const entry of Probe.writtenBy(peer)) {
    const problem = wrong(entry)
    if (problem !== undefined) {
      return Effect.fail(new Failed({ sent: basicSteps, received: `${preview(entry.line)} (${problem})`, expected }))
    }
  }
  return Effect.void
}

const transport: ReadonlyArray<Requirement> = [
  {
    id: "ACP-TRANSPORT-001",
    tier: "mandatory",
    title: "Every line on stdout is one JSON-RPC 2.0 object",
    check: Effect.fnUntraced(function*(probe) {
      const { agent } = yield* Probe.wholeExchange(probe)
      yield* everyLine(agent.peer, "one JSON object with jsonrpc \"2.0\" on every line", ({ message, problem }) => {
        if (message === undefined) return problem
        return message["jsonrpc"] === "2.0" ? undefined : "jsonrpc is not \"2.0\""
      })
    })
  },
  {
    id: "ACP-TRANSPORT-002",
    tier: "mandatory",
    title: "Stdout is valid UTF-8",
    check: Effect.fnUntraced(function*(probe) {
      const { agent } = yield* Probe.wholeExchange(probe)
      yield* everyLine(agent.peer, "valid UTF-8", ({ problem }) => problem === notUtf8 ? problem : undefined)
    })
  }
]

/** The answer to a request must have exactly one outcome, and an error a code and a message. */
const checkOutcome = (reply: Peer.Reply): Effect.Effect<void, Failed> => {
  if (reply._tag === "Silence" || reply._tag === "Ended") return Effect.fail(Probe.unexpected(reply, "an answer"))
  const { message } = reply.entry
  if (Object.hasOwn(message!, "result") && Object.hasOwn(message!, "error")) {
    return Effect.fail(Probe.unexpected(reply, "either a result or an error"))
  }
  if (reply._tag === "Result") return Effect.void
  const isProper = Number.isInteger(reply.code) && typeof at(reply.error, "message") === "string"
  return isProper
    ? Effect.void
    : Effect.fail(Probe.unexpected(reply, "an error with an integer code and a string message"))
}

const jsonRpc: ReadonlyArray<Requirement> = [
  {
    id: "ACP-JSONRPC-001",
    tier: "mandatory",
    title: "Ids come back with the same value and type",
    check: Effect.fnUntraced(function*(probe) {
      const { peer, reply } = yield* Probe.initialize(probe, Probe.initializeParams, 424_242)
      if (reply._tag !== "Result" || !isObject(reply.result)) {
        return yield* Probe.unexpected(reply, "an answer with the id 424242, a number")
      }
      const created = yield* Probe.askForSession({ probe, peer, facts: reply.result }, {}, "tck-string-id")
      if (created._tag === "Silence" || created._tag === "Ended") {
        const other = Probe.writtenBy(peer, created.call.sent.index).find((entry) => kindOf(entry) === "response")
        return yield* new Failed({
          sent: preview(created.call.sent.line),
          received: other === undefined ? Probe.received(created) : preview(other.line),
          expected: "an answer with the id \"tck-string-id\", a string"
        })
      }
    })
  },
  {
    id: "ACP-JSONRPC-002",
    tier: "mandatory",
    title: "An answer has either a result or an error, and an error has a code and a message",
    check: Effect.fnUntraced(function*(probe) {
      const { peer, reply } = yield* Probe.initialize(probe)
      yield* checkOutcome(reply)
      yield* Effect.flatMap(Probe.call({ peer, probe }, "session/new", { mcpServers: [] }), checkOutcome)
    })
  },
  {
    id: "ACP-JSONRPC-003",
    tier: "mandatory",
    title: "A notification is never answered",
    check: Effect.fnUntraced(function*(probe) {
      const { agent, sessionId } = yield* Probe.startSession(probe)
      const sent = yield* agent.peer.notify("session/cancel", { sessionId })
      yield* Probe.settle(agent)
      const answer = Probe.writtenBy(agent.peer, sent.index).find((entry) => kindOf(entry) === "response")
      if (answer === undefined) return
      return yield* new Failed({
        sent: preview(sent.line),
        received: preview(answer.line),
        expected: "no response to a notification"
      })
    })
  },
  {
    id: "ACP-JSONRPC-004",
    tier: "advisory",
    title: "An unknown method is answered with -32601",
    check: Effect.fnUntraced(function*(probe) {
      const agent = yield* Probe.start(probe)
      const reply = yield* Probe.call(agent, "_tck/does_not_exist", {})
      if (reply._tag === "Silence") return yield* new Skipped({ reason: "the agent did not answer" })
      if (reply._tag !== "Error" || reply.code !== -32601) {
        return yield* Probe.unexpected(reply, "an error with code -32601")
      }
    })
  },
  {
    id: "ACP-JSONRPC-005",
    tier: "advisory",
    title: "A valid request after an erroneous one is answered",
    check: Effect.fnUntraced(function*(probe) {
      const agent = yield* Probe.start(probe)
      yield* Probe.call(agent, "session/new", { mcpServers: [] })
      const reply = yield* Probe.askForSession(agent)
      if (reply._tag === "Silence" || reply._tag === "Ended") return yield* Probe.unexpected(reply, "an answer")
    })
  }
]

const shape: ReadonlyArray<Requirement> = [
  {
    id: "ACP-SCHEMA-001",
    tier: "mandatory",
    title: "Every message of the agent is valid by the official schema",
    check: Effect.fnUntraced(function*(probe) {
      const { agent: { peer } } = yield* Probe.wholeExchange(probe)
      yield* everyLine(
        peer,
        "messages that are valid by the official schema",
        (entry) => OfficialSchema.messageProblem("agent", entry, peer.methodOf)
      )
    })
  },
  {
    id: "ACP-SCHEMA-002",
    tier: "advisory",
    title: "Messages have no members at their root that the protocol does not know, `_meta` excepted",
    check: Effect.fnUntraced(function*(probe) {
      const { agent: { peer } } = yield* Probe.wholeExchange(probe)
      yield* everyLine(peer, "vendor data in _meta only", (entry) => {
        const unknown = OfficialSchema.unknownMembers("agent", entry, peer.methodOf)
        return unknown.length === 0 ? undefined : unknown.join(", ")
      })
    })
  }
]

export const wire: ReadonlyArray<Requirement> = [...transport, ...jsonRpc, ...shape]
