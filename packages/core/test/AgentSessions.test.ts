import * as AcpError from "@effect-acp/core/AcpError"
import * as AgentSession from "@effect-acp/core/AgentSession"
import { agentMessageChunk } from "@effect-acp/core/schema/SessionUpdate"
import { Frames } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Ref } from "effect"
import { cancel, cancelRequest, modes, prompt, refused, said, start, stopped, update } from "./support/agent.ts"

const opening = { cwd: "/w", mcpServers: [] }

const load = (id: Frames.Id, sessionId: string) => Frames.request(id, "session/load", { sessionId, ...opening })

describe("Sessions of an agent", () => {
  it.effect("U5 a session is registered before the response that names it", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({ prompt: () => Effect.never })
      const sessionId = yield* newSession
      // Both in one chunk with what the client can know at the earliest.
      yield* peer.send(cancel(sessionId), prompt(1, sessionId), cancel(sessionId))
      yield* peer.expect(stopped(1, "cancelled"))
    }))

  it.effect("U6 K22 F147 an unknown session is -32002 with its id, for every method", () =>
    Effect.gen(function*() {
      const { peer } = yield* start({
        prompt: () => Effect.void,
        loadSession: ({ sessionId }) => Effect.fail(new AcpError.ResourceNotFound({ data: { sessionId } })),
        resumeSession: ({ sessionId }) => Effect.fail(new AcpError.ResourceNotFound({ data: { sessionId } }))
      })
      const methods: Readonly<Record<string, Frames.Json>> = {
        "session/prompt": { prompt: [] },
        "session/load": opening,
        "session/resume": opening,
        "session/close": {},
        "session/set_mode": { modeId: "ask" },
        "session/set_config_option": { configId: "model", value: "big" }
      }
      for (const [method, params] of Object.entries(methods)) {
        const { error } = yield* peer.request(method, { sessionId: "gone", ...params })
        const { code, data } = error as Frames.Json
        assert.deepStrictEqual({ method, code, data }, { method, code: -32002, data: { sessionId: "gone" } })
      }
      yield* peer.send(prompt(1, "gone"))
      yield* peer.expect(refused(1, -32002))
    }))

  it.effect("U7 two connections with the same session id do not disturb each other", () =>
    Effect.gen(function*() {
      const handlers = {
        prompt: () => Effect.never,
        resumeSession: () => Effect.void
      }
      const [left, right] = [yield* start(handlers), yield* start(handlers)]
      for (const { peer } of [left, right]) {
        yield* peer.request("session/resume", { sessionId: "same", ...opening })
        yield* peer.send(prompt(1, "same"))
        yield* peer.settle
      }
      yield* left.peer.send(cancel("same"))
      yield* left.peer.expect(stopped(1, "cancelled"))
      yield* right.peer.expectNothing
      yield* left.peer.request("session/close", { sessionId: "same" })
      yield* right.peer.send(cancel("same"))
      yield* right.peer.expect(stopped(1, "cancelled"))
    }))

  it.effect("U8 K22 F148 close ends the running turn as cancelled, then answers, and then nothing comes of the session", () =>
    Effect.gen(function*() {
      const released: Array<string> = []
      const { agent, newSession, peer } = yield* start({
        prompt: (turn) => turn.requestPermission({ toolCallId: "call" }, []).pipe(Effect.asVoid),
        openSession: () => Effect.asVoid(Effect.addFinalizer(() => Effect.sync(() => released.push("session"))))
      }, { allow: ["LateUpdate"] })
      const sessionId = yield* newSession
      const [session] = yield* agent.sessions
      yield* peer.send(prompt(4, sessionId))
      const { id } = yield* peer.expect({ method: "session/request_permission" })
      yield* peer.send(Frames.request(5, "session/close", { sessionId }))
      yield* peer.expect({ method: "$/cancel_request", params: { requestId: id } })
      yield* peer.expect(stopped(4, "cancelled"))
      yield* peer.expect({ id: 5, result: {} })
      assert.deepStrictEqual(released, ["session"])
      assert.deepStrictEqual(yield* agent.sessions, [])
      yield* session.update(agentMessageChunk("too late"))
      yield* peer.expectNothing
      yield* peer.send(prompt(6, sessionId))
      yield* peer.expect(refused(6, -32002, { sessionId }))
    }))

  it.effect("U8 close waits for the answers of prompts that wait, and takes no more", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const { newSession, peer } = yield* start({
        overlap: "queue",
        prompt: () => Effect.onInterrupt(Effect.never, () => gate.await)
      })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId), prompt(2, sessionId))
      yield* peer.settle
      yield* peer.send(Frames.request(3, "session/close", { sessionId }), prompt(4, sessionId))
      yield* peer.find(refused(4, -32002))
      yield* peer.find(stopped(2, "cancelled"))
      yield* peer.expectNothing
      yield* gate.open
      yield* peer.expect(stopped(1, "cancelled"))
      yield* peer.expect({ id: 3, result: {} })
    }))

  it.effect("U8 a close that is cancelled is done all the same", () =>
    Effect.gen(function*() {
      const { agent, newSession, peer } = yield* start({ prompt: () => Effect.never })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId), Frames.request(2, "session/close", { sessionId }), cancelRequest(2))
      yield* peer.find({ id: 2, result: {} })
      assert.deepStrictEqual(yield* agent.sessions, [])
    }))

  it.effect("O7 O8 K09 F066 updates of a session that is being created leave after the response that names it", () =>
    Effect.gen(function*() {
      const { agent, peer } = yield* start({
        prompt: () => Effect.void,
        openSession: Effect.fnUntraced(function*(session) {
          yield* session.setCommands([{ name: "plan", description: "Plans" }])
          yield* Effect.forkIn(
            Effect.andThen(session.opened, session.update(agentMessageChunk("opened"))),
            session.scope
          )
          yield* session.update(agentMessageChunk("hello"))
        })
      })
      yield* peer.send(Frames.request(1, "session/new", opening))
      const { result } = yield* peer.expect({ id: 1, result: {} })
      const { sessionId } = result as { readonly sessionId: string }
      yield* peer.expect(update(sessionId, { sessionUpdate: "available_commands_update" }))
      yield* peer.expect(said(sessionId, "hello"))
      yield* peer.expect(said(sessionId, "opened"))
      assert.strictEqual((yield* agent.sessions).length, 1)
    }))

  it.effect("O8 a thousand updates of a session that is being created stay in order behind its response", () =>
    Effect.gen(function*() {
      const count = 1_000
      const { newSession, peer } = yield* start({
        prompt: () => Effect.void,
        openSession: (session) =>
          Effect.forEach(Array.from({ length: count }), (_, n) => session.update(agentMessageChunk(String(n))), {
            discard: true
          })
      })
      const sessionId = yield* newSession
      for (let n = 0; n < count; n++) yield* peer.expect(said(sessionId, String(n)))
    }))

  it.effect("O8 one session being created does not hold the updates of another", () =>
    Effect.gen(function*() {
      const gate = yield* Latch.make()
      const opened = yield* Ref.make(0)
      const { newSession, peer } = yield* start({
        prompt: (turn) => turn.say("meanwhile"),
        openSession: Effect.fnUntraced(function*(session) {
          yield* session.update(agentMessageChunk("setup"))
          if ((yield* Ref.updateAndGet(opened, (n) => n + 1)) > 1) yield* gate.await
        })
      })
      const sessionId = yield* newSession
      yield* peer.expect(said(sessionId, "setup"))
      yield* peer.send(Frames.request(2, "session/new", opening), prompt(3, sessionId))
      yield* peer.expect(said(sessionId, "meanwhile"))
      yield* peer.expect(stopped(3, "end_turn"))
      yield* gate.open
      yield* peer.expect({ id: 2, result: {} })
      yield* peer.expect((frame) => frame.method === "session/update")
    }))

  it.effect("O8 K09 F071 session/load replays before its response", () =>
    Effect.gen(function*() {
      const { peer } = yield* start({
        prompt: () => Effect.void,
        loadSession: (session) =>
          Effect.forEach(["a", "b", "c"], (text) => session.update(agentMessageChunk(text)), { discard: true }),
        openSession: () => Effect.succeed({ modes })
      })
      yield* peer.send(load(1, "kept"))
      for (const text of ["a", "b", "c"]) yield* peer.expect(said("kept", text))
      yield* peer.expect({ id: 1, result: { modes } })
    }))

  it.effect("a session that could not be set up is not there, and nothing of it was said", () =>
    Effect.gen(function*() {
      const { agent, peer } = yield* start({
        prompt: () => Effect.void,
        openSession: (session) =>
          Effect.andThen(session.update(agentMessageChunk("lost")), new AcpError.AuthRequired({}))
      })
      yield* peer.send(Frames.request(1, "session/new", opening))
      yield* peer.expect(refused(1, -32000))
      yield* peer.expectNothing
      assert.deepStrictEqual(yield* agent.sessions, [])
    }))

  it.effect("a session/new that is cancelled leaves no session behind", () =>
    Effect.gen(function*() {
      const { agent, peer } = yield* start({ prompt: () => Effect.void, openSession: () => Effect.never })
      yield* peer.send(Frames.request(1, "session/new", opening), cancelRequest(1))
      yield* peer.expect(refused(1, -32800))
      assert.deepStrictEqual(yield* agent.sessions, [])
    }))

  it.effect("K10 F082 loading a session whose turn runs is refused, and the turn can still be cancelled", () =>
    Effect.gen(function*() {
      const { peer } = yield* start({ prompt: () => Effect.never, loadSession: () => Effect.void })
      yield* peer.send(load(1, "kept"))
      yield* peer.expect({ id: 1, result: {} })
      yield* peer.send(prompt(2, "kept"))
      yield* peer.settle
      yield* peer.send(load(3, "kept"))
      yield* peer.expect(refused(3, -32600, { reason: "session_busy", sessionId: "kept" }))
      yield* peer.send(cancel("kept"))
      yield* peer.expect(stopped(2, "cancelled"))
      yield* peer.send(load(4, "kept"))
      yield* peer.expect({ id: 4, result: {} })
    }))

  it.effect("K23 F153 an MCP server of a kind that is not advertised is refused by name, others reach the author", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const { peer } = yield* start({
        prompt: () => Effect.void,
        capabilities: { mcpCapabilities: { http: true } },
        openSession: ({ mcpServers }) => Effect.sync(() => void seen.push(...mcpServers.map(({ name }) => name)))
      })
      const remote = (type: string) => ({ type, name: type, url: "https://x", headers: [] })
      const stdio = { name: "stdio", command: "/bin/true", args: [], env: [] }
      yield* peer.send(Frames.request(1, "session/new", { cwd: "/w", mcpServers: [remote("sse")] }))
      yield* peer.expect(refused(1, -32602, { name: "sse", type: "sse" }))
      yield* peer.send(Frames.request(2, "session/new", { cwd: "/w", mcpServers: [stdio, remote("http")] }))
      yield* peer.expect({ id: 2, result: {} })
      assert.deepStrictEqual(seen, ["stdio", "http"])
    }))

  it.effect("G1 what a prompt or an opening carries that was not advertised is refused", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({ prompt: () => Effect.void })
      const sessionId = yield* newSession
      const refusal = (id: Frames.Id, capability: string) => refused(id, -32602, { capability })
      const image = { type: "image", data: "AA==", mimeType: "image/png" }
      yield* peer.send(Frames.request(1, "session/prompt", { sessionId, prompt: [image] }))
      yield* peer.expect(refusal(1, "promptCapabilities.image"))
      yield* peer.send(Frames.request(2, "session/new", { ...opening, additionalDirectories: ["/x"] }))
      yield* peer.expect(refusal(2, "sessionCapabilities.additionalDirectories"))
      yield* peer.send(Frames.request(3, "session/new", { ...opening, cwd: "relative" }))
      yield* peer.expect(refused(3, -32602, { cwd: "relative" }))
    }))

  it.effect("a value of the author's own is made once for each session and released with it", () =>
    Effect.gen(function*() {
      const released: Array<string> = []
      const turns = AgentSession.local((session) =>
        Effect.acquireRelease(Ref.make(0), () => Effect.sync(() => released.push(session.sessionId)))
      )
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* turn.say(String(yield* Ref.updateAndGet(yield* turns(turn.session), (n) => n + 1)))
        })
      })
      const [left, right] = [yield* newSession, yield* newSession]
      yield* peer.send(prompt(1, left))
      yield* peer.expect(said(left, "1"))
      yield* peer.expect(stopped(1, "end_turn"))
      yield* peer.send(prompt(2, left), prompt(3, right))
      yield* peer.find(said(left, "2"))
      yield* peer.find(said(right, "1"))
      yield* peer.request("session/close", { sessionId: left })
      assert.deepStrictEqual(released, [left])
    }))
})
