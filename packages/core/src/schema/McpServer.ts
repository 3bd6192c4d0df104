/**
 * MCP servers that a client asks an agent to connect to.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { listOrNull } from "../internal/leniency.ts"
import { meta } from "./Common.ts"
import * as Variant from "./Variant.ts"

/**
 * A variable of a process's environment.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EnvVariable = Schema.Struct({
  name: Schema.String,
  value: Schema.String,
  ...meta
}).annotate({ identifier: "EnvVariable" })

/**
 * A variable of a process's environment.
 *
 * @category models
 * @since 0.1.0
 */
export interface EnvVariable extends Schema.Schema.Type<typeof EnvVariable> {}

/**
 * A header to send with every request to a server.
 *
 * @category schemas
 * @since 0.1.0
 */
export const HttpHeader = Schema.Struct({
  name: Schema.String,
  value: Schema.String,
  ...meta
}).annotate({ identifier: "HttpHeader" })

/**
 * A header to send with every request to a server.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpHeader extends Schema.Schema.Type<typeof HttpHeader> {}

/**
 * A server that is reached by HTTP.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpServerHttp = Schema.Struct({
  name: Schema.String,
  url: Schema.String,
  headers: listOrNull(HttpHeader),
  ...meta
}).annotate({ identifier: "McpServerHttp" })

/**
 * A server that is reached by HTTP.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpServerHttp extends Schema.Schema.Type<typeof McpServerHttp> {}

/**
 * A server that is reached by HTTP with server-sent events.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpServerSse = Schema.Struct({
  name: Schema.String,
  url: Schema.String,
  headers: listOrNull(HttpHeader),
  ...meta
}).annotate({ identifier: "McpServerSse" })

/**
 * A server that is reached by HTTP with server-sent events.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpServerSse extends Schema.Schema.Type<typeof McpServerSse> {}

/**
 * A server that the agent starts and speaks to over its standard input and output.
 *
 * **Details**
 *
 * `command` is an absolute path.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpServerStdio = Schema.Struct({
  name: Schema.String,
  command: Schema.String,
  args: listOrNull(Schema.String),
  env: listOrNull(EnvVariable),
  ...meta
}).annotate({ identifier: "McpServerStdio" })

/**
 * A server that the agent starts and speaks to over its standard input and output.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpServerStdio extends Schema.Schema.Type<typeof McpServerStdio> {}

/**
 * How to reach an MCP server.
 *
 * **Details**
 *
 * Every agent takes stdio servers; `http` and `sse` need the agent's `mcpCapabilities`. A stdio server has no `type`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpServer = Schema.Union([
  Schema.Struct({ type: Schema.Literal("http"), ...McpServerHttp.fields }),
  Schema.Struct({ type: Schema.Literal("sse"), ...McpServerSse.fields }),
  McpServerStdio
]).annotate({ identifier: "McpServer" })

/**
 * How to reach an MCP server.
 *
 * @category models
 * @since 0.1.0
 */
export type McpServer = typeof McpServer.Type

/**
 * Name–value pairs, as a record or as the protocol writes them.
 *
 * @category models
 * @since 0.1.0
 */
export type Pairs<Pair> = { readonly [name: string]: string } | ReadonlyArray<Pair>

const isList = <Pair>(pairs: Pairs<Pair>): pairs is ReadonlyArray<Pair> => Array.isArray(pairs)

const toList = <Pair extends EnvVariable>(
  pairs: Pairs<Pair> | undefined
): ReadonlyArray<Pair | { readonly name: string; readonly value: string }> =>
  pairs === undefined ? [] : isList(pairs) ? pairs : Object.entries(pairs).map(([name, value]) => ({ name, value }))

/**
 * A server that is started as a process.
 *
 * **Details**
 *
 * `args` and `env` are always written, and `type` never: peers refuse anything else.
 *
 * @category constructors
 * @since 0.1.0
 */
export const stdio = (server: {
  readonly name: string
  readonly command: string
  readonly args?: ReadonlyArray<string> | undefined
  readonly env?: Pairs<EnvVariable> | undefined
}): McpServerStdio => ({
  name: server.name,
  command: server.command,
  args: server.args ?? [],
  env: toList(server.env)
})

/**
 * What the constructors of remote servers take.
 *
 * @category models
 * @since 0.1.0
 */
export interface Remote {
  readonly name: string
  readonly url: string
  readonly headers?: Pairs<HttpHeader> | undefined
}

/**
 * The remote server of one type.
 *
 * @category models
 * @since 0.1.0
 */
export type Typed<Type extends "http" | "sse"> = Extract<McpServer, { readonly type: Type }>

/**
 * A server that is reached by HTTP.
 *
 * @category constructors
 * @since 0.1.0
 */
export const http = (server: Remote): Typed<"http"> => ({
  type: "http",
  name: server.name,
  url: server.url,
  headers: toList(server.headers)
})

/**
 * A server that is reached by HTTP with server-sent events.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sse = (server: Remote): Typed<"sse"> => ({
  type: "sse",
  name: server.name,
  url: server.url,
  headers: toList(server.headers)
})

/**
 * Handles every kind of server.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<{
  readonly http: Typed<"http">
  readonly sse: Typed<"sse">
  readonly stdio: McpServerStdio
}> = Variant.matcher((server) => "type" in server ? server.type : "stdio")
