import * as AcpError from "@effect-acp/core/AcpError"
import * as Agent from "@effect-acp/core/Agent"
import * as AgentMethods from "@effect-acp/core/AgentMethods"
import * as Capabilities from "@effect-acp/core/Capabilities"
import * as Client from "@effect-acp/core/Client"
import * as Connection from "@effect-acp/core/Connection"
import * as MethodTable from "@effect-acp/core/MethodTable"
import * as Permission from "@effect-acp/core/Permission"
import * as Protocol from "@effect-acp/core/Protocol"
import * as Transport from "@effect-acp/core/Transport"
import * as UnstableAgentMethods from "@effect-acp/core/unstable/AgentMethods"
import * as Unstable from "@effect-acp/core/unstable/Protocol"
import * as ProxyMethods from "@effect-acp/core/unstable/ProxyMethods"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Queue, Schema } from "effect"
import * as Pair from "./support/pair.ts"

const due = new Date("2030-01-02T03:04:05.000Z")

const ask = MethodTable.request("_acme/ask", {
  owner: "acme",
  direction: "agent_to_client",
  callback: "ask",
  gate: Capabilities.gate("client", ["_meta", "acme.dev/tools", "ask"]),
  params: Schema.Struct({
    question: Schema.String,
    due: Schema.DateFromString,
    tries: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(3)))
  }),
  result: Schema.Struct({ answers: Schema.ReadonlyMap(Schema.String, Schema.Finite).pipe(Schema.toCodecJson) })
})

const changed = MethodTable.notification("_acme/changed", {
  owner: "acme",
  direction: "both",
  callback: "changed",
  params: Schema.Struct({ at: Schema.DateFromString })
})

const AcmeMethods = MethodTable.group(ask, changed)

const on = { _meta: { "acme.dev/tools": { ask: true } } }

/** Names outside of the reserved space, one of them sent both ways. */
const todosParams = Schema.Struct({ todos: Schema.Array(Schema.String) })
const outside = { owner: "cursor", unprefixed: true, direction: "agent_to_client" } as const
const CursorMethods = MethodTable.group(
  MethodTable.request("cursor/create_plan", {
    ...outside,
    callback: "createPlan",
    params: Schema.Struct({ toolCallId: Schema.String, plan: Schema.String }),
    result: Schema.Struct({ outcome: Schema.Struct({ outcome: Schema.Literals(["accepted", "rejected"]) }) })
  }),
  MethodTable.request("cursor/update_todos", {
    ...outside,
    callback: "updateTodos",
    params: todosParams,
    result: Schema.Struct({})
  }),
  MethodTable.notification("cursor/update_todos", { ...outside, callback: "todosUpdated", params: todosParams })
)

class Oracle extends Context.Service<Oracle, { readonly answer: number }>()("test/Oracle") {}

describe("a vendor's methods", () => {
  it.effect("are served by providing their handlers, and called with typed values on either side", () =>
    Effect.gen(function*() {
      const asked = yield* Queue.unbounded<typeof ask.payloadSchema.Type>()
      const handlers = MethodTable.layerHandlers(AcmeMethods)({
        ask: (request) =>
          Effect.gen(function*() {
            yield* Queue.offer(asked, request)
            const { answer } = yield* Oracle
            return { answers: new Map([[request.question, answer]]) }
          })
      })
      const { agent, frames } = yield* Pair.make({
        client: Layer.provide(handlers, Layer.succeed(Oracle, { answer: 42 })),
        clientCapabilities: on
      })
      const acme = Connection.peer(agent.connection, AcmeMethods)
      const { answers } = yield* acme.ask({ question: "?", due, tries: 1 })
      assert.deepStrictEqual([...answers], [["?", 42]])
      assert.deepStrictEqual(yield* Queue.take(asked), { question: "?", due, tries: 1 })
      assert.deepInclude(frames[0], {
        method: "_acme/ask",
        params: { question: "?", due: due.toISOString(), tries: 1 }
      })
      assert.deepInclude(frames[1], { result: { answers: [["?", 42]] } })
    }))

  it.effect("go in both directions as notifications", () =>
    Effect.gen(function*() {
      const told = { client: yield* Deferred.make<Date>(), agent: yield* Deferred.make<Date>() }
      const handlers = (side: "client" | "agent") =>
        MethodTable.layerHandlers(AcmeMethods)({ changed: ({ at }) => Deferred.succeed(told[side], at) })
      const { agent, client } = yield* Pair.make({ client: handlers("client"), agent: handlers("agent") })
      yield* agent.connection.notify(changed, { at: due })
      yield* client.connection.notify(changed, { at: new Date(0) })
      assert.deepStrictEqual(yield* Deferred.await(told.client), due)
      assert.deepStrictEqual(yield* Deferred.await(told.agent), new Date(0))
    }))

  it.effect("G4 are not sent when the peer did not advertise them under _meta", () =>
    Effect.gen(function*() {
      const { agent, frames } = yield* Pair.make({ clientCapabilities: { _meta: { acme: { dev: { ask: true } } } } })
      const error = yield* Effect.flip(agent.connection.call(ask, { question: "?", due, tries: 1 }))
      assert.deepStrictEqual(
        error,
        new AcpError.CapabilityMissing({
          method: "_acme/ask",
          side: "client",
          capability: `_meta["acme.dev/tools"].ask`
        })
      )
      assert.deepStrictEqual(frames, [])
    }))

  it.effect("G1 are refused when they were not advertised, before their params are looked at", () =>
    Effect.gen(function*() {
      const handlers = MethodTable.layerHandlers(AcmeMethods)({ ask: () => Effect.die("not to be called") })
      const { agent } = yield* Pair.make({ client: handlers })
      const ungated = MethodTable.request("_acme/ask", {
        owner: "acme",
        direction: "agent_to_client",
        callback: "ask",
        params: Schema.Struct({ nonsense: Schema.Boolean }),
        result: Schema.Struct({})
      })
      const error = yield* Effect.flip(agent.connection.call(ungated, { nonsense: true }))
      assert.strictEqual(error._tag, "MethodNotFound")
    }))

  it.effect("fail with -32602 when params do not decode, and with a typed error when the result does not", () =>
    Effect.gen(function*() {
      const handlers = MethodTable.layerHandlers(AcmeMethods)({ ask: () => Effect.succeed({ answers: new Map() }) })
      const { agent } = yield* Pair.make({ client: handlers, clientCapabilities: on })
      const wrong = MethodTable.refine(ask, { params: Schema.Struct({ question: Schema.Finite }) })
      const invalid = yield* Effect.flip(agent.connection.call(wrong, { question: 1 }))
      assert.strictEqual(invalid._tag, "InvalidParams")
      const expecting = MethodTable.refine(ask, { result: Schema.Struct({ score: Schema.Finite }) })
      const undecodable = yield* Effect.flip(agent.connection.call(expecting, { question: "?", due, tries: 1 }))
      assert.strictEqual(undecodable._tag, "DecodeError")
    }))

  it.effect("C5 are not sent when their params do not encode", () =>
    Effect.gen(function*() {
      const { agent, frames } = yield* Pair.make({ clientCapabilities: on })
      const error = yield* Effect.flip(
        agent.connection.call(ask, { question: "?", due: new Date(Number.NaN), tries: "many" as unknown as number })
      )
      assert.strictEqual(error._tag, "EncodeError")
      assert.deepStrictEqual(frames, [])
    }))

  it.effect("are answered with -32601 when nobody handles them", () =>
    Effect.gen(function*() {
      const { agent } = yield* Pair.make({ clientCapabilities: on })
      const error = yield* Effect.flip(agent.connection.call(ask, { question: "?", due, tries: 1 }))
      assert.strictEqual(error._tag, "MethodNotFound")
    }))

  it.effect("F027 may have names outside of the reserved space, as request and as notification", () =>
    Effect.gen(function*() {
      const told = yield* Deferred.make<ReadonlyArray<string>>()
      const handlers = MethodTable.layerHandlers(CursorMethods)({
        createPlan: () => Effect.succeed({ outcome: { outcome: "accepted" as const } }),
        updateTodos: () => Effect.succeed({}),
        todosUpdated: ({ todos }) => Deferred.succeed(told, todos)
      })
      const { agent, frames } = yield* Pair.make({ client: handlers })
      const cursor = Connection.peer(agent.connection, CursorMethods)
      const plan = yield* cursor.createPlan({ toolCallId: "t1", plan: "..." })
      assert.deepStrictEqual(plan, { outcome: { outcome: "accepted" } })
      assert.deepStrictEqual(yield* cursor.updateTodos({ todos: ["a"] }), {})
      yield* cursor.todosUpdated({ todos: ["b"] })
      assert.deepStrictEqual(yield* Deferred.await(told), ["b"])
      assert.deepInclude(frames.at(-1), { method: "cursor/update_todos", params: { todos: ["b"] } })
      assert.notProperty(frames.at(-1), "id")
    }))
})

/** A vendor's methods with a capability of either side. */
const gatedBy = (side: MethodTable.Side, direction: MethodTable.Direction) =>
  MethodTable.group(MethodTable.request("_acme/do", {
    owner: "acme",
    direction,
    callback: "do",
    gate: Capabilities.gate(side, ["_meta", "acme.dev/tools", "do"]),
    params: Schema.Struct({}),
    result: Schema.Struct({})
  }))

describe("G5 a vendor's capability", () => {
  const clientInfo = { name: "client", version: "1.0.0" }
  const agentInfo = { name: "agent", version: "1.0.0" }
  const advertised = { "acme.dev/tools": { do: {} } }

  const linked = Effect.fnUntraced(function*(handlers: {
    readonly agent?: Layer.Layer<any>
    readonly client?: Layer.Layer<any>
  }) {
    const [here, there] = yield* Transport.makeMemory
    const agent = Agent.layer({ agentInfo, prompt: () => Effect.void }).pipe(
      Layer.provide(handlers.agent ?? Layer.empty),
      Layer.provide(Layer.succeed(Transport.Transport, there))
    )
    const client = Client.layer({ clientInfo }).pipe(
      Layer.provide([handlers.client ?? Layer.empty, Permission.layerAllowOnce]),
      Layer.provide(Layer.succeed(Transport.Transport, here))
    )
    const services = { agent: yield* Layer.build(agent), client: yield* Layer.build(client) }
    return {
      agent: Context.get(services.agent, Agent.Agent).connection,
      client: Context.get(services.client, Client.Client).connection
    }
  })

  it.effect("is advertised by a client that is given the handler", () =>
    Effect.gen(function*() {
      const methods = gatedBy("client", "agent_to_client")
      const handlers = MethodTable.layerHandlers(methods)({ do: () => Effect.succeed({}) })
      const { agent } = yield* linked({ client: handlers })
      assert.deepStrictEqual(agent.capabilities.negotiatedUnsafe()?.client._meta, advertised)
      assert.deepStrictEqual(yield* Connection.peer(agent, methods).do({}), {})
      const without = yield* linked({})
      assert.isUndefined(without.agent.capabilities.negotiatedUnsafe()?.client._meta)
    }))

  it.effect("is advertised by an agent that is given the handler", () =>
    Effect.gen(function*() {
      const methods = gatedBy("agent", "client_to_agent")
      const handlers = MethodTable.layerHandlers(methods)({ do: () => Effect.succeed({}) })
      const { client } = yield* linked({ agent: handlers })
      assert.deepStrictEqual(client.capabilities.negotiatedUnsafe()?.agent._meta, advertised)
      assert.deepStrictEqual(yield* Connection.peer(client, methods).do({}), {})
    }))

  it.effect("is not advertised by a side that does not handle the method", () =>
    Effect.gen(function*() {
      const methods = gatedBy("agent", "agent_to_client")
      const handlers = MethodTable.layerHandlers(methods)({ do: () => Effect.succeed({}) })
      const { client } = yield* linked({ agent: handlers, client: handlers })
      assert.isUndefined(client.capabilities.negotiatedUnsafe()?.agent._meta)
      assert.isUndefined(client.capabilities.negotiatedUnsafe()?.client._meta)
    }))
})

describe("a protocol", () => {
  it.effect("has the rows of the handlers that are provided, each once", () =>
    Effect.gen(function*() {
      const services = yield* Layer.build(
        MethodTable.layerHandlers(AcmeMethods)({
          ask: () => Effect.succeed({ answers: new Map() })
        })
      )
      const extended = Protocol.withHandled(Protocol.v1, services as Context.Context<never>)
      assert.deepStrictEqual(extended.table.rows.slice(25).map(({ _tag }) => _tag), ["_acme/ask"])
      assert.strictEqual(Protocol.withHandled(extended, services as Context.Context<never>).table, extended.table)
      assert.strictEqual(Protocol.extend(Protocol.v1, AcmeMethods).table.rows.length, 27)
    }))

  it.effect("takes no rows from handlers of the protocol's own methods", () =>
    Effect.gen(function*() {
      const services = yield* Layer.build(UnstableAgentMethods.handlers({
        forkSession: () => Effect.succeed({ sessionId: "s" })
      }))
      const { table } = Protocol.withHandled(Protocol.v1, services as Context.Context<never>)
      assert.strictEqual(table.gateOf("session/fork"), "unknown method")
    }))
})

describe("the unstable protocol", () => {
  const systemPrompt = { mode: "append", content: [{ type: "text", text: "be brief" }] } as const
  const setup = { cwd: "/tmp", mcpServers: [] }

  it.effect("is spoken where the library calls a stable row", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const agent = UnstableAgentMethods.handlers({
        newSession: (request) =>
          Effect.sync(() => {
            seen.push(request)
            return { sessionId: "s" }
          })
      })
      const speaks = { agentProtocol: Unstable.v1, agent }
      const unstable = yield* Pair.make({ ...speaks, clientProtocol: Unstable.v1 })
      const request = { ...setup, systemPrompt }
      yield* unstable.client.connection.call(AgentMethods.newSession, request)
      const stable = yield* Pair.make(speaks)
      yield* stable.client.connection.call(AgentMethods.newSession, request)
      assert.deepStrictEqual(seen, [request, setup])
    }))

  it.effect("serves a request and a notification of one name by two handlers", () =>
    Effect.gen(function*() {
      const told = yield* Deferred.make<string>()
      const handlers = ProxyMethods.handlers({
        callSuccessor: ({ method }) => Effect.succeed(`called ${method}`),
        notifySuccessor: ({ method }) => Deferred.succeed(told, method)
      })
      const { agent, client } = yield* Pair.make({
        agent: handlers,
        client: handlers,
        agentProtocol: Unstable.v1,
        clientProtocol: Unstable.v1
      })
      for (const { connection } of [agent, client]) {
        assert.strictEqual(yield* connection.call(ProxyMethods.callSuccessor, { method: "x" }), "called x")
      }
      yield* client.connection.notify(ProxyMethods.notifySuccessor, { method: "y" })
      assert.strictEqual(yield* Deferred.await(told), "y")
    }))

  it.effect("is unknown to a stable peer", () =>
    Effect.gen(function*() {
      const { client } = yield* Pair.make({
        clientProtocol: Unstable.v1,
        agentCapabilities: { sessionCapabilities: { fork: {} } }
      })
      const error = yield* Effect.flip(
        client.connection.call(UnstableAgentMethods.forkSession, { sessionId: "s", ...setup })
      )
      assert.strictEqual(error._tag, "MethodNotFound")
    }))
})
