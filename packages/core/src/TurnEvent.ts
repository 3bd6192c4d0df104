/**
 * What a prompt turn is made of, as its client sees it: updates in wire order, then the end.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Meta } from "./schema/Common.ts"
import type { PromptResponse } from "./schema/Prompt.ts"
import type { SessionUpdate } from "./schema/SessionUpdate.ts"

/**
 * An update of the turn. `meta` is the `_meta` of its notification, untouched (O5).
 *
 * @category models
 * @since 0.1.0
 */
export interface Update {
  readonly _tag: "Update"
  readonly update: SessionUpdate
  readonly meta: Meta | undefined
}

/**
 * The end of the turn: always the last event, and there is always one unless the stream fails.
 *
 * @category models
 * @since 0.1.0
 */
export interface End {
  readonly _tag: "End"
  readonly response: PromptResponse
}

/**
 * One event of a turn.
 *
 * @category models
 * @since 0.1.0
 */
export type TurnEvent = Update | End

/**
 * An update of a session, with its place: within a turn, outside of any, or in the replay of a loaded session.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionEvent {
  readonly phase: "turn" | "outside" | "replay"
  readonly update: SessionUpdate
  readonly meta: Meta | undefined
}

/**
 * The text of an update, if it is a chunk of the agent's message that carries text.
 *
 * @category accessors
 * @since 0.1.0
 */
export const messageText = (update: SessionUpdate): string | undefined =>
  update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : undefined

/**
 * Runs a turn and gives its response, calling `f` with each update in order.
 *
 * @category running
 * @since 0.1.0
 */
export const runForEachUpdate = <E, R, E2, R2>(
  turn: Stream.Stream<TurnEvent, E, R>,
  f: (update: SessionUpdate) => Effect.Effect<unknown, E2, R2>
): Effect.Effect<PromptResponse, E | E2, R | R2> =>
  Effect.suspend(() => {
    let response: PromptResponse | undefined
    return Stream.runForEach(turn, (event) => {
      if (event._tag === "Update") return f(event.update)
      response = event.response
      return Effect.void
    }).pipe(Effect.map(() => response!))
  })

/**
 * Runs a turn and gives the agent's message as one text, with the response.
 *
 * @category running
 * @since 0.1.0
 */
export const runText = <E, R>(
  turn: Stream.Stream<TurnEvent, E, R>
): Effect.Effect<{ readonly text: string; readonly response: PromptResponse }, E, R> =>
  Effect.suspend(() => {
    let text = ""
    const append = (update: SessionUpdate) =>
      Effect.sync(() => {
        text += messageText(update) ?? ""
      })
    return Effect.map(runForEachUpdate(turn, append), (response) => ({ text, response }))
  })
