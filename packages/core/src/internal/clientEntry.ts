/**
 * What a client keeps of a session: its handle, and what the reader and the handlers of requests need.
 */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as AcpError from "../AcpError.ts"
import type * as ClientSession from "../ClientSession.ts"
import type * as Connection from "../Connection.ts"
import type * as InboundRequest from "../InboundRequest.ts"
import * as Content from "../schema/Content.ts"
import type { NewSessionResponse } from "../schema/Session.ts"
import type { SessionNotification } from "../schema/SessionUpdate.ts"
import type * as SessionState from "../SessionState.ts"
import type * as TurnEvent from "../TurnEvent.ts"
import * as Turns from "./clientTurns.ts"
import * as Delivery from "./delivery.ts"
import type { FoldedState } from "./foldedState.ts"
import * as Changes from "./sessionChanges.ts"

export interface Settings {
  readonly connection: Connection.Connection
  readonly limits: Delivery.BacklogLimits
  readonly cancelGrace: Duration.Duration
  readonly overlap: "queue" | "reject"
  readonly timeline: "session" | "turn"
}

export type Setup = Omit<NewSessionResponse, "sessionId">

export interface Entry {
  readonly sessionId: string
  readonly inbound: InboundRequest.Session
  /** Takes an update from the reader. */
  readonly deliverUnsafe: (notification: SessionNotification, size: number) => void
  /** The agent's answer came: the session is open from here on. Fails when its replay was too much to keep. */
  readonly openUnsafe: (setup: Setup) => Exit.Exit<ClientSession.ClientSession, AcpError.BacklogExceeded>
  readonly stateUnsafe: () => SessionState.SessionState
  readonly foldUnsafe: (event: SessionState.Event) => void
  /** Asks the user; a cancelled turn and the end of the session answer in his place, and at once (X7). */
  readonly ask: <A>(question: Effect.Effect<A>, cancelled: A) => Effect.Effect<A>
  /** Cancels what runs and waits, within the cancel grace, for its end. */
  readonly stop: Effect.Effect<void>
  /** Closes the session's scope. */
  readonly close: Effect.Effect<void>
  /** Nothing can be done with the session any more. */
  readonly detachUnsafe: () => void
  readonly isDetachedUnsafe: () => boolean
  /** The connection is over: nothing comes any more, and what served the agent ends (T4). */
  readonly end: Effect.Effect<void>
}

/** Updates that came before the first subscriber and outside a turn. */
const heldLimit = 10_000

const isBlocks = (content: ClientSession.PromptContent): content is ReadonlyArray<Content.ContentBlock> =>
  Array.isArray(content)

const toBlocks = (content: ClientSession.PromptContent): ReadonlyArray<Content.ContentBlock> =>
  typeof content === "string" ? [Content.text(content)] : isBlocks(content) ? content : [content]

export const makeUnsafe = (
  options: Settings & {
    readonly sessionId: string
    readonly cwd: string
    readonly additionalDirectories: ReadonlyArray<string>
    readonly scope: Scope.Closeable
    readonly state: FoldedState
    readonly fork: (effect: Effect.Effect<void>) => void
    /** What comes before the agent's answer is a replay. */
    readonly replays: boolean
  }
): Entry => {
  const { connection, limits, scope, sessionId } = options
  const { foldUnsafe, ref: state } = options.state
  const broadcast = Delivery.makeBroadcast<TurnEvent.SessionEvent>(limits, heldLimit)
  const history = makeHistory(limits)
  const detached = Deferred.makeUnsafe<void>()
  const serving = Scope.forkUnsafe(scope)
  let replaying = options.replays
  let asking = 0

  const turns = Turns.make({ ...options, fold: foldUnsafe })

  const broadcastUnsafe = (event: TurnEvent.SessionEvent, size: number): void => {
    if (broadcast.hasSubscribers()) return broadcast.offerUnsafe(event, size)
    if (event.phase === "turn" || broadcast.holdUnsafe(event, size)) return
    connection.report({ _tag: "ShedNotification", method: "session/update" })
  }

  const deliverUnsafe: Entry["deliverUnsafe"] = ({ _meta, update }, size) => {
    const meta = _meta ?? undefined
    const event: TurnEvent.Update = { _tag: "Update", update, meta }
    foldUnsafe(event)
    if (replaying) return history.addUnsafe({ phase: "replay", update, meta }, size)
    const inTurn = turns.deliverUnsafe(event, size)
    broadcastUnsafe({ phase: inTurn ? "turn" : "outside", update, meta }, size)
  }

  const ask: Entry["ask"] = (question, cancelled) =>
    Effect.suspend(() => {
      asking++
      const over = Effect.as(Effect.raceFirst(turns.cancelled, Deferred.await(detached)), cancelled)
      return Effect.ensuring(
        answerOr(question, over),
        Effect.sync(() => {
          asking--
        })
      )
    })

  const close = Scope.close(scope, Exit.void)

  const isDetachedUnsafe = () => Deferred.isDoneUnsafe(detached)

  const changes = Changes.make({ connection, sessionId, state, foldUnsafe, isDetachedUnsafe })

  const openUnsafe: Entry["openUnsafe"] = (setup) => {
    replaying = false
    foldUnsafe({ _tag: "SetUp", setup })
    return Exit.map(history.exitUnsafe(), (history) => ({
      sessionId,
      setup,
      history,
      state,
      updates: broadcast.items,
      prompt: (content) => turns.prompt(toBlocks(content)),
      cancel: turns.cancel,
      isAsking: Effect.sync(() => asking > 0),
      setMode: changes.setMode,
      setConfigOption: changes.setConfigOption,
      close
    }))
  }

  return {
    sessionId,
    inbound: {
      sessionId,
      cwd: options.cwd,
      additionalDirectories: options.additionalDirectories,
      scope: serving
    },
    deliverUnsafe,
    openUnsafe,
    stateUnsafe: () => state.value,
    foldUnsafe,
    ask,
    stop: turns.stop,
    close,
    detachUnsafe() {
      if (!Deferred.doneUnsafe(detached, Exit.void)) return
      turns.detachUnsafe()
      broadcast.endUnsafe()
    },
    isDetachedUnsafe,
    end: Effect.suspend(() => {
      broadcast.endUnsafe()
      return Scope.close(serving, Exit.void)
    })
  }
}

/** The replay of a session, which nobody can take before the session is open. */
const makeHistory = (limits: Delivery.BacklogLimits) => {
  const events: Array<TurnEvent.SessionEvent> = []
  let updates = 0
  let bytes = 0
  const isTooMuch = () => updates > limits.updates || bytes > limits.bytes
  return {
    addUnsafe(event: TurnEvent.SessionEvent, size: number): void {
      updates++
      bytes += size
      if (isTooMuch()) events.length = 0
      else events.push(event)
    },
    exitUnsafe: (): Exit.Exit<ReadonlyArray<TurnEvent.SessionEvent>, AcpError.BacklogExceeded> =>
      isTooMuch() ? Exit.fail(new AcpError.BacklogExceeded({ updates, bytes })) : Exit.succeed(events)
  }
}

/** The answer to a question, or `over` without asking where it is over already, and without waiting for what it cleans up. */
const answerOr = <A>(question: Effect.Effect<A>, over: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.flatMap(Effect.forkDetach(question), (fiber) =>
    Effect.ensuring(
      Effect.raceFirst(over, Fiber.join(fiber)),
      Effect.sync(() => fiber.interruptUnsafe())
    ))
