/**
 * A client whose agent is started again when it ends, with its sessions opened again where the agent can.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type * as AcpError from "./AcpError.ts"
import type * as Client from "./Client.ts"
import type * as ClientSession from "./ClientSession.ts"
import * as Supervisor from "./internal/supervisor.ts"
import type { Permission } from "./Permission.ts"
import type * as Transport from "./Transport.ts"
import type * as TurnEvent from "./TurnEvent.ts"

/**
 * A session that may outlive its agent.
 *
 * @category models
 * @since 0.1.0
 */
export interface SupervisedSession {
  readonly sessionId: string
  /**
   * The session of the running agent; waits while the agent is being started again.
   *
   * After a restart it is another handle, with a state of its own: what the agent replayed, if the session was loaded.
   */
  readonly current: Effect.Effect<ClientSession.ClientSession, AcpError.AgentLost | AcpError.SessionLost>
  /**
   * A turn of the running agent; see `ClientSession.prompt`.
   *
   * When the agent ends in the middle, the turn fails with `ConnectionClosed`, which says how. It is not sent again: what was
   * done of it is not known here, and whether to ask once more is for the user to say.
   */
  readonly prompt: (
    content: ClientSession.PromptContent
  ) => Stream.Stream<TurnEvent.TurnEvent, AcpError.TurnError | AcpError.AgentLost | AcpError.SessionLost>
}

/**
 * What became of the sessions when an agent had ended and another one was there.
 *
 * @category models
 * @since 0.1.0
 */
export interface Restart {
  readonly reason: AcpError.CloseReason
  readonly sessions: ReadonlyArray<{
    readonly sessionId: string
    /** A lost session fails with `SessionLost`, which says why. */
    readonly outcome: "loaded" | "resumed" | "lost"
  }>
}

/**
 * A client that survives its agent.
 *
 * @category services
 * @since 0.1.0
 */
export class SupervisedClient extends Context.Service<SupervisedClient, {
  /** The client of the running agent; waits while the agent is being started again. */
  readonly client: Effect.Effect<Client.Client["Service"], AcpError.AgentLost>
  readonly newSession: (
    options: Client.SessionOptions
  ) => Effect.Effect<SupervisedSession, AcpError.SetupError | AcpError.AgentLost, Scope.Scope>
  readonly loadSession: (
    options: Client.ReopenOptions
  ) => Effect.Effect<SupervisedSession, AcpError.SetupError | AcpError.AgentLost, Scope.Scope>
  /** The restarts from the time of subscription on, each when its sessions are open again or lost. */
  readonly restarts: Stream.Stream<Restart>
}>()("@effect-acp/core/Supervision/SupervisedClient") {}

/**
 * What a supervised client is built with.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options extends Client.Options {
  /** How many restarts in a row are tried before the agent is lost. Default 5. */
  readonly maxRestarts?: number | undefined
  /** How long to wait before the first restart in a row; twice as long before each further one. Default 200 ms. */
  readonly restartDelay?: Duration.Input | undefined
  /** An agent that has run that long begins a new row. Default 1 minute. */
  readonly stableAfter?: Duration.Input | undefined
}

/**
 * Opens a connection to an agent, and another one whenever the link has ended.
 *
 * **Details**
 *
 * `transport` starts an agent, such as `AgentProcess.layer` of `@effect-acp/host`; it is built for every start and released
 * when its agent has ended. Sessions are loaded again, or resumed by an agent that cannot load; one that can do neither
 * loses them. No prompt is ever sent again.
 *
 * Fails when the first agent cannot be started. When later ones cannot, everything fails with `AgentLost`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E, R>(
  transport: Layer.Layer<Transport.Transport, E, R>,
  options: Options
): Layer.Layer<SupervisedClient, AcpError.ConnectError | E, R | Permission> =>
  Layer.effect(SupervisedClient)(Supervisor.make(transport, options))
