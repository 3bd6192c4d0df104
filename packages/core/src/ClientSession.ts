/**
 * A session as its client holds it: turns, and everything that the agent tells about it.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as SubscriptionRef from "effect/SubscriptionRef"
import type * as AcpError from "./AcpError.ts"
import type { ContentBlock } from "./schema/Content.ts"
import type { NewSessionResponse } from "./schema/Session.ts"
import type { SessionState } from "./SessionState.ts"
import type * as TurnEvent from "./TurnEvent.ts"

/**
 * What a prompt can be written as.
 *
 * @category models
 * @since 0.1.0
 */
export type PromptContent = string | ContentBlock | ReadonlyArray<ContentBlock>

/**
 * A session of an agent.
 *
 * **Details**
 *
 * It belongs to the scope that it was opened in: when that closes, a running turn is cancelled, the agent is told that the
 * session is over, where it can be told, and whatever is still asked of the handle fails with `SessionDetached`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientSession {
  readonly sessionId: string
  /** What the agent answered when the session was set up. */
  readonly setup: Omit<NewSessionResponse, "sessionId">
  /**
   * What the agent replayed while it loaded the session, in order: empty for one that was created or resumed.
   *
   * Nothing of it appears in `updates`; all of it is in `state` (O8).
   */
  readonly history: ReadonlyArray<TurnEvent.SessionEvent>
  /**
   * Every update of the session from the time of subscription on, once for each subscriber and in order (O9).
   *
   * What came outside a turn before the first subscription is kept for it (O4): the updates that an agent sends while it
   * sets the session up among them (O7). The stream ends with the session. A subscriber that falls behind by more than the
   * backlog fails with `BacklogExceeded`.
   */
  readonly updates: Stream.Stream<TurnEvent.SessionEvent, AcpError.BacklogExceeded>
  /**
   * The session as it is now, for reading: `SubscriptionRef.get` and `SubscriptionRef.changes`.
   *
   * It is never behind what a turn or a subscriber was given. Who renders more slowly than the agent speaks takes the newest
   * of `changes`, with `Stream.buffer({ capacity: 1, strategy: "sliding" })`.
   */
  readonly state: SubscriptionRef.SubscriptionRef<SessionState>

  /**
   * A turn: running the stream sends the prompt, and its last element is the end of the turn with its response.
   *
   * A text is sent as one text block. Content that the agent did not advertise fails with `CapabilityMissing` (G4).
   * Prompts of one session run one after the other, unless the client was told to reject. Interrupting the stream, or
   * leaving it early, cancels the turn and waits, for the cancel grace at the most, until the agent has ended it. A prompt
   * is never sent twice by itself.
   */
  readonly prompt: (content: PromptContent) => Stream.Stream<TurnEvent.TurnEvent, AcpError.TurnError>
  /**
   * Cancels the running turn, if there is one; its stream goes on to the end that the agent gives it.
   *
   * Questions to the user that belong to the turn are answered as cancelled, those that are open and those that still come.
   * A turn that the agent does not end within the cancel grace fails with `CancelTimeout`. What the agent still sends of it
   * arrives outside a turn, until it is answered (X9).
   */
  readonly cancel: Effect.Effect<void>
  /** Whether the user is being asked: a permission request or an elicitation of the session is open. */
  readonly isAsking: Effect.Effect<boolean>
  /** Changes the mode to one that the agent offers. `state` tells of it as soon as the agent has agreed. */
  readonly setMode: (modeId: string) => Effect.Effect<void, AcpError.ChangeError>
  /**
   * Sets a config option to a value that the agent offers: of a selection the value's id, of a switch a boolean.
   *
   * The agent's answer has all options, since one change may cause others; `state` has them from then on.
   */
  readonly setConfigOption: (configId: string, value: string | boolean) => Effect.Effect<void, AcpError.ChangeError>
  /** Closes the session before its scope does; idempotent. */
  readonly close: Effect.Effect<void>
}
