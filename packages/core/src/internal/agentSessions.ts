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
import type { SessionStore, StoredSession } from "../SessionStore.ts"
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
  /** Opens a session that the client does not know yet, with what is kept of the one that it is a fork of. */
  readonly create: (
    sessionId: string,
    opening: Opening,
    stored: StoredSession | undefined
  ) => Effect.Effect<Entry>
  /** Opens a session of before, in place of one that is idle; one whose turn runs is busy. */
  readonly reopen: (
    sessionId: string,
    opening: Opening,
    stored: StoredSession | undefined
  ) => Effect.Effect<Entry, AcpError.InvalidRequest>
  /** Ends the running turn as cancelled, then frees the session (U8). */
  readonly close: (entry: Entry) => Effect.Effect<void>
  readonly all: Effect.Effect<ReadonlyArray<AgentSession>>
}

export const make = (options: {
  readonly connection: () => Connection.Connection
  readonly scope: Scope.Scope
  readonly fork: (effect: Effect.Effect<void>) => void
  readonly turns: Pick<Turns.Settings, "overlap" | "cancelBound">
  readonly store: SessionStore["Service"] | undefined
}): Sessions => {
  const { fork, store } = options
  const entries = new Map<string, Entry>()

  const close = (entry: Entry): Effect.Effect<void> =>
    entry.turns.stop.pipe(
      Effect.andThen(Effect.suspend(() => {
        const { scope, sessionId } = entry.session
        if (entries.get(sessionId) === entry) entries.delete(sessionId)
        return Scope.close(scope as Scope.Closeable, Exit.void)
      })),
      Effect.andThen(Effect.sync(entry.closeUnsafe)),
      Effect.uninterruptible
    )

  /** U5: from here on, what names the session finds it. */
  const addUnsafe = (
    sessionId: string,
    opening: Opening,
    { isNew, stored }: { readonly isNew: boolean; readonly stored: StoredSession | undefined }
  ): Entry => {
    const { additionalDirectories = [], cwd, mcpServers = [] } = opening
    const connection = options.connection()
    // Within a turn the turn's end writes the record, outside of one nobody else does.
    const note = (update: SessionUpdate, isReplay: boolean) => {
      record.noteUnsafe(update, isReplay)
      if (live.isOpen() && !turns.isRunning()) fork(record.flush)
    }
    const live = Live.makeUnsafe({
      connection,
      sessionId,
      cwd,
      additionalDirectories,
      mcpServers,
      scope: Scope.forkUnsafe(options.scope),
      fork,
      isNew,
      record: note,
      turns: () => turns
    })
    const info = { ...stored?.info, sessionId, cwd, additionalDirectories }
    const record = store === undefined ? Record.none : Record.makeUnsafe(store, info, live.chosenUnsafe)
    const turns = Turns.make({ ...options.turns, session: live.session, report: connection.report })
    const entry = { ...live, turns, record }
    entries.set(sessionId, entry)
    return entry
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
    create: (sessionId, opening, stored) => Effect.sync(() => addUnsafe(sessionId, opening, { isNew: true, stored })),
    reopen: (sessionId, opening, stored) => {
      const add: Effect.Effect<Entry, AcpError.InvalidRequest> = Effect.suspend(() => {
        const known = entries.get(sessionId)
        if (known === undefined) return Effect.succeed(addUnsafe(sessionId, opening, { isNew: false, stored }))
        if (!known.turns.isRunning()) return Effect.andThen(close(known), add)
        return Effect.fail(
          new AcpError.InvalidRequest({
            message: "A turn of this session is running",
            data: { reason: "session_busy", sessionId }
          })
        )
      })
      return add
    },
    close,
    all: Effect.sync(() => [...entries.values()].map(({ session }) => session))
  }
}
