/**
 * The calls that wait for an answer: each leaves by exactly one door (C1).
 */
import type * as Exit from "effect/Exit"
import type * as AcpError from "../AcpError.ts"
import type * as JsonRpc from "../JsonRpc.ts"
import type * as MethodTable from "../MethodTable.ts"
import type * as Tracing from "./tracing.ts"

/** What became of a call: the peer's result as it came, or why there is none. */
export type Outcome = Exit.Exit<unknown, AcpError.RequestError | AcpError.ConnectionClosed | AcpError.DecodeError>

export interface Call {
  readonly row: MethodTable.Any
  /** In milliseconds. */
  readonly beganAt: number
  readonly traced: Tracing.TracedCall | undefined
  /** Runs in the reader, so that what it does comes before the next frame; it must not throw or wait. */
  readonly settle: (exit: Exit.Exit<any, AcpError.CallError>) => void
}

export class PendingCalls {
  private lastId = 0
  private readonly calls = new Map<JsonRpc.Id, Call>()

  get size(): number {
    return this.calls.size
  }

  /** The id that `newId` gives next. */
  get nextId(): number {
    return this.lastId + 1
  }

  newId(): number {
    return ++this.lastId
  }

  add(id: number, call: Call): void {
    this.calls.set(id, call)
  }

  /** Removes a call, for the one who then settles it. */
  take(id: JsonRpc.Id): Call | undefined {
    const call = this.calls.get(id)
    if (call !== undefined) this.calls.delete(id)
    return call
  }

  takeAll(): ReadonlyArray<Call> {
    const calls = [...this.calls.values()]
    this.calls.clear()
    return calls
  }

  /** Ids are never used twice, so one that was issued and waits no more is a late one. */
  wasIssued(id: JsonRpc.Id): boolean {
    return typeof id === "number" && Number.isInteger(id) && id > 0 && id <= this.lastId
  }
}
