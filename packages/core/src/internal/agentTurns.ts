/**
 * The turns of one agent session: one at a time, cancelled in wire order, answered once (U1, U2, X4–X6).
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as AcpError from "../AcpError.ts"
import type { SteerResult } from "../AgentSession.ts"
import type { InboundRequest } from "../InboundRequest.ts"
import type { ContentBlock } from "../schema/Content.ts"
import type { PromptRequest, PromptResponse } from "../schema/Prompt.ts"
import * as Turn from "./agentTurn.ts"

export interface Turns {
  /** Answers a prompt. To be run uninterruptibly: an interruption cancels the turn and still has an answer. */
  readonly run: (
    request: PromptRequest,
    inbound: InboundRequest["Service"],
    work: Turn.Work
  ) => Effect.Effect<PromptResponse, AcpError.RequestError>
  /** Cancels what was read before this place in the order of the wire (X5). */
  readonly cancelUnsafe: (sequence: number) => void
  readonly isRunning: () => boolean
  readonly turnId: () => string | undefined
  readonly steerUnsafe: (expectedTurnId: string, content: ReadonlyArray<ContentBlock>) => SteerResult
  /** Takes no more prompts, cancels those that are here and waits until they are answered (U8). */
  readonly stop: Effect.Effect<void>
}

export interface Settings extends Turn.Settings {
  readonly overlap: "reject" | "queue"
}

export const make = (settings: Settings): Turns => {
  const { sessionId } = settings.session
  let cancelledBefore = 0
  let stopped = false
  let running: Turn.State | undefined
  let waiting: ReadonlyArray<Turn.State> = []

  const states = () => running === undefined ? waiting : [running, ...waiting]

  /**
   * Frees the slot behind the answer: before it can be on the wire, so that a prompt upon it is taken (U2), and not before
   * it, so that nothing of the next turn comes first.
   */
  const answered = (state: Turn.State) => {
    Deferred.doneUnsafe(state.answered, Exit.void)
    if (running !== state) {
      waiting = waiting.filter((other) => other !== state)
      return
    }
    const [next, ...rest] = waiting
    running = next
    waiting = rest
    if (next !== undefined) Deferred.doneUnsafe(next.admitted, Exit.void)
  }

  /** The yield keeps the next turn out of the one that made room for it. */
  const untilAdmitted = (state: Turn.State) =>
    running === state
      ? Effect.void
      : Effect.andThen(Turn.orCancelled(state, Deferred.await(state.admitted)), Effect.yieldNow)

  /** One step, so that of two prompts one is first. */
  const admitUnsafe = (inbound: InboundRequest["Service"]): Turn.State => {
    const state = Turn.makeState(inbound.sequence)
    inbound.afterResponse(() => answered(state))
    if (running === undefined) running = state
    else waiting = [...waiting, state]
    return state
  }

  /** What a prompt is answered that is not admitted. */
  const refuse = ({ sequence }: InboundRequest["Service"]): ReturnType<Turns["run"]> | undefined => {
    if (stopped) return Effect.fail(new AcpError.ResourceNotFound({ data: { sessionId } }))
    // X5: read before the cancel, so the cancel is for it.
    if (sequence < cancelledBefore) return Effect.succeed(Turn.cancelledResponse)
    if (running === undefined || settings.overlap === "queue") return undefined
    return Effect.fail(
      new AcpError.InvalidRequest({
        message: "A prompt of this session is already in flight",
        data: { reason: "session_busy", sessionId }
      })
    )
  }

  const runAdmitted = Effect.fnUntraced(function*(state: Turn.State, request: PromptRequest, work: Turn.Work) {
    yield* untilAdmitted(state)
    return Turn.isCancelled(state) ? Turn.cancelledResponse : yield* Turn.run(settings, state, request, work)
  })

  return {
    run: (request, inbound, work) =>
      Effect.suspend(() => refuse(inbound) ?? runAdmitted(admitUnsafe(inbound), request, work)),
    cancelUnsafe(sequence) {
      cancelledBefore = Math.max(cancelledBefore, sequence)
      for (const state of states()) {
        if (state.sequence < sequence) Turn.cancelUnsafe(state)
      }
    },
    isRunning: () => running !== undefined,
    turnId: () => running?.id,
    steerUnsafe(expectedTurnId, content) {
      if (running?.steered === undefined || running.over || Turn.isCancelled(running)) return { _tag: "NoTurn" }
      if (running.id !== expectedTurnId) return { _tag: "Stale", turnId: running.id }
      Queue.offerUnsafe(running.steered, content)
      running.id = Turn.newId("turn")
      return { _tag: "Accepted", turnId: running.id }
    },
    stop: Effect.suspend(() => {
      stopped = true
      const stopping = states()
      stopping.forEach(Turn.cancelUnsafe)
      return Effect.forEach(stopping, ({ answered }) => Deferred.await(answered), { discard: true })
    })
  }
}
