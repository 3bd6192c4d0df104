/**
 * The MCP servers that a client offers for a session, connected through Effect's own MCP client.
 *
 * A server over stdio is a child process of the agent, one over HTTP is called over the network. Which kinds a client may
 * offer is what the agent advertises: `capabilities: { mcpCapabilities: { http: true } }`; stdio is always there.
 *
 * @since 0.1.0
 */
import * as McpClient from "effect/ai/McpClient"
import { ConfigurationError, McpClientError, UnsupportedError } from "effect/ai/McpClientError"
import * as McpProtocol from "effect/ai/McpProtocol"
import type * as Toolkit from "effect/ai/Toolkit"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as AgentSession from "./AgentSession.ts"
import * as McpServer from "./schema/McpServer.ts"

/**
 * How the agent presents itself to MCP servers.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  readonly name: string
  readonly version: string
  /** The revision of MCP that is spoken. Default `2025-11-25`. */
  readonly protocol?: McpProtocol.ProtocolAdapter<McpClient.ProtocolVersion> | undefined
  /** How long connecting, and listing what a server has, may take. Default 60 seconds. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * A server that is connected.
 *
 * @category models
 * @since 0.1.0
 */
export interface Connected {
  readonly server: McpServer.McpServer
  readonly client: McpClient.McpClient
}

/**
 * What the tools of MCP servers look like to a language model.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Tools = Toolkit.WithHandlerTools<Effect.Success<ReturnType<typeof McpClient.toolkit>>>

/**
 * Connects to a server until the scope closes.
 *
 * **Details**
 *
 * A process is started in `cwd`, with the environment of this process and what the client set besides. `sse`, which MCP has
 * given up, fails with an `UnsupportedError`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const connect = (
  server: McpServer.McpServer,
  options: Options & { readonly cwd?: string | undefined }
): Effect.Effect<
  McpClient.McpClient,
  McpClientError,
  ChildProcessSpawner | HttpClient.HttpClient | Scope.Scope
> => {
  const { cwd, protocol = McpProtocol.v2025_11_25, ...identity } = options
  const make = <R>(transport: Effect.Effect<McpClient.Transport, McpClientError, R>) =>
    Effect.provideServiceEffect(McpClient.make(identity), McpClient.Transport, transport)
  return McpServer.match(server, {
    http: ({ headers, url }) => make(McpClient.http({ url, headers: toRecord(headers), protocol })),
    sse: ({ name }) => Effect.fail(unsupported(`${name} is offered over SSE, which is not supported`)),
    stdio: ({ args, command, env }) =>
      make(
        McpClient.stdio({
          command: ChildProcess.make(command, args, { cwd, env: toRecord(env), extendEnv: true }),
          protocol
        })
      )
  })
}

/**
 * Connects to all servers that a client offers for a session, when it is first asked for; they stay connected until the
 * session is closed.
 *
 * **Details**
 *
 * A server that cannot be connected fails the effect for this session; take `connect` to go on without it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): (
  session: AgentSession.AgentSession
) => Effect.Effect<ReadonlyArray<Connected>, McpClientError, ChildProcessSpawner | HttpClient.HttpClient> =>
  AgentSession.local(({ cwd, mcpServers }) =>
    Effect.forEach(
      mcpServers,
      (server) => Effect.map(connect(server, { cwd, ...options }), (client) => ({ server, client })),
      { concurrency: "unbounded" }
    )
  )

/**
 * The tools of all servers as one toolkit, each under the name of its server and its own: `files__read`.
 *
 * What of a name a model does not take is an underscore. Two tools of one name are a `ConfigurationError`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const toolkit: (
  connected: ReadonlyArray<Connected>
) => Effect.Effect<Toolkit.WithHandler<Tools>, McpClientError> = Effect.fnUntraced(function*(connected) {
  const toolkits = yield* Effect.forEach(
    connected,
    ({ client, server }) => McpClient.toolkit(client, `${server.name.replace(/[^a-zA-Z0-9_-]/gu, "_")}__`),
    { concurrency: "unbounded" }
  )
  const byName = new Map<string, Toolkit.WithHandler<Tools>>()
  const tools: Record<string, Tools[string]> = Object.create(null)
  for (const toolkit of toolkits) {
    for (const [name, tool] of Object.entries(toolkit.tools)) {
      if (byName.has(name)) return yield* ambiguous(name)
      byName.set(name, toolkit)
      tools[name] = tool
    }
  }
  return {
    tools,
    handle: (name, params, id, options) => byName.get(name)!.handle(name, params, id, options)
  }
})

const unsupported = (description: string) => new McpClientError({ reason: new UnsupportedError({ description }) })

const ambiguous = (name: string) =>
  new McpClientError({
    reason: new ConfigurationError({ description: `Two MCP servers have a tool that is called ${name}` })
  })

const toRecord = (pairs: ReadonlyArray<{ readonly name: string; readonly value: string }>): Record<string, string> =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]))
