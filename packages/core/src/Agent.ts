/**
 * The agent's side: an author writes what a turn does, the library owns everything around it.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Rpc from "effect/rpc/Rpc"
import * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as AcpError from "./AcpError.ts"
import * as AgentMethods from "./AgentMethods.ts"
import * as AgentSession from "./AgentSession.ts"
import * as ClientMethods from "./ClientMethods.ts"
import * as Connection from "./Connection.ts"
import { InboundRequest } from "./InboundRequest.ts"
import * as Advertise from "./internal/advertise.ts"
import * as Turns from "./internal/agentTurns.ts"
import * as StdoutGuard from "./internal/stdoutGuard.ts"
import * as JsonRpc from "./JsonRpc.ts"
import * as Protocol from "./Protocol.ts"
import type { AgentCapabilities } from "./schema/AgentCapabilities.ts"
import type { AuthMethod } from "./schema/Authentication.ts"
import type { Implementation } from "./schema/Common.ts"
import type { InitializeRequest, InitializeResponse } from "./schema/Initialize.ts"
import type { PromptRequest, PromptResponse, StopReason } from "./schema/Prompt.ts"
import type { NewSessionRequest, NewSessionResponse } from "./schema/Session.ts"
import type { SessionUpdate } from "./schema/SessionUpdate.ts"
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
 * What an agent is made of.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options<R1 = never, R2 = never> extends Connection.Limits {
  readonly agentInfo: Implementation
  /**
   * The work of a turn: an effect, or a stream of its updates.
   *
   * A typed failure is the turn's error on the wire; a defect is answered without saying what it was (C7). When the client
   * cancels, the work is interrupted and the turn ends as `cancelled`, whatever it gives (X4).
   */
  readonly prompt: (
    turn: Turn
  ) => Effect.Effect<PromptResult, AcpError.AcpError, R1> | Stream.Stream<SessionUpdate, AcpError.AcpError, R1>
  /**
   * Sets a session up; what it gives is answered beside the session's id. Default: nothing.
   *
   * Updates that it sends leave after the answer (O8).
   */
  readonly newSession?: (
    session: AgentSession.AgentSession,
    request: NewSessionRequest
  ) => Effect.Effect<Omit<NewSessionResponse, "sessionId"> | void, AcpError.AcpError, R2>
  /** Kinds of content that prompts may carry besides text and links, and other capabilities that follow from no handler. */
  readonly capabilities?: AgentCapabilities | undefined
  readonly authMethods?: ReadonlyArray<AuthMethod> | undefined
  /** What becomes of a prompt while another runs in the same session. Default `"reject"` (U1). */
  readonly overlap?: "reject" | "queue" | undefined
  /** How long a cancelled turn may wind down before it is answered anyway. Default 30 seconds (X8). */
  readonly cancelBound?: Duration.Input | undefined
}

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

interface Entry {
  readonly session: AgentSession.AgentSession
  readonly scope: Scope.Closeable
  readonly turns: Turns.Turns
}

// =============================================================================
// Layers
// =============================================================================

/**
 * Serves a client over the transport, until the link ends.
 *
 * **Details**
 *
 * `initialize` is answered from static data (H6): the requested version where it is spoken, else the newest (H5). Other
 * methods of an agent are served, and advertised, by providing their handlers to the layer (`AgentMethods.handlers`, G5).
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R1 = never, R2 = never>(
  options: Options<R1, R2>
): Layer.Layer<Agent, never, Transport.Transport | Exclude<R1 | R2, Scope.Scope>> => Layer.effect(Agent)(make(options))

/**
 * Serves a client within the current scope; see {@link layer}.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*<R1 = never, R2 = never>(options: Options<R1, R2>): Effect.fn.Return<
  Agent["Service"],
  never,
  Transport.Transport | Scope.Scope | R1 | R2
> {
  const context = yield* Effect.context<R1 | R2>()
  const scope = yield* Scope.fork(yield* Effect.scope)
  const entries = new Map<string, Entry>()
  const runFork = Effect.runForkWith(context)
  const keep = Fiber.runIn(scope)
  const fork = (effect: Effect.Effect<void>) => {
    keep(runFork(effect))
  }

  const find = (sessionId: string): Effect.Effect<Entry, AcpError.ResourceNotFound> =>
    Effect.suspend(() => {
      const entry = entries.get(sessionId)
      return entry === undefined
        ? Effect.fail(new AcpError.ResourceNotFound({ data: { sessionId } }))
        : Effect.succeed(entry)
    })

  const initialize = (request: InitializeRequest) =>
    Effect.sync((): InitializeResponse => {
      const protocolVersion = Protocol.version
      connection.capabilities.commitUnsafe({
        protocolVersion,
        client: { ...request.clientCapabilities },
        agent: agentCapabilities
      })
      return {
        protocolVersion,
        agentInfo: options.agentInfo,
        agentCapabilities,
        authMethods: options.authMethods ?? []
      }
    })

  const open = Effect.fnUntraced(function*(request: NewSessionRequest) {
    const sessionScope = yield* Scope.fork(scope)
    const sessionId = `sess_${crypto.randomUUID()}`
    const emitter = AgentSession.makeEmitter(connection, sessionId, fork)
    const session: AgentSession.AgentSession = {
      sessionId,
      cwd: request.cwd,
      additionalDirectories: request.additionalDirectories ?? [],
      mcpServers: request.mcpServers,
      scope: sessionScope,
      client: Connection.peer(connection, ClientMethods.ClientMethods),
      update: emitter.emit
    }
    const turns = Turns.make({
      session,
      overlap: options.overlap ?? "reject",
      cancelBound: options.cancelBound ?? "30 seconds",
      report: connection.report
    })
    return { entry: { session, scope: sessionScope, turns }, emitter }
  })

  const newSession = Effect.fnUntraced(function*(request: NewSessionRequest) {
    yield* checkAbsolute(request.cwd)
    const inbound = yield* InboundRequest
    const { emitter, entry } = yield* open(request)
    const { sessionId } = entry.session
    // U5: a cancel or prompt right behind the answer finds the session.
    entries.set(sessionId, entry)
    const setup = options.newSession === undefined ? undefined : yield* options.newSession(entry.session, request).pipe(
      Effect.mapError(Turns.toRequestError),
      Effect.provideContext(context),
      Effect.onError(() => discard(entry))
    )
    inbound.afterResponse(emitter.openUnsafe)
    return { ...setup, sessionId }
  })

  const discard = (entry: Entry) =>
    Effect.suspend(() => {
      entries.delete(entry.session.sessionId)
      return Scope.close(entry.scope, Exit.void)
    })

  const work = (turn: Turn): Effect.Effect<PromptResponse, AcpError.AcpError> =>
    Effect.suspend(() => {
      const prompted = options.prompt(turn)
      const result = Stream.isStream(prompted) ? Stream.runForEach(prompted, turn.update) : prompted
      return Effect.map(Effect.provideContext(result, context), toResponse)
    })

  const prompt = Effect.fnUntraced(function*(request: PromptRequest) {
    const { turns } = yield* find(request.sessionId)
    const { sequence } = yield* InboundRequest
    return yield* turns.run(request, sequence, work)
  })

  const own = yield* Layer.build(AgentMethods.handlers({
    initialize,
    newSession,
    prompt: (request) => Rpc.uninterruptible(prompt(request)),
    closeSession: ({ sessionId }) =>
      // U8: the running turn ends as cancelled, then the session is freed, then this is answered.
      Effect.flatMap(find(sessionId), (entry) => Effect.andThen(entry.turns.stop, Effect.as(discard(entry), {})))
  }))
  const handlers = Context.merge(context, own) as Context.Context<never>
  const agentCapabilities = Advertise.merge(
    Advertise.fromHandlers(Protocol.table, "agent", handlers),
    { ...options.capabilities }
  )

  const connection: Connection.Connection = yield* Connection.make({
    drainGrace: "2 seconds",
    ...options,
    side: "agent",
    table: Protocol.table,
    handshake: Protocol.handshake,
    handlers,
    sessionOf: (sessionId) => entries.get(sessionId)?.session,
    interceptors: {
      [AgentMethods.cancel._tag]: (params, { sequence }) => {
        const sessionId = JsonRpc.member(params, "sessionId")
        if (typeof sessionId === "string") entries.get(sessionId)?.turns.cancelUnsafe(sequence)
      }
    }
  })

  return Agent.of({
    connection,
    sessions: Effect.sync(() => [...entries.values()].map(({ session }) => session))
  })
})

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

const toResponse = (result: PromptResult): PromptResponse =>
  typeof result === "string" ? { stopReason: result } : result ?? { stopReason: "end_turn" }

const absolute = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/

const checkAbsolute = (cwd: string): Effect.Effect<void, AcpError.InvalidParams> =>
  absolute.test(cwd)
    ? Effect.void
    : Effect.fail(new AcpError.InvalidParams({ message: "cwd must be an absolute path", data: { cwd } }))
