/**
 * What may pass before, during and after the handshake (H1–H4).
 */
import type * as JsonRpc from "../JsonRpc.ts"

/** A message that waits for the outcome of the handshake. */
export interface Held {
  /** The id of a request. */
  readonly id: JsonRpc.Id | undefined
  readonly run: () => void
}

export interface Handshake {
  /** Whether what arrives now has to wait: a handshake is being handled, or what waited for it is not through yet. */
  readonly isRunning: () => boolean
  readonly begin: (id: JsonRpc.Id) => void
  readonly hold: (held: Held) => "held" | "full" | "duplicate"
  /** Takes a request back that waits; `false` when there is none of this id. */
  readonly drop: (id: JsonRpc.Id) => boolean
  /** Ends the running handshake, whatever its outcome, and lets through what was kept, in order. */
  readonly endUnsafe: () => void
  readonly sizeUnsafe: () => number
}

export const make = (capacity: number): Handshake => {
  let phase: "idle" | "running" | "releasing" = "idle"
  let current: JsonRpc.Id | undefined
  const waiting: Array<Held> = []
  const ids = new Set<JsonRpc.Id>()

  /** Another handshake may have been among what waited: then the rest waits for that one. */
  const isReleasing = () => phase === "releasing"

  const runNext = (): void => {
    const { id, run } = waiting.shift()!
    if (id !== undefined) ids.delete(id)
    run()
  }

  return {
    isRunning: () => phase !== "idle",
    begin(id) {
      phase = "running"
      current = id
    },
    hold(held) {
      const { id } = held
      if (id !== undefined && (id === current || ids.has(id))) return "duplicate"
      if (waiting.length >= capacity) return "full"
      if (id !== undefined) ids.add(id)
      waiting.push(held)
      return "held"
    },
    drop(id) {
      if (!ids.delete(id)) return false
      waiting.splice(waiting.findIndex((held) => held.id === id), 1)
      return true
    },
    endUnsafe() {
      phase = "releasing"
      current = undefined
      while (isReleasing() && waiting.length > 0) runNext()
      if (isReleasing()) phase = "idle"
    },
    sizeUnsafe: () => waiting.length
  }
}
