/**
 * Version 1 of the protocol, as the value that connections are built from.
 *
 * @since 0.1.0
 */
import { AgentMethods, initialize } from "./AgentMethods.ts"
import { ClientMethods } from "./ClientMethods.ts"
import * as MethodTable from "./MethodTable.ts"
import { ProtocolMethods } from "./ProtocolMethods.ts"

/**
 * The version that this library speaks.
 *
 * @category constants
 * @since 0.1.0
 */
export const version = 1

/**
 * The stable methods of version 1.
 *
 * @category tables
 * @since 0.1.0
 */
export const table: MethodTable.MethodTable = MethodTable.make(AgentMethods, ClientMethods, ProtocolMethods)

/**
 * The request that opens a connection.
 *
 * @category constants
 * @since 0.1.0
 */
export const handshake: string = initialize._tag
