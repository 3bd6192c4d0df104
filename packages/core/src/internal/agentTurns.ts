/**
 * The turns of one agent session: one at a time, cancelled in wire order, answered once (U1–U4, X4–X8).
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as AcpError from "../AcpError.ts"
import type { AgentSession } from "../AgentSession.ts"
import type * as Diagnostic from "../Diagnostic.ts"
import type { PromptRequest, PromptResponse } from "../schema/Prompt.ts"
import * as Turn from "../Turn.ts"

export interface Turns {
  /** Runs a turn to its answer. To be run uninterruptibly: an interruption cancels the turn and still has an answer. */
  readonly run: (
    request: PromptRequest,
    sequence: number,
    handler: (turn: Turn.Turn) => Effect.Effect<PromptResponse, AcpError.AcpError>
  ) => Effect.Effect<PromptResponse, AcpError.RequestError>
  /** Cancels what was read before this place in the order of the wire. */
  readonly cancelUnsafe: (sequence: number) => void
  readonly isRunning: () => boolean
  /** Cancels the running turn and waits for its end. */
  readonly stop: Effect.Effect<void>
}

interface Running {
  readonly sequence: number
  readonly cancelled: Deferred.Deferred<void>
  readonly ended: Deferred.Deferred<void>
  over: boolean
  updates: number
}

const cancelledResponse: PromptResponse = { stopReason: "cancelled" }

export interface Settings {
  readonly overlap: "reject" | "queue"
  readonly cancelBound: Duration.Input
}

export const make = (
  options: Settings & {
    readonly session: AgentSession
    readonly report: (diagnostic: Diagnostic.Diagnostic) => void
  }
): Turns => {
  const { report, session } = options
  const { sessionId } = session
  const slot = Semaphore.makeUnsafe(1)
  let cancelledBefore = 0
  let running: Running | undefined
  let toolCalls = 0

  const makeTurn = (request: PromptRequest, state: Running, fibers: FiberSet.FiberSet<any, any>) =>
    Turn.make({
      session,
      request,
      isOver: () => state.over,
      onUpdate: () => {
        state.updates++
      },
      onEmptyChunk: () => report({ _tag: "EmptyChunk", sessionId }),
      onLateUpdate: () => report({ _tag: "LateUpdate", sessionId }),
      newToolCallId: () => `call_${++toolCalls}`,
      fork: (effect) => FiberSet.run(fibers, effect)
    })

  const isCancelled = (state: Running) => Deferred.isDoneUnsafe(state.cancelled)

  const cancelRunning = (state: Running) => Deferred.doneUnsafe(state.cancelled, Exit.void)

  /** Waits for the handler and what it forked; a cancel interrupts them and is waited for within the bound (X8). */
  const windDown = (state: Running, root: Fiber.Fiber<unknown, unknown>, fibers: FiberSet.FiberSet<any, any>) => {
    const ended = Effect.andThen(Fiber.await(root), FiberSet.awaitEmpty(fibers))
    return Effect.interruptible(Effect.raceFirst(ended, Deferred.await(state.cancelled))).pipe(
      Effect.onInterrupt(() => Effect.sync(() => cancelRunning(state))),
      Effect.exit,
      Effect.andThen(Effect.suspend(() =>
        isCancelled(state)
          ? Effect.asVoid(
            Effect.timeoutOption(Effect.interruptible(Effect.andThen(FiberSet.clear(fibers), ended)), options.cancelBound)
          )
          : Effect.void
      ))
    )
  }

  const outcomeOf = (state: Running, exit: Exit.Exit<PromptResponse, AcpError.AcpError> | undefined) => {
    if (isCancelled(state)) return Effect.succeed(cancelledResponse)
    if (exit === undefined) return Effect.fail(new AcpError.InternalError({}))
    if (Exit.isSuccess(exit)) {
      if (state.updates === 0) report({ _tag: "EmptyTurn", sessionId })
      return Effect.succeed(exit.value)
    }
    return Effect.failCause(Cause.map(exit.cause, toRequestError))
  }

  const runAdmitted = Effect.fnUntraced(function*(
    request: PromptRequest,
    sequence: number,
    handler: (turn: Turn.Turn) => Effect.Effect<PromptResponse, AcpError.AcpError>
  ): Effect.fn.Return<PromptResponse, AcpError.RequestError> {
    const scope = yield* Scope.fork(session.scope)
    const fibers = yield* Scope.provide(FiberSet.make<any, any>(), scope)
    const state: Running = {
      sequence,
      cancelled: yield* Deferred.make<void>(),
      ended: yield* Deferred.make<void>(),
      over: false,
      updates: 0
    }
    running = state
    const root = yield* FiberSet.run(fibers, Effect.interruptible(handler(makeTurn(request, state, fibers))))
    yield* windDown(state, root, fibers)
    state.over = true
    running = undefined
    yield* Effect.forkIn(Scope.close(scope, Exit.void), session.scope)
    Deferred.doneUnsafe(state.ended, Exit.void)
    return yield* outcomeOf(state, root.pollUnsafe())
  })

  return {
    run: (request, sequence, handler) =>
      Effect.suspend(() => {
        // X5: read before the cancel, so the cancel is for it.
        if (sequence < cancelledBefore) return Effect.succeed(cancelledResponse)
        if (options.overlap === "reject" && running !== undefined) {
          return Effect.fail(
            new AcpError.InvalidRequest({
              message: "A prompt of this session is already in flight",
              data: { reason: "session_busy", sessionId }
            })
          )
        }
        return Semaphore.withPermit(
          slot,
          Effect.suspend(() =>
            sequence < cancelledBefore ? Effect.succeed(cancelledResponse) : runAdmitted(request, sequence, handler)
          )
        )
      }),
    cancelUnsafe(sequence) {
      cancelledBefore = Math.max(cancelledBefore, sequence)
      if (running !== undefined && running.sequence < sequence) cancelRunning(running)
    },
    isRunning: () => running !== undefined,
    stop: Effect.suspend(() => {
      const state = running
      if (state === undefined) return Effect.void
      cancelRunning(state)
      return Deferred.await(state.ended)
    })
  }
}

/** What is not an error of the wire becomes one, with its message: the peer learns what the agent could not do. */
export const toRequestError = (error: AcpError.AcpError): AcpError.RequestError =>
  AcpError.isRequestError(error) ? error : new AcpError.InternalError({ message: error.message })
