/**
 * The sessions that a client knows, and the updates of those that it is about to know (O7).
 */
import * as Effect from "effect/Effect"
import type * as Diagnostic from "../Diagnostic.ts"
import type { SessionNotification } from "../schema/SessionUpdate.ts"
import type { Entry } from "./clientEntry.ts"

/** What is kept for sessions in creation, all together. */
const heldUpdates = 10_000
const heldBytes = 64 * 1024 * 1024

interface Held {
  readonly notification: SessionNotification
  readonly size: number
}

export class Sessions {
  private readonly entries = new Map<string, Entry>()
  private creating = 0
  private held: Array<Held> = []
  private bytes = 0

  get(sessionId: string): Entry | undefined {
    return this.entries.get(sessionId)
  }

  /** Hands an update over; `false` for a session that is neither known nor, perhaps, being created. */
  deliverUnsafe(notification: SessionNotification, size: number): boolean {
    const entry = this.entries.get(notification.sessionId)
    if (entry !== undefined) {
      entry.deliverUnsafe(notification, size)
      return true
    }
    if (this.creating === 0 || this.held.length >= heldUpdates || this.bytes + size > heldBytes) return false
    this.held.push({ notification, size })
    this.bytes += size
    return true
  }

  beginCreating(): void {
    this.creating++
  }

  /** What is left when the last creation is over belongs to nobody: it must not reach a session of that name later. */
  endCreating(report: (diagnostic: Diagnostic.Diagnostic) => void): void {
    this.creating--
    if (this.creating > 0) return
    for (const { notification: { sessionId } } of this.held) {
      report({ _tag: "UnknownSession", sessionId, method: "session/update" })
    }
    this.held = []
    this.bytes = 0
  }

  /** Registers a session whose id the agent has made up; what came for it is delivered first. */
  addCreated(entry: Entry): void {
    this.add(entry)
    const others: Array<Held> = []
    for (const held of this.held) {
      if (held.notification.sessionId === entry.sessionId) entry.deliverUnsafe(held.notification, held.size)
      else others.push(held)
    }
    this.held = others
  }

  /** Registers a session whose id is known. */
  add(entry: Entry): void {
    this.entries.set(entry.sessionId, entry)
  }

  /** Forgets this very entry: another session of the same id stays. */
  remove(entry: Entry): void {
    if (this.entries.get(entry.sessionId) === entry) this.entries.delete(entry.sessionId)
    entry.detachUnsafe()
  }

  readonly endAll: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach([...this.entries.values()], ({ end }) => end, { concurrency: "unbounded", discard: true })
  )
}
