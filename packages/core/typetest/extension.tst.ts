import type * as AcpError from "@effect-acp/core/AcpError"
import * as Capabilities from "@effect-acp/core/Capabilities"
import * as Connection from "@effect-acp/core/Connection"
import * as Extension from "@effect-acp/core/Extension"
import * as Raxol from "@effect-acp/core/extension/Raxol"
import { InboundRequest } from "@effect-acp/core/InboundRequest"
import * as MethodTable from "@effect-acp/core/MethodTable"
import { Context, Effect, type Layer, Schema } from "effect"
import type * as Rpc from "effect/rpc/Rpc"
import { describe, expect, test } from "tstyche"

declare const connection: Connection.Connection

class Clock extends Context.Service<Clock, { readonly now: Effect.Effect<Date> }>()("Clock") {}

const ask = MethodTable.request("_acme/ask", {
  owner: "acme",
  direction: "agent_to_client",
  callback: "ask",
  gate: Capabilities.gate("client", ["_meta", "acme.dev", "ask"]),
  params: Schema.Struct({ question: Schema.String, due: Schema.DateFromString }),
  result: Schema.Struct({ at: Schema.DateFromString })
})

const todos = MethodTable.notification("acme/todos", {
  owner: "acme",
  unprefixed: true,
  direction: "agent_to_client",
  callback: "todos",
  params: Schema.Struct({ todos: Schema.Array(Schema.String) })
})

const AcmeMethods = MethodTable.group(ask, todos)

describe("a vendor's rows", () => {
  test("are called with decoded values", () => {
    expect(connection.call(ask, { question: "?", due: new Date(0) })).type.toBe<
      Effect.Effect<{ readonly at: Date }, AcpError.CallError>
    >()
    expect(connection.call).type.not.toBeCallableWith(ask, { question: "?", due: "1970-01-01" })
    const peer = Connection.peer(connection, AcmeMethods)
    expect(peer.todos({ todos: [] })).type.toBe<Effect.Effect<void, AcpError.NotifyError>>()
    expect(peer).type.not.toHaveProperty("newSession")
  })

  test("are handled with decoded values, and keep what their handlers need", () => {
    const layer = MethodTable.layerHandlers(AcmeMethods)({
      ask: ({ due }) => {
        expect(due).type.toBe<Date>()
        return Clock.use(({ now }) => Effect.map(now, (at) => ({ at })))
      }
    })
    expect(layer).type.toBe<Layer.Layer<Rpc.Handler<"_acme/ask">, never, Clock>>()
    expect(MethodTable.layerHandlers(AcmeMethods)).type.not.toBeCallableWith({
      ask: () => Effect.succeed({ at: "1970-01-01" })
    })
    expect(MethodTable.layerHandlers(AcmeMethods)).type.not.toBeCallableWith({ prompt: () => Effect.void })
  })

  const options = {
    direction: "both",
    callback: "do",
    params: Schema.Struct({}),
    result: Schema.Struct({})
  } as const

  test("say whose they are", () => {
    expect(MethodTable.request).type.toBeCallableWith("_acme/do", { ...options, owner: "acme" })
    expect(MethodTable.request).type.not.toBeCallableWith("_acme/do", options)
    expect(MethodTable.request).type.not.toBeCallableWith("_acme/do", { ...options, owner: "other" })
    expect(MethodTable.request).type.toBeCallableWith("_acme.dev/a/b", { ...options, owner: "acme.dev" })
    expect(MethodTable.request).type.not.toBeCallableWith("_do", { ...options, owner: "do" })
  })

  test("leave the vendor's space only where they say so", () => {
    expect(MethodTable.request).type.toBeCallableWith("acme/do", { ...options, owner: "acme", unprefixed: true })
    expect(MethodTable.request).type.not.toBeCallableWith("acme/do", { ...options, owner: "acme" })
    expect(MethodTable.request).type.not.toBeCallableWith("_acme/do", { ...options, owner: "acme", unprefixed: true })
  })

  test("decode without services", () => {
    const service = null as unknown as Schema.Codec<{}, {}, Clock>
    expect(MethodTable.request).type.not.toBeCallableWith("_acme/do", { ...options, owner: "acme", params: service })
  })
})

describe("raw handlers", () => {
  test("need what their handlers need, but for the request's own services", () => {
    const layer = Extension.layerRaw({
      request: () => Effect.andThen(Effect.all([InboundRequest, Effect.scope]), Clock.use(({ now }) => now)),
      notification: (method, params) => {
        expect(method).type.toBe<string>()
        expect(params).type.toBe<unknown>()
        return Effect.void
      }
    })
    expect(layer).type.toBe<Layer.Layer<Extension.RawHandlers, never, Clock>>()
  })

  test("fail with errors of the wire only", () => {
    expect(Extension.layerRaw).type.not.toBeCallableWith({ request: () => Effect.fail("no") })
  })
})

describe("raxol", () => {
  test("is typed like the protocol's own methods", () => {
    expect(connection.call(Raxol.steerSession, { sessionId: "s", expectedTurnId: "t", clientMsgId: "m", text: "hi" }))
      .type.toBe<Effect.Effect<Raxol.SteerResponse, AcpError.CallError>>()
    expect(connection.call).type.not.toBeCallableWith(Raxol.steerSession, { sessionId: "s", clientMsgId: "m" })
  })
})
