/**
 * The wait for the answer to a call, which is settled in the reader and goes on outside of it.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as AcpError from "../AcpError.ts"
import type * as Connection from "../Connection.ts"
import type * as MethodTable from "../MethodTable.ts"
import { later } from "./soon.ts"

type Settle<A, E> = (exit: Exit.Exit<A, E>) => void

type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/**
 * Submits a call and waits for its answer. Interrupting it abandons the call, if it was written (X1).
 *
 * Who was woken by what came before the answer has his turn before the caller (O2): both are woken in order.
 */
export const wait = <A, E, E2>(
  submit: (settle: Settle<A, E>, restore: Restore) => Effect.Effect<Connection.Submission, E2>
): Effect.Effect<A, E | E2> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      let answer: Exit.Exit<A, E> | undefined
      let resume: Settle<A, E> | undefined
      const settle: Settle<A, E> = (exit) => {
        answer = exit
        if (resume !== undefined) later(() => resume!(exit))
      }
      const settled = Effect.callback<A, E>((resumeCaller) => {
        if (answer === undefined) resume = resumeCaller
        else resumeCaller(answer)
      })
      return Effect.flatMap(
        submit(settle, restore),
        ({ abandonUnsafe }) => Effect.onInterrupt(restore(settled), () => Effect.sync(abandonUnsafe))
      )
    })
  )

/**
 * Calls and acts on a result in the reader: what that changes stands before the next frame is looked at, and what it gives
 * is the call's. `act` must not throw or wait, and does not run for a call that failed or was interrupted.
 */
export const actInReader = <R extends MethodTable.Any, A, E>(
  connection: Connection.Connection,
  row: R,
  params: MethodTable.Params<R>,
  act: (result: MethodTable.Result<R>) => Exit.Exit<A, E>
): Effect.Effect<A, E | AcpError.CallError> =>
  // Not restored: an interruption must not come between the request that was written and its handle.
  wait<A, E | AcpError.CallError, AcpError.NotifyError>((settle) =>
    connection.submit(row, params, {
      settle: (exit) => settle(Exit.isSuccess(exit) ? act(exit.value) : Exit.failCause(exit.cause))
    })
  )
