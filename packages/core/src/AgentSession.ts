/**
 * A session as its agent holds it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type * as AcpError from "./AcpError.ts"
import type { ClientMethods } from "./ClientMethods.ts"
import type * as MethodTable from "./MethodTable.ts"
import type { ClientCapabilities } from "./schema/ClientCapabilities.ts"
import type { AvailableCommand } from "./schema/Command.ts"
import type { McpServer } from "./schema/McpServer.ts"
import type { SessionInfoUpdate } from "./schema/Session.ts"
import type { SessionConfigOption } from "./schema/SessionConfig.ts"
import type { SessionModeState } from "./schema/SessionMode.ts"
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
  /** What the client advertised. */
  readonly clientCapabilities: ClientCapabilities
  /** The methods of the client, by callback name. */
  readonly client: MethodTable.Peer<ClientMethods>
  /**
   * Tells the client something of the session, within a turn or outside.
   *
   * What is told while the session is being created leaves after the answer that names it (O8).
   */
  readonly update: (update: SessionUpdate) => Effect.Effect<void, AcpError.NotifyError>
  /** Done once the answer that names the session was written. */
  readonly opened: Effect.Effect<void>
  /** The modes that the session was set up with, and the current one. */
  readonly modes: Effect.Effect<SessionModeState | undefined>
  /** Changes the mode and tells the client; a mode that is not available fails with `InvalidParams`. */
  readonly setMode: (modeId: string) => Effect.Effect<void, AcpError.InvalidParams | AcpError.NotifyError>
  /** The config options that the session was set up with, and their current values. */
  readonly configOptions: Effect.Effect<ReadonlyArray<SessionConfigOption>>
  /** Changes a config option and tells the client; an unknown option or value fails with `InvalidParams`. */
  readonly setConfigOption: (
    configId: string,
    value: string | boolean
  ) => Effect.Effect<void, AcpError.InvalidParams | AcpError.NotifyError>
  /** Tells the client which commands there are from now on. */
  readonly setCommands: (commands: ReadonlyArray<AvailableCommand>) => Effect.Effect<void, AcpError.NotifyError>
  /** Tells the client a new title or time; an absent field is unchanged, null clears it. */
  readonly setInfo: (info: SessionInfoUpdate) => Effect.Effect<void, AcpError.NotifyError>
}

/**
 * A value of the author's own for each session, made when it is first asked for and released with the session.
 *
 * **Details**
 *
 * What `make` needs, and what its scope holds, is the session's: it is made once, and a failure is remembered too.
 *
 * **Example** (Counting the turns of a session)
 *
 * ```ts
 * import * as AgentSession from "@effect-acp/core/AgentSession"
 * import * as Ref from "effect/Ref"
 *
 * // in a prompt handler: yield* Ref.update(yield* turns(turn.session), (n) => n + 1)
 * export const turns = AgentSession.local(() => Ref.make(0))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const local = <A, E, R>(
  make: (session: AgentSession) => Effect.Effect<A, E, R>
): (session: AgentSession) => Effect.Effect<A, E, Exclude<R, Scope.Scope>> => {
  const values = new WeakMap<AgentSession, Effect.Effect<A, E, Exclude<R, Scope.Scope>>>()
  return Effect.fnUntraced(function*(session) {
    const known = values.get(session)
    if (known !== undefined) return yield* known
    const value = yield* Effect.cached(Scope.provide(make(session), session.scope))
    values.set(session, value)
    return yield* value
  })
}
