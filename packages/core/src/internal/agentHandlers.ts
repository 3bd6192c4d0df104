/**
 * The agent's methods, from what its author gave: only what is given is served (G5).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rpc from "effect/rpc/Rpc"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as AcpError from "../AcpError.ts"
import type * as Agent from "../Agent.ts"
import * as AgentMethods from "../AgentMethods.ts"
import * as Capabilities from "../Capabilities.ts"
import { InboundRequest } from "../InboundRequest.ts"
import type * as JsonRpc from "../JsonRpc.ts"
import * as MethodTable from "../MethodTable.ts"
import * as Protocol from "../Protocol.ts"
import type { AuthMethod } from "../schema/Authentication.ts"
import type { PromptRequest, PromptResponse } from "../schema/Prompt.ts"
import * as SessionUpdate from "../schema/SessionUpdate.ts"
import type { SessionStore, SessionStoreError } from "../SessionStore.ts"
import type { Turn } from "../Turn.ts"
import type { Chosen } from "./agentSession.ts"
import type { Entry, Opening, Sessions } from "./agentSessions.ts"
import { toRequestError } from "./agentTurns.ts"
import * as InboundGates from "./inboundGates.ts"

type Handlers = MethodTable.Handlers<AgentMethods.AgentMethods>

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
  const run = yield* makeRun(args)
  const client = (path: string) => capabilities.allows(Capabilities.gate("client", path))

  const initialize: Handlers["initialize"] = ({ clientCapabilities }) =>
    Effect.sync(() => {
      const protocolVersion = Protocol.version
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
  const setUp = Effect.fnUntraced(function*(entry: Entry, opening: Agent.Opening, chosen?: Chosen) {
    const { openSession } = options
    const said = openSession === undefined ? undefined : yield* run(openSession(entry.session, opening))
    const configOptions = said?.configOptions?.filter(({ type }) =>
      type !== "boolean" || client("session.configOptions.boolean")
    )
    entry.setUpUnsafe({ ...said, configOptions }, chosen)
    const modes = yield* entry.session.modes
    return {
      ...(said?._meta === undefined ? {} : { _meta: said._meta }),
      ...(modes === undefined ? {} : { modes }),
      ...(configOptions === undefined ? {} : { configOptions: yield* entry.session.configOptions })
    }
  })

  const open = (sessionId: string, opening: Opening) =>
    Effect.andThen(
      InboundGates.checkOpening(advertised(), opening),
      sessions.open(sessionId, opening, store)
    )

  const newSession: Handlers["newSession"] = Effect.fnUntraced(function*(request) {
    const inbound = yield* InboundRequest
    const sessionId = `sess_${crypto.randomUUID()}`
    const entry = yield* open(sessionId, request)
    const setup = yield* Effect.onError(
      setUp(entry, { kind: "new", meta: request._meta ?? undefined }),
      () => sessions.close(entry)
    )
    yield* entry.record.flush
    inbound.afterResponse(entry.openUnsafe)
    return { ...setup, sessionId }
  })

  /** Opens a session that was there before: known to the author or to the store. */
  const reopen = Effect.fnUntraced(function*(
    kind: "load" | "resume",
    request: Opening & { readonly sessionId: string; readonly _meta?: JsonRpc.JsonObject | null },
    restore: (entry: Entry) => Effect.Effect<void, AcpError.RequestError>
  ) {
    const { sessionId } = request
    const stored = yield* readStored(sessionId)
    const entry = yield* open(sessionId, request)
    entry.openUnsafe()
    return yield* Effect.onError(
      Effect.andThen(restore(entry), setUp(entry, { kind, meta: request._meta ?? undefined }, stored)),
      () => sessions.close(entry)
    )
  })

  const readStored = (sessionId: string): Effect.Effect<Chosen | undefined, AcpError.RequestError> => {
    if (store === undefined) return Effect.succeed(undefined)
    return Effect.flatMap(fromStore(store.get(sessionId)), (stored) =>
      stored === undefined
        ? Effect.fail(new AcpError.ResourceNotFound({ data: { sessionId } }))
        : Effect.succeed(stored))
  }

  const replay = (entry: Entry): Effect.Effect<void, AcpError.RequestError> => {
    const { sessionId } = entry.session
    if (options.loadSession !== undefined) return run(options.loadSession(entry.session))
    return store === undefined
      ? Effect.void
      : Stream.runForEach(store.history(sessionId), entry.replay).pipe(fromStore)
  }

  const resume = (entry: Entry): Effect.Effect<void, AcpError.RequestError> =>
    options.resumeSession === undefined ? Effect.void : run(options.resumeSession(entry.session))

  const work = (entry: Entry) => (turn: Turn): Effect.Effect<PromptResponse, AcpError.RequestError> =>
    Effect.suspend(() => {
      for (const block of turn.request.prompt) entry.record.noteUnsafe(SessionUpdate.userMessageChunk(block))
      const prompted = options.prompt(turn)
      return run(
        Effect.map(Stream.isStream(prompted) ? Stream.runForEach(prompted, turn.update) : prompted, toResponse)
      )
    })

  const prompt = Effect.fnUntraced(function*(request: PromptRequest) {
    yield* InboundGates.checkPrompt(advertised(), request.prompt)
    const entry = yield* sessions.find(request.sessionId)
    const { sequence } = yield* InboundRequest
    return yield* Effect.ensuring(entry.turns.run(request, sequence, work(entry)), entry.record.flush)
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
      Effect.flatMap(sessions.find(sessionId), (entry) => Effect.as(sessions.close(entry), {})),
    setSessionMode,
    setSessionConfigOption,
    ...given(kept || options.loadSession !== undefined, "loadSession", (request) => reopen("load", request, replay)),
    ...given(kept || options.resumeSession !== undefined, "resumeSession", (request) =>
      reopen("resume", request, resume)),
    ...given(kept || options.listSessions !== undefined, "listSessions", listSessions),
    ...given(kept || options.deleteSession !== undefined, "deleteSession", deleteSession),
    ...given(options.authenticate !== undefined, "authenticate", authenticate),
    ...given(options.logout !== undefined, "logout", () => Effect.as(run(options.logout!()), {}))
  }
  return yield* Layer.build(AgentMethods.handlers(handlers))
})

/** Runs an author's effect with its services, and makes its failures answers. */
const makeRun = Effect.fnUntraced(function*({ context, options, scope }: {
  readonly options: Agent.Options
  readonly context: Context.Context<never>
  readonly scope: Scope.Scope
}) {
  const services = yield* makeServices(options.services, context, scope)
  return <A, E extends AcpError.AcpError>(effect: Effect.Effect<A, E, any>): Effect.Effect<A, AcpError.RequestError> =>
    Effect.flatMap(services, (context) => Effect.mapError(Effect.provideContext(effect, context), toRequestError))
})

/** The services of the handlers, built once, by the first who needs them (H6). */
const makeServices = Effect.fnUntraced(function*(
  layer: Layer.Layer<any, any, any> | undefined,
  context: Context.Context<never>,
  scope: Scope.Scope
): Effect.fn.Return<Effect.Effect<Context.Context<any>, AcpError.RequestError>> {
  if (layer === undefined) return Effect.succeed(context as Context.Context<any>)
  const turn = yield* Semaphore.make(1)
  let built: Context.Context<any> | undefined
  const build = Layer.buildWithScope(layer as Layer.Layer<any, unknown>, scope).pipe(
    Effect.provideContext(context),
    Effect.tapCause((cause) => Effect.logError("The agent's services could not be built", cause)),
    Effect.mapError(() => new AcpError.InternalError({ message: "The agent could not start its services" })),
    Effect.map((services) => built = Context.merge(context, services))
  )
  return Effect.suspend(() =>
    built !== undefined
      ? Effect.succeed(built)
      : Semaphore.withPermit(turn, Effect.suspend(() => built === undefined ? build : Effect.succeed(built)))
  )
})

const isTerminal = (method: AuthMethod): boolean => "type" in method && method.type === "terminal"

const toResponse = (result: Agent.PromptResult): PromptResponse =>
  typeof result === "string" ? { stopReason: result } : result ?? { stopReason: "end_turn" }

const fromStore = <A, E>(
  effect: Effect.Effect<A, SessionStoreError | E>
): Effect.Effect<A, AcpError.RequestError> =>
  effect.pipe(
    Effect.tapError((error) => Effect.logError("The session store failed", error)),
    Effect.mapError(() => new AcpError.InternalError({ message: "The sessions could not be read or written" }))
  )
