/**
 * MCP servers that are reached through this very connection.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { meta } from "../Common.ts"
import * as Stable from "../McpServer.ts"
import * as Variant from "../Variant.ts"

export * from "../McpServer.ts"

/**
 * The name of a server, given by whoever provides it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpServerAcpId = Schema.String.annotate({ identifier: "McpServerAcpId" })

/**
 * The name of a server, given by whoever provides it.
 *
 * @category models
 * @since 0.1.0
 */
export type McpServerAcpId = typeof McpServerAcpId.Type

/**
 * A server that is reached through this very connection, by `mcp/message`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpServerAcp = Schema.Struct({
  name: Schema.String,
  serverId: McpServerAcpId,
  ...meta
}).annotate({ identifier: "McpServerAcp" })

/**
 * A server that is reached through this very connection, by `mcp/message`.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpServerAcp extends Schema.Schema.Type<typeof McpServerAcp> {}

/**
 * How to reach an MCP server.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpServer = Schema.Union([
  Schema.Struct({ type: Schema.Literal("http"), ...Stable.McpServerHttp.fields }),
  Schema.Struct({ type: Schema.Literal("sse"), ...Stable.McpServerSse.fields }),
  Schema.Struct({ type: Schema.Literal("acp"), ...McpServerAcp.fields }),
  Stable.McpServerStdio
]).annotate({ identifier: "McpServer" })

/**
 * How to reach an MCP server.
 *
 * @category models
 * @since 0.1.0
 */
export type McpServer = typeof McpServer.Type

/**
 * A server that is reached through this very connection.
 *
 * @category constructors
 * @since 0.1.0
 */
export const acp = (server: McpServerAcp): Extract<McpServer, { readonly type: "acp" }> => ({ ...server, type: "acp" })

/**
 * Handles every kind of server.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<{
  readonly http: Extract<McpServer, { readonly type: "http" }>
  readonly sse: Extract<McpServer, { readonly type: "sse" }>
  readonly acp: Extract<McpServer, { readonly type: "acp" }>
  readonly stdio: Stable.McpServerStdio
}> = Variant.matcher((server) => "type" in server ? server.type : "stdio")
