/**
 * The methods between a proxy and the conductor that strings proxies together.
 *
 * **Details**
 *
 * To a proxy the conductor is a client, and the messages of its successor come to it wrapped; it wraps what it sends there.
 * Nothing here is part of the protocol yet; any of it may change or go with any version.
 *
 * @since 0.1.0
 */
import * as MethodTable from "../MethodTable.ts"
import * as Proxy from "../schema/unstable/Proxy.ts"

/**
 * Opens a connection to a component that is to be a proxy, in the place of `initialize`.
 *
 * @category rows
 * @since 0.1.0
 */
export const initializeProxy = MethodTable.request("proxy/initialize", {
  direction: "client_to_agent",
  callback: "initializeProxy",
  params: MethodTable.named<Proxy.InitializeProxyRequest>(Proxy.InitializeProxyRequest),
  result: MethodTable.named<Proxy.InitializeProxyResponse>(Proxy.InitializeProxyResponse)
})

/**
 * Carries a request to or from the successor of a proxy.
 *
 * @category rows
 * @since 0.1.0
 */
export const callSuccessor = MethodTable.request("proxy/successor", {
  direction: "both",
  callback: "callSuccessor",
  params: MethodTable.named<Proxy.ProxySuccessorRequest>(Proxy.ProxySuccessorRequest),
  result: MethodTable.named<Proxy.ProxySuccessorResponse>(Proxy.ProxySuccessorResponse)
})

/**
 * Carries a notification to or from the successor of a proxy.
 *
 * @category rows
 * @since 0.1.0
 */
export const notifySuccessor = MethodTable.notification("proxy/successor", {
  direction: "both",
  callback: "notifySuccessor",
  params: MethodTable.named<Proxy.ProxySuccessorNotification>(Proxy.ProxySuccessorNotification)
})

/**
 * The rows between a proxy and its conductor.
 *
 * @category groups
 * @since 0.1.0
 */
export const ProxyMethods = MethodTable.group(initializeProxy, callSuccessor, notifySuccessor)

/**
 * The rows between a proxy and its conductor, as a type.
 *
 * @category models
 * @since 0.1.0
 */
export type ProxyMethods = MethodTable.RowsOf<typeof ProxyMethods>

/**
 * Makes handlers of a proxy's or a conductor's methods into a layer, by callback name.
 *
 * @category layers
 * @since 0.1.0
 */
export const handlers = MethodTable.layerHandlers(ProxyMethods)
