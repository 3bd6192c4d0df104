/**
 * The client's side: a connection to an agent, opened by building a layer, and its sessions.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Rpc from "effect/rpc/Rpc"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AcpError from "./AcpError.ts"
import * as AgentMethods from "./AgentMethods.ts"
import * as ClientMethods from "./ClientMethods.ts"
import * as ClientSession from "./ClientSession.ts"
import * as Connection from "./Connection.ts"
import * as Advertise from "./internal/advertise.ts"
import * as Codecs from "./internal/codecs.ts"
import * as Sessions from "./internal/clientSessions.ts"
import * as OutboundGates from "./internal/outboundGates.ts"
import * as MethodTable from "./MethodTable.ts"
import { outcomeOf, Permission } from "./Permission.ts"
import * as Protocol from "./Protocol.ts"
import type { ClientCapabilities } from "./schema/ClientCapabilities.ts"
import type { Implementation } from "./schema/Common.ts"
import type { InitializeResponse } from "./schema/Initialize.ts"
import type { NewSessionRequest } from "./schema/Session.ts"
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
 * A connection to an agent that has been initialized.
 *
 * @category services
 * @since 0.1.0
 */
export class Client extends Context.Service<Client, {
  /** What the agent said of itself. */
  readonly agent: InitializeResponse
  /** The methods of the agent, by callback name, for what has no function of its own here. */
  readonly methods: MethodTable.Peer<AgentMethods.AgentMethods>
  /** Creates a session, which is closed, where the agent can, when the scope closes. */
  readonly newSession: (
    options: SessionOptions
  ) => Effect.Effect<ClientSession.ClientSession, AcpError.CallError, Scope.Scope>
  readonly connection: Connection.Connection
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
  /** How long the agent may take to answer `initialize`. Default: any time (C11). */
  readonly handshakeTimeout?: Duration.Input | undefined
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
 * ready ones such as those of `@effect-acp/host` (G5). Every client needs a `Permission`.
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
  const sessions = Sessions.make()
  const handlers = yield* withPermission(sessions)
  const connection = yield* Connection.make({
    ...options,
    side: "client",
    table: Protocol.table,
    handshake: Protocol.handshake,
    handlers,
    sessionOf: (sessionId) => sessions.get(sessionId)?.inbound,
    interceptors: {
      [ClientMethods.sessionUpdate._tag]: (params, { size }) => deliver(params, size)
    }
  })

  const deliver = (params: unknown, size: number): void => {
    const row = ClientMethods.sessionUpdate as Rpc.Any as Rpc.AnyWithProps
    const decoded = Codecs.of(row).params.decode(params, connection.report)
    if (Result.isFailure(decoded)) {
      return connection.report({ _tag: "InvalidNotification", method: row._tag, issue: decoded.failure })
    }
    if (!sessions.deliverUnsafe(decoded.success, size)) {
      connection.report({ _tag: "UnknownSession", sessionId: decoded.success.sessionId, method: row._tag })
    }
  }

  const clientCapabilities = Advertise.merge(
    Advertise.fromHandlers(Protocol.table, "client", handlers),
    { ...options.capabilities }
  )
  const agent = yield* handshake(connection, { ...options, clientCapabilities })
  yield* Effect.forkScoped(Effect.andThen(connection.closed, Effect.sync(sessions.endAllUnsafe)))

  const settings: Sessions.Settings = {
    connection,
    limits: {
      updates: options.backlogUpdates ?? 1_000_000,
      bytes: options.backlogBytes ?? 256 * 1024 * 1024
    },
    cancelGrace: Duration.fromInputUnsafe(options.cancelGrace ?? "10 seconds")
  }

  return Client.of({
    agent,
    connection,
    methods: Connection.peer(connection, AgentMethods.AgentMethods),
    newSession: (session) => newSession(sessions, settings, session)
  })
})

/** The handlers of the context, with the library's own around the one that decides permissions. */
const withPermission = Effect.fnUntraced(function*(sessions: Sessions.Sessions) {
  const context = yield* Effect.context<Permission>()
  const { decide } = Context.get(context, Permission)
  const own = yield* Layer.build(ClientMethods.handlers({
    requestPermission: (request) =>
      Effect.raceFirst(
        decide(request),
        // X7: a cancelled turn leaves no question open.
        Effect.as(sessions.get(request.sessionId)?.turnCancelled ?? Effect.never, "cancelled" as const)
      ).pipe(Effect.map((decision) => ({ outcome: outcomeOf(request, decision) })))
  }))
  return Context.merge(context, own) as Context.Context<never>
})

const handshake = Effect.fnUntraced(function*(
  connection: Connection.Connection,
  options: Options & { readonly clientCapabilities: ClientCapabilities }
): Effect.fn.Return<InitializeResponse, AcpError.ConnectError, Scope.Scope> {
  const { clientCapabilities, clientInfo } = options
  const answer = yield* Deferred.make<InitializeResponse, AcpError.ConnectError>()
  const lastNoise = yield* watchNoise(connection)
  yield* connection.submit(
    AgentMethods.initialize,
    { protocolVersion: Protocol.version, clientCapabilities, clientInfo },
    {
      // The agent may speak right behind its answer: what was agreed on must stand by then.
      settle: (exit) => Deferred.doneUnsafe(answer, agree(connection, clientCapabilities, exit))
    }
  )
  const initialized = Deferred.await(answer)
  if (options.handshakeTimeout === undefined) return yield* initialized
  const millis = Duration.toMillis(options.handshakeTimeout)
  return yield* Effect.timeoutOrElse(initialized, {
    duration: millis,
    orElse: () => {
      const noise = lastNoise()
      return Effect.fail(new AcpError.HandshakeTimeout({ millis, ...(noise === undefined ? {} : { noise }) }))
    }
  })
})

const agree = (
  connection: Connection.Connection,
  client: ClientCapabilities,
  exit: Exit.Exit<InitializeResponse, AcpError.CallError>
): Exit.Exit<InitializeResponse, AcpError.ConnectError> => {
  if (Exit.isFailure(exit)) return exit
  const { agentCapabilities, protocolVersion } = exit.value
  if (protocolVersion !== Protocol.version) {
    return Exit.fail(
      new AcpError.UnsupportedProtocolVersion({ requested: Protocol.version, offered: protocolVersion })
    )
  }
  connection.capabilities.commitUnsafe({ protocolVersion, client: { ...client }, agent: { ...agentCapabilities } })
  return exit
}

const watchNoise = Effect.fnUntraced(function*(connection: Connection.Connection) {
  let last: string | undefined
  yield* Effect.forkScoped(
    Stream.runForEach(connection.diagnostics, (diagnostic) =>
      Effect.sync(() => {
        if (diagnostic._tag === "Noise") last = diagnostic.preview
      })),
    { startImmediately: true }
  )
  return () => last
})

const newSession = Effect.fnUntraced(function*(
  sessions: Sessions.Sessions,
  settings: Sessions.Settings,
  options: SessionOptions
): Effect.fn.Return<ClientSession.ClientSession, AcpError.CallError, Scope.Scope> {
  const { connection } = settings
  const missing = OutboundGates.missingForSetup(connection.capabilities, AgentMethods.newSession._tag, options)
  if (missing !== undefined) return yield* missing
  return yield* sessions.create(settings, AgentMethods.newSession, {
    ...options,
    mcpServers: options.mcpServers ?? []
  })
})
