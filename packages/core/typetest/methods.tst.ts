import type * as AcpError from "@effect-acp/core/AcpError"
import * as AgentMethods from "@effect-acp/core/AgentMethods"
import * as Client from "@effect-acp/core/Client"
import * as ClientMethods from "@effect-acp/core/ClientMethods"
import * as Connection from "@effect-acp/core/Connection"
import { InboundRequest } from "@effect-acp/core/InboundRequest"
import * as MethodTable from "@effect-acp/core/MethodTable"
import type { Permission } from "@effect-acp/core/Permission"
import * as PermissionModule from "@effect-acp/core/Permission"
import type * as FileSystem from "@effect-acp/core/schema/FileSystem"
import type * as Prompt from "@effect-acp/core/schema/Prompt"
import type * as Session from "@effect-acp/core/schema/Session"
import type * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import type * as UnstableSession from "@effect-acp/core/schema/unstable/Session"
import type { Transport } from "@effect-acp/core/Transport"
import * as UnstableAgentMethods from "@effect-acp/core/unstable/AgentMethods"
import { Context, Effect, Layer, Schema } from "effect"
import type * as Rpc from "effect/rpc/Rpc"
import type { Scope } from "effect/Scope"
import { describe, expect, test } from "tstyche"

declare const connection: Connection.Connection
declare const agent: MethodTable.Peer<AgentMethods.AgentMethods>
declare const client: MethodTable.Peer<ClientMethods.ClientMethods>

class Disk extends Context.Service<Disk, { readonly read: (path: string) => Effect.Effect<string> }>()("Disk") {}

const nothing = Schema.Struct({})

describe("peers", () => {
  test("have the types of the protocol by name", () => {
    expect(agent.newSession).type.toBe<
      (params: Session.NewSessionRequest) => Effect.Effect<Session.NewSessionResponse, AcpError.CallError>
    >()
    expect(agent.prompt).type.toBe<
      (params: Prompt.PromptRequest) => Effect.Effect<Prompt.PromptResponse, AcpError.CallError>
    >()
    expect(client.sessionUpdate).type.toBe<
      (params: SessionUpdate.SessionNotification) => Effect.Effect<void, AcpError.NotifyError>
    >()
  })

  test("have no function for what no handler sees", () => {
    expect(agent).type.not.toHaveProperty("cancel")
    expect(agent).type.toHaveProperty("closeSession")
  })

  test("have no function of the other side", () => {
    expect(agent).type.not.toHaveProperty("readTextFile")
    expect(client).type.not.toHaveProperty("newSession")
  })

  test("take the params of the method only", () => {
    expect(agent.newSession).type.toBeCallableWith({ cwd: "/tmp", mcpServers: [] })
    expect(agent.newSession).type.not.toBeCallableWith({ cwd: 1, mcpServers: [] })
    expect(agent.newSession).type.not.toBeCallableWith({ mcpServers: [] })
  })

  test("are made from a connection and a group", () => {
    expect(Connection.peer(connection, AgentMethods.AgentMethods)).type.toBe<typeof agent>()
    expect(Connection.peer(connection, UnstableAgentMethods.AgentMethods)).type.toHaveProperty("forkSession")
    expect(agent).type.not.toHaveProperty("forkSession")
  })
})

describe("calls by row", () => {
  test("take the params and give the result of the row", () => {
    expect(connection.call(AgentMethods.prompt, { sessionId: "s", prompt: [] })).type.toBe<
      Effect.Effect<Prompt.PromptResponse, AcpError.CallError>
    >()
    expect(connection.call).type.not.toBeCallableWith(AgentMethods.prompt, { sessionId: "s" })
    expect(connection.notify(AgentMethods.cancel, { sessionId: "s" })).type.toBe<
      Effect.Effect<void, AcpError.NotifyError>
    >()
  })

  test("take a row and no wire name", () => {
    expect(connection.call).type.not.toBeCallableWith("session/prompt", { sessionId: "s", prompt: [] })
  })
})

describe("handlers", () => {
  test("have the params and the result of their row", () => {
    ClientMethods.handlers({
      readTextFile: (request) => {
        expect(request).type.toBe<FileSystem.ReadTextFileRequest>()
        return Effect.succeed({ content: request.path })
      }
    })
    expect(ClientMethods.handlers).type.not.toBeCallableWith({ readTextFile: () => Effect.succeed({ text: "" }) })
    expect(ClientMethods.handlers).type.not.toBeCallableWith({ readTextFile: () => Effect.fail("no") })
    expect(ClientMethods.handlers).type.not.toBeCallableWith({
      readTextFile: ({ path }: { readonly path: number }) => Effect.succeed({ content: String(path) })
    })
  })

  test("are those of one side", () => {
    expect(ClientMethods.handlers).type.not.toBeCallableWith({
      readTextFile: () => Effect.succeed({ content: "" }),
      logout: () => Effect.succeed({})
    })
    expect(AgentMethods.handlers).type.toBeCallableWith({ logout: () => Effect.succeed({}) })
    expect(ClientMethods.handlers).type.not.toBeCallableWith({ readTextfile: () => Effect.succeed({ content: "" }) })
    expect(ClientMethods.handlers).type.not.toBeCallableWith(
      Effect.succeed({ readTextfile: () => Effect.succeed({ content: "" }) })
    )
  })

  test("keep their requirements, but for those of the request", () => {
    const layer = ClientMethods.handlers({
      readTextFile: ({ path }) => Effect.map(Disk.use(({ read }) => read(path)), (content) => ({ content })),
      writeTextFile: () => Effect.as(Effect.all([InboundRequest, Effect.scope]), {})
    })
    expect(layer).type.toBe<
      Layer.Layer<Rpc.Handler<"fs/read_text_file"> | Rpc.Handler<"fs/write_text_file">, never, Disk>
    >()
  })

  test("keep the requirements and errors of the effect that builds them", () => {
    const layer = ClientMethods.handlers(Effect.gen(function*() {
      const disk = yield* Disk
      yield* Effect.addFinalizer(() => Effect.void)
      if (disk === undefined) return yield* Effect.fail("no disk" as const)
      return { readTextFile: () => Effect.succeed({ content: "" }) }
    }))
    expect(layer).type.toBe<Layer.Layer<Rpc.Handler<"fs/read_text_file">, "no disk", Disk>>()
  })
})

describe("a client", () => {
  const layer = Client.layer({ clientInfo: { name: "c", version: "1" } })

  test("needs whoever decides permissions", () => {
    expect<Layer.Services<typeof layer>>().type.toBe<Transport | Permission>()
    const decided = layer.pipe(Layer.provide(PermissionModule.layerAllowOnce))
    expect<Layer.Services<typeof decided>>().type.toBe<Transport>()
  })
})

describe("rows", () => {
  test("know their name, kind, callback and schemas", () => {
    expect(AgentMethods.prompt).type.toBe<
      MethodTable.Row<"session/prompt", "request", "prompt", Prompt.PromptRequest, Prompt.PromptResponse>
    >()
    expect<MethodTable.Params<typeof AgentMethods.newSession>>().type.toBe<Session.NewSessionRequest>()
    expect<MethodTable.Result<typeof AgentMethods.newSession>>().type.toBe<Session.NewSessionResponse>()
    expect<MethodTable.Result<typeof ClientMethods.sessionUpdate>>().type.toBe<void>()
  })

  test("that handlers serve need a callback", () => {
    const options = { direction: "client_to_agent", params: nothing } as const
    expect(MethodTable.notification).type.toBeCallableWith("thing/told", { ...options, callback: "told" })
    expect(MethodTable.notification).type.not.toBeCallableWith("thing/told", options)
    expect(MethodTable.request).type.not.toBeCallableWith("thing/do", { ...options, result: nothing })
  })

  test("that the library acts on have none", () => {
    const options = { direction: "both", params: nothing, layer: "protocol" } as const
    expect(MethodTable.notification).type.toBeCallableWith("$/told", options)
    expect(MethodTable.notification).type.not.toBeCallableWith("$/told", { ...options, callback: "told" })
  })

  test("have params that are objects on the wire", () => {
    const options = { direction: "both", callback: "told" } as const
    expect(MethodTable.notification).type.not.toBeCallableWith("thing/told", { ...options, params: Schema.String })
    expect(MethodTable.notification).type.not.toBeCallableWith("thing/told", { ...options, params: Schema.Void })
  })

  test("keep their name and kind when they are refined", () => {
    expect(UnstableAgentMethods.newSession).type.toBe<
      MethodTable.Row<
        "session/new",
        "request",
        "newSession",
        UnstableSession.NewSessionRequest,
        Session.NewSessionResponse
      >
    >()
  })
})

describe("handlers of requests", () => {
  test("get a scope that closes with the request", () => {
    expect<MethodTable.Required<{ readonly prompt: () => Effect.Effect<{}, never, Scope | Disk> }>>().type.toBe<Disk>()
  })
})
