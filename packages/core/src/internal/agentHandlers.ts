/**
 * The agent's methods, from what its author gave: only what is given is served (G5).
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rpc from "effect/rpc/Rpc"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as AcpError from "../AcpError.ts"
import type * as Agent from "../Agent.ts"
import * as AgentMethods from "../AgentMethods.ts"
import type { AgentSession } from "../AgentSession.ts"
import * as Capabilities from "../Capabilities.ts"
import { InboundRequest } from "../InboundRequest.ts"
import type * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"
import * as Protocol from "../Protocol.ts"
import type { AuthMethod } from "../schema/Authentication.ts"
import type { PromptRequest, PromptResponse } from "../schema/Prompt.ts"
import * as SessionUpdate from "../schema/SessionUpdate.ts"
import type { SessionStore, SessionStoreError, StoredSession } from "../SessionStore.ts"
import type { forkSession as ForkSession } from "../unstable/AgentMethods.ts"
import type { Entry, Opening, Sessions } from "./agentSessions.ts"
import type { Work } from "./agentTurn.ts"
import * as InboundGates from "./inboundGates.ts"

type Handlers = MethodTable.Handlers<AgentMethods.AgentMethods>

type OpeningRequest = Opening & { readonly _meta?: JsonRpc.JsonObject | null }

type NamedOpeningRequest = OpeningRequest & { readonly sessionId: string }

export const make = Effect.fnUntraced(function*(args: {
  readonly options: Agent.Options
  readonly context: Context.Context<never>
  readonly scope: Scope.Scope
  readonly sessions: Sessions
  readonly capabilities: Capabilities.Capabilities["Service"]
  readonly store: SessionStore["Service"] | undefined
  readonly advertised: () => JsonRpc.JsonObject
}) {
  const { advertised, capabilities, options, sessions, store } = args
  const protocol = options.protocol ?? Protocol.v1
  const run = yield* makeRun(args)
  /** What is acquired while a session is opened belongs to it. */
  const runIn = <A, E extends AcpError.AcpError>(session: AgentSession, effect: Effect.Effect<A, E, any>) =>
    run(Scope.provide(effect, session.scope))
  const client = (path: string) => capabilities.allows(Capabilities.gate("client", path))

  const initialize: Handlers["initialize"] = ({ clientCapabilities }) =>
    Effect.sync(() => {
      const protocolVersion = protocol.version
      const agentCapabilities = advertised()
      capabilities.commitUnsafe({ protocolVersion, client: { ...clientCapabilities }, agent: agentCapabilities })
      const isOffered = (method: AuthMethod) => !isTerminal(method) || client("auth.terminal")
      return {
        protocolVersion,
        agentInfo: options.agentInfo,
        agentCapabilities,
        authMethods: (options.authMethods ?? []).filter(isOffered)
      }
    })

  /** Asks the author what the session has, and withholds what the client did not say that it can show. */
  const setUp = Effect.fnUntraced(function*(entry: Entry, opening: Agent.Opening, stored?: StoredSession) {
    const { openSession } = options
    const said = openSession === undefined
      ? undefined
      : yield* runIn(entry.session, openSession(entry.session, opening))
    const configOptions = said?.configOptions?.filter(({ type }) =>
      type !== "boolean" || client("session.configOptions.boolean")
    )
    entry.setUpUnsafe({ ...said, configOptions }, stored)
    const modes = yield* entry.session.modes
    return {
      ...(said?._meta === undefined ? {} : { _meta: said._meta }),
      ...(modes === undefined ? {} : { modes }),
      ...(configOptions === undefined ? {} : { configOptions: yield* entry.session.configOptions })
    }
  })

  /** Opens a session under an id of its own; what is told of it leaves after the answer that names it (O8). */
  const create = Effect.fnUntraced(function*(
    kind: "new" | "fork",
    request: OpeningRequest,
    stored: StoredSession | undefined,
    begin: (entry: Entry) => Effect.Effect<void, AcpError.RequestError>
  ) {
    const { afterResponse } = yield* InboundRequest
    const sessionId = `sess_${crypto.randomUUID()}`
    const entry = yield* sessions.create(sessionId, request, stored)
    return yield* begin(entry).pipe(
      Effect.andThen(setUp(entry, { kind, meta: request._meta ?? undefined }, stored)),
      Effect.tap(() => entry.record.flush),
      Effect.tap(() => Effect.sync(() => afterResponse(entry.openUnsafe))),
      Effect.map((setup) => ({ ...setup, sessionId })),
      Effect.onError(() => Effect.andThen(sessions.close(entry), forget(sessionId)))
    )
  })

  const newSession: Handlers["newSession"] = (request) =>
    Effect.andThen(
      InboundGates.checkOpening(advertised(), request),
      create("new", request, undefined, () => Effect.void)
    )

  const forkSession = Effect.fnUntraced(function*(request: NamedOpeningRequest) {
    const { sessionId } = request
    yield* InboundGates.checkOpening(advertised(), request)
    const open = sessions.get(sessionId)
    // A turn that runs is not in the history yet.
    if (open?.turns.isRunning() === false) yield* open.record.flush
    const stored = yield* readStored(sessionId)
    return yield* create("fork", request, stored, ({ session }) =>
      Effect.andThen(
        stored === undefined ? Effect.void : copy(stored, session),
        options.forkSession === undefined
          ? Effect.void
          : runIn(session, options.forkSession(session, { sessionId, session: open?.session }))
      ))
  })

  const copy = (stored: StoredSession, { additionalDirectories, cwd, sessionId }: AgentSession) =>
    fromStore(Effect.andThen(
      store!.put({ ...stored, info: { ...stored.info, sessionId, cwd, additionalDirectories } }),
      Stream.runForEachArray(
        store!.history(stored.info.sessionId),
        (updates) => store!.append(sessionId, updates)
      )
    ))

  const forget = (sessionId: string) =>
    store === undefined ? Effect.void : Effect.ignore(store.remove(sessionId), { log: true })

  /** Opens a session that was there before: known to the author or to the store. */
  const reopen = Effect.fnUntraced(function*(
    kind: "load" | "resume",
    request: NamedOpeningRequest,
    restore: (entry: Entry) => Effect.Effect<void, AcpError.RequestError>
  ) {
    const { afterResponse } = yield* InboundRequest
    yield* InboundGates.checkOpening(advertised(), request)
    const stored = yield* readStored(request.sessionId)
    const entry = yield* sessions.reopen(request.sessionId, request, stored)
    return yield* restore(entry).pipe(
      Effect.andThen(setUp(entry, { kind, meta: request._meta ?? undefined }, stored)),
      Effect.tap(() => Effect.sync(() => afterResponse(entry.openUnsafe))),
      Effect.onError(() => sessions.close(entry))
    )
  })

  const readStored = (sessionId: string): Effect.Effect<StoredSession | undefined, AcpError.RequestError> => {
    if (store === undefined) return Effect.undefined
    return Effect.flatMap(fromStore(store.get(sessionId)), (stored) =>
      stored === undefined
        ? Effect.fail(new AcpError.ResourceNotFound({ data: { sessionId } }))
        : Effect.succeed(stored))
  }

  const replay = (entry: Entry): Effect.Effect<void, AcpError.RequestError> => {
    const { session } = entry
    if (options.loadSession !== undefined) return runIn(session, options.loadSession(session))
    return store === undefined
      ? Effect.void
      : fromStore(Stream.runForEach(store.history(session.sessionId), session.update))
  }

  const resume = ({ session }: Entry): Effect.Effect<void, AcpError.RequestError> =>
    options.resumeSession === undefined ? Effect.void : runIn(session, options.resumeSession(session))

  const work = (entry: Entry): Work => ({
    run: (turn) => {
      for (const block of turn.request.prompt) entry.record.noteUnsafe(SessionUpdate.userMessageChunk(block), false)
      const prompted = options.prompt(turn)
      const result: Effect.Effect<Agent.PromptResult, AcpError.AcpError, any> = Stream.isStream(prompted)
        ? Stream.runForEach(prompted, turn.update)
        : prompted
      return run(Effect.catch(Effect.map(result, toResponse), afterDenial))
    },
    settled: entry.record.flush
  })

  const prompt = Effect.fnUntraced(function*(request: PromptRequest) {
    yield* InboundGates.checkPrompt(advertised(), request.prompt)
    const entry = yield* sessions.find(request.sessionId)
    return yield* entry.turns.run(request, yield* InboundRequest, work(entry))
  })

  const setSessionMode: Handlers["setSessionMode"] = Effect.fnUntraced(function*({ modeId, sessionId }) {
    const entry = yield* sessions.find(sessionId)
    const refused = entry.refuseMode(modeId)
    if (refused !== undefined) return yield* refused
    if (options.setMode !== undefined) yield* run(options.setMode(entry.session, modeId))
    yield* Effect.mapError(entry.session.setMode(modeId), toRequestError)
    return {}
  })

  const setSessionConfigOption: Handlers["setSessionConfigOption"] = Effect.fnUntraced(function*(request) {
    const { configId, sessionId, value } = request
    const entry = yield* sessions.find(sessionId)
    const refused = entry.refuseConfigOption(configId, value)
    if (refused !== undefined) return yield* refused
    if (options.setConfigOption !== undefined) yield* run(options.setConfigOption(entry.session, configId, value))
    yield* Effect.mapError(entry.session.setConfigOption(configId, value), toRequestError)
    return { configOptions: yield* entry.session.configOptions }
  })

  const authenticate: Handlers["authenticate"] = ({ methodId }) => {
    const method = (options.authMethods ?? []).find(({ id }) => id === methodId)
    return method === undefined || isTerminal(method)
      ? Effect.fail(new AcpError.InvalidParams({ message: "Unknown authentication method", data: { methodId } }))
      : Effect.as(run(options.authenticate!(methodId)), {})
  }

  const deleteSession: Handlers["deleteSession"] = Effect.fnUntraced(function*({ sessionId }) {
    const entry = sessions.get(sessionId)
    if (entry !== undefined) yield* sessions.close(entry)
    if (options.deleteSession !== undefined) yield* run(options.deleteSession(sessionId))
    else if (store !== undefined) yield* fromStore(store.remove(sessionId))
    return {}
  })

  const listSessions: Handlers["listSessions"] = (request) => {
    if (options.listSessions !== undefined) return run(options.listSessions(request))
    const { cursor, cwd } = request
    return fromStore(store!.list({ cwd: cwd ?? undefined, cursor: cursor ?? undefined }))
  }

  const kept = store !== undefined
  const given = <K extends keyof Handlers>(on: boolean, name: K, handler: Handlers[K]): Partial<Handlers> =>
    on ? { [name]: handler } as Partial<Handlers> : {}

  const handlers: Partial<Handlers> = {
    initialize,
    newSession,
    prompt: (request) => Rpc.uninterruptible(prompt(request)),
    closeSession: ({ sessionId }) =>
      Rpc.uninterruptible(Effect.flatMap(sessions.find(sessionId), (entry) => Effect.as(sessions.close(entry), {}))),
    setSessionMode,
    setSessionConfigOption,
    ...given(kept || options.loadSession !== undefined, "loadSession", (request) => reopen("load", request, replay)),
    ...given(
      kept || options.resumeSession !== undefined,
      "resumeSession",
      (request) => reopen("resume", request, resume)
    ),
    ...given(kept || options.listSessions !== undefined, "listSessions", listSessions),
    ...given(kept || options.deleteSession !== undefined, "deleteSession", deleteSession),
    ...given(options.authenticate !== undefined, "authenticate", authenticate),
    ...given(options.logout !== undefined, "logout", () => Effect.as(run(options.logout!()), {}))
  }
  const stable = AgentMethods.handlers(handlers)
  const row = forkRow(protocol)
  if (row === undefined && options.forkSession !== undefined) {
    return yield* Effect.die(new Error("forkSession needs a protocol with session/fork, such as UnstableProtocol.v1"))
  }
  if (row === undefined || !(kept || options.forkSession !== undefined)) return yield* Layer.build(stable)
  const fork = MethodTable.layerHandlers(MethodTable.group(row))({
    forkSession: (request) => forkSession(request as NamedOpeningRequest)
  })
  return yield* Layer.build(Layer.merge(stable, fork))
})

/** An unstable row: it is served only where the protocol has it. */
const forkRow = (protocol: Protocol.Protocol): typeof ForkSession | undefined =>
  protocol.table.rows.find(({ _tag }) => _tag === "session/fork") as typeof ForkSession | undefined

/** Runs an author's effect with the services that its options build, and makes its failures answers. */
const makeRun = Effect.fnUntraced(function*({ context, options, scope }: {
  readonly options: Agent.Options
  readonly context: Context.Context<never>
  readonly scope: Scope.Scope
}) {
  const { services } = options
  const built = services === undefined ? undefined : yield* makeServices(services, context, scope)
  return <A, E extends AcpError.AcpError>(
    effect: Effect.Effect<A, E, any>
  ): Effect.Effect<A, AcpError.RequestError> => {
    // What it needs besides is in the context that the handlers were made in.
    const answered = Effect.mapError(effect as Effect.Effect<A, E>, toRequestError)
    return built === undefined
      ? answered
      : Effect.flatMap(built, (services) => Effect.provideContext(answered, services))
  }
})

/** The services of the handlers, built once, by the first who needs them; after a failure the next one tries again (H6). */
const makeServices = Effect.fnUntraced(function*(
  layer: Layer.Layer<any, any, any>,
  context: Context.Context<never>,
  scope: Scope.Scope
): Effect.fn.Return<Effect.Effect<Context.Context<any>, AcpError.RequestError>> {
  const attempt = yield* Semaphore.make(1)
  let built: Context.Context<any> | undefined
  const build = Layer.buildWithScope(layer as Layer.Layer<any, unknown>, scope).pipe(
    Effect.provideContext(context),
    Effect.tapCause((cause) => Effect.logError("The agent's services could not be built", cause)),
    Effect.mapError(() => new AcpError.InternalError({ message: "The agent could not start its services" })),
    Effect.map((services) => built = services)
  )
  return Effect.suspend(() =>
    built !== undefined
      ? Effect.succeed(built)
      : Semaphore.withPermit(attempt, Effect.suspend(() => built === undefined ? build : Effect.succeed(built)))
  )
})

const isTerminal = (method: AuthMethod): boolean => "type" in method && method.type === "terminal"

const toResponse = (result: Agent.PromptResult): PromptResponse =>
  typeof result === "string" ? { stopReason: result } : result ?? { stopReason: "end_turn" }

/** A user who does not allow something has not made the agent fail. */
const afterDenial = (error: AcpError.AcpError): Effect.Effect<PromptResponse, AcpError.AcpError> =>
  error._tag === "PermissionDenied"
    ? Effect.succeed({ stopReason: error.outcome === "cancelled" ? "cancelled" : "end_turn" })
    : Effect.fail(error)

/** What is not an error of the wire becomes one, with its message: the peer learns what the agent could not do. */
const toRequestError = (error: AcpError.AcpError): AcpError.RequestError =>
  AcpError.isRequestError(error) ? error : new AcpError.InternalError({ message: error.message })

const fromStore = <A, E extends AcpError.AcpError>(
  effect: Effect.Effect<A, SessionStoreError | E>
): Effect.Effect<A, AcpError.RequestError> =>
  Effect.catch(effect, (error) =>
    error._tag === "SessionStoreError"
      ? Effect.logError("The session store failed", error).pipe(
        Effect.andThen(new AcpError.InternalError({ message: "The sessions could not be read or written" }))
      )
      : Effect.fail(toRequestError(error)))
