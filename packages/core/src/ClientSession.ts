/**
 * A session as its client holds it: turns, and everything that the agent tells about it.
 *
 * @since 0.1.0
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as AcpError from "./AcpError.ts"
import * as AgentMethods from "./AgentMethods.ts"
import type * as Connection from "./Connection.ts"
import * as InboundRequest from "./InboundRequest.ts"
import * as Delivery from "./internal/delivery.ts"
import * as OutboundGates from "./internal/outboundGates.ts"
import * as Content from "./schema/Content.ts"
import type { NewSessionResponse } from "./schema/Session.ts"
import type { SessionNotification } from "./schema/SessionUpdate.ts"
import type * as TurnEvent from "./TurnEvent.ts"

/**
 * A session of an agent.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientSession {
  readonly sessionId: string
  /** What the agent answered when the session was set up. */
  readonly setup: Omit<NewSessionResponse, "sessionId">
  /**
   * A turn: running the stream sends the prompt, and its last element is the end of the turn with its response.
   *
   * A text is sent as one text block. Prompts of one session run one after the other. Interrupting the stream cancels the
   * turn and waits, for the cancel grace at the most, until the agent has ended it.
   */
  readonly prompt: (content: PromptContent) => Stream.Stream<TurnEvent.TurnEvent, AcpError.TurnError>
  /**
   * Cancels the running turn, if there is one; its stream goes on to the end that the agent gives it.
   *
   * Open permission requests of the turn are answered as cancelled. A turn that the agent does not end within the cancel
   * grace fails with `CancelTimeout` (X9).
   */
  readonly cancel: Effect.Effect<void>
  /**
   * Every update of the session from the time of subscription on, once for each subscriber and in order (O9).
   *
   * What came outside a turn before the first subscription is kept for it (O4). The stream ends with the connection.
   */
  readonly updates: Stream.Stream<TurnEvent.SessionEvent, AcpError.BacklogExceeded>
}

/**
 * What a prompt can be written as.
 *
 * @category models
 * @since 0.1.0
 */
export type PromptContent = string | Content.ContentBlock | ReadonlyArray<Content.ContentBlock>

const isBlocks = (content: PromptContent): content is ReadonlyArray<Content.ContentBlock> => Array.isArray(content)

const toBlocks = (content: PromptContent): ReadonlyArray<Content.ContentBlock> =>
  typeof content === "string" ? [Content.text(content)] : isBlocks(content) ? content : [content]

/**
 * What the client keeps of a session beside what it hands out.
 *
 * @internal
 */
export interface Entry {
  readonly session: ClientSession
  readonly inbound: InboundRequest.Session
  /** Takes an update from the reader. */
  readonly deliverUnsafe: (notification: SessionNotification, size: number) => void
  /** Marks what comes until the next call as replay, or no longer. */
  readonly setReplayingUnsafe: (replaying: boolean) => void
  /** Done when the running turn was cancelled; never, when there is none. */
  readonly turnCancelled: Effect.Effect<void>
  readonly endUnsafe: () => void
}

/** Updates that came before the first subscriber and outside a turn. */
const heldLimit = 10_000

interface Turn {
  readonly delivery: Delivery.TurnDelivery<TurnEvent.TurnEvent, AcpError.CallError | AcpError.CancelTimeout>
  readonly cancelled: Deferred.Deferred<void>
  readonly settled: Deferred.Deferred<void>
  written: boolean
}

/**
 * @internal
 */
export const makeUnsafe = (options: {
  readonly connection: Connection.Connection
  readonly sessionId: string
  readonly setup: Omit<NewSessionResponse, "sessionId">
  readonly cwd: string
  readonly additionalDirectories: ReadonlyArray<string>
  readonly scope: Scope.Scope
  readonly limits: Delivery.BacklogLimits
  readonly cancelGrace: Duration.Duration
}): Entry => {
  const { cancelGrace, connection, limits, scope, sessionId } = options
  const turns = Semaphore.makeUnsafe(1)
  const broadcast = Delivery.makeBroadcast<TurnEvent.SessionEvent>(limits, heldLimit)
  let current: Turn | undefined
  let replaying = false

  const broadcastUnsafe = (event: TurnEvent.SessionEvent, size: number): void => {
    if (broadcast.hasSubscribers()) return broadcast.offerUnsafe(event, size)
    if (event.phase === "turn" || broadcast.holdUnsafe(event, size)) return
    connection.report({ _tag: "ShedNotification", method: "session/update" })
  }

  const deliverUnsafe: Entry["deliverUnsafe"] = ({ _meta, update }, size) => {
    const meta = _meta ?? undefined
    const turn = replaying ? undefined : current
    broadcastUnsafe({ phase: replaying ? "replay" : turn === undefined ? "outside" : "turn", update, meta }, size)
    if (turn === undefined || turn.delivery.offerUnsafe({ _tag: "Update", update, meta }, size)) return
    // O6: the turn has failed for its consumer; the agent is told to stop it.
    detachUnsafe(turn)
    Effect.runFork(signalCancel(turn))
  }

  const detachUnsafe = (turn: Turn): void => {
    if (current === turn) current = undefined
  }

  const signalCancel = (turn: Turn): Effect.Effect<void> =>
    Effect.suspend(() =>
      Deferred.doneUnsafe(turn.cancelled, Exit.void)
        ? Effect.ignore(connection.signal(AgentMethods.cancel, { sessionId }))
        : Effect.void
    )

  const settleUnsafe = (turn: Turn, exit: Exit.Exit<TurnEvent.End["response"], AcpError.CallError>): void => {
    detachUnsafe(turn)
    if (Exit.isSuccess(exit)) {
      turn.delivery.endUnsafe({ _tag: "End", response: exit.value })
    } else {
      const error = Exit.findErrorOption(exit)
      if (error._tag === "Some") turn.delivery.failUnsafe(error.value)
    }
    Deferred.doneUnsafe(turn.settled, Exit.void)
  }

  const settledWithinGrace = (turn: Turn) =>
    Effect.map(Effect.timeoutOption(Deferred.await(turn.settled), cancelGrace), (settled) => settled._tag === "Some")

  /** Leaves no turn behind: one that is not over is cancelled and waited for. */
  const leave = (turn: Turn) =>
    Effect.suspend(() => {
      if (!turn.written || Deferred.isDoneUnsafe(turn.settled)) return Effect.void
      return Effect.andThen(
        signalCancel(turn),
        Effect.ensuring(settledWithinGrace(turn), Effect.sync(() => detachUnsafe(turn)))
      )
    })

  const watchCancel = (turn: Turn) =>
    Effect.map(settledWithinGrace(turn), (settled) => {
      if (settled) return
      detachUnsafe(turn)
      turn.delivery.failUnsafe(new AcpError.CancelTimeout({ sessionId, millis: Duration.toMillis(cancelGrace) }))
    })

  const makeTurn: Effect.Effect<Turn> = Effect.gen(function*() {
    return {
      delivery: yield* Delivery.makeTurn<TurnEvent.TurnEvent, AcpError.CallError | AcpError.CancelTimeout>({
        limits,
        onGap: ({ delivered, expected }) =>
          connection.report({ _tag: "DeliveryGap", sessionId, delivered, expected })
      }),
      cancelled: yield* Deferred.make<void>(),
      settled: yield* Deferred.make<void>(),
      written: false
    }
  })

  const prompt: ClientSession["prompt"] = (content) =>
    Stream.unwrap(Effect.gen(function*() {
      const blocks = toBlocks(content)
      const missing = OutboundGates.missingForPrompt(connection.capabilities, AgentMethods.prompt._tag, blocks)
      if (missing !== undefined) return yield* missing
      yield* Semaphore.takeScoped(turns, 1)
      const turn = yield* makeTurn
      yield* Effect.addFinalizer(() => leave(turn))
      yield* connection.submit(AgentMethods.prompt, { sessionId, prompt: blocks }, {
        written: () => {
          turn.written = true
          current = turn
        },
        settle: (exit) => settleUnsafe(turn, exit)
      })
      return turn.delivery.items
    }))

  const session: ClientSession = {
    sessionId,
    setup: options.setup,
    prompt,
    cancel: Effect.suspend(() => {
      const turn = current
      return turn === undefined
        ? Effect.void
        : Effect.andThen(signalCancel(turn), Effect.asVoid(Effect.forkIn(watchCancel(turn), scope)))
    }),
    updates: broadcast.items
  }

  const entry: Entry = {
    session,
    inbound: {
      sessionId,
      cwd: options.cwd,
      additionalDirectories: options.additionalDirectories,
      scope
    },
    deliverUnsafe,
    setReplayingUnsafe: (value) => {
      replaying = value
    },
    turnCancelled: Effect.suspend(() => current === undefined ? Effect.never : Deferred.await(current.cancelled)),
    endUnsafe: broadcast.endUnsafe
  }
  return entry
}
