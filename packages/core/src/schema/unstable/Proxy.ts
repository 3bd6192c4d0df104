/**
 * Proxies: components that stand between client and agent, and the conductor that strings them together.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { meta } from "../Common.ts"
import { InitializeRequest, InitializeResponse } from "./Initialize.ts"

/**
 * As `initialize`, to a component that has a successor and is to be a proxy.
 *
 * @category schemas
 * @since 0.1.0
 */
export const InitializeProxyRequest = InitializeRequest.annotate({ identifier: "InitializeProxyRequest" })

/**
 * As `initialize`, to a component that has a successor and is to be a proxy.
 *
 * @category models
 * @since 0.1.0
 */
export type InitializeProxyRequest = typeof InitializeProxyRequest.Type

/**
 * As the answer to `initialize`: what the chain from this component on can do.
 *
 * @category schemas
 * @since 0.1.0
 */
export const InitializeProxyResponse = InitializeResponse.annotate({ identifier: "InitializeProxyResponse" })

/**
 * As the answer to `initialize`: what the chain from this component on can do.
 *
 * @category models
 * @since 0.1.0
 */
export type InitializeProxyResponse = typeof InitializeProxyResponse.Type

const wrapped = { method: Schema.String, params: Schema.optionalKey(Schema.Unknown), ...meta }

/**
 * A request to or from a proxy's successor, wrapped.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProxySuccessorRequest = Schema.Struct({
  ...wrapped
}).annotate({ identifier: "ProxySuccessorRequest" })

/**
 * A request to or from a proxy's successor, wrapped.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProxySuccessorRequest extends Schema.Schema.Type<typeof ProxySuccessorRequest> {}

/**
 * The result of the wrapped request.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProxySuccessorResponse = Schema.Unknown.annotate({ identifier: "ProxySuccessorResponse" })

/**
 * The result of the wrapped request.
 *
 * @category models
 * @since 0.1.0
 */
export type ProxySuccessorResponse = typeof ProxySuccessorResponse.Type

/**
 * A notification to or from a proxy's successor, wrapped.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProxySuccessorNotification = Schema.Struct({
  ...wrapped
}).annotate({ identifier: "ProxySuccessorNotification" })

/**
 * A notification to or from a proxy's successor, wrapped.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProxySuccessorNotification extends Schema.Schema.Type<typeof ProxySuccessorNotification> {}
