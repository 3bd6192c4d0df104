/**
 * What a prompt turn is made of, as its client sees it: updates in wire order, then the end.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Stream from "effect/Stream"
import * as AcpError from "./AcpError.ts"
import * as Progress from "./internal/progress.ts"
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

/**
 * Runs a turn and gives its updates, in order, with the response.
 *
 * @category running
 * @since 0.1.0
 */
export const runCollect = <E, R>(
  turn: Stream.Stream<TurnEvent, E, R>
): Effect.Effect<{ readonly updates: ReadonlyArray<SessionUpdate>; readonly response: PromptResponse }, E, R> =>
  Effect.suspend(() => {
    const updates: Array<SessionUpdate> = []
    const append = (update: SessionUpdate) => Effect.sync(() => updates.push(update))
    return Effect.map(runForEachUpdate(turn, append), (response) => ({ updates, response }))
  })

/**
 * Ends a turn of which nothing comes for some time: it is cancelled and fails with `NoProgress`.
 *
 * **Details**
 *
 * The time starts again with every event. Work that takes long as a whole does not end for it, and what waits to be read
 * when the time is over, as after a machine has slept, still counts.
 *
 * **Gotchas**
 *
 * An agent that waits for the user makes no progress either: give `except: session.isAsking`, and that time does not count.
 *
 * @category combinators
 * @since 0.1.0
 */
export const noProgress: {
  (
    limit: Duration.Input,
    options?: { readonly except?: Effect.Effect<boolean> | undefined }
  ): <E, R>(turn: Stream.Stream<TurnEvent, E, R>) => Stream.Stream<TurnEvent, E | AcpError.NoProgress, R>
  <E, R>(
    turn: Stream.Stream<TurnEvent, E, R>,
    limit: Duration.Input,
    options?: { readonly except?: Effect.Effect<boolean> | undefined }
  ): Stream.Stream<TurnEvent, E | AcpError.NoProgress, R>
} = dual(
  (args) => Stream.isStream(args[0]),
  <E, R>(
    turn: Stream.Stream<TurnEvent, E, R>,
    limit: Duration.Input,
    options?: { readonly except?: Effect.Effect<boolean> | undefined }
  ): Stream.Stream<TurnEvent, E | AcpError.NoProgress, R> =>
    Progress.within(turn, {
      limit,
      except: options?.except ?? Effect.succeed(false),
      orFail: () => new AcpError.NoProgress({ millis: Duration.toMillis(limit) })
    })
)
