/**
 * A session as its agent holds it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import type * as AcpError from "./AcpError.ts"
import type { ClientMethods } from "./ClientMethods.ts"
import { InboundRequest } from "./InboundRequest.ts"
import type * as MethodTable from "./MethodTable.ts"
import type { ClientCapabilities } from "./schema/ClientCapabilities.ts"
import type { AvailableCommand } from "./schema/Command.ts"
import type { ContentBlock } from "./schema/Content.ts"
import type { McpServer } from "./schema/McpServer.ts"
import type { SessionInfoUpdate } from "./schema/Session.ts"
import type { SessionConfigOption } from "./schema/SessionConfig.ts"
import type { SessionModeState } from "./schema/SessionMode.ts"
import type { SessionUpdate } from "./schema/SessionUpdate.ts"
import type { UsageUpdate } from "./schema/Usage.ts"

/**
 * The key by which a session of an agent is told from other values.
 *
 * @category guards
 * @since 0.1.0
 */
export const TypeId = "~@effect-acp/core/AgentSession" as const

/**
 * A session that a client has opened.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentSession {
  readonly [TypeId]: typeof TypeId
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
   * What is told while the session is being created leaves after the answer that names it (O8). What is told after the
   * session was closed goes nowhere, with a diagnostic (U8).
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
  /** Tells the client how much of the model's context is in use, and what the session has cost so far. */
  readonly setUsage: (usage: UsageUpdate) => Effect.Effect<void, AcpError.NotifyError>
  /** Names the turn that runs, and what was steered into it so far. */
  readonly turnId: Effect.Effect<string | undefined>
  /**
   * Gives input to the turn that runs, if it is still as `expectedTurnId` names it: its `Turn.steered` takes it, and its id
   * changes.
   */
  readonly steer: (expectedTurnId: string, content: ReadonlyArray<ContentBlock>) => Effect.Effect<SteerResult>
}

/**
 * What became of input that was steered into a turn: `Accepted`, by the turn that is now named `turnId`; `Stale`, because
 * the turn that runs is named `turnId`; or there is no turn that takes any.
 *
 * @category models
 * @since 0.1.0
 */
export type SteerResult =
  | { readonly _tag: "Accepted"; readonly turnId: string }
  | { readonly _tag: "Stale"; readonly turnId: string }
  | { readonly _tag: "NoTurn" }

/**
 * The session that the request names which is being handled, if the agent has it open.
 *
 * For handlers of methods that are served beside those of the agent's options, such as a vendor's.
 *
 * @category accessors
 * @since 0.1.0
 */
export const ofRequest: Effect.Effect<AgentSession | undefined, never, InboundRequest> = Effect.map(
  InboundRequest,
  ({ session }) => isAgentSession(session) ? session : undefined
)

/**
 * Tells whether a value is a session of an agent.
 *
 * @category guards
 * @since 0.1.0
 */
export const isAgentSession = (u: unknown): u is AgentSession => Predicate.hasProperty(u, TypeId)

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
  return (session) =>
    Effect.suspend(() =>
      values.get(session) ?? Effect.flatMap(Effect.cached(Scope.provide(make(session), session.scope)), (value) => {
        // Of two that ask at once, one makes it.
        const kept = values.get(session) ?? value
        values.set(session, kept)
        return kept
      })
    )
}
