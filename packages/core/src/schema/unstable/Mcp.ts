/**
 * Messages to and from MCP servers behind this connection.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { nullish } from "../../internal/leniency.ts"
import { Int32, JsonObject, meta } from "../Common.ts"
import * as Variant from "../Variant.ts"
import { McpServerAcpId } from "./McpServer.ts"

/**
 * The name of an MCP request, given by the caller; not the id of the request that carries it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpRequestId = Schema.String.annotate({ identifier: "McpRequestId" })

/**
 * The name of an MCP request, given by the caller; not the id of the request that carries it.
 *
 * @category models
 * @since 0.1.0
 */
export type McpRequestId = typeof McpRequestId.Type

const message = {
  serverId: McpServerAcpId,
  requestId: McpRequestId,
  method: Schema.String,
  params: nullish(JsonObject),
  ...meta
}

/**
 * A request to an MCP server.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MessageMcpRequest = Schema.Struct({
  ...message
}).annotate({ identifier: "MessageMcpRequest" })

/**
 * A request to an MCP server.
 *
 * @category models
 * @since 0.1.0
 */
export interface MessageMcpRequest extends Schema.Schema.Type<typeof MessageMcpRequest> {}

/**
 * A notification from an MCP server about a request that is running.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MessageMcpNotification = Schema.Struct({
  ...message
}).annotate({ identifier: "MessageMcpNotification" })

/**
 * A notification from an MCP server about a request that is running.
 *
 * @category models
 * @since 0.1.0
 */
export interface MessageMcpNotification extends Schema.Schema.Type<typeof MessageMcpNotification> {}

/**
 * The error of an MCP server; members that the protocol does not name are kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const McpError = Schema.StructWithRest(
  Schema.Struct({ code: Int32, message: Schema.String, data: Schema.optionalKey(Schema.Unknown) }),
  [Schema.Record(Schema.String, Schema.Unknown)]
).annotate({ identifier: "McpError" })

/**
 * The error of an MCP server; members that the protocol does not name are kept.
 *
 * @category models
 * @since 0.1.0
 */
export type McpError = typeof McpError.Type

/**
 * What an MCP server has answered: a result, which may be null, or an error.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MessageMcpResponse = Schema.Union([
  Schema.Struct({ result: Schema.Unknown, ...meta }),
  Schema.Struct({ error: McpError, ...meta })
]).annotate({ identifier: "MessageMcpResponse" })

/**
 * What an MCP server has answered: a result, which may be null, or an error.
 *
 * @category models
 * @since 0.1.0
 */
export type MessageMcpResponse = typeof MessageMcpResponse.Type

/**
 * Handles both kinds of answer.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<{
  readonly result: Extract<MessageMcpResponse, { readonly result: unknown }>
  readonly error: Extract<MessageMcpResponse, { readonly error: McpError }>
}> = Variant.matcher((response) => "error" in response ? "error" : "result")
