/**
 * The client's side: a connection to an agent, opened by building a layer, and its sessions.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Rpc from "effect/rpc/Rpc"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as AcpError from "./AcpError.ts"
import * as AgentMethods from "./AgentMethods.ts"
import { Authentication } from "./Authentication.ts"
import * as ClientMethods from "./ClientMethods.ts"
import type * as ClientSession from "./ClientSession.ts"
import * as Connection from "./Connection.ts"
import { Elicitation } from "./Elicitation.ts"
import * as Advertise from "./internal/advertise.ts"
import * as Authenticator from "./internal/authentication.ts"
import * as Handshake from "./internal/clientHandshake.ts"
import { Sessions } from "./internal/clientSessions.ts"
import * as Codecs from "./internal/codecs.ts"
import * as Questions from "./internal/questions.ts"
import * as SessionList from "./internal/sessionList.ts"
import * as SessionSetup from "./internal/sessionSetup.ts"
import type * as MethodTable from "./MethodTable.ts"
import { Permission } from "./Permission.ts"
import * as Protocol from "./Protocol.ts"
import type { ClientCapabilities } from "./schema/ClientCapabilities.ts"
import type { Implementation } from "./schema/Common.ts"
import type { InitializeResponse } from "./schema/Initialize.ts"
import type { NewSessionRequest, NewSessionResponse, SessionInfo } from "./schema/Session.ts"
import type { Transport } from "./Transport.ts"

// =============================================================================
// Models
// =============================================================================

/**
 * How a session is set up; `cwd` must be absolute.
 *
 * `mcpServers` is empty by default. MCP servers of type http or sse and additional directories need capabilities of the
 * agent; without them nothing is sent (G4).
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionOptions extends Omit<NewSessionRequest, "mcpServers"> {
  readonly mcpServers?: NewSessionRequest["mcpServers"] | undefined
}

/**
 * How a session that exists is opened again.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReopenOptions extends SessionOptions {
  readonly sessionId: string
}

/**
 * A connection to an agent that has been initialized.
 *
 * @category services
 * @since 0.1.0
 */
export class Client extends Context.Service<Client, {
  /** What the agent said of itself, its authentication methods among it. */
  readonly agent: InitializeResponse
  /** The methods of the agent, by callback name, for what has no function of its own here. */
  readonly methods: MethodTable.Peer<AgentMethods.AgentMethods>
  readonly connection: Connection.Connection

  /** Creates a session, which is closed, where the agent can, when the scope closes. */
  readonly newSession: (
    options: SessionOptions
  ) => Effect.Effect<ClientSession.ClientSession, AcpError.SetupError, Scope.Scope>
  /**
   * Creates a session by another method whose answer names it, such as the unstable `session/fork`.
   *
   * What the agent tells of the session before it has answered is kept, as for `newSession` (O7).
   */
  readonly newSessionBy: <R extends MethodTable.Any>(
    row: [MethodTable.Result<R>] extends [NewSessionResponse] ? R : never,
    params: MethodTable.Params<R> & SessionOptions
  ) => Effect.Effect<ClientSession.ClientSession, AcpError.SetupError, Scope.Scope>
  /**
   * Opens a session again, with its conversation: what the agent replays is the session's `history`.
   *
   * A replay beyond the backlog fails with `BacklogExceeded`. A session that is open here already fails with
   * `SessionInUse`. An agent that does not know it answers `ResourceNotFound`.
   */
  readonly loadSession: (
    options: ReopenOptions
  ) => Effect.Effect<ClientSession.ClientSession, AcpError.SetupError, Scope.Scope>
  /** Opens a session again without its conversation. */
  readonly resumeSession: (
    options: ReopenOptions
  ) => Effect.Effect<ClientSession.ClientSession, AcpError.SetupError, Scope.Scope>
  /** The sessions that the agent remembers, of one directory or all. A page is asked for only when it is needed. */
  readonly listSessions: (
    filter?: { readonly cwd?: string | undefined }
  ) => Stream.Stream<SessionInfo, AcpError.CallError>
  /** Closes a session by its id; a handle of it that is open here is detached. */
  readonly closeSession: (sessionId: string) => Effect.Effect<void, AcpError.CallError>
  /** Deletes a session for good; a handle of it that is open here is detached. */
  readonly deleteSession: (sessionId: string) => Effect.Effect<void, AcpError.CallError>

  /** Authenticates by one of the agent's methods. Those for a terminal are not for this. */
  readonly authenticate: (methodId: string) => Effect.Effect<void, AcpError.CallError | AcpError.NotOffered>
  /** Ends the authenticated state. Sessions that are open may ask for authentication again. */
  readonly logout: Effect.Effect<void, AcpError.CallError>
}>()("@effect-acp/core/Client") {}

/**
 * What a client is built with.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options extends Connection.Limits {
  readonly clientInfo: Implementation
  /** Capabilities that follow from no handler, such as `session.notices`. */
  readonly capabilities?: ClientCapabilities | undefined
  /** The protocol, where it is more than version 1: see `Protocol.extend`. */
  readonly protocol?: Protocol.Protocol | undefined
  /** How long the agent may take to answer `initialize`. Default: any time (C11). */
  readonly handshakeTimeout?: Duration.Input | undefined
  /** What becomes of a prompt while another runs in the same session: `reject` fails with `SessionBusy`. Default `queue`. */
  readonly overlap?: "queue" | "reject" | undefined
  /** How much of the conversation a session's `state` keeps: all of it, or what came since the last prompt. Default `session`. */
  readonly timeline?: "session" | "turn" | undefined
  /** How long a cancelled turn may take to end. Default 10 seconds (X9). */
  readonly cancelGrace?: Duration.Input | undefined
  /** How many updates may wait for the consumer of a turn or a subscription. Default 1,000,000 (O6). */
  readonly backlogUpdates?: number | undefined
  /** How many bytes of updates may wait for the consumer of a turn or a subscription. Default 256 MiB (O6). */
  readonly backlogBytes?: number | undefined
}

// =============================================================================
// Layers
// =============================================================================

/**
 * Opens a connection to an agent: building the layer is the handshake.
 *
 * **Details**
 *
 * The client serves, and advertises, the methods whose handlers are provided to the layer: `ClientMethods.handlers`, or
 * ready ones such as those of `@effect-acp/host` (G5). Every client needs a `Permission`. An `Elicitation` and an
 * `Authentication` are used where they are provided.
 *
 * Fails when the agent does not answer `initialize`, answers with an error, or speaks another version (H5). When the link
 * ends later, every call fails with `ConnectionClosed`, which says why (C2).
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Client, AcpError.ConnectError, Transport | Permission> =>
  Layer.effect(Client)(make(options))

/**
 * Opens a connection to an agent within the current scope; see {@link layer}.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  options: Options
) => Effect.Effect<
  Client["Service"],
  AcpError.ConnectError,
  Transport | Permission | Scope.Scope
> = Effect.fnUntraced(function*(options) {
  const sessions = new Sessions()
  const served = yield* serve(options, sessions)
  const deliver = (params: unknown, size: number) => served.deliver(connection, params, size)
  const connection = yield* Connection.make({
    ...options,
    ...served.protocol,
    side: "client",
    handlers: served.handlers,
    sessionOf: (sessionId) => sessions.get(sessionId)?.inbound,
    interceptors: {
      [ClientMethods.sessionUpdate._tag]: (params, { size }) => deliver(params, size)
    }
  })
  served.connect(connection)
  const agent = yield* Handshake.run(connection, { ...options, clientCapabilities: served.capabilities })
  yield* Effect.forkScoped(Effect.andThen(connection.closed, sessions.endAll))

  const authenticator = Authenticator.make({
    connection,
    methods: agent.authMethods ?? [],
    service: served.authentication
  })
  const settings: SessionSetup.Settings = {
    connection,
    sessions,
    overlap: options.overlap ?? "queue",
    timeline: options.timeline ?? "session",
    limits: {
      updates: options.backlogUpdates ?? 1_000_000,
      bytes: options.backlogBytes ?? 256 * 1024 * 1024
    },
    cancelGrace: Duration.fromInputUnsafe(options.cancelGrace ?? "10 seconds")
  }
  // F039: an agent may insist on the list, if only on an empty one.
  const withServers = <O extends SessionOptions>(session: O) => ({ ...session, mcpServers: session.mcpServers ?? [] })

  return Client.of({
    agent,
    connection,
    methods: Connection.peer(connection, AgentMethods.AgentMethods),
    newSession: (session) =>
      authenticator.settingUp(SessionSetup.create(settings, AgentMethods.newSession, withServers(session))),
    newSessionBy: (row, params) => authenticator.settingUp(SessionSetup.create(settings, row, withServers(params))),
    loadSession: (session) =>
      authenticator.settingUp(SessionSetup.reopen(settings, AgentMethods.loadSession, withServers(session))),
    resumeSession: (session) =>
      authenticator.settingUp(SessionSetup.reopen(settings, AgentMethods.resumeSession, withServers(session))),
    listSessions: (filter) => SessionList.make(connection, filter?.cwd === undefined ? {} : { cwd: filter.cwd }),
    closeSession: (sessionId) => SessionSetup.endById(settings, AgentMethods.closeSession, sessionId),
    deleteSession: (sessionId) => SessionSetup.endById(settings, AgentMethods.deleteSession, sessionId),
    authenticate: authenticator.authenticate,
    logout: Effect.asVoid(connection.call(AgentMethods.logout, {}))
  })
})

/** Hands an update from the wire to its session (O7, O10). */
const makeDeliver = (table: MethodTable.MethodTable, sessions: Sessions, codecsOf: Codecs.CodecsOf) => {
  const row = table.rowOf(ClientMethods.sessionUpdate) as Rpc.Any as Rpc.AnyWithProps
  const { params: codec } = codecsOf(row)
  return ({ report }: Connection.Connection, params: unknown, size: number): void => {
    const decoded = codec.decode(params, report)
    if (Result.isFailure(decoded)) {
      return report({ _tag: "InvalidNotification", method: row._tag, issue: decoded.failure })
    }
    if (sessions.deliverUnsafe(decoded.success, size)) return
    report({ _tag: "UnknownSession", sessionId: decoded.success.sessionId, method: row._tag })
  }
}

/** What this client serves: the handlers that it was given and the library's own, and what both advertise (G5). */
const serve = Effect.fnUntraced(function*(options: Options, sessions: Sessions) {
  const context = yield* Effect.context<Permission>()
  const authentication = Context.getOrUndefined(context, Authentication)
  const service = Context.getOrUndefined(context, Elicitation)
  const elicitation = service === undefined ? undefined : Questions.elicitation(sessions, service)
  let report: Connection.Connection["report"] = () => {}

  const own = yield* Layer.build(Layer.merge(
    ClientMethods.handlers({
      requestPermission: Questions.permission(
        sessions,
        Context.get(context, Permission),
        (diagnostic) => report(diagnostic)
      )
    }),
    elicitation === undefined ? Layer.empty : elicitation.handlers
  ))
  const given = context as Context.Context<never>
  const handlers = Context.merge(given, own) as Context.Context<never>
  const protocol = Protocol.withHandled(options.protocol ?? Protocol.v1, handlers)
  const capabilities = [
    Advertise.fromHandlers(protocol.table, "client", given),
    elicitation?.advertised ?? {},
    authentication?.login === undefined ? {} : { auth: { terminal: true } },
    { ...options.capabilities }
  ].reduce(Advertise.merge)
  return {
    authentication,
    handlers,
    protocol,
    capabilities,
    deliver: makeDeliver(protocol.table, sessions, Codecs.forContext(context as Context.Context<never>)),
    connect: (connection: Connection.Connection): void => {
      report = connection.report
    }
  }
})

// =============================================================================
// Combinators
// =============================================================================

/**
 * Bounds the time that setting up a session may take; then the request is cancelled and `SetupTimeout` is the failure.
 *
 * @category combinators
 * @since 0.1.0
 */
export const setupWithin: {
  (duration: Duration.Input): <A, E, R>(setUp: Effect.Effect<A, E, R>) => Effect.Effect<A, E | AcpError.SetupTimeout, R>
  <A, E, R>(
    setUp: Effect.Effect<A, E, R>,
    duration: Duration.Input
  ): Effect.Effect<A, E | AcpError.SetupTimeout, R>
} = dual(2, <A, E, R>(setUp: Effect.Effect<A, E, R>, duration: Duration.Input) =>
  Effect.timeoutOrElse(setUp, {
    duration,
    orElse: () => Effect.fail(new AcpError.SetupTimeout({ millis: Duration.toMillis(duration) }))
  }))
