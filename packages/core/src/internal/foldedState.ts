/**
 * The state of a session that costs the reader next to nothing: events are folded together, when somebody reads the state
 * or when the reader has come to the end of what it has.
 */
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as SessionState from "../SessionState.ts"
import { later } from "./soon.ts"

export interface FoldedState {
  /** Its value is up to date whenever it is read; its changes are those between two runs of the reader, taken together. */
  readonly ref: SubscriptionRef.SubscriptionRef<SessionState.SessionState>
  readonly foldUnsafe: (event: SessionState.Event) => void
}

/** Events that wait to be folded; a burst is not kept beyond that. */
const pendingLimit = 4_096

export const make: Effect.Effect<FoldedState> = Effect.map(
  SubscriptionRef.make(SessionState.empty),
  (ref): FoldedState => {
    let current = SessionState.empty
    let published = current
    let pending: Array<SessionState.Event> = []
    let isScheduled = false

    const fold = (): SessionState.SessionState => {
      if (pending.length === 0) return current
      const events = pending
      pending = []
      current = SessionState.reduceAll(current, events)
      return current
    }

    const publish = (): void => {
      isScheduled = false
      if (fold() === published) return
      published = current
      PubSub.publishUnsafe(ref.pubsub, current)
    }

    Object.defineProperty(ref, "value", {
      get: fold,
      set(state: SessionState.SessionState) {
        fold()
        current = state
      }
    })

    return {
      ref,
      foldUnsafe(event) {
        pending.push(event)
        if (pending.length >= pendingLimit) fold()
        if (isScheduled) return
        isScheduled = true
        later(publish)
      }
    }
  }
)
