/**
 * The sessions that a client knows, and the updates of those that it is about to know (O7).
 */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as AcpError from "../AcpError.ts"
import * as AgentMethods from "../AgentMethods.ts"
import * as Capabilities from "../Capabilities.ts"
import * as ClientSession from "../ClientSession.ts"
import type * as Connection from "../Connection.ts"
import * as MethodTable from "../MethodTable.ts"
import type { NewSessionRequest, NewSessionResponse } from "../schema/Session.ts"
import type { SessionNotification } from "../schema/SessionUpdate.ts"
import type * as Delivery from "./delivery.ts"

export interface Settings {
  readonly connection: Connection.Connection
  readonly limits: Delivery.BacklogLimits
  readonly cancelGrace: Duration.Duration
}

export interface Sessions {
  readonly get: (sessionId: string) => ClientSession.Entry | undefined
  /** Hands an update over; `false` for a session that is neither known nor being created. */
  readonly deliverUnsafe: (notification: SessionNotification, size: number) => boolean
  /** Creates a session; what came for it before the answer is delivered first. */
  readonly create: (
    settings: Settings,
    row: typeof AgentMethods.newSession,
    params: NewSessionRequest
  ) => Effect.Effect<ClientSession.ClientSession, AcpError.CallError, Scope.Scope>
  readonly endAllUnsafe: () => void
}

/** Updates that are kept for sessions in creation, all together. */
const heldLimit = 10_000

const closeBound = "5 seconds"

interface Held {
  readonly notification: SessionNotification
  readonly size: number
}

export const make = (): Sessions => {
  const entries = new Map<string, ClientSession.Entry>()
  let creating = 0
  let held: Array<Held> = []

  const register = (entry: ClientSession.Entry): void => {
    const { sessionId } = entry.session
    entries.set(sessionId, entry)
    const [mine, others] = partition(held, ({ notification }) => notification.sessionId === sessionId)
    held = others
    for (const { notification, size } of mine) entry.deliverUnsafe(notification, size)
  }

  const finishCreating = (connection: Connection.Connection): void => {
    creating--
    if (creating > 0) return
    for (const { notification } of held) {
      connection.report({ _tag: "UnknownSession", sessionId: notification.sessionId, method: "session/update" })
    }
    held = []
  }

  const remove = (entry: ClientSession.Entry) =>
    Effect.sync(() => {
      if (entries.get(entry.session.sessionId) === entry) entries.delete(entry.session.sessionId)
      entry.endUnsafe()
    })

  return {
    get: (sessionId) => entries.get(sessionId),
    deliverUnsafe(notification, size) {
      const entry = entries.get(notification.sessionId)
      if (entry !== undefined) {
        entry.deliverUnsafe(notification, size)
        return true
      }
      if (creating === 0 || held.length >= heldLimit) return false
      held.push({ notification, size })
      return true
    },
    create: Effect.fnUntraced(function*(settings, row, params) {
      const { connection } = settings
      const scope = yield* Effect.scope
      const created = yield* Deferred.make<ClientSession.Entry, AcpError.CallError>()
      const settle = (exit: Exit.Exit<NewSessionResponse, AcpError.CallError>) => {
        // In the reader: the next frame may already be an update of the new session.
        if (Exit.isSuccess(exit)) {
          const { sessionId, ...setup } = exit.value
          const entry = ClientSession.makeUnsafe({
            ...settings,
            sessionId,
            setup,
            cwd: params.cwd,
            additionalDirectories: params.additionalDirectories ?? [],
            scope
          })
          register(entry)
          Deferred.doneUnsafe(created, Exit.succeed(entry))
        } else {
          Deferred.doneUnsafe(created, Exit.failCause(exit.cause))
        }
        finishCreating(connection)
      }
      return yield* Effect.acquireRelease(
        Effect.suspend(() => {
          creating++
          return connection.submit(row, params, { settle })
        }).pipe(
          Effect.onError(() => Effect.sync(() => finishCreating(connection))),
          Effect.flatMap((submission) =>
            Effect.onInterrupt(Deferred.await(created), () =>
              Effect.sync(() => {
                submission.abandonUnsafe()
                finishCreating(connection)
              }))
          )
        ),
        (entry) => Effect.andThen(closeOnWire(connection, entry), remove(entry)),
        { interruptible: true }
      ).pipe(Effect.map(({ session }) => session))
    }),
    endAllUnsafe() {
      for (const entry of entries.values()) entry.endUnsafe()
    }
  }
}

const partition = <A>(items: ReadonlyArray<A>, isLeft: (item: A) => boolean): [Array<A>, Array<A>] => {
  const left: Array<A> = []
  const right: Array<A> = []
  for (const item of items) (isLeft(item) ? left : right).push(item)
  return [left, right]
}

/** Tells the agent that the session is over, where it can be told and is still there. */
const closeOnWire = (connection: Connection.Connection, { session: { sessionId } }: ClientSession.Entry) => {
  const gate = MethodTable.describe(AgentMethods.closeSession).gate as Capabilities.Gate
  return connection.capabilities.allows(gate)
    ? connection.call(AgentMethods.closeSession, { sessionId }).pipe(Effect.timeoutOption(closeBound), Effect.ignore)
    : Effect.void
}
