/**
 * A session as its agent holds it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as AcpError from "./AcpError.ts"
import * as ClientMethods from "./ClientMethods.ts"
import type * as Connection from "./Connection.ts"
import type * as MethodTable from "./MethodTable.ts"
import type { McpServer } from "./schema/McpServer.ts"
import type { SessionUpdate } from "./schema/SessionUpdate.ts"

/**
 * A session that a client has opened.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentSession {
  readonly sessionId: string
  readonly cwd: string
  readonly additionalDirectories: ReadonlyArray<string>
  /** The MCP servers that the client offers for this session. */
  readonly mcpServers: ReadonlyArray<McpServer>
  /** Closes with the session. */
  readonly scope: Scope.Scope
  /** The methods of the client, by callback name. */
  readonly client: MethodTable.Peer<ClientMethods.ClientMethods>
  /**
   * Tells the client something of the session, within a turn or outside.
   *
   * What is told while the session is being created leaves after the answer that names it (O8).
   */
  readonly update: (update: SessionUpdate) => Effect.Effect<void, AcpError.NotifyError>
}

/**
 * The one place from which a session's updates leave.
 *
 * @internal
 */
export interface Emitter {
  readonly emit: AgentSession["update"]
  /** Lets out what was kept while the session was being created, and everything later at once. */
  readonly openUnsafe: () => void
}

/**
 * @internal
 */
export const makeEmitter = (
  connection: Connection.Connection,
  sessionId: string,
  fork: (effect: Effect.Effect<void>) => void
): Emitter => {
  let kept: Array<Effect.Effect<void, AcpError.NotifyError>> | undefined = []
  const send = (update: SessionUpdate) => connection.notify(ClientMethods.sessionUpdate, { sessionId, update })
  return {
    emit: (update) =>
      Effect.suspend(() => {
        if (kept === undefined) return send(update)
        kept.push(send(update))
        return Effect.void
      }),
    openUnsafe() {
      const updates = kept ?? []
      kept = undefined
      if (updates.length > 0) fork(Effect.ignore(Effect.forEach(updates, (update) => update, { discard: true })))
    }
  }
}
