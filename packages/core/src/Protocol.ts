/**
 * A version of the protocol, as the value that connections are built from.
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import type * as RpcGroup from "effect/rpc/RpcGroup"
import { AgentMethods, initialize } from "./AgentMethods.ts"
import { ClientMethods } from "./ClientMethods.ts"
import * as MethodTable from "./MethodTable.ts"
import { ProtocolMethods } from "./ProtocolMethods.ts"

/**
 * What a connection has to know of a version of the protocol.
 *
 * @category models
 * @since 0.1.0
 */
export interface Protocol {
  /** The number that the handshake agrees on. */
  readonly version: number
  readonly table: MethodTable.MethodTable
  /** The wire name of the request that opens a connection. */
  readonly handshake: string
}

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

/**
 * Version 1, its stable methods alone.
 *
 * @category protocols
 * @since 0.1.0
 */
export const v1: Protocol = { version, table, handshake }

/**
 * The protocol with the rows of further groups, such as those of a vendor.
 *
 * **Details**
 *
 * A side that serves or calls an extension does without this: handlers bring their rows along, and a method is called by its
 * row. With it, the names of the extension are known although no handler is provided: they never go to raw handlers.
 *
 * @category combinators
 * @since 0.1.0
 */
export const extend = (protocol: Protocol, ...groups: ReadonlyArray<RpcGroup.RpcGroup<any>>): Protocol => ({
  ...protocol,
  table: MethodTable.extend(protocol.table, ...groups)
})

/**
 * The protocol with those extension rows that `services` has handlers for (G5).
 *
 * @category combinators
 * @since 0.1.0
 */
export const withHandled = (protocol: Protocol, services: Context.Context<never>): Protocol => ({
  ...protocol,
  table: MethodTable.withHandled(protocol.table, services)
})
