/**
 * Which terminals there are, whose they are, and how many there may be.
 */
import * as AcpError from "@effect-acp/core/AcpError"
import type { Session } from "@effect-acp/core/InboundRequest"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as Scope from "effect/Scope"
import type { Terminal } from "./terminal.ts"

export interface Limits {
  readonly maxPerSession: number
  readonly maxTotal: number
  readonly maxOutputBytesPerSession: number
  readonly maxOutputBytesTotal: number
}

/** A terminal in the table, with what a view of it needs. */
export interface Entry<View> {
  readonly terminal: Terminal
  readonly view: View
  readonly outputLimit: number
}

interface Owner<View> {
  /** Closed owners take no more terminals. */
  closed: boolean
  /** Those that run or may be read, and those that are being started, by id. */
  readonly live: Map<string, Entry<View> | { readonly outputLimit: number }>
}

type Failure = AcpError.RequestError | PlatformError.PlatformError

export interface TerminalTable<View> {
  /** Makes room, starts a terminal and enters it; it is released with the session at the latest (T4, T5). */
  readonly add: <R>(
    session: Session,
    outputLimit: number,
    start: (terminalId: string) => Effect.Effect<Entry<View>, Failure, R>
  ) => Effect.Effect<string, Failure, R>
  /** A terminal of this session and no other (T5). */
  readonly find: (
    session: Session,
    terminalId: string
  ) => Effect.Effect<Terminal, AcpError.ResourceNotFound>
  /** Takes a terminal out and releases it. */
  readonly release: (session: Session, terminalId: string) => Effect.Effect<void, AcpError.ResourceNotFound>
  /** The views of all live terminals, and of the last ones that were released and whose session is open. */
  readonly viewsUnsafe: () => ReadonlyArray<View>
  readonly viewUnsafe: (terminalId: string) => View | undefined
}

/** How many released terminals of open sessions can still be looked at. */
const mostReleased = 100

/** Makes a table whose terminals are released with the scope at the latest. */
export const make = Effect.fnUntraced(function*<View>(limits: Limits) {
  const owners = new Map<Scope.Scope, Owner<View>>()
  const released = new Map<string, { readonly view: View; readonly owner: Owner<View> }>()
  let created = 0

  const closeOwner = (scope: Scope.Scope, owner: Owner<View>) =>
    Effect.suspend(() => {
      owner.closed = true
      owners.delete(scope)
      const entries = [...owner.live.values()]
      owner.live.clear()
      for (const [id, entry] of released) if (entry.owner === owner) released.delete(id)
      return Effect.forEach(entries, (entry) => "terminal" in entry ? entry.terminal.release : Effect.void, {
        concurrency: "unbounded",
        discard: true
      })
    })

  const ownerOf = Effect.fnUntraced(function*({ scope }: Session) {
    const known = owners.get(scope)
    if (known !== undefined) return known
    const owner: Owner<View> = { closed: false, live: new Map() }
    owners.set(scope, owner)
    yield* Scope.addFinalizer(scope, closeOwner(scope, owner))
    return owner
  })

  yield* Effect.addFinalizer(() =>
    Effect.forEach([...owners], ([scope, owner]) => closeOwner(scope, owner), {
      concurrency: "unbounded",
      discard: true
    })
  )

  const overLimit = (owner: Owner<View>, outputLimit: number) => {
    const own = sum([owner])
    const all = sum(owners.values())
    if (own.count >= limits.maxPerSession || all.count >= limits.maxTotal) return tooMany("too_many_terminals")
    const fits = own.bytes + outputLimit <= limits.maxOutputBytesPerSession &&
      all.bytes + outputLimit <= limits.maxOutputBytesTotal
    return fits ? undefined : tooMany("too_much_output")
  }

  const entryOf = (session: Session, terminalId: string) => {
    const owner = owners.get(session.scope)
    const entry = owner?.live.get(terminalId)
    return owner !== undefined && entry !== undefined && "terminal" in entry
      ? Effect.succeed({ owner, entry })
      : Effect.fail(unknownTerminal(terminalId))
  }

  const table: TerminalTable<View> = {
    add: Effect.fnUntraced(function*(session, outputLimit, start) {
      const owner = yield* ownerOf(session)
      const refusal = overLimit(owner, outputLimit)
      if (refusal !== undefined) return yield* refusal
      const terminalId = `term-${++created}`
      owner.live.set(terminalId, { outputLimit })
      const entry = yield* Effect.onError(start(terminalId), () => Effect.sync(() => owner.live.delete(terminalId)))
      if (owner.closed) {
        yield* entry.terminal.release
        return yield* new AcpError.InternalError({ message: "The session ended", data: { reason: "session_closed" } })
      }
      owner.live.set(terminalId, entry)
      return terminalId
    }, Effect.uninterruptible),
    find: (session, terminalId) => Effect.map(entryOf(session, terminalId), ({ entry }) => entry.terminal),
    release: Effect.fnUntraced(function*(session, terminalId) {
      const { entry, owner } = yield* entryOf(session, terminalId)
      owner.live.delete(terminalId)
      released.set(terminalId, { view: entry.view, owner })
      for (const id of released.keys()) if (released.size > mostReleased) released.delete(id)
      yield* entry.terminal.release
    }, Effect.uninterruptible),
    viewsUnsafe: () => [
      ...[...owners.values()].flatMap((owner) =>
        [...owner.live.values()].flatMap((entry) => "view" in entry ? [entry.view] : [])
      ),
      ...[...released.values()].map(({ view }) => view)
    ],
    viewUnsafe: (terminalId) => {
      for (const owner of owners.values()) {
        const entry = owner.live.get(terminalId)
        if (entry !== undefined) return "view" in entry ? entry.view : undefined
      }
      return released.get(terminalId)?.view
    }
  }
  return table
})

const sum = (owners: Iterable<Owner<unknown>>) => {
  let count = 0
  let bytes = 0
  for (const { live } of owners) {
    count += live.size
    for (const { outputLimit } of live.values()) bytes += outputLimit
  }
  return { count, bytes }
}

const tooMany = (reason: "too_many_terminals" | "too_much_output") =>
  new AcpError.InternalError({
    message: "The client runs as many terminals as it may: release some",
    data: { reason }
  })

const unknownTerminal = (terminalId: string) =>
  new AcpError.ResourceNotFound({
    message: "There is no such terminal",
    data: { reason: "unknown_terminal", terminalId }
  })
