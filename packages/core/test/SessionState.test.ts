import * as Content from "@effect-acp/core/schema/Content"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import * as SessionState from "@effect-acp/core/SessionState"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream, SubscriptionRef } from "effect"
import * as Support from "./support/client.ts"
import { transcript } from "./support/transcript.ts"

const { Frames, cwd } = Support

const asEvent = (update: SessionUpdate.SessionUpdate): SessionState.Event => ({ _tag: "Update", update })

const started = (text: string): SessionState.Event => ({ _tag: "TurnStarted", prompt: [Content.text(text)] })

const ended: SessionState.Event = { _tag: "TurnEnded", stopReason: "end_turn" }

const fold = (...events: ReadonlyArray<SessionState.Event>) => SessionState.reduceAll(SessionState.empty, events)

const foldUpdates = (...updates: ReadonlyArray<SessionUpdate.SessionUpdate>) => SessionState.fromUpdates(updates)

/** What a user interface would show of the conversation. */
const render = ({ timeline }: SessionState.SessionState): ReadonlyArray<string> =>
  timeline.map((entry) => {
    switch (entry._tag) {
      case "Message":
        return `${entry.role}: ${SessionState.messageText(entry)}`
      case "ToolCall":
        return `${entry.title} (${entry.kind}) ${entry.status}`
      case "Compaction":
        return `compaction ${entry.status}`
    }
  })

describe("messages", () => {
  it("chunks are joined by role, and go on where they were interrupted only by their id", () => {
    const state = foldUpdates(
      SessionUpdate.agentThoughtChunk("hm", { messageId: "t" }),
      SessionUpdate.agentMessageChunk("a", { messageId: "m" }),
      SessionUpdate.agentThoughtChunk("m", { messageId: "t" }),
      SessionUpdate.agentMessageChunk("b", { messageId: "m" }),
      SessionUpdate.agentMessageChunk("x"),
      SessionUpdate.agentMessageChunk("y"),
      SessionUpdate.toolCall({ toolCallId: "c", title: "Call" }),
      SessionUpdate.agentMessageChunk("z"),
      SessionUpdate.agentMessageChunk("c", { messageId: "m" })
    )
    assert.deepStrictEqual(render(state), [
      "thought: hmm",
      "agent: abc",
      "agent: xy",
      "Call (other) pending",
      "agent: z"
    ])
  })

  it("a changed id starts another message", () => {
    const state = foldUpdates(
      SessionUpdate.agentMessageChunk("a", { messageId: "1" }),
      SessionUpdate.agentMessageChunk("b", { messageId: "2" })
    )
    assert.deepStrictEqual(render(state), ["agent: a", "agent: b"])
  })

  it("text that carries annotations or metadata stays a block of its own, as does other content", () => {
    const image = Content.image({ data: "", mimeType: "image/png" })
    const state = foldUpdates(
      SessionUpdate.agentMessageChunk("a"),
      SessionUpdate.agentMessageChunk(image),
      SessionUpdate.agentMessageChunk("b"),
      SessionUpdate.agentMessageChunk({ type: "text", text: "c", annotations: { priority: 1 } }),
      SessionUpdate.agentMessageChunk({ type: "text", text: "d", _meta: { x: 1 } })
    )
    assert.deepStrictEqual(state.timeline, [{
      _tag: "Message",
      role: "agent",
      messageId: undefined,
      content: [
        { type: "text", text: "a" },
        image,
        { type: "text", text: "b" },
        { type: "text", text: "c", annotations: { priority: 1 } },
        { type: "text", text: "d", _meta: { x: 1 } }
      ]
    }])
  })

  it("a prompt is a message of the user, whether or not the agent echoes it", () => {
    const answer = asEvent(SessionUpdate.agentMessageChunk("hello"))
    const echo = [SessionUpdate.userMessageChunk("h"), SessionUpdate.userMessageChunk("i")].map(asEvent)
    const silent = fold(started("hi"), answer, ended)
    const echoing = fold(started("hi"), ...echo, answer, ended)
    assert.deepStrictEqual(render(silent), ["user: hi", "agent: hello"])
    assert.deepStrictEqual(echoing, silent)
  })

  it("what the user is told to have said later in a turn is another message", () => {
    const state = fold(
      started("hi"),
      asEvent(SessionUpdate.agentMessageChunk("hello")),
      asEvent(SessionUpdate.userMessageChunk("more")),
      ended
    )
    assert.deepStrictEqual(render(state), ["user: hi", "agent: hello", "user: more"])
  })
})

describe("tool calls", () => {
  it("F156 an update before its call makes a placeholder that the call completes; lists replace, null keeps", () => {
    const early = foldUpdates(
      SessionUpdate.toolCallUpdate({ toolCallId: "t", status: "in_progress", locations: [{ path: "/a" }] })
    )
    assert.deepStrictEqual(render(early), ["t (other) in_progress"])
    const late = SessionState.reduceAll(
      early,
      [
        SessionUpdate.toolCall({ toolCallId: "t", title: "Read a", kind: "read" }),
        SessionUpdate.toolCallUpdate({ toolCallId: "t", title: null, kind: null, status: null, rawInput: null }),
        SessionUpdate.toolCallUpdate({ toolCallId: "t", locations: [{ path: "/b" }], rawOutput: { lines: 1 } })
      ].map(asEvent)
    )
    assert.deepStrictEqual(SessionState.toolCalls(late), [{
      _tag: "ToolCall",
      toolCallId: "t",
      title: "Read a",
      name: undefined,
      kind: "read",
      status: "in_progress",
      content: [],
      locations: [{ path: "/b" }],
      rawInput: undefined,
      rawOutput: { lines: 1 }
    }])
  })

  it("F156 a permission request makes a placeholder, and takes back nothing that was told since", () => {
    const asked: SessionState.Event = {
      _tag: "PermissionAsked",
      toolCall: { toolCallId: "t", title: "Run x", kind: "execute", status: "pending" }
    }
    const completed = asEvent(SessionUpdate.toolCallUpdate({ toolCallId: "t", status: "completed" }))
    assert.deepStrictEqual(render(fold(asked, completed)), ["Run x (execute) completed"])
    assert.deepStrictEqual(fold(completed, asked), fold(asked, completed))
  })

  it("F157 calls that are open when their turn ends are unfinished, when it is cancelled cancelled; a late update still counts", () => {
    const call = asEvent(SessionUpdate.toolCall({ toolCallId: "t", title: "T", status: "in_progress" }))
    const done = asEvent(SessionUpdate.toolCall({ toolCallId: "d", title: "D", status: "completed" }))
    const late = asEvent(SessionUpdate.toolCallUpdate({ toolCallId: "t", status: "completed" }))
    assert.deepStrictEqual(render(fold(started("x"), call, done, ended)).slice(1), [
      "T (other) unfinished",
      "D (other) completed"
    ])
    assert.deepStrictEqual(render(fold(started("x"), call, { _tag: "TurnCancelled" })).slice(1), [
      "T (other) cancelled"
    ])
    const cancelled: SessionState.Event = { _tag: "TurnEnded", stopReason: "cancelled" }
    assert.deepStrictEqual(render(fold(started("x"), call, cancelled)).slice(1), ["T (other) cancelled"])
    assert.deepStrictEqual(render(fold(started("x"), call, cancelled, late)).slice(1), ["T (other) completed"])
  })

  it("F158 a turn that fails closes its open calls", () => {
    const call = asEvent(SessionUpdate.toolCall({ toolCallId: "A", title: "Read", status: "pending" }))
    const state = fold(started("x"), call, { _tag: "TurnEnded", stopReason: undefined })
    assert.deepStrictEqual(render(state).slice(1), ["Read (other) unfinished"])
    assert.strictEqual(state.lastStop, "failed")
  })
})

describe("everything else", () => {
  it("plan, commands, modes and options are replaced; info and usage are patched; notices pass by", () => {
    const state = foldUpdates(
      SessionUpdate.plan([{ content: "a", priority: "low", status: "pending" }]),
      SessionUpdate.plan([]),
      SessionUpdate.availableCommands([{ name: "c", description: "" }]),
      SessionUpdate.currentMode("code"),
      SessionUpdate.sessionInfo({ title: "T", updatedAt: "2026-01-01T00:00:00Z" }),
      SessionUpdate.sessionInfo({ title: null }),
      SessionUpdate.usage({ used: 1, size: 2, cost: { amount: 1, currency: "USD" } }),
      SessionUpdate.usage({ used: 2, size: 2 }),
      SessionUpdate.notice({ severity: "info", title: "psst" })
    )
    assert.deepStrictEqual(state, {
      ...SessionState.empty,
      commands: [{ name: "c", description: "" }],
      modes: { currentModeId: "code", availableModes: [] },
      updatedAt: "2026-01-01T00:00:00Z",
      usage: { used: 2, size: 2, cost: { amount: 1, currency: "USD" } },
      notices: [{ severity: "info", title: "psst" }]
    })
  })

  it("a compaction has one place, and is patched and appended to", () => {
    const state = foldUpdates(
      SessionUpdate.compactionSummaryChunk({ compactionId: "c", content: Content.text("a") }),
      SessionUpdate.agentMessageChunk("x"),
      SessionUpdate.compactionSummaryChunk({ compactionId: "c", content: Content.text("b") }),
      SessionUpdate.compaction({ compactionId: "c", status: "failed", error: "no" }),
      SessionUpdate.compaction({ compactionId: "c", status: "completed", error: null })
    )
    assert.deepStrictEqual(state.timeline[0], {
      _tag: "Compaction",
      compactionId: "c",
      status: "completed",
      summary: [Content.text("ab")],
      error: undefined
    })
    assert.deepStrictEqual(render(state), ["compaction completed", "agent: x"])
  })

  it("F035 an update of a kind that is not known changes nothing and loses nothing", () => {
    const before = foldUpdates(SessionUpdate.agentMessageChunk("a"))
    const unknown = new SessionUpdate.UnknownSessionUpdate({ sessionUpdate: "brand_new", foo: 1 })
    assert.strictEqual(SessionState.reduce(before, asEvent(unknown)), before)
  })

  it("a snapshot is never changed by what is folded later", () => {
    const before = foldUpdates(...transcript)
    const copy = structuredClone(before)
    SessionState.reduceAll(before, transcript.map(asEvent))
    SessionState.reduce(before, ended)
    assert.deepStrictEqual(before, copy)
  })
})

describe("a recorded transcript", () => {
  const recorded = foldUpdates(...transcript)

  it("gives the same state one update at a time and in batches of any size", () => {
    const one = transcript.reduce((state, update) => SessionState.reduce(state, asEvent(update)), SessionState.empty)
    assert.deepStrictEqual(one, recorded)
    for (const size of [2, 3, 7, transcript.length]) {
      let state = SessionState.empty
      for (let index = 0; index < transcript.length; index += size) {
        state = SessionState.reduceAll(state, transcript.slice(index, index + size).map(asEvent))
      }
      assert.deepStrictEqual(state, recorded)
    }
  })

  it.effect("gives the same state from a replay", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({ agentCapabilities: { loadSession: true } })
      const loading = yield* Effect.forkChild(client.loadSession({ cwd, sessionId: "s1" }))
      const request = yield* peer.expect({ method: "session/load" })
      yield* peer.send(...transcript.map(toFrame), Frames.result(request.id as number, null))
      const session = yield* Fiber.join(loading)
      assert.deepStrictEqual(yield* SubscriptionRef.get(session.state), recorded)
      assert.deepStrictEqual(session.history.map(({ update }) => update), transcript)
    }))

  it.effect("gives the same conversation from a turn", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const turn = yield* Effect.forkChild(Stream.runDrain(session.prompt("sent, and echoed in other words")))
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(...transcript.map(toFrame), Frames.result(request.id as number, Support.endTurn))
      yield* Fiber.join(turn)
      const state = yield* SubscriptionRef.get(session.state)
      assert.deepStrictEqual(state, { ...recorded, lastStop: "end_turn" })
    }))
})

const toFrame = (update: SessionUpdate.SessionUpdate) =>
  Frames.notification("session/update", { sessionId: "s1", update })

describe("the state of a session", () => {
  it.effect("F068 is never behind what a turn was given, and complete when the turn ends", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const seen: Array<string> = []
      const turn = yield* Effect.forkChild(
        Stream.runForEach(session.prompt("go"), (event) =>
          Effect.map(SubscriptionRef.get(session.state), (state) => {
            const last = state.timeline.at(-1)
            const text = last?._tag === "Message" ? SessionState.messageText(last) : ""
            const given = event._tag === "Update" ? TurnEvent.messageText(event.update) ?? "" : "3"
            seen.push(`${event._tag} ${text.includes(given)} ${state.activity}`)
          }))
      )
      const request = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(Frames.chunk("s1", "1"))
      yield* peer.settle
      yield* peer.send(
        Frames.chunk("s1", "2"),
        Frames.chunk("s1", "3"),
        Frames.result(request.id as number, Support.endTurn)
      )
      yield* Fiber.join(turn)
      assert.deepStrictEqual(seen, ["Update true running", "Update true idle", "Update true idle", "End true idle"])
    }))

  it.effect("keeps no more than the last turn where it is told so", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ timeline: "turn" })
      for (const text of ["one", "two"]) {
        const turn = yield* Effect.forkChild(Stream.runDrain(session.prompt(text)))
        const request = yield* peer.expect({ method: "session/prompt" })
        yield* peer.send(Frames.chunk("s1", "answer"), Frames.result(request.id as number, Support.endTurn))
        yield* Fiber.join(turn)
      }
      assert.deepStrictEqual(render(yield* SubscriptionRef.get(session.state)), ["user: two", "agent: answer"])
    }))

  it.effect("is told of by its changes, the last of which is the newest", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession()
      const states: Array<SessionState.SessionState> = []
      yield* Effect.forkScoped(
        Stream.runForEach(SubscriptionRef.changes(session.state), (state) => Effect.sync(() => states.push(state))),
        { startImmediately: true }
      )
      yield* peer.send(Frames.chunk("s1", "a"), Frames.chunk("s1", "b"))
      yield* peer.settle
      assert.deepStrictEqual(render(states.at(-1)!), ["agent: ab"])
    }))
})
