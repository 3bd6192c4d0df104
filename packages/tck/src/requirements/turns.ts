/**
 * Prompts, what they may hold, and how they are cancelled.
 */
import * as Effect from "effect/Effect"
import { at, type JsonObject, preview } from "../Json.ts"
import * as OfficialSchema from "../OfficialSchema.ts"
import type * as Peer from "../Peer.ts"
import * as Probe from "../Probe.ts"
import { Failed, type Requirement } from "../Requirement.ts"

const link = { type: "resource_link", name: "notes.md", uri: "file:///tmp/acp-tck/notes.md", mimeType: "text/markdown" }

const prompts: ReadonlyArray<Requirement> = [
  {
    id: "ACP-PROMPT-001",
    tier: "mandatory",
    title: "A prompt ends with a defined stop reason",
    check: Effect.fnUntraced(function*(probe) {
      const { reply } = yield* Probe.basicExchange(probe)
      yield* Probe.endOfTurn(reply)
    })
  },
  {
    id: "ACP-PROMPT-002",
    tier: "mandatory",
    title: "The updates of a turn are valid and belong to its session",
    check: Effect.fnUntraced(function*(probe) {
      const { agent: { peer }, reply, sessionId } = yield* Probe.basicExchange(probe)
      if (reply._tag === "Silence" || reply._tag === "Ended") return yield* Probe.unreached(reply)
      for (const update of Probe.updates(peer, reply.call.sent.index)) {
        const params = update.message!["params"]
        const problem = OfficialSchema.problem("SessionNotification", params) ??
          (at(params, "sessionId") === sessionId ? undefined : `the session is not ${sessionId}`)
        if (problem !== undefined) {
          return yield* new Failed({
            sent: preview(reply.call.sent.line),
            received: preview(update.line),
            expected: `valid updates of session ${sessionId}, but ${problem}`
          })
        }
      }
    })
  },
  {
    id: "ACP-PROMPT-003",
    tier: "advisory",
    title: "A prompt may hold text and a resource link",
    check: Effect.fnUntraced(function*(probe) {
      const session = yield* Probe.startSession(probe)
      yield* Effect.flatMap(Probe.prompt(session, [Probe.hello, link]), Probe.endOfTurn)
    })
  },
  {
    id: "ACP-META-001",
    tier: "advisory",
    title: "A prompt may carry trace context in _meta",
    check: Effect.fnUntraced(function*(probe) {
      const session = yield* Probe.startSession(probe)
      const _meta = { traceparent: "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01" }
      yield* Effect.flatMap(Probe.prompt(session, [Probe.hello], { _meta }), Probe.endOfTurn)
    })
  }
]

/** Starts a turn, cancels it and gives how it ended. */
const cancelTurn = Effect.fnUntraced(function*(session: Probe.Session) {
  const { agent, sessionId } = session
  const turn = yield* Probe.startBusyTurn(session)
  yield* agent.peer.notify("session/cancel", { sessionId })
  return yield* Probe.replyTo(agent, turn)
})

const isCancelled = (reply: Peer.Reply): boolean =>
  reply._tag === "Result" && at(reply.result, "stopReason") === "cancelled"

const cancelling: ReadonlyArray<Requirement> = [
  {
    id: "ACP-CANCEL-001",
    tier: "mandatory",
    title: "A cancelled prompt is answered with stopReason cancelled, as a result",
    check: Effect.fnUntraced(function*(probe) {
      const reply = yield* Effect.flatMap(Probe.startSession(probe), cancelTurn)
      if (isCancelled(reply)) return
      return yield* new Failed({
        sent: "session/prompt, then session/cancel",
        received: Probe.received(reply),
        expected: "a result with stopReason cancelled"
      })
    })
  },
  {
    id: "ACP-CANCEL-002",
    tier: "mandatory",
    title: "No update follows the answer to a cancelled prompt",
    check: Effect.fnUntraced(function*(probe) {
      const session = yield* Probe.startSession(probe)
      const reply = yield* cancelTurn(session)
      if (reply._tag === "Silence" || reply._tag === "Ended") return yield* Probe.unreached(reply)
      yield* Probe.settle(session.agent)
      const late = Probe.updates(session.agent.peer, reply.entry.index).find(({ message }) =>
        at(message, "params", "sessionId") === session.sessionId
      )
      if (late === undefined) return
      return yield* new Failed({
        sent: "session/prompt, then session/cancel",
        received: `after the answer: ${preview(late.line)}`,
        expected: "no update of the session after the answer"
      })
    })
  }
]

/** A picture of one pixel. */
const image = {
  type: "image",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
}

/** A recording of no length. */
const audio = {
  type: "audio",
  mimeType: "audio/wav",
  data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
}

const embedded = {
  type: "resource",
  resource: { uri: "file:///tmp/acp-tck/notes.md", mimeType: "text/markdown", text: "# Notes\n" }
}

const promptCapability = (id: string, capability: string, title: string, block: JsonObject): Requirement => ({
  id,
  tier: "capability",
  title,
  check: Effect.fnUntraced(function*(probe) {
    const agent = yield* Probe.startWith(probe, "promptCapabilities", capability)
    const session = yield* Probe.createSession(agent)
    yield* Effect.flatMap(Probe.prompt(session, [Probe.hello, block]), Probe.endOfTurn)
  })
})

const promptCapabilities: ReadonlyArray<Requirement> = [
  promptCapability("ACP-PROMPTCAP-001", "image", "A prompt may hold an image where that is advertised", image),
  promptCapability("ACP-PROMPTCAP-002", "audio", "A prompt may hold audio where that is advertised", audio),
  promptCapability(
    "ACP-PROMPTCAP-003",
    "embeddedContext",
    "A prompt may hold a resource where that is advertised",
    embedded
  )
]

const isIn = (family: string) => (method: unknown): boolean => typeof method === "string" && method.startsWith(family)

/** A prompt that invites a method which the client has not advertised; the agent must do without. */
const clientCapability = (id: string, title: string, family: string, words: string): Requirement => ({
  id,
  tier: "mandatory",
  title,
  check: Effect.fnUntraced(function*(probe) {
    const { agent, reply } = yield* Probe.basicExchange(probe, Probe.text(words))
    const asked = Probe.writtenBy(agent.peer).find(({ message }) => isIn(family)(at(message, "method")))
    if (asked === undefined) return
    return yield* new Failed({
      sent: `initialize with clientCapabilities {}, then ${preview(reply.call.sent.line)}`,
      received: preview(asked.line),
      expected: `no ${family} request, as the client did not advertise it`
    })
  })
})

const clientCapabilities: ReadonlyArray<Requirement> = [
  clientCapability(
    "ACP-CLIENTCAP-001",
    "No file is asked of a client that does not serve files",
    "fs/",
    "read README.md"
  ),
  clientCapability(
    "ACP-CLIENTCAP-002",
    "No terminal is asked of a client that does not serve terminals",
    "terminal/",
    "run echo hello"
  ),
  clientCapability(
    "ACP-CLIENTCAP-003",
    "No form is asked of a client that does not show forms",
    "elicitation/create",
    "Ask me for my name before you answer."
  )
]

export const turns: ReadonlyArray<Requirement> = [
  ...prompts,
  ...cancelling,
  ...promptCapabilities,
  ...clientCapabilities
]
