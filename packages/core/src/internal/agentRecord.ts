/**
 * What an agent session leaves in the session store: its history in whole turns, and what is known of it.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Patch from "../schema/Patch.ts"
import type { SessionInfo } from "../schema/Session.ts"
import type * as SessionUpdate from "../schema/SessionUpdate.ts"
import type { SessionStore } from "../SessionStore.ts"
import type { Chosen } from "./agentSession.ts"

export interface Record {
  /** Notes an update, to be written with the next flush; of a replay, what is in the history already is not. */
  readonly noteUnsafe: (update: SessionUpdate.SessionUpdate, isReplay: boolean) => void
  /** Writes what was noted. A store that fails costs the record, not the session: it is logged. */
  readonly flush: Effect.Effect<void>
}

const historyKinds: ReadonlySet<string> = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "notice",
  "compaction_update",
  "compaction_summary_chunk"
])

const infoKinds: ReadonlySet<string> = new Set([
  "session_info_update",
  "current_mode_update",
  "config_option_update"
])

export const none: Record = { noteUnsafe: () => {}, flush: Effect.void }

export const makeUnsafe = (
  store: SessionStore["Service"],
  initial: SessionInfo,
  chosen: () => Chosen
): Record => {
  const writing = Semaphore.makeUnsafe(1)
  let info = initial
  let noted: Array<SessionUpdate.SessionUpdate> = []
  let changed = true

  const write = Effect.suspend(() => {
    const updates = noted
    noted = []
    const put = changed ? store.put({ info, ...chosen() }) : Effect.void
    changed = false
    return Effect.andThen(put, updates.length === 0 ? Effect.void : store.append(info.sessionId, updates))
  })

  return {
    noteUnsafe(update, isReplay) {
      if (historyKinds.has(update.sessionUpdate) && !isReplay) noted.push(update)
      if (infoKinds.has(update.sessionUpdate)) changed = true
      if (update.sessionUpdate === "session_info_update") {
        info = { ...info, title: Patch.apply(info.title, update.title) ?? null }
      }
    },
    // One after the other, so that the history is in order.
    flush: Semaphore.withPermit(
      writing,
      Effect.catchCause(write, (cause) => Effect.logError("The session store failed", cause))
    )
  }
}
