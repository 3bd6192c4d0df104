/**
 * Version 1 of the protocol with its unstable methods, capabilities and updates.
 *
 * **Details**
 *
 * Nothing of what it adds is part of the protocol yet; any of it may change or go with any version.
 *
 * @since 0.1.0
 */
import * as MethodTable from "../MethodTable.ts"
import * as Stable from "../Protocol.ts"
import { ProtocolMethods } from "../ProtocolMethods.ts"
import { AgentMethods } from "./AgentMethods.ts"
import { ClientMethods } from "./ClientMethods.ts"
import { ProxyMethods } from "./ProxyMethods.ts"

export * from "../Protocol.ts"

/**
 * The stable and unstable methods of version 1.
 *
 * @category tables
 * @since 0.1.0
 */
export const table: MethodTable.MethodTable = MethodTable.make(
  AgentMethods,
  ClientMethods,
  ProxyMethods,
  ProtocolMethods
)

/**
 * Version 1, unstable methods included; a stable peer understands it.
 *
 * @category protocols
 * @since 0.1.0
 */
export const v1: Stable.Protocol = { ...Stable.v1, table }
