import * as AcpError from "@effect-acp/core/AcpError"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import * as SessionStore from "@effect-acp/core/SessionStore"
import type { Turn } from "@effect-acp/core/Turn"
import { Frames } from "@effect-acp/testing"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer, Stream } from "effect"
import { KeyValueStore } from "effect/persistence"
import { TestClock } from "effect/testing"
import { model, modes, prompt, refused, said, start, type Subject, update } from "./support/agent.ts"

const agent = {
  openSession: () => Effect.succeed({ modes, configOptions: [model] }),
  prompt: Effect.fnUntraced(function*(turn: Turn) {
    yield* turn.session.setInfo({ title: `About ${turn.text}` })
    for (const word of ["you ", "said ", turn.text]) yield* turn.say(word)
    yield* turn.toolCall({ title: "look", toolCallId: `call-${turn.text}` }, () => Effect.void)
    yield* turn.say("done")
  })
}

const open = (method: string) => (peer: Subject["peer"], sessionId: string) =>
  peer.request(`session/${method}`, { sessionId, cwd: "/elsewhere", mcpServers: [] })

const [load, resume] = [open("load"), open("resume")]

const list = ({ peer }: Subject, params: Frames.Json = {}) =>
  Effect.map(peer.request("session/list", params), (response) =>
    response.result as {
      readonly sessions: ReadonlyArray<{ readonly sessionId: string; readonly title?: string; readonly cwd: string }>
      readonly nextCursor?: string
    })

/** The session updates among everything that an agent wrote. */
const updates = ({ peer }: Subject) =>
  Effect.map(
    peer.lines,
    (lines) =>
      lines.map((line) => JSON.parse(line)).filter(({ method }) => method === "session/update").map(({ params }) =>
        params.update
      )
  )

const turn = Effect.fnUntraced(function*({ peer }: Subject, sessionId: string, text: string) {
  yield* peer.send(prompt(text, sessionId, text))
  yield* peer.find((frame) => frame.id === text && "result" in frame)
})

const chunk = (kind: string, text: string) => ({ sessionUpdate: kind, content: { type: "text", text } })

const history = (text: string) => [
  chunk("user_message_chunk", text),
  chunk("agent_message_chunk", `you said ${text}`),
  { sessionUpdate: "tool_call", toolCallId: `call-${text}`, title: "look", status: "pending" },
  { sessionUpdate: "tool_call_update", toolCallId: `call-${text}`, status: "in_progress" },
  { sessionUpdate: "tool_call_update", toolCallId: `call-${text}`, status: "completed" },
  chunk("agent_message_chunk", "done")
]

/** The same store for agents one after the other. */
const behaves = (name: string, store: Effect.Effect<Layer.Layer<SessionStore.SessionStore>, unknown, any>) => {
  const withStore = <A, E>(
    run: (restarted: Effect.Effect<Subject>) => Effect.Effect<A, E>
  ) =>
    Effect.flatMap(store, (store) => run(start(agent, { store }) as Effect.Effect<Subject>)).pipe(
      Effect.scoped,
      Effect.provide(NodeServices.layer)
    ) as Effect.Effect<A, E>

  describe(name, () => {
    it.effect("K22 F150 sessions are listed, loaded with their history, and prompted after a restart", () =>
      withStore(Effect.fnUntraced(function*(restarted) {
        const first = yield* restarted
        const sessionId = yield* first.newSession
        yield* turn(first, sessionId, "one")
        yield* turn(first, sessionId, "two")

        const second = yield* restarted
        const { sessions } = yield* list(second)
        assert.deepStrictEqual(sessions.map(({ sessionId, title }) => [sessionId, title]), [[sessionId, "About two"]])
        const { result } = yield* load(second.peer, sessionId)
        assert.deepStrictEqual(yield* updates(second), [...history("one"), ...history("two")])
        assert.deepStrictEqual((result as Frames.Json).modes, modes)
        yield* turn(second, sessionId, "three")

        const third = yield* restarted
        yield* load(third.peer, sessionId)
        assert.deepStrictEqual(yield* updates(third), [...history("one"), ...history("two"), ...history("three")])
      })))

    it.effect("loading records nothing twice, and keeps what is known of the session", () =>
      withStore(Effect.fnUntraced(function*(restarted) {
        const first = yield* restarted
        const sessionId = yield* first.newSession
        yield* turn(first, sessionId, "one")
        for (let i = 0; i < 3; i++) yield* load((yield* restarted).peer, sessionId)
        const again = yield* restarted
        yield* load(again.peer, sessionId)
        yield* load(again.peer, sessionId)
        assert.deepStrictEqual(yield* updates(again), [...history("one"), ...history("one")])
        assert.deepStrictEqual((yield* list(again)).sessions.map(({ title }) => title), ["About one"])
      })))

    it.effect("the mode and the config options that were chosen survive, and resuming replays nothing", () =>
      withStore(Effect.fnUntraced(function*(restarted) {
        const first = yield* restarted
        const sessionId = yield* first.newSession
        yield* first.peer.request("session/set_mode", { sessionId, modeId: "code" })
        yield* first.peer.request("session/set_config_option", { sessionId, configId: "model", value: "small" })
        yield* first.peer.settle
        yield* turn(first, sessionId, "one")

        const second = yield* restarted
        const { result } = yield* resume(second.peer, sessionId)
        const { configOptions, modes } = result as {
          readonly modes: unknown
          readonly configOptions: ReadonlyArray<unknown>
        }
        assert.deepInclude(modes, { currentModeId: "code" })
        assert.deepInclude(configOptions[0], { id: "model", currentValue: "small" })
        assert.deepStrictEqual(yield* updates(second), [])
      })))

    it.effect("K22 F147 what was deleted, or never was, is -32002, and deleting it again succeeds", () =>
      withStore(Effect.fnUntraced(function*(restarted) {
        const first = yield* restarted
        const sessionId = yield* first.newSession
        yield* turn(first, sessionId, "one")
        yield* first.peer.request("session/delete", { sessionId })

        const second = yield* restarted
        assert.deepStrictEqual((yield* list(second)).sessions, [])
        for (const response of [yield* load(second.peer, sessionId), yield* resume(second.peer, "never")]) {
          assert.deepInclude(response.error, { code: -32002 })
        }
        assert.deepStrictEqual((yield* second.peer.request("session/delete", { sessionId })).result, {})
      })))

    it.effect("K22 F148 a session is loaded into the directory that the client names", () =>
      withStore(Effect.fnUntraced(function*(restarted) {
        const first = yield* restarted
        const sessionId = yield* first.newSession
        const second = yield* restarted
        yield* load(second.peer, sessionId)
        const [session] = yield* second.agent.sessions
        assert.strictEqual(session.cwd, "/elsewhere")
      })))

    it.effect("sessions are listed by directory", () =>
      withStore(Effect.fnUntraced(function*(restarted) {
        const subject = yield* restarted
        const sessionId = yield* subject.newSession
        yield* subject.peer.request("session/new", { cwd: "/other", mcpServers: [] })
        assert.deepStrictEqual((yield* list(subject, { cwd: "/w" })).sessions.map(({ sessionId }) => sessionId), [
          sessionId
        ])
        assert.strictEqual((yield* list(subject)).sessions.length, 2)
        assert.deepStrictEqual((yield* list(subject, { cwd: "/none" })).sessions, [])
      })))
  })
}

const inDirectory = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.makeTempDirectoryScoped()
  return SessionStore.layer.pipe(
    Layer.provide(KeyValueStore.layerFileSystem(directory)),
    Layer.provide(NodeServices.layer),
    Layer.orDie
  )
})

describe("SessionStore", () => {
  // Memoized by the scope of the test, so that agents share it.
  behaves("in memory", Effect.map(Layer.build(SessionStore.layerMemory), Layer.succeedContext))
  behaves("in files", inDirectory)

  const build = Effect.map(Layer.build(SessionStore.layerMemory), Context.get(SessionStore.SessionStore))

  const put = (store: SessionStore.SessionStore["Service"], sessionId: string) =>
    store.put({ info: { sessionId, cwd: "/w" }, config: {} })

  it.effect("pages are cut at 100, the latest first, and each session is in one of them", () =>
    Effect.gen(function*() {
      const store = yield* build
      const ids = Array.from({ length: 250 }, (_, n) => `s${n}`)
      for (const id of ids) {
        yield* put(store, id)
        yield* TestClock.adjust("1 second")
      }
      const pages: Array<ReadonlyArray<string>> = []
      let cursor: string | undefined
      do {
        const page = yield* store.list({ cursor })
        pages.push(page.sessions.map(({ sessionId }) => sessionId))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      assert.deepStrictEqual(pages.map(({ length }) => length), [100, 100, 50])
      assert.deepStrictEqual(pages.flat(), ids.toReversed())
    }))

  it.effect("a cursor stays good when the session before it is deleted", () =>
    Effect.gen(function*() {
      const store = yield* build
      for (let n = 0; n < 150; n++) yield* put(store, `s${String(n).padStart(3, "0")}`)
      const first = yield* store.list({})
      yield* store.remove(first.sessions[99].sessionId)
      const second = yield* store.list({ cursor: first.nextCursor! })
      assert.deepStrictEqual(second.sessions.map(({ sessionId }) => sessionId)[0], "s100")
      assert.strictEqual(second.sessions.length, 50)
    }))

  it.effect("a cursor that was never given is refused", () =>
    Effect.gen(function*() {
      const store = yield* build
      for (const cursor of ["", "x", "%", "bnVsbA"]) {
        const error = yield* Effect.flip(store.list({ cursor }))
        assert.instanceOf(error, AcpError.InvalidParams)
      }
      const subject = yield* start(agent, { store: SessionStore.layerMemory })
      yield* subject.peer.send(Frames.request(1, "session/list", { cursor: "x" }))
      yield* subject.peer.expect(refused(1, -32602))
    }))

  it("runs of text of one message are kept as one chunk, what differs in anything else is not", () => {
    const text = SessionUpdate.agentMessageChunk
    const marked = { ...text("c"), _meta: { mark: true } }
    const annotated = { ...text("d"), content: { type: "text" as const, text: "d", annotations: { priority: 1 } } }
    const updates = [
      text("a"),
      text("b"),
      marked,
      text("x"),
      annotated,
      text("y"),
      SessionUpdate.agentThoughtChunk("t"),
      text("e"),
      text("f")
    ]
    assert.deepStrictEqual(SessionStore.coalesce(updates), [
      text("ab"),
      marked,
      text("x"),
      annotated,
      text("y"),
      SessionUpdate.agentThoughtChunk("t"),
      text("ef")
    ])
  })

  it.effect("histories that are added to at once lose nothing, and keep apart", () =>
    Effect.gen(function*() {
      const store = yield* build
      const ids = ["a", "a:b", "b"]
      for (const id of ids) yield* put(store, id)
      const texts = Array.from({ length: 20 }, (_, n) => String(n))
      yield* Effect.forEach(
        ids.flatMap((id) => texts.map((text) => [id, text] as const)),
        ([id, text]) => store.append(id, [SessionUpdate.agentMessageChunk(`${id} ${text}`)]),
        { concurrency: "unbounded", discard: true }
      )
      for (const id of ids) {
        const kept = yield* Stream.runCollect(store.history(id))
        assert.deepStrictEqual(kept, texts.map((text) => SessionUpdate.agentMessageChunk(`${id} ${text}`)))
      }
    }))

  it.effect("a store that fails costs the record, not the session", () =>
    Effect.gen(function*() {
      const fails = () => Effect.fail(new SessionStore.SessionStoreError({ operation: "try", cause: "no" }))
      const store = SessionStore.SessionStore.of({
        put: fails,
        get: fails,
        append: fails,
        history: () => Stream.fromEffect(fails()),
        list: fails,
        remove: fails
      })
      const subject = yield* start(agent, { store: Layer.succeed(SessionStore.SessionStore, store) })
      const sessionId = yield* subject.newSession
      yield* turn(subject, sessionId, "one")
      yield* subject.peer.find(said(sessionId, "done"))
      assert.deepInclude((yield* subject.peer.request("session/list", {})).error, { code: -32603 })
      assert.deepInclude((yield* load(subject.peer, "other")).error, { code: -32603 })
    }))

  it.effect("what is told outside of a turn is kept as well", () =>
    Effect.gen(function*() {
      const store = yield* build
      const subject = yield* start(agent, { store: Layer.succeed(SessionStore.SessionStore, store) })
      const sessionId = yield* subject.newSession
      const [session] = yield* subject.agent.sessions
      yield* session.update(SessionUpdate.agentMessageChunk("by the way"))
      yield* session.setInfo({ title: "Named" })
      yield* subject.peer.find(update(sessionId, { sessionUpdate: "session_info_update" }))
      yield* subject.peer.settle
      assert.deepStrictEqual(yield* Stream.runCollect(store.history(sessionId)), [
        SessionUpdate.agentMessageChunk("by the way")
      ])
      assert.strictEqual((yield* store.get(sessionId))?.info.title, "Named")
    }))

  it.effect("a session that could not be set up leaves nothing in the store", () =>
    Effect.gen(function*() {
      const store = yield* build
      const subject = yield* start({
        prompt: () => Effect.void,
        openSession: (session) =>
          Effect.andThen(session.update(SessionUpdate.agentMessageChunk("hello")), new AcpError.AuthRequired({}))
      }, { store: Layer.succeed(SessionStore.SessionStore, store) })
      yield* subject.peer.send(Frames.request(1, "session/new", { cwd: "/w", mcpServers: [] }))
      yield* subject.peer.expect(refused(1, -32000))
      yield* subject.peer.settle
      assert.deepStrictEqual((yield* store.list({})).sessions, [])
    }))
})
