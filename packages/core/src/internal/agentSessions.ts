/**
 * The sessions that an agent has open: found by id, opened, loaded and freed (U5–U8).
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as AcpError from "../AcpError.ts"
import type { AgentSession } from "../AgentSession.ts"
import type * as Connection from "../Connection.ts"
import type { McpServer } from "../schema/McpServer.ts"
import type { SessionUpdate } from "../schema/SessionUpdate.ts"
import type { SessionStore } from "../SessionStore.ts"
import * as Record from "./agentRecord.ts"
import * as Live from "./agentSession.ts"
import * as Turns from "./agentTurns.ts"

export interface Entry extends Live.LiveSession {
  readonly turns: Turns.Turns
  readonly record: Record.Record
}

/** What every request that opens a session says. */
export interface Opening {
  readonly cwd: string
  readonly additionalDirectories?: ReadonlyArray<string> | undefined
  readonly mcpServers?: ReadonlyArray<McpServer> | undefined
}

export interface Sessions {
  readonly get: (sessionId: string) => Entry | undefined
  readonly find: (sessionId: string) => Effect.Effect<Entry, AcpError.ResourceNotFound>
  /** Opens a session under an id, in place of one that is idle; one whose turn runs is busy. */
  readonly open: (
    sessionId: string,
    opening: Opening,
    store: SessionStore["Service"] | undefined
  ) => Effect.Effect<Entry, AcpError.InvalidRequest>
  /** Ends the running turn as cancelled, then frees the session (U8). */
  readonly close: (entry: Entry) => Effect.Effect<void>
  readonly all: Effect.Effect<ReadonlyArray<AgentSession>>
}

export const make = (options: {
  readonly connection: () => Connection.Connection
  readonly scope: Scope.Scope
  readonly fork: (effect: Effect.Effect<void>) => void
  readonly turns: Turns.Settings
}): Sessions => {
  const { fork, scope } = options
  const entries = new Map<string, Entry>()

  const close = (entry: Entry): Effect.Effect<void> =>
    Effect.andThen(
      entry.turns.stop,
      Effect.suspend(() => {
        const { scope, sessionId } = entry.session
        if (entries.get(sessionId) === entry) entries.delete(sessionId)
        return Scope.close(scope as Scope.Closeable, Exit.void)
      })
    )

  const makeEntry = (
    sessionId: string,
    { additionalDirectories = [], cwd, mcpServers = [] }: Opening,
    store: SessionStore["Service"] | undefined,
    sessionScope: Scope.Scope
  ): Entry => {
    const connection = options.connection()
    // Within a turn the turn's end writes the record, outside of one nobody else does.
    const note = (update: SessionUpdate) => {
      record.noteUnsafe(update)
      if (!turns.isRunning()) fork(record.flush)
    }
    const live = Live.makeUnsafe({
      connection,
      sessionId,
      cwd,
      additionalDirectories,
      mcpServers,
      scope: sessionScope,
      fork,
      record: note
    })
    const record = store === undefined
      ? Record.none
      : Record.makeUnsafe(store, { sessionId, cwd, additionalDirectories }, live.chosenUnsafe)
    const turns = Turns.make({ ...options.turns, session: live.session, report: connection.report })
    return { ...live, turns, record }
  }

  return {
    get: (sessionId) => entries.get(sessionId),
    find: (sessionId) =>
      Effect.suspend(() => {
        const entry = entries.get(sessionId)
        return entry === undefined
          ? Effect.fail(new AcpError.ResourceNotFound({ data: { sessionId } }))
          : Effect.succeed(entry)
      }),
    open: Effect.fnUntraced(function*(sessionId, opening, store) {
      const known = entries.get(sessionId)
      if (known?.turns.isRunning() === true) {
        return yield* new AcpError.InvalidRequest({
          message: "A turn of this session is running",
          data: { reason: "session_busy", sessionId }
        })
      }
      if (known !== undefined) yield* close(known)
      const entry = makeEntry(sessionId, opening, store, yield* Scope.fork(scope))
      // U5: what comes right behind the answer finds the session.
      entries.set(sessionId, entry)
      return entry
    }),
    close,
    all: Effect.sync(() => [...entries.values()].map(({ session }) => session))
  }
}
