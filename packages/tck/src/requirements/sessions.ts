/**
 * The life of a session: made, loaded, resumed, listed, deleted, closed.
 */
import * as Effect from "effect/Effect"
import { at, items, preview } from "../Json.ts"
import * as Probe from "../Probe.ts"
import { Failed, type Requirement } from "../Requirement.ts"

const newSession: ReadonlyArray<Requirement> = [
  {
    id: "ACP-SESSION-001",
    tier: "mandatory",
    title: "session/new is answered with a session id",
    check: Effect.fnUntraced(function*(probe) {
      const reply = yield* Effect.flatMap(Probe.start(probe), (agent) => Probe.askForSession(agent))
      if (Probe.isAuthRequired(reply)) return yield* Probe.unreached(reply)
      const { sessionId } = yield* Probe.resultOf(reply, "NewSessionResponse")
      if (sessionId === "") return yield* Probe.unexpected(reply, "a session id that is not empty")
    })
  },
  {
    id: "ACP-SESSION-002",
    tier: "mandatory",
    title: "Two sessions have two ids",
    check: Effect.fnUntraced(function*(probe) {
      const { agent, sessionId } = yield* Probe.startSession(probe)
      const reply = yield* Probe.askForSession(agent)
      const second = yield* Probe.resultOf(reply)
      if (second["sessionId"] === sessionId) return yield* Probe.unexpected(reply, `another id than ${sessionId}`)
    })
  },
  {
    id: "ACP-ADDDIRS-001",
    tier: "capability",
    title: "session/new takes additional directories",
    check: Effect.fnUntraced(function*(probe) {
      const agent = yield* Probe.startWith(probe, "sessionCapabilities", "additionalDirectories")
      const reply = yield* Probe.askForSession(agent, { additionalDirectories: [probe.settings.extraDirectory] })
      if (Probe.isAuthRequired(reply)) return yield* Probe.unreached(reply)
      yield* Probe.resultOf(reply, "NewSessionResponse")
    })
  }
]

/** A session of an agent that advertises `path`. */
const sessionWith = (probe: Probe.Probe, ...path: readonly [string, ...Array<string>]) =>
  Effect.flatMap(Probe.startWith(probe, ...path), Probe.createSession)

const load = ({ agent, sessionId }: Probe.Session) =>
  Probe.call(agent, "session/load", { sessionId, cwd: agent.probe.settings.sessionCwd, mcpServers: [] })

const loading: ReadonlyArray<Requirement> = [
  {
    id: "ACP-LOAD-001",
    tier: "capability",
    title: "A session that was just made can be loaded",
    check: Effect.fnUntraced(function*(probe) {
      const reply = yield* Effect.flatMap(sessionWith(probe, "loadSession"), load)
      if (reply._tag === "Result" && reply.result === null) return
      yield* Probe.resultOf(reply, "LoadSessionResponse")
    })
  },
  {
    id: "ACP-LOAD-002",
    tier: "capability",
    title: "What a loaded session replays comes before the answer",
    check: Effect.fnUntraced(function*(probe) {
      const session = yield* sessionWith(probe, "loadSession")
      const turn = yield* Probe.prompt(session)
      if (turn._tag !== "Result") return yield* Probe.unreached(turn)
      const reply = yield* load(session)
      if (reply._tag !== "Result") return yield* Probe.unreached(reply)
      yield* Probe.settle(session.agent)
      const [late] = Probe.historyOf(session, reply.entry.index)
      if (late === undefined) return
      return yield* new Failed({
        sent: preview(reply.call.sent.line),
        received: `after the answer: ${preview(late.line)}`,
        expected: "the whole history before the answer, and none of it after"
      })
    })
  },
  {
    id: "ACP-LOAD-003",
    tier: "advisory",
    title: "session/load is answered with an object and not with null",
    check: Effect.fnUntraced(function*(probe) {
      const reply = yield* Effect.flatMap(sessionWith(probe, "loadSession"), load)
      if (reply._tag === "Result" && reply.result === null) return yield* Probe.unexpected(reply, "an object")
      if (reply._tag !== "Result") return yield* Probe.unreached(reply)
    })
  }
]

const resume = ({ agent, sessionId }: Probe.Session) =>
  Probe.call(agent, "session/resume", { sessionId, cwd: agent.probe.settings.sessionCwd })

const resuming: ReadonlyArray<Requirement> = [
  {
    id: "ACP-RESUME-001",
    tier: "capability",
    title: "A session can be resumed, without naming MCP servers",
    check: Effect.fnUntraced(function*(probe) {
      const reply = yield* Effect.flatMap(sessionWith(probe, "sessionCapabilities", "resume"), resume)
      yield* Probe.resultOf(reply, "ResumeSessionResponse")
    })
  },
  {
    id: "ACP-RESUME-002",
    tier: "capability",
    title: "A resumed session does not replay its history",
    check: Effect.fnUntraced(function*(probe) {
      const session = yield* sessionWith(probe, "sessionCapabilities", "resume")
      yield* Probe.prompt(session)
      yield* Probe.settle(session.agent)
      const reply = yield* resume(session)
      if (reply._tag !== "Result") return yield* Probe.unreached(reply)
      const [replayed] = Probe.historyOf(session, reply.call.sent.index, reply.entry.index)
      if (replayed === undefined) return
      return yield* new Failed({
        sent: preview(reply.call.sent.line),
        received: `before the answer: ${preview(replayed.line)}`,
        expected: "no history; that is what session/load is for"
      })
    })
  }
]

const listing: ReadonlyArray<Requirement> = [
  {
    id: "ACP-LIST-001",
    tier: "capability",
    title: "session/list without a filter is answered with sessions",
    check: Effect.fnUntraced(function*(probe) {
      const { agent } = yield* sessionWith(probe, "sessionCapabilities", "list")
      yield* Effect.flatMap(Probe.call(agent, "session/list", {}), (_) => Probe.resultOf(_, "ListSessionsResponse"))
    })
  },
  {
    id: "ACP-LIST-002",
    tier: "capability",
    title: "session/list for a folder that nobody uses is empty",
    check: Effect.fnUntraced(function*(probe) {
      const { agent } = yield* sessionWith(probe, "sessionCapabilities", "list")
      const reply = yield* Probe.call(agent, "session/list", { cwd: probe.settings.unusedCwd })
      const { sessions } = yield* Probe.resultOf(reply)
      if (!Array.isArray(sessions) || items(sessions).length > 0) {
        return yield* Probe.unexpected(reply, "sessions that are an empty list")
      }
    })
  },
  {
    id: "ACP-DELETE-001",
    tier: "capability",
    title: "A session can be deleted",
    check: Effect.fnUntraced(function*(probe) {
      const { agent, sessionId } = yield* sessionWith(probe, "sessionCapabilities", "delete")
      const reply = yield* Probe.call(agent, "session/delete", { sessionId })
      yield* Probe.resultOf(reply, "DeleteSessionResponse")
    })
  },
  {
    id: "ACP-DELETE-002",
    tier: "advisory",
    title: "Deleting a session that does not exist succeeds",
    check: Effect.fnUntraced(function*(probe) {
      const { agent } = yield* sessionWith(probe, "sessionCapabilities", "delete")
      const reply = yield* Probe.call(agent, "session/delete", { sessionId: "tck-no-such-session" })
      yield* Probe.resultOf(reply)
    })
  }
]

const closing: ReadonlyArray<Requirement> = [
  {
    id: "ACP-CLOSE-001",
    tier: "capability",
    title: "An idle session can be closed",
    check: Effect.fnUntraced(function*(probe) {
      const { agent, sessionId } = yield* sessionWith(probe, "sessionCapabilities", "close")
      const reply = yield* Probe.call(agent, "session/close", { sessionId })
      yield* Probe.resultOf(reply, "CloseSessionResponse")
    })
  },
  {
    id: "ACP-CLOSE-002",
    tier: "capability",
    title: "Closing a session cancels its running turn",
    check: Effect.fnUntraced(function*(probe) {
      const session = yield* sessionWith(probe, "sessionCapabilities", "close")
      const turn = yield* Probe.startBusyTurn(session)
      const close = yield* session.agent.peer.begin("session/close", { sessionId: session.sessionId })
      const ended = yield* Probe.replyTo(session.agent, turn)
      const isCancelled = ended._tag === "Result" && at(ended.result, "stopReason") === "cancelled"
      if (isCancelled) return
      return yield* new Failed({
        sent: `session/prompt, then ${preview(close.sent.line)}`,
        received: Probe.received(ended),
        expected: "the prompt answered with stopReason cancelled"
      })
    })
  }
]

export const sessions: ReadonlyArray<Requirement> = [...newSession, ...loading, ...resuming, ...listing, ...closing]
