/**
 * A call whose answer is acted on in the reader: what it changes stands before the next frame is looked at.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as AcpError from "../AcpError.ts"
import type * as Connection from "../Connection.ts"
import type * as MethodTable from "../MethodTable.ts"
import { outsideReader } from "./soon.ts"

/**
 * Acts on a result; what that gives is the call's. `act` must not throw or wait, and does not run for a call that failed or
 * was interrupted.
 */
export const callInReader = <R extends MethodTable.Any, A, E>(
  connection: Connection.Connection,
  row: R,
  params: MethodTable.Params<R>,
  act: (result: MethodTable.Result<R>) => Exit.Exit<A, E>
): Effect.Effect<A, E | AcpError.CallError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<A, E | AcpError.CallError>()
      const settle = (exit: Exit.Exit<MethodTable.Result<R>, AcpError.CallError>) =>
        Deferred.doneUnsafe(answer, Exit.isSuccess(exit) ? act(exit.value) : Exit.failCause(exit.cause))
      // Not restored: an interruption must not come between the request that was written and its handle.
      return Effect.flatMap(
        connection.submit(row, params, { settle }),
        (submission) =>
          Effect.onInterrupt(
            restore(outsideReader(Deferred.await(answer))),
            () => Effect.sync(submission.abandonUnsafe)
          )
      )
    })
  )
