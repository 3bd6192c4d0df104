import * as SessionStore from "@effect-acp/core/SessionStore"
import * as Model from "@effect-acp/examples/model"
import { Frames, ScriptedPeer } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer, Stream } from "effect"
import { LanguageModel, type Response } from "effect/ai"

type Part = Response.StreamPartEncoded
type Request = LanguageModel.ProviderOptions

const text = (id: string, ...deltas: ReadonlyArray<string>): ReadonlyArray<Part> => [
  { type: "text-start", id },
  ...deltas.map((delta): Part => ({ type: "text-delta", id, delta })),
  { type: "text-end", id }
]

const thought = (delta: string): ReadonlyArray<Part> => [
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta },
  { type: "reasoning-end", id: "r" }
]

const call = (id: string, name: string, params: object): Part => ({ type: "tool-call", id, name, params })

const finish = (reason: "stop" | "tool-calls" | "length"): Part => ({
  type: "finish",
  reason,
  usage: {
    inputTokens: { uncached: undefined, total: 100, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 20, text: undefined, reasoning: undefined }
  },
  response: undefined
})

/** A model that answers each request with the next of its streams, and keeps what it was asked. */
const scripted = (...answers: ReadonlyArray<Stream.Stream<Part>>) => {
  const requests: Array<Request> = []
  const layer = Layer.effect(LanguageModel.LanguageModel)(LanguageModel.make({
    generateText: () => Effect.die("not used"),
    streamText: (options) =>
      Stream.suspend(() => {
        requests.push(options)
        return answers[requests.length - 1] ?? Stream.die("the script is over")
      })
  }))
  return { layer, requests }
}

const connect = Effect.fnUntraced(function*(
  model: Layer.Layer<LanguageModel.LanguageModel>,
  store: Layer.Layer<never> | Layer.Layer<SessionStore.SessionStore> = Layer.empty
) {
  const peer = yield* ScriptedPeer.make
  yield* Layer.build(Model.layer.pipe(Layer.provide(model), Layer.provide(peer.layer), Layer.provide(store)))
  yield* peer.initialize({ fs: { readTextFile: true }, terminal: true })
  return peer
})

const start = Effect.fnUntraced(function*(...args: Parameters<typeof connect>) {
  const peer = yield* connect(...args)
  const { result } = yield* peer.request("session/new", { cwd: "/w", mcpServers: [] })
  const { sessionId } = result as { readonly sessionId: string }
  const prompt = (id: number, text: string) =>
    peer.send(Frames.request(id, "session/prompt", { sessionId, prompt: [{ type: "text", text }] }))
  const update = (fields: Frames.Json) =>
    peer.expect({ method: "session/update", params: { sessionId, update: fields } })
  return { peer, prompt, sessionId, update }
})

const chunk = (sessionUpdate: string, text: string) => ({ sessionUpdate, content: { type: "text", text } })

const roles = (request: Request) => request.prompt.content.map(({ role }) => role)

describe("A language model as an agent", () => {
  it.effect("streams text and thoughts, tells usage, and remembers what was said", () =>
    Effect.gen(function*() {
      const { layer, requests } = scripted(
        Stream.fromIterable([...thought("hm"), ...text("t", "Hello ", "there"), finish("stop")]),
        Stream.fromIterable([...text("t", "Bye"), finish("length")])
      )
      const { peer, prompt, update } = yield* start(layer)
      yield* prompt(1, "Hi")
      yield* update(chunk("agent_thought_chunk", "hm"))
      yield* update(chunk("agent_message_chunk", "Hello "))
      yield* update(chunk("agent_message_chunk", "there"))
      yield* update({ sessionUpdate: "usage_update", used: 120, size: 200_000 })
      yield* peer.expect({ id: 1, result: { stopReason: "end_turn" } })
      yield* prompt(2, "Bye")
      yield* update(chunk("agent_message_chunk", "Bye"))
      yield* update({ sessionUpdate: "usage_update" })
      yield* peer.expect({ id: 2, result: { stopReason: "max_tokens" } })
      assert.deepStrictEqual(roles(requests[0]), ["system", "user"])
      assert.deepStrictEqual(roles(requests[1]), ["system", "user", "assistant", "user"])
    }))

  it.effect("calls tools that work through the client, and goes on with what they give", () =>
    Effect.gen(function*() {
      const { layer, requests } = scripted(
        Stream.fromIterable([call("c1", "ReadFile", { path: "/w/a" }), finish("tool-calls")]),
        Stream.fromIterable([...text("t", "It says x"), finish("stop")])
      )
      const { peer, prompt, update } = yield* start(layer)
      yield* prompt(1, "What is in a?")
      yield* update({
        sessionUpdate: "tool_call",
        toolCallId: "c1",
        title: "ReadFile /w/a",
        kind: "read",
        status: "pending",
        rawInput: { path: "/w/a" }
      })
      yield* update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "in_progress" })
      yield* peer.respond(yield* peer.expect({ method: "fs/read_text_file", params: { path: "/w/a" } }), {
        content: "x"
      })
      yield* update({
        sessionUpdate: "tool_call_update",
        toolCallId: "c1",
        status: "completed",
        content: [{ content: { text: "x" } }]
      })
      yield* update({ sessionUpdate: "usage_update" })
      yield* update(chunk("agent_message_chunk", "It says x"))
      yield* update({ sessionUpdate: "usage_update" })
      yield* peer.expect({ id: 1, result: { stopReason: "end_turn" } })
      assert.deepStrictEqual(roles(requests[1]), ["system", "user", "assistant", "tool"])
    }))

  const asks = Stream.fromIterable([call("c1", "RunCommand", { line: "make" }), finish("tool-calls")])
  const told = (words: string) => Stream.fromIterable([...text("t", words), finish("stop")])

  it.effect("P1 a tool that needs permission runs once the user has allowed it", () =>
    Effect.gen(function*() {
      const { layer, requests } = scripted(asks, told("Made"), told("Again"))
      const { peer, prompt, sessionId } = yield* start(layer)
      yield* prompt(1, "Make it")
      const asked = yield* peer.find({ method: "session/request_permission" })
      assert.deepInclude(asked.params, { sessionId })
      yield* peer.respond(asked, { outcome: { outcome: "selected", optionId: "allow_once" } })
      yield* peer.respond(
        yield* peer.find({ method: "terminal/create", params: { command: "sh", args: ["-c", "make"] } }),
        { terminalId: "t" }
      )
      yield* peer.respond(yield* peer.find({ method: "terminal/wait_for_exit" }), { exitCode: 0 })
      yield* peer.respond(yield* peer.find({ method: "terminal/output" }), { output: "made", truncated: false })
      yield* peer.respond(yield* peer.find({ method: "terminal/release" }), {})
      yield* peer.find({ method: "session/update", params: { update: { toolCallId: "c1", status: "completed" } } })
      yield* peer.find({ id: 1, result: { stopReason: "end_turn" } })
      yield* prompt(2, "And again")
      yield* peer.find({ id: 2, result: { stopReason: "end_turn" } })
      assert.deepStrictEqual(roles(requests[2]), ["system", "user", "assistant", "tool", "assistant", "user"])
    }))

  it.effect("P1 a tool that is not allowed does not run, and the model is told", () =>
    Effect.gen(function*() {
      const { layer, requests } = scripted(asks, told("Then not"))
      const { peer, prompt } = yield* start(layer)
      yield* prompt(1, "Make it")
      yield* peer.respond(yield* peer.find({ method: "session/request_permission" }), {
        outcome: { outcome: "selected", optionId: "reject_once" }
      })
      yield* peer.find({ method: "session/update", params: { update: { toolCallId: "c1", status: "failed" } } })
      yield* peer.find({ id: 1, result: { stopReason: "end_turn" } })
      assert.notInclude((yield* peer.lines).join("\n"), "terminal/create")
      assert.deepInclude(requests[1].prompt.content.at(-1), { role: "tool" })
    }))

  it.effect("X4 cancelling a turn stops the stream of the model, and the conversation goes on", () =>
    Effect.gen(function*() {
      const stopped = yield* Latch.make()
      const endless = Stream.concat(
        Stream.fromIterable(
          [...text("t", "One "), { type: "text-start", id: "u" }, {
            type: "text-delta",
            id: "u",
            delta: "two"
          }] as Array<Part>
        ),
        Stream.never
      ).pipe(Stream.ensuring(stopped.open))
      const { layer, requests } = scripted(endless, told("Three"))
      const { peer, prompt, sessionId, update } = yield* start(layer)
      yield* prompt(1, "Count")
      yield* update(chunk("agent_message_chunk", "One "))
      yield* update(chunk("agent_message_chunk", "two"))
      yield* peer.send(Frames.notification("session/cancel", { sessionId }))
      yield* peer.expect({ id: 1, result: { stopReason: "cancelled" } })
      yield* stopped.await
      yield* prompt(2, "Go on")
      yield* update(chunk("agent_message_chunk", "Three"))
      yield* peer.find({ id: 2, result: { stopReason: "end_turn" } })
      assert.deepStrictEqual(roles(requests[1]), ["system", "user", "assistant", "user"])
    }))

  it.effect("K24 a call that runs when the turn is cancelled fails, and is not in the conversation", () =>
    Effect.gen(function*() {
      const { layer, requests } = scripted(
        Stream.fromIterable([call("c1", "ReadFile", { path: "/w/a" }), finish("tool-calls")]),
        told("Yes")
      )
      const { peer, prompt, sessionId } = yield* start(layer)
      yield* prompt(1, "What is in a?")
      const { id } = yield* peer.find({ method: "fs/read_text_file" })
      yield* peer.send(Frames.notification("session/cancel", { sessionId }))
      yield* peer.find({ method: "$/cancel_request", params: { requestId: id } })
      yield* peer.find({ method: "session/update", params: { update: { toolCallId: "c1", status: "failed" } } })
      yield* peer.find({ id: 1, result: { stopReason: "cancelled" } })
      yield* prompt(2, "Are you there?")
      yield* peer.find({ id: 2, result: { stopReason: "end_turn" } })
      assert.deepStrictEqual(roles(requests[1]), ["system", "user", "user"])
    }))

  it.effect("P1 a call that was waiting for permission when the turn was cancelled does not run later", () =>
    Effect.gen(function*() {
      const { layer, requests } = scripted(asks, told("Yes"))
      const { peer, prompt, sessionId } = yield* start(layer)
      yield* prompt(1, "Make it")
      const asked = yield* peer.find({ method: "session/request_permission" })
      yield* peer.send(
        Frames.notification("session/cancel", { sessionId }),
        Frames.result(asked.id as string, { outcome: { outcome: "selected", optionId: "allow_once" } })
      )
      yield* peer.find({ method: "session/update", params: { update: { toolCallId: "c1", status: "failed" } } })
      yield* peer.find({ id: 1, result: { stopReason: "cancelled" } })
      yield* prompt(2, "Are you there?")
      yield* peer.find({ id: 2, result: { stopReason: "end_turn" } })
      assert.deepStrictEqual(roles(requests[1]), ["system", "user", "user"])
      assert.notInclude((yield* peer.lines).join("\n"), "terminal/create")
    }))

  it.effect("a conversation that is loaded from the session store goes on where it was", () =>
    Effect.gen(function*() {
      const store = Layer.succeedContext(yield* Layer.build(SessionStore.layerMemory))
      const first = scripted(told("Hello Ada"))
      const { peer, prompt, sessionId } = yield* start(first.layer, store)
      yield* prompt(1, "I am Ada")
      yield* peer.find({ id: 1, result: { stopReason: "end_turn" } })

      const second = scripted(told("Ada"))
      const later = yield* connect(second.layer, store)
      yield* later.request("session/load", { sessionId, cwd: "/w", mcpServers: [] })
      yield* later.send(
        Frames.request(2, "session/prompt", { sessionId, prompt: [{ type: "text", text: "Who am I?" }] })
      )
      yield* later.find({ id: 2, result: { stopReason: "end_turn" } })
      assert.deepStrictEqual(roles(second.requests[0]), ["system", "user", "assistant", "user"])
      assert.include(JSON.stringify(second.requests[0].prompt.content[2]), "Hello Ada")
    }))

  it.effect("a failure of the model is the answer of the turn", () =>
    Effect.gen(function*() {
      const { layer } = scripted(Stream.fromIterable([{ type: "error", error: "overloaded" } as Part]))
      const { peer, prompt } = yield* start(layer)
      yield* prompt(1, "Hi")
      yield* peer.expect({ id: 1, error: { code: -32603, message: "overloaded" } })
    }))
})
