/**
 * The agent's side: an author writes what a turn does, the library owns everything around it.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import type * as Stream from "effect/Stream"
import type * as AcpError from "./AcpError.ts"
import * as AgentMethods from "./AgentMethods.ts"
import type * as AgentSession from "./AgentSession.ts"
import * as Capabilities from "./Capabilities.ts"
import * as Connection from "./Connection.ts"
import * as Advertise from "./internal/advertise.ts"
import * as AgentHandlers from "./internal/agentHandlers.ts"
import * as Sessions from "./internal/agentSessions.ts"
import * as StdoutGuard from "./internal/stdoutGuard.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as Protocol from "./Protocol.ts"
import type { AgentCapabilities } from "./schema/AgentCapabilities.ts"
import type { AuthMethod } from "./schema/Authentication.ts"
import type { Implementation } from "./schema/Common.ts"
import type { PromptResponse, StopReason } from "./schema/Prompt.ts"
import type { ListSessionsRequest, ListSessionsResponse, NewSessionResponse } from "./schema/Session.ts"
import type { SessionUpdate } from "./schema/SessionUpdate.ts"
import { SessionStore } from "./SessionStore.ts"
import * as Transport from "./Transport.ts"
import type { Turn } from "./Turn.ts"

// =============================================================================
// Models
// =============================================================================

/**
 * What the work of a turn may give: a stop reason, a whole response, or nothing for `end_turn`.
 *
 * @category models
 * @since 0.1.0
 */
export type PromptResult = StopReason | PromptResponse | void

/**
 * What an author says of a session that is opened: its modes and config options, and metadata for the answer.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionSetup = Omit<NewSessionResponse, "sessionId">

/**
 * What an agent is made of. Only `agentInfo` and `prompt` are needed; what is not given is not advertised (G5).
 *
 * **Details**
 *
 * Handlers keep their requirements: what they need, the layer needs. A typed failure of a handler is its answer; errors
 * that are not of the wire are answered as -32603 with their message, defects without saying what they were (C7).
 *
 * @category options
 * @since 0.1.0
 */
export interface Options extends Connection.Limits {
  readonly agentInfo: Implementation
  /**
   * The work of a turn: an effect, or a stream of its updates.
   *
   * When the client cancels, the work is interrupted and the turn ends as `cancelled`, whatever it gives (X4). Its scope is
   * closed before the turn is answered.
   */
  readonly prompt: (
    turn: Turn
  ) => Effect.Effect<PromptResult, AcpError.AcpError, any> | Stream.Stream<SessionUpdate, AcpError.AcpError, any>
  /**
   * Says what a session has when it is created, loaded, resumed or forked. Default: nothing.
   *
   * Updates that it sends for a new session leave after the answer that names it (O8). Its scope is the session's, as that
   * of `loadSession` and `resumeSession` is.
   */
  readonly openSession?:
    | ((
      session: AgentSession.AgentSession,
      opening: Opening
    ) => Effect.Effect<SessionSetup | void, AcpError.AcpError, any>)
    | undefined
  /** Replays the history of a session that the author keeps, before `session/load` is answered. */
  readonly loadSession?:
    | ((session: AgentSession.AgentSession) => Effect.Effect<void, AcpError.AcpError, any>)
    | undefined
  /** Takes up a session that the author keeps, without a replay. */
  readonly resumeSession?:
    | ((session: AgentSession.AgentSession) => Effect.Effect<void, AcpError.AcpError, any>)
    | undefined
  /**
   * Makes a new session what another one is, before `session/fork` is answered: an unstable method, so `protocol` must have
   * it. With a `SessionStore`, the history up to the last turn that ended is copied before. Its scope is the new session's.
   */
  readonly forkSession?:
    | ((session: AgentSession.AgentSession, source: ForkSource) => Effect.Effect<void, AcpError.AcpError, any>)
    | undefined
  /** A page of the sessions that the author keeps. */
  readonly listSessions?:
    | ((request: ListSessionsRequest) => Effect.Effect<ListSessionsResponse, AcpError.AcpError, any>)
    | undefined
  /** Forgets a session that the author keeps; an unknown one counts as forgotten. */
  readonly deleteSession?: ((sessionId: string) => Effect.Effect<void, AcpError.AcpError, any>) | undefined
  /** Acts on a change of mode by the client, which is known to be available, before it stands. */
  readonly setMode?:
    | ((session: AgentSession.AgentSession, modeId: string) => Effect.Effect<void, AcpError.AcpError, any>)
    | undefined
  /** Acts on a change of a config option by the client, which is known to be valid, before it stands. */
  readonly setConfigOption?:
    | ((
      session: AgentSession.AgentSession,
      configId: string,
      value: string | boolean
    ) => Effect.Effect<void, AcpError.AcpError, any>)
    | undefined
  /** Authenticates by one of `authMethods`. */
  readonly authenticate?: ((methodId: string) => Effect.Effect<void, AcpError.AcpError, any>) | undefined
  /** Ends the authenticated state. */
  readonly logout?: (() => Effect.Effect<void, AcpError.AcpError, any>) | undefined
  readonly authMethods?: ReadonlyArray<AuthMethod> | undefined
  /** Kinds of content that prompts may carry besides text and links, MCP transports, and additional directories. */
  readonly capabilities?: AgentCapabilities | undefined
  /**
   * Services of the handlers that take long to build: built when the first session is opened, so that `initialize` does not
   * wait for them (H6). A failure to build them is the answer to that request, and the next one tries again.
   */
  readonly services?: Layer.Layer<any, any, any> | undefined
  /** The protocol, where it is more than version 1: see `Protocol.extend`. */
  readonly protocol?: Protocol.Protocol | undefined
  /** What becomes of a prompt while another runs in the same session. Default `"reject"` (U1). */
  readonly overlap?: "reject" | "queue" | undefined
  /** How long a cancelled turn may wind down before it is answered anyway. Default 30 seconds (X8). */
  readonly cancelBound?: Duration.Input | undefined
}

/**
 * How a session comes to be open, with the metadata of the request.
 *
 * @category models
 * @since 0.1.0
 */
export interface Opening {
  readonly kind: "new" | "load" | "resume" | "fork"
  readonly meta: JsonRpc.JsonObject | undefined
}

/**
 * The session that another one is a fork of, as the agent holds it while it is open.
 *
 * @category models
 * @since 0.1.0
 */
export interface ForkSource {
  readonly sessionId: string
  readonly session: AgentSession.AgentSession | undefined
}

type HandlerServices<H> = H extends (...args: any) => Effect.Effect<infer _A, infer _E, infer R> ? R
  : H extends (...args: any) => Stream.Stream<infer _A, infer _E, infer R> ? R
  : never

type Built<O> = O extends { readonly services: Layer.Layer<infer A, infer _E, infer _R> } ? A : never

type BuiltFrom<O> = O extends { readonly services: Layer.Layer<infer _A, infer _E, infer R> } ? R : never

/**
 * The services that an agent's handlers need, besides those that its options build.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Services<O> =
  | Exclude<{ readonly [K in keyof O]: HandlerServices<O[K]> }[keyof O], Scope.Scope | Built<O>>
  | BuiltFrom<O>

/**
 * An agent that serves one client.
 *
 * @category services
 * @since 0.1.0
 */
export class Agent extends Context.Service<Agent, {
  readonly connection: Connection.Connection
  /** The sessions that are open. */
  readonly sessions: Effect.Effect<ReadonlyArray<AgentSession.AgentSession>>
}>()("@effect-acp/core/Agent") {}

// =============================================================================
// Layers
// =============================================================================

/**
 * Serves a client over the transport, until the link ends.
 *
 * **Details**
 *
 * `initialize` is answered from static data (H6): the requested version where it is spoken, else the newest (H5). With a
 * `SessionStore` provided, sessions are listed, loaded, resumed and deleted from it, and forked where `protocol` has
 * `session/fork`. Methods that the options do not cover are served, and advertised, by providing their handlers to the layer
 * (`AgentMethods.handlers`, G5).
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <const O extends Options>(
  options: O
): Layer.Layer<Agent, never, Transport.Transport | Services<O>> => Layer.effect(Agent)(make(options))

/**
 * Serves a client within the current scope; see {@link layer}.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: <const O extends Options>(
  options: O
) => Effect.Effect<Agent["Service"], never, Transport.Transport | Scope.Scope | Services<O>> = Effect.fnUntraced(
  function*(options: Options) {
    const context = yield* Effect.context<never>()
    const scope = yield* Scope.fork(yield* Effect.scope)
    const runFork = Effect.runForkWith(context)
    const keep = Fiber.runIn(scope)
    const capabilities = Capabilities.makeUnsafe()

    const store = Option.getOrUndefined(Context.getOption(context, SessionStore))

    const sessions = Sessions.make({
      connection: () => connection,
      scope,
      fork: (effect) => {
        keep(runFork(effect))
      },
      store,
      turns: { overlap: options.overlap ?? "reject", cancelBound: options.cancelBound ?? "30 seconds" }
    })

    const own = yield* AgentHandlers.make({
      options,
      context,
      scope,
      sessions,
      capabilities,
      store,
      advertised: () => agentCapabilities
    })
    const handlers = Context.merge(context, own)
    const protocol = Protocol.withHandled(options.protocol ?? Protocol.v1, handlers)
    const agentCapabilities = Advertise.merge(
      Advertise.fromHandlers(protocol.table, "agent", handlers),
      { ...options.capabilities }
    )

    const connection: Connection.Connection = yield* Connection.make({
      drainGrace: "2 seconds",
      ...options,
      side: "agent",
      table: protocol.table,
      handshake: protocol.handshake,
      handlers,
      negotiation: capabilities,
      sessionOf: (sessionId) => sessions.get(sessionId)?.session,
      interceptors: {
        [AgentMethods.cancel._tag]: (params, { sequence }) => {
          const method = AgentMethods.cancel._tag
          const sessionId = JsonRpc.member(params, "sessionId")
          if (typeof sessionId !== "string") {
            return connection.report({ _tag: "InvalidNotification", method, issue: "sessionId must be a string" })
          }
          const entry = sessions.get(sessionId)
          if (entry === undefined) return connection.report({ _tag: "UnknownSession", sessionId, method })
          entry.turns.cancelUnsafe(sequence)
        }
      }
    })

    return Agent.of({ connection, sessions: sessions.all })
  }
) as never

// =============================================================================
// Running
// =============================================================================

/**
 * Serves one client over this process's stdin and stdout, and is done when the link ends.
 *
 * **Details**
 *
 * Stdout belongs to the frames: Effect's console, its default logger, `console.log` and whatever writes to the process's
 * stdout are pointed to stderr (F7). When the client closes stdin, what is in flight may finish for two seconds, what still
 * runs is cancelled, every answer is written, and this is done (R2). Interrupting it, as a signal does, ends the link in
 * the same way without the two seconds.
 *
 * **Gotchas**
 *
 * `NodeRuntime.runMain` reports failures to stdout, by then unguarded: run it with `disableErrorReporting`. A failure is
 * logged here, to stderr.
 *
 * @category running
 * @since 0.1.0
 */
export const runStdio = <E, R>(
  agent: Layer.Layer<Agent, E, R | Transport.Transport>,
  options?: { readonly maxLineBytes?: number | undefined }
): Effect.Effect<void, E, Exclude<R, Transport.Transport> | Stdio.Stdio> =>
  Effect.gen(function*() {
    const frame = yield* StdoutGuard.acquire
    const stdio = yield* Stdio.Stdio
    const transport = Transport.fromBytes({
      input: stdio.stdin,
      output: Sink.mapInput(stdio.stdout(), frame),
      maxLineBytes: options?.maxLineBytes
    })
    const services = yield* Layer.build(Layer.provide(agent, Layer.succeed(Transport.Transport, transport)))
    yield* Context.get(services, Agent).connection.closed
  }).pipe(
    Effect.scoped,
    Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError(cause)),
    Effect.provide(StdoutGuard.layer)
  )
