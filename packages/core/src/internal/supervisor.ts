/**
 * Starting an agent again, and its sessions with it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AcpError from "../AcpError.ts"
import * as AgentMethods from "../AgentMethods.ts"
import * as Client from "../Client.ts"
import type { ClientSession } from "../ClientSession.ts"
import * as MethodTable from "../MethodTable.ts"
import type { Permission } from "../Permission.ts"
import type { Options, Restart, SupervisedClient, SupervisedSession } from "../Supervision.ts"
import type * as Transport from "../Transport.ts"

/** An agent that runs, and the scope that holds its process and its sessions. */
interface Running {
  readonly client: Client.Client["Service"]
  readonly scope: Scope.Closeable
}

interface Supervised {
  readonly options: Client.ReopenOptions
  current: Deferred.Deferred<ClientSession, AcpError.AgentLost | AcpError.SessionLost>
}

export const make = Effect.fnUntraced(function*<E, R>(
  transport: Layer.Layer<Transport.Transport, E, R>,
  options: Options
): Effect.fn.Return<
  SupervisedClient["Service"],
  AcpError.ConnectError | E,
  R | Permission | Scope.Scope
> {
  const context = yield* Effect.context<R | Permission | Scope.Scope>()
  const parent = Context.get(context, Scope.Scope)
  const maxRestarts = options.maxRestarts ?? 5
  const restartDelay = Duration.toMillis(options.restartDelay ?? "200 millis")
  const stableAfter = Duration.toMillis(options.stableAfter ?? "1 minute")
  const restarts = yield* PubSub.sliding<Restart>(256)
  const sessions = new Set<Supervised>()

  const start: Effect.Effect<Running, AcpError.ConnectError | E> = Effect.gen(function*() {
    const scope = yield* Scope.fork(parent)
    // Another agent each time: the layer must not be the one that was built before.
    const client = yield* Layer.buildWithScope(Layer.fresh(transport), scope).pipe(
      Effect.flatMap((link) => Effect.provideContext(Client.make(options), Context.merge(context, link))),
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    return { client, scope }
  }).pipe(Effect.provideContext(context))

  let running = yield* start
  let current = Deferred.makeUnsafe<Running, AcpError.AgentLost>()
  Deferred.doneUnsafe(current, Exit.succeed(running))

  const awaitRunning = Effect.suspend(() => Deferred.await(current))

  /** Forgets what has ended: who asks from now on waits for what comes. Who waits already goes on waiting. */
  const suspend = Effect.sync(() => {
    current = Deferred.makeUnsafe()
    for (const session of sessions) {
      if (Deferred.isDoneUnsafe(session.current)) session.current = Deferred.makeUnsafe()
    }
  })

  const restart = (
    reason: AcpError.CloseReason,
    attempt: number,
    cause?: unknown
  ): Effect.Effect<Running, AcpError.AgentLost> =>
    attempt > maxRestarts
      ? Effect.fail(new AcpError.AgentLost({ reason, restarts: attempt - 1, cause }))
      : Effect.sleep(restartDelay * 2 ** (attempt - 1)).pipe(
        Effect.andThen(start),
        Effect.catch((error) => restart(reason, attempt + 1, error))
      )

  const restore = (session: Supervised, { client, scope }: Running) =>
    Effect.map(Effect.exit(Scope.provide(reopen(client, session.options), scope)), (exit): Restart["sessions"] => {
      const { sessionId } = session.options
      if (Exit.isSuccess(exit)) {
        Deferred.doneUnsafe(session.current, Exit.succeed(exit.value.session))
        return [{ sessionId, outcome: exit.value.outcome }]
      }
      const failure = Exit.findErrorOption(exit)
      const cause = failure._tag === "Some" ? failure.value : exit.cause
      // This agent has ended as well: the next one is asked.
      if (cause instanceof AcpError.ConnectionClosed) return []
      sessions.delete(session)
      Deferred.doneUnsafe(session.current, Exit.fail(new AcpError.SessionLost({ sessionId, cause })))
      return [{ sessionId, outcome: "lost" }]
    })

  const restoreAll = (running: Running) =>
    Effect.map(
      Effect.forEach([...sessions], (session) => restore(session, running), { concurrency: "unbounded" }),
      (restored) => restored.flat()
    )

  const supervise = Effect.gen(function*() {
    let attempts = 0
    while (true) {
      const startedAt = yield* Clock.currentTimeMillis
      const reason = yield* running.client.connection.closed
      yield* suspend
      yield* Scope.close(running.scope, Exit.void)
      attempts = (yield* Clock.currentTimeMillis) - startedAt >= stableAfter ? 1 : attempts + 1
      running = yield* restart(reason, attempts)
      yield* Deferred.succeed(current, running)
      yield* PubSub.publish(restarts, { reason, sessions: yield* restoreAll(running) })
    }
  }).pipe(
    Effect.catch((lost) =>
      Effect.sync(() => {
        Deferred.doneUnsafe(current, Exit.fail(lost))
        for (const session of sessions) Deferred.doneUnsafe(session.current, Exit.fail(lost))
      })
    )
  )
  yield* Effect.forkScoped(supervise)

  const open = <E2>(
    options: Client.SessionOptions,
    open: (client: Client.Client["Service"]) => Effect.Effect<ClientSession, E2, Scope.Scope>
  ): Effect.Effect<SupervisedSession, E2 | AcpError.AgentLost, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.flatMap(awaitRunning, ({ client, scope }) =>
        Effect.map(Scope.provide(open(client), scope), (session): Supervised => {
          const supervised = {
            options: { ...options, sessionId: session.sessionId },
            current: Deferred.makeUnsafe<ClientSession, AcpError.AgentLost | AcpError.SessionLost>()
          }
          Deferred.doneUnsafe(supervised.current, Exit.succeed(session))
          sessions.add(supervised)
          return supervised
        })),
      (supervised) =>
        release(supervised),
      { interruptible: true }
    ).pipe(Effect.map(handleOf))

  /** A session that is just being opened again is closed once it is. */
  const release = (supervised: Supervised) =>
    Effect.suspend(() => {
      const { current } = supervised
      const close = Effect.ignore(Effect.flatMap(Deferred.await(current), ({ close }) => close))
      const isOpen = Deferred.isDoneUnsafe(current)
      sessions.delete(supervised)
      return isOpen ? close : Effect.asVoid(Effect.forkIn(close, parent))
    })

  return {
    client: Effect.map(awaitRunning, ({ client }) => client),
    newSession: (options) => open(options, (client) => client.newSession(options)),
    loadSession: (options) => open(options, (client) => client.loadSession(options)),
    restarts: Stream.fromPubSub(restarts)
  }
})

const handleOf = (supervised: Supervised): SupervisedSession => {
  const current = Effect.suspend(() => Deferred.await(supervised.current))
  return {
    sessionId: supervised.options.sessionId,
    current,
    prompt: (content) => Stream.unwrap(Effect.map(current, ({ prompt }) => prompt(content)))
  }
}

/** By load, which tells what the agent still knows of the session, or by resume where that is all that it can. */
const reopen = (
  client: Client.Client["Service"],
  options: Client.ReopenOptions
): Effect.Effect<
  { readonly session: ClientSession; readonly outcome: "loaded" | "resumed" },
  AcpError.SetupError,
  Scope.Scope
> => {
  const { gate } = MethodTable.describe(AgentMethods.loadSession)
  return gate !== undefined && client.connection.capabilities.allows(gate)
    ? Effect.map(client.loadSession(options), (session) => ({ session, outcome: "loaded" as const }))
    : Effect.map(client.resumeSession(options), (session) => ({ session, outcome: "resumed" as const }))
}
