import * as AcpError from "@effect-acp/core/AcpError"
import * as Agent from "@effect-acp/core/Agent"
import * as AgentSession from "@effect-acp/core/AgentSession"
import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import { agentMessageChunk } from "@effect-acp/core/schema/SessionUpdate"
import * as SessionStore from "@effect-acp/core/SessionStore"
import * as Transport from "@effect-acp/core/Transport"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import * as UnstableMethods from "@effect-acp/core/unstable/AgentMethods"
import * as UnstableProtocol from "@effect-acp/core/unstable/Protocol"
import { Frames } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Ref, Stream } from "effect"
import {
  cancel,
  model,
  modes,
  prompt,
  refused,
  said,
  start,
  type StartOptions,
  stopped,
  type Subject,
  update
} from "./support/agent.ts"

const opening = { cwd: "/w", mcpServers: [] }

const fork = (id: Frames.Id, sessionId: string, more: Frames.Json = {}) =>
  Frames.request(id, "session/fork", { sessionId, ...opening, ...more })

const forked = (peer: Subject["peer"], sessionId: string, more: Frames.Json = {}) =>
  Effect.map(
    peer.request("session/fork", { sessionId, ...opening, ...more }),
    ({ result }) => result as { readonly sessionId: string } & Frames.Json
  )

const startForking = (options: Omit<Agent.Options, "agentInfo">, more?: StartOptions) =>
  start({ protocol: UnstableProtocol.v1, ...options }, more)

const echo: Omit<Agent.Options, "agentInfo"> = {
  openSession: () => Effect.succeed({ modes, configOptions: [model] }),
  prompt: (turn) => turn.text === "wait" ? Effect.andThen(turn.say("so far"), Effect.never) : turn.say(`${turn.text}!`)
}

const turn = Effect.fnUntraced(function*({ peer }: Subject, sessionId: string, text: string) {
  yield* peer.send(prompt(text, sessionId, text))
  yield* peer.find(stopped(text, "end_turn"))
})

const buildStore = Effect.map(Layer.build(SessionStore.layerMemory), Context.get(SessionStore.SessionStore))

const stored = (store: SessionStore.SessionStore["Service"]) => Layer.succeed(SessionStore.SessionStore, store)

const texts = (store: SessionStore.SessionStore["Service"], sessionId: string) =>
  Effect.map(
    Stream.runCollect(store.history(sessionId)),
    (updates) =>
      updates.map((update) => "content" in update ? (update.content as { readonly text: string }).text : update)
  )

const ids = (store: SessionStore.SessionStore["Service"]) =>
  Effect.map(store.list({}), ({ sessions }) => sessions.map(({ sessionId }) => sessionId))

const agentLayer = Agent.layer({
  agentInfo: { name: "subject", version: "1" },
  protocol: UnstableProtocol.v1,
  forkSession: () => Effect.void,
  prompt: (turn) => turn.say(`${turn.text}!`)
})

const overMemory = Layer.provide(
  Client.layer({ clientInfo: { name: "client", version: "1" }, protocol: UnstableProtocol.v1 }),
  [Transport.layerMemory(agentLayer), Permission.layerDeny]
)

describe("session/fork", () => {
  it.effect("a fork begins where its source is, and each goes on alone", () =>
    Effect.gen(function*() {
      const store = yield* buildStore
      const subject = yield* startForking(echo, { store: stored(store) })
      const source = yield* subject.newSession
      yield* turn(subject, source, "one")
      yield* subject.peer.request("session/set_mode", { sessionId: source, modeId: "code" })
      yield* subject.peer.request("session/set_config_option", { sessionId: source, configId: "model", value: "small" })
      const { configOptions, modes, sessionId } = yield* forked(subject.peer, source, { cwd: "/elsewhere" })
      assert.notStrictEqual(sessionId, source)
      assert.deepInclude(modes, { currentModeId: "code" })
      assert.deepInclude((configOptions as ReadonlyArray<unknown>)[0], { id: "model", currentValue: "small" })
      yield* turn(subject, sessionId, "of the fork")
      yield* turn(subject, source, "of the source")
      assert.deepStrictEqual(yield* texts(store, sessionId), ["one", "one!", "of the fork", "of the fork!"])
      assert.deepStrictEqual(yield* texts(store, source), ["one", "one!", "of the source", "of the source!"])
      const { info } = (yield* store.get(sessionId))!
      assert.deepInclude(info, { sessionId, cwd: "/elsewhere" })
    }))

  it.effect("a session of an earlier process is forked without being opened", () =>
    Effect.gen(function*() {
      const store = yield* buildStore
      const first = yield* startForking(echo, { store: stored(store) })
      const source = yield* first.newSession
      yield* turn(first, source, "one")
      yield* turn(first, source, "two")
      const second = yield* startForking(echo, { store: stored(store) })
      const { sessionId } = yield* forked(second.peer, source)
      assert.deepStrictEqual((yield* second.agent.sessions).map(({ sessionId }) => sessionId), [sessionId])
      yield* second.peer.expectNothing
      const third = yield* startForking(echo, { store: stored(store) })
      yield* third.peer.send(Frames.request(1, "session/load", { sessionId, ...opening }))
      for (const text of ["one", "one!", "two", "two!"]) {
        yield* third.peer.expect(update(sessionId, { content: { text } }))
      }
    }))

  it.effect("what was told outside of turns just before is forked as well, however slow the store", () =>
    Effect.gen(function*() {
      const memory = yield* buildStore
      const append: typeof memory.append = (sessionId, updates) =>
        Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 500 }), memory.append(sessionId, updates))
      const store = { ...memory, append }
      const subject = yield* startForking(echo, { store: stored(store) })
      const source = yield* subject.newSession
      const [session] = yield* subject.agent.sessions
      yield* session.update(agentMessageChunk("by the way"))
      const { sessionId } = yield* forked(subject.peer, source)
      assert.deepStrictEqual(yield* texts(store, sessionId), ["by the way"])
    }))

  it.effect("a session whose turn runs is forked at the end of the turn before, and its turn goes on", () =>
    Effect.gen(function*() {
      const store = yield* buildStore
      const subject = yield* startForking(echo, { store: stored(store) })
      const source = yield* subject.newSession
      yield* turn(subject, source, "one")
      yield* subject.peer.send(prompt(2, source, "wait"))
      yield* subject.peer.find(said(source, "so far"))
      const { sessionId } = yield* forked(subject.peer, source)
      assert.deepStrictEqual(yield* texts(store, sessionId), ["one", "one!"])
      yield* turn(subject, sessionId, "meanwhile")
      yield* subject.peer.send(cancel(source))
      yield* subject.peer.find(stopped(2, "cancelled"))
      assert.deepStrictEqual(yield* texts(store, source), ["one", "one!", "wait", "so far"])
    }))

  it.effect("U5 O8 what is told while a fork is made leaves after the answer that names it, in order", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* startForking({
        prompt: () => Effect.never,
        forkSession: (session) => session.update(agentMessageChunk("forked")),
        openSession: (session, { kind }) => session.update(agentMessageChunk(`opened by ${kind}`))
      })
      const source = yield* newSession
      yield* peer.expect(said(source, "opened by new"))
      yield* peer.send(fork(1, source))
      const { result } = yield* peer.expect({ id: 1, result: {} })
      const { sessionId } = result as { readonly sessionId: string }
      yield* peer.send(prompt(2, sessionId), cancel(sessionId))
      yield* peer.expect(said(sessionId, "forked"))
      yield* peer.expect(said(sessionId, "opened by fork"))
      yield* peer.expect(stopped(2, "cancelled"))
    }))

  it.effect("an author takes over a value of the source, or learns that it is not open", () =>
    Effect.gen(function*() {
      const count = AgentSession.local(() => Ref.make(0))
      const { newSession, peer } = yield* startForking({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* turn.say(String(yield* Ref.updateAndGet(yield* count(turn.session), (n) => n + 1)))
        }),
        forkSession: Effect.fnUntraced(function*(session, source) {
          if (source.session === undefined) {
            return yield* new AcpError.ResourceNotFound({ data: { sessionId: source.sessionId } })
          }
          yield* Ref.set(yield* count(session), yield* Ref.get(yield* count(source.session)))
        })
      })
      const source = yield* newSession
      yield* peer.send(prompt(1, source))
      yield* peer.find(said(source, "1"))
      yield* peer.find(stopped(1, "end_turn"))
      const { sessionId } = yield* forked(peer, source)
      yield* peer.send(prompt(2, sessionId))
      yield* peer.find(said(sessionId, "2"))
      yield* peer.send(prompt(3, source))
      yield* peer.find(said(source, "2"))
      yield* peer.send(fork(4, "gone"))
      yield* peer.find(refused(4, -32002, { sessionId: "gone" }))
    }))

  it.effect("U6 a session that the store does not know is -32002 with its id", () =>
    Effect.gen(function*() {
      const { peer } = yield* startForking(echo, { store: SessionStore.layerMemory })
      yield* peer.send(fork(1, "never"))
      yield* peer.expect(refused(1, -32002, { sessionId: "never" }))
    }))

  it.effect("a fork that fails leaves no session, nothing in the store, and no word", () =>
    Effect.gen(function*() {
      const store = yield* buildStore
      const released: Array<string> = []
      const subject = yield* startForking({
        ...echo,
        forkSession: Effect.fnUntraced(function*(session) {
          yield* Effect.addFinalizer(() => Effect.sync(() => released.push(session.sessionId)))
          yield* session.update(agentMessageChunk("lost"))
          return yield* new AcpError.InvalidRequest({ message: "Not in this directory" })
        })
      }, { store: stored(store) })
      const source = yield* subject.newSession
      yield* turn(subject, source, "one")
      yield* subject.peer.find(said(source, "one!"))
      yield* subject.peer.send(fork(1, source))
      yield* subject.peer.find(refused(1, -32600))
      yield* subject.peer.expectNothing
      assert.strictEqual(released.length, 1)
      assert.deepStrictEqual(yield* ids(store), [source])
      assert.deepStrictEqual((yield* subject.agent.sessions).map(({ sessionId }) => sessionId), [source])
    }))

  it.effect("a store that fails while it copies is the answer, not a fork without a history", () =>
    Effect.gen(function*() {
      const memory = yield* buildStore
      const append: typeof memory.append = (sessionId, updates) =>
        sessionId === source
          ? memory.append(sessionId, updates)
          : Effect.fail(new SessionStore.SessionStoreError({ operation: "try", cause: "no" }))
      const subject = yield* startForking(echo, { store: stored({ ...memory, append }) })
      const source: string = yield* subject.newSession
      yield* turn(subject, source, "one")
      yield* subject.peer.send(fork(1, source))
      yield* subject.peer.find(refused(1, -32603))
      assert.deepStrictEqual(yield* ids(memory), [source])
    }))

  it.effect("G1 F153 a fork takes what was advertised and nothing else", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* startForking(echo, { store: SessionStore.layerMemory })
      const source = yield* newSession
      yield* peer.send(fork(1, source, { mcpServers: [{ type: "acp", name: "own", serverId: "own" }] }))
      yield* peer.expect(refused(1, -32602, { name: "own", type: "acp" }))
      yield* peer.send(fork(2, source, { cwd: "relative" }))
      yield* peer.expect(refused(2, -32602, { cwd: "relative" }))
    }))

  it.effect("G5 it is served and advertised where the protocol has it and there is something to fork with", () =>
    Effect.gen(function*() {
      const isServed = Effect.fnUntraced(function*(
        options: Omit<Agent.Options, "agentInfo" | "prompt">,
        more: StartOptions = {}
      ) {
        const { initialized, peer } = yield* start({ prompt: () => Effect.void, ...options }, more)
        const { agentCapabilities } = initialized!.result as { readonly agentCapabilities: Frames.Json }
        yield* peer.send(fork(1, "none"))
        const { error } = yield* peer.expect((frame) => frame.id === 1)
        const { sessionCapabilities = {} } = agentCapabilities as { readonly sessionCapabilities?: Frames.Json }
        return ["fork" in sessionCapabilities, (error as { readonly code: number }).code]
      })
      const protocol = UnstableProtocol.v1
      const store = SessionStore.layerMemory
      const forkSession = () => Effect.fail(new AcpError.ResourceNotFound({}))
      assert.deepStrictEqual(yield* isServed({}, { store }), [false, -32601])
      assert.deepStrictEqual(yield* isServed({ protocol }), [false, -32601])
      assert.deepStrictEqual(yield* isServed({ protocol }, { store }), [true, -32002])
      assert.deepStrictEqual(yield* isServed({ protocol, forkSession }), [true, -32002])
    }))

  it.effect("forkSession with a protocol that has no session/fork is said when the agent is built", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(start({ prompt: () => Effect.void, forkSession: () => Effect.void }))
      assert.isTrue(Exit.isFailure(exit) && /needs a protocol with session\/fork/.test(Cause.pretty(exit.cause)))
    }))

  it.effect("a client of this library forks a session and prompts both", () =>
    Effect.gen(function*() {
      const client = yield* Client.Client
      const source = yield* client.newSession({ cwd: "/w" })
      const request = { ...opening, sessionId: source.sessionId }
      const session = yield* client.newSessionBy(UnstableMethods.forkSession, request)
      assert.strictEqual((yield* TurnEvent.runText(session.prompt("two"))).text, "two!")
      assert.strictEqual((yield* TurnEvent.runText(source.prompt("three"))).text, "three!")
    }).pipe(Effect.provide(overMemory)))
})
