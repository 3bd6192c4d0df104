/**
 * How a client's sessions begin and end: each in a scope of its own, routed before anything of it can be missed.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as AcpError from "../AcpError.ts"
import * as AgentMethods from "../AgentMethods.ts"
import type * as ClientSession from "../ClientSession.ts"
import type * as Connection from "../Connection.ts"
import * as MethodTable from "../MethodTable.ts"
import type { NewSessionRequest } from "../schema/Session.ts"
import * as ClientEntry from "./clientEntry.ts"
import type { Sessions } from "./clientSessions.ts"
import * as FoldedState from "./foldedState.ts"
import * as OutboundGates from "./outboundGates.ts"

export interface Settings extends ClientEntry.Settings {
  readonly sessions: Sessions
}

type Directories = Pick<NewSessionRequest, "cwd" | "additionalDirectories">

interface Made {
  readonly entry: ClientEntry.Entry
  readonly session: ClientSession.ClientSession
}

type SetUp = Effect.Effect<ClientSession.ClientSession, AcpError.SetupError, Scope.Scope>

/** By `session/new`, or another method whose answer names the session. */
export const create = <R extends MethodTable.Any>(
  settings: Settings,
  row: R,
  params: MethodTable.Params<R> & NewSessionRequest
): SetUp => {
  const { connection, sessions } = settings
  return inOwnScope(settings, row._tag, params, (entryOf) =>
    Effect.suspend(() => {
      sessions.beginCreating()
      return connection.callInReader(
        row as MethodTable.Any as typeof AgentMethods.newSession,
        params,
        ({ sessionId, ...setup }) => {
          const entry = entryOf(sessionId, false)
          sessions.addCreated(entry)
          return opened(entry, setup)
        }
      ).pipe(Effect.ensuring(Effect.sync(() => sessions.endCreating(connection.report))))
    }))
}

export const reopen = <R extends typeof AgentMethods.loadSession | typeof AgentMethods.resumeSession>(
  settings: Settings,
  row: R,
  params: MethodTable.Params<R> & NewSessionRequest & { readonly sessionId: string }
): SetUp => {
  const { connection, sessions } = settings
  const { sessionId } = params
  return inOwnScope(
    settings,
    row._tag,
    params,
    (entryOf) =>
      Effect.suspend((): Effect.Effect<Made, AcpError.SetupError> => {
        if (sessions.get(sessionId) !== undefined) return Effect.fail(new AcpError.SessionInUse({ sessionId }))
        const entry = entryOf(sessionId, row._tag === AgentMethods.loadSession._tag)
        sessions.add(entry)
        const call = connection.callInReader(row as typeof AgentMethods.loadSession, params, (setup) =>
          opened(entry, setup))
        return Effect.onError(call, () =>
          Effect.sync(() =>
            sessions.remove(entry)
          ))
      })
  )
}

const opened = (entry: ClientEntry.Entry, setup: ClientEntry.Setup): Exit.Exit<Made, AcpError.BacklogExceeded> =>
  Exit.map(entry.openUnsafe(setup), (session) => ({ entry, session }))

/** A scope within the caller's, so that a session can end before it; it is gone when the set-up fails. */
const inOwnScope = (
  settings: Settings,
  method: string,
  params: Directories & Pick<NewSessionRequest, "mcpServers">,
  make: (
    entryOf: (sessionId: string, replays: boolean) => ClientEntry.Entry
  ) => Effect.Effect<Made, AcpError.SetupError>
): SetUp =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const missing = OutboundGates.missingForSetup(settings.connection.capabilities, method, params)
      if (missing !== undefined) return yield* missing
      const scope = yield* Scope.fork(yield* Effect.scope)
      const parts = {
        ...settings,
        cwd: params.cwd,
        additionalDirectories: params.additionalDirectories ?? [],
        scope,
        state: yield* FoldedState.make,
        fork: yield* forkIn(scope)
      }
      const { entry, session } = yield* restore(
        make((sessionId, replays) => ClientEntry.makeUnsafe({ ...parts, sessionId, replays }))
      ).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
      yield* Scope.addFinalizer(scope, end(settings, entry))
      return session
    })
  )

const forkIn = (scope: Scope.Scope) =>
  Effect.map(Effect.context<never>(), (context) => {
    const run = Effect.runForkWith(context)
    const keep = Fiber.runIn(scope)
    return (effect: Effect.Effect<void>): void => {
      keep(run(effect))
    }
  })

const closeBound = "5 seconds"

/** Ends a running turn, tells the agent that the session is over, where it can be told, and forgets the session. */
const end = ({ connection, sessions }: Settings, entry: ClientEntry.Entry): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (entry.isDetachedUnsafe()) return Effect.void
    const tell = canBeTold(connection, AgentMethods.closeSession)
      ? connection.call(AgentMethods.closeSession, { sessionId: entry.sessionId })
      : Effect.void
    return Effect.andThen(withinBound(entry.stop), withinBound(tell))
  }).pipe(
    Effect.ensuring(Effect.sync(() => sessions.remove(entry)))
  )

const withinBound = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<void> =>
  Effect.ignore(Effect.timeoutOption(Effect.interruptible(effect), closeBound))

const canBeTold = (connection: Connection.Connection, row: MethodTable.Any): boolean => {
  const { gate } = MethodTable.describe(row)
  return gate === undefined || connection.capabilities.allows(gate)
}

/** Closes or deletes a session by its id, whoever opened it; a handle of it that is open here is detached. */
export const endById = Effect.fnUntraced(function*(
  { connection, sessions }: Settings,
  row: typeof AgentMethods.closeSession | typeof AgentMethods.deleteSession,
  sessionId: string
): Effect.fn.Return<void, AcpError.CallError> {
  const open = sessions.get(sessionId)
  if (open !== undefined && canBeTold(connection, row)) yield* open.stop
  yield* connection.callInReader(row as typeof AgentMethods.closeSession, { sessionId }, () => {
    if (open !== undefined) sessions.remove(open)
    return Exit.void
  })
  if (open !== undefined) yield* open.close
})
