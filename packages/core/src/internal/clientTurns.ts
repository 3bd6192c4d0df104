/**
 * The turns of one session of a client: one at a time, cancelled within bounds, never mixed up (O1–O6, X9).
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as AcpError from "../AcpError.ts"
import * as AgentMethods from "../AgentMethods.ts"
import type * as Connection from "../Connection.ts"
import type { ContentBlock } from "../schema/Content.ts"
import type { PromptResponse } from "../schema/Prompt.ts"
import type * as SessionState from "../SessionState.ts"
import type * as TurnEvent from "../TurnEvent.ts"
import * as Delivery from "./delivery.ts"
import * as OutboundGates from "./outboundGates.ts"

export interface Options {
  readonly connection: Connection.Connection
  readonly sessionId: string
  readonly limits: Delivery.BacklogLimits
  readonly cancelGrace: Duration.Duration
  readonly overlap: "queue" | "reject"
  readonly timeline: "session" | "turn"
  /** Runs work that nobody waits for, until the session is closed. */
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Learns of a turn's start, cancellation and end. */
  readonly fold: (event: SessionState.Event) => void
}

export interface Turns {
  readonly prompt: (prompt: ReadonlyArray<ContentBlock>) => Stream.Stream<TurnEvent.TurnEvent, AcpError.TurnError>
  /** Hands an update to the running turn; `false` when there is none. */
  readonly deliverUnsafe: (event: TurnEvent.Update, size: number) => boolean
  readonly cancel: Effect.Effect<void>
  /** Done when the turn that the agent is in was cancelled; never, when it is in none. */
  readonly cancelled: Effect.Effect<void>
  /** Cancels what runs and waits, within the grace, for its end. */
  readonly stop: Effect.Effect<void>
  /** Ends what still runs, and every later prompt, with `SessionDetached`. */
  readonly detachUnsafe: () => void
}

type Failure = AcpError.CallError | AcpError.CancelTimeout | AcpError.SessionDetached

interface Turn {
  readonly delivery: Delivery.TurnDelivery<TurnEvent.TurnEvent, Failure>
  /** Done when the agent was told to cancel. */
  readonly cancelled: Deferred.Deferred<void>
  readonly settled: Deferred.Deferred<void>
  cancelRequested: boolean
  /** Nobody takes its updates any more; the agent may still be in it. */
  abandoned: boolean
  /** Its end is not waited for any more. */
  givenUp: boolean
}

export const make = (options: Options): Turns => {
  const { cancelGrace, connection, fold, limits, sessionId } = options
  const slot = Semaphore.makeUnsafe(1)
  // The agent answers in the order of writing, so it is in the first of these. An abandoned turn stays until it is
  // answered: what still comes for it must not reach the next one (O4, X9).
  const unsettled: Array<Turn> = []
  let detached = false

  const ensureAttached = Effect.suspend(() =>
    detached ? Effect.fail(new AcpError.SessionDetached({ sessionId })) : Effect.void
  )

  const acquire = options.overlap === "queue"
    ? Semaphore.takeScoped(slot, 1)
    : Effect.acquireRelease(
      Effect.filterOrFail(
        Semaphore.takeIfAvailable(slot, 1),
        (taken) => taken,
        () => new AcpError.SessionBusy({ sessionId })
      ),
      () => Semaphore.release(slot, 1)
    )

  const makeTurn = Effect.map(
    Delivery.makeTurn<TurnEvent.TurnEvent, Failure>({
      limits,
      onGap: ({ delivered, expected }) => connection.report({ _tag: "DeliveryGap", sessionId, delivered, expected })
    }),
    (delivery): Turn => ({
      delivery,
      cancelled: Deferred.makeUnsafe(),
      settled: Deferred.makeUnsafe(),
      cancelRequested: false,
      abandoned: false,
      givenUp: false
    })
  )

  const startUnsafe = (turn: Turn, prompt: ReadonlyArray<ContentBlock>): void => {
    unsettled.push(turn)
    if (options.timeline === "turn") fold({ _tag: "Forgotten" })
    fold({ _tag: "TurnStarted", prompt })
  }

  const settleUnsafe = (turn: Turn, exit: Exit.Exit<PromptResponse, AcpError.CallError>): void => {
    // An answer also settles what was to be answered before it: the agent has gone on.
    const settled = unsettled.splice(0, unsettled.indexOf(turn) + 1)
    if (settled.length > 0 && unsettled.length === 0) {
      fold({ _tag: "TurnEnded", stopReason: Exit.isSuccess(exit) ? exit.value.stopReason : undefined })
    }
    if (Exit.isSuccess(exit)) turn.delivery.endUnsafe({ _tag: "End", response: exit.value })
    const failure = Exit.findErrorOption(exit)
    if (failure._tag === "Some") turn.delivery.failUnsafe(failure.value)
    Deferred.doneUnsafe(turn.settled, Exit.void)
  }

  const abandonUnsafe = (turn: Turn, error: AcpError.CancelTimeout | AcpError.SessionDetached): void => {
    turn.abandoned = true
    turn.givenUp = true
    turn.delivery.failUnsafe(error)
  }

  /** Tells the agent, once, and only then ends what the turn has asked: the agent must know why (X7). */
  const requestCancel = (turn: Turn) =>
    Effect.suspend(() => {
      if (turn.cancelRequested) return Effect.void
      turn.cancelRequested = true
      fold({ _tag: "TurnCancelled" })
      return Effect.ensuring(
        Effect.ignore(connection.signal(AgentMethods.cancel, { sessionId })),
        Effect.sync(() => Deferred.doneUnsafe(turn.cancelled, Exit.void))
      )
    })

  /** Also where nothing else can be interrupted: in a finalizer. */
  const settledWithinGrace = (turn: Turn) =>
    Effect.timeoutOption(Effect.interruptible(Deferred.await(turn.settled)), cancelGrace)

  /** Leaves no turn behind: one that is not over is cancelled and waited for, once. */
  const leave = (turn: Turn) =>
    Effect.suspend(() => {
      if (!unsettled.includes(turn)) return Effect.void
      const cancelled = requestCancel(turn)
      return turn.givenUp ? cancelled : Effect.andThen(cancelled, settledWithinGrace(turn))
    }).pipe(
      Effect.ensuring(Effect.sync(() => {
        turn.abandoned = true
        turn.givenUp = true
      }))
    )

  const giveUpAfterGrace = (turn: Turn) =>
    Effect.map(settledWithinGrace(turn), (settled) => {
      if (settled._tag === "Some" || turn.givenUp) return
      abandonUnsafe(turn, new AcpError.CancelTimeout({ sessionId, millis: Duration.toMillis(cancelGrace) }))
    })

  const cancelTurn = (turn: Turn) =>
    Effect.suspend(() => {
      if (turn.cancelRequested) return Effect.void
      options.fork(giveUpAfterGrace(turn))
      return requestCancel(turn)
    })

  const submit = (turn: Turn, prompt: ReadonlyArray<ContentBlock>) =>
    connection.submit(AgentMethods.prompt, { sessionId, prompt }, {
      written: () => startUnsafe(turn, prompt),
      settle: (exit) => settleUnsafe(turn, exit)
    })

  const run = Effect.fnUntraced(function*(
    prompt: ReadonlyArray<ContentBlock>
  ): Effect.fn.Return<
    Stream.Stream<TurnEvent.TurnEvent, AcpError.TurnError>,
    AcpError.TurnError,
    Scope.Scope
  > {
    const missing = OutboundGates.missingForPrompt(connection.capabilities, AgentMethods.prompt._tag, prompt)
    if (missing !== undefined) return yield* missing
    yield* ensureAttached
    yield* acquire
    yield* ensureAttached
    const turn = yield* makeTurn
    yield* Effect.addFinalizer(() => leave(turn))
    yield* submit(turn, prompt)
    return turn.delivery.items
  })

  return {
    prompt: (prompt) => Stream.unwrap(run(prompt)),
    deliverUnsafe(event, size) {
      const turn = unsettled[0]
      if (turn === undefined || turn.abandoned) return false
      if (turn.delivery.offerUnsafe(event, size)) return true
      // O6: the turn has failed for its consumer, now or once he takes what waits; the agent is told to stop.
      turn.abandoned = true
      options.fork(requestCancel(turn))
      return true
    },
    cancel: Effect.suspend(() => {
      const turn = unsettled.at(-1)
      return turn === undefined ? Effect.void : cancelTurn(turn)
    }),
    cancelled: Effect.suspend(() => unsettled.length === 0 ? Effect.never : Deferred.await(unsettled[0].cancelled)),
    stop: Effect.suspend(() =>
      Effect.forEach(
        unsettled.filter((turn) => !turn.givenUp),
        (turn) => Effect.andThen(requestCancel(turn), settledWithinGrace(turn)),
        { concurrency: "unbounded", discard: true }
      )
    ),
    detachUnsafe() {
      detached = true
      for (const turn of unsettled) abandonUnsafe(turn, new AcpError.SessionDetached({ sessionId }))
    }
  }
}
