/**
 * One turn of an agent: its fibers, how it winds down, and its one outcome (U3, U4, X4, X7, X8).
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as AcpError from "../AcpError.ts"
import type { AgentSession } from "../AgentSession.ts"
import type * as Diagnostic from "../Diagnostic.ts"
import type { ContentBlock } from "../schema/Content.ts"
import type { PromptRequest, PromptResponse } from "../schema/Prompt.ts"
import * as Turn from "../Turn.ts"

export interface Settings {
  readonly session: AgentSession
  readonly report: (diagnostic: Diagnostic.Diagnostic) => void
  readonly cancelBound: Duration.Input
}

/** What an author and a record make of a turn. */
export interface Work {
  readonly run: (turn: Turn.Turn) => Effect.Effect<PromptResponse, AcpError.RequestError, Scope.Scope>
  /** Runs once nothing of the turn can be told any more, before it is answered. */
  readonly settled: Effect.Effect<void>
}

/** A turn from the time it was asked for until it is answered. */
export interface State {
  /** The place of its request in the order of the wire. */
  readonly sequence: number
  readonly admitted: Deferred.Deferred<void>
  readonly cancelled: Deferred.Deferred<void>
  /** Done when a cancel has reached the fibers of the turn. */
  readonly interrupted: Deferred.Deferred<void>
  readonly answered: Deferred.Deferred<void>
  /** Names the turn and what was steered into it so far. */
  id: string
  /** What is steered into the turn, once it runs. */
  steered: Steered | undefined
  over: boolean
  updates: number
}

type Steered = Queue.Queue<ReadonlyArray<ContentBlock>, Cause.Done>

export const makeState = (sequence: number): State => ({
  sequence,
  admitted: Deferred.makeUnsafe(),
  cancelled: Deferred.makeUnsafe(),
  interrupted: Deferred.makeUnsafe(),
  answered: Deferred.makeUnsafe(),
  id: newId("turn"),
  steered: undefined,
  over: false,
  updates: 0
})

/** Ids are unique among all lives of a session: a client joins what has the same one. */
export const newId = (prefix: string): string => `${prefix}_${crypto.randomUUID()}`

export const isCancelled = (state: State): boolean => Deferred.isDoneUnsafe(state.cancelled)

export const cancelUnsafe = (state: State): void => {
  Deferred.doneUnsafe(state.cancelled, Exit.void)
}

export const cancelledResponse: PromptResponse = { stopReason: "cancelled" }

/** Waits for one thing or a cancel, whichever comes first; an interruption is a cancel. To be run uninterruptibly. */
export const orCancelled = (state: State, wait: Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.raceFirst(wait, Deferred.await(state.cancelled)).pipe(
    Effect.interruptible,
    Effect.onInterrupt(() => Effect.sync(() => cancelUnsafe(state))),
    Effect.exit,
    Effect.asVoid
  )

/**
 * Runs a turn to its answer. To be run uninterruptibly: an interruption cancels the turn, which still has an answer.
 */
export const run = Effect.fnUntraced(function*(
  settings: Settings,
  state: State,
  request: PromptRequest,
  work: Work
): Effect.fn.Return<PromptResponse, AcpError.RequestError> {
  const scope = yield* Scope.make()
  const fibers = makeFibers()
  const steered = yield* Queue.unbounded<ReadonlyArray<ContentBlock>, Cause.Done>()
  const sends = makeSends()
  const turn = makeTurn({ settings, state, request, fibers, steered, sends })
  state.steered = steered
  const root = yield* fibers.fork(Scope.provide(Effect.suspend(() => work.run(turn)), scope))
  // Detached: what does not end within the bound keeps what it uses until it does.
  const ended = yield* Effect.forkDetach(Effect.andThen(fibers.ended, Scope.close(scope, Exit.void)))
  yield* orCancelled(state, Fiber.await(ended))
  if (isCancelled(state)) yield* windDown(settings, state, fibers, ended)
  state.over = true
  Queue.endUnsafe(steered)
  yield* sends.none // O8
  yield* Effect.timeoutOption(work.settled, settings.cancelBound)
  return yield* Effect.suspend(() => outcomeOf(settings, state, root.pollUnsafe()))
})

/** Interrupts what runs in the turn, and waits for it within the bound (X8). */
const windDown = Effect.fnUntraced(function*(
  settings: Settings,
  state: State,
  fibers: Fibers,
  ended: Fiber.Fiber<void>
) {
  // A cancel is noticed in the reader: the finalizers of the work are not run in its turn.
  yield* Effect.yieldNow
  fibers.interruptUnsafe()
  Deferred.doneUnsafe(state.interrupted, Exit.void) // X7
  yield* Effect.timeoutOption(Fiber.await(ended), settings.cancelBound)
})

const outcomeOf = (
  { report, session: { sessionId } }: Settings,
  state: State,
  exit: Exit.Exit<PromptResponse, AcpError.RequestError> | undefined
): Effect.Effect<PromptResponse, AcpError.RequestError> => {
  if (isCancelled(state)) return Effect.succeed(cancelledResponse) // X4
  if (exit === undefined) return Effect.fail(new AcpError.InternalError({}))
  if (Exit.isSuccess(exit)) {
    if (state.updates === 0) report({ _tag: "EmptyTurn", sessionId })
    return Effect.succeed(exit.value)
  }
  return Effect.failCause(exit.cause)
}

/** The fibers of a turn: the work and what it forks. */
interface Fibers {
  readonly fork: Turn.Turn["fork"]
  /** Waits until none is left. */
  readonly ended: Effect.Effect<void>
  readonly interruptUnsafe: () => void
}

const makeFibers = (): Fibers => {
  const fibers = new Set<Fiber.Fiber<unknown, unknown>>()
  const ended: Effect.Effect<void> = Effect.suspend(() => {
    const [first] = fibers
    return first === undefined ? Effect.void : Effect.andThen(Fiber.await(first), ended)
  })
  return {
    fork: (effect) =>
      Effect.uninterruptible(Effect.map(Effect.forkDetach(effect, { startImmediately: true }), (fiber) => {
        fibers.add(fiber)
        fiber.addObserver(() => fibers.delete(fiber))
        return fiber
      })),
    ended,
    interruptUnsafe: () => {
      for (const fiber of fibers) fiber.interruptUnsafe()
    }
  }
}

interface Sends {
  readonly track: <A, E>(send: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Waits until no update is on its way to the writer. */
  readonly none: Effect.Effect<void>
}

const makeSends = (): Sends => {
  const idle = Latch.makeUnsafe(true)
  let count = 0
  const done = () => {
    if (--count === 0) idle.openUnsafe()
    return undefined
  }
  return {
    track: (send) =>
      Effect.suspend(() => {
        count++
        idle.closeUnsafe()
        return Effect.onExitPrimitive(send, done)
      }),
    none: idle.await
  }
}

const makeTurn = ({ fibers, request, sends, settings, state, steered }: {
  readonly settings: Settings
  readonly state: State
  readonly request: PromptRequest
  readonly fibers: Fibers
  readonly steered: Steered
  readonly sends: Sends
}): Turn.Turn => {
  const { report, session } = settings
  const { sessionId } = session
  const late = Effect.suspend(() => {
    report({ _tag: "LateUpdate", sessionId })
    return Effect.fail(new AcpError.TurnOver({ sessionId }))
  })
  return Turn.make({
    session,
    request,
    steered,
    isCancelled: () => state.over || isCancelled(state),
    interrupted: Deferred.await(state.interrupted),
    send: (update) =>
      Effect.suspend((): ReturnType<Turn.Turn["update"]> => {
        if (state.over) return late
        state.updates++
        return sends.track(session.update(update))
      }),
    onEmptyChunk: () => report({ _tag: "EmptyChunk", sessionId }),
    newToolCallId: () => newId("call"),
    fork: (effect) =>
      Effect.suspend(() => state.over || isCancelled(state) ? Effect.forkChild(Effect.interrupt) : fibers.fork(effect))
  })
}
