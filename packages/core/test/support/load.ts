/**
 * Many connections, many updates, many sessions: the same in the tests and, far larger, in the long run.
 */
import { Effect, Exit, Fiber, Scope, Stream } from "effect"
import { collectGarbage } from "./memory.ts"
import * as Turns from "./turns.ts"
import * as Wire from "./wire.ts"

const { Frames } = Wire

/** What is held now, in bytes. */
export const heldBytes: Effect.Effect<number> = Effect.sync(() => {
  collectGarbage()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
})

// =============================================================================
// Leaks
// =============================================================================

const ways: ReadonlyArray<(subject: Omit<Wire.Subject, "sentinel">) => Effect.Effect<unknown>> = [
  ({ connection }) => connection.close(),
  ({ peer }) => peer.close,
  ({ peer }) => peer.exit({ code: 1, stderr: "gone" }),
  ({ peer }) => peer.fail({ _tag: "TransportFailed", cause: "reset" }),
  ({ peer }) => peer.send("noise", "noise"),
  ({ connection, peer }) => Effect.andThen(peer.breakReading, Effect.ignore(connection.notify(Wire.note, {}))),
  () => Effect.void
]

const busy = Wire.handlers({
  run: () => Effect.never,
  note: () => Effect.never,
  echo: (params) => Effect.succeed(params)
})

/** Opens a connection, gives it something of everything to do, and ends it in the n-th way. */
const oneConnection = Effect.fnUntraced(function*(n: number) {
  const scope = yield* Scope.make()
  const subject = yield* Scope.provide(
    Wire.agentQuiet({ handlers: busy, maxNoise: 1, flushBound: "10 millis" }),
    scope
  )
  const { connection, peer } = subject
  yield* peer.send(
    Frames.request("init", "initialize", { protocolVersion: 1 }),
    Frames.request(1, "_test/run", {}),
    Frames.request(2, "_test/echo", { value: 2 }),
    Frames.notification("_test/note", { sessionId: "s1" })
  )
  const calls = yield* Effect.forEach([1, 2], (value) => Effect.forkDetach(connection.call(Wire.echo, { value })))
  const watching = yield* Effect.forkDetach(Stream.runDrain(connection.diagnostics))
  yield* peer.find({ id: 2 })
  yield* Fiber.interrupt(calls[0])
  yield* ways[n % ways.length](subject)
  if (n % ways.length !== ways.length - 1) yield* connection.closed
  yield* Scope.close(scope, Exit.void)
  yield* Fiber.await(calls[1])
  yield* Fiber.await(watching)
  return { connection: new WeakRef(connection), counts: yield* connection.counts }
})

export interface Leaks {
  /** Connections that something still holds. */
  readonly held: number
  /** Entries in the tables of all connections together. */
  readonly entries: number
  /** Timers, sockets and other handles that are there now and were not before. */
  readonly handles: number
  /** By how many bytes memory grew over the second half. */
  readonly grown: number
}

/** Opens and ends connections in every way, and looks at what they leave. */
export const leaks: (connections: number) => Effect.Effect<Leaks> = Effect.fnUntraced(function*(connections) {
  const handlesBefore = process.getActiveResourcesInfo().length
  const references: Array<WeakRef<object>> = []
  let entries = 0
  let half = 0
  for (let n = 0; n < connections; n++) {
    if (n === Math.floor(connections / 2)) half = yield* heldBytes
    const { connection, counts } = yield* oneConnection(n)
    references.push(connection)
    for (const count of Object.values(counts)) entries += count
  }
  yield* Effect.sleep(50)
  const grown = (yield* heldBytes) - half
  return {
    held: references.filter((reference) => reference.deref() !== undefined).length,
    entries,
    handles: process.getActiveResourcesInfo().length - handlesBefore,
    grown
  }
})

// =============================================================================
// Load
// =============================================================================

const batch = 1_000

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => holds() ? Effect.void : Effect.andThen(Effect.yieldNow, until(holds)))

/** An update that takes the place of the one before it: the text of messages is kept, as the state of the session. */
const progress = (n: number) =>
  Frames.notification("session/update", {
    sessionId: "s1",
    update: { sessionUpdate: "tool_call_update", toolCallId: "call", title: `${n}` }
  })

/** Sends updates through one turn whose consumer keeps up; gives by how much memory grew from a tenth on. */
export const manyUpdates: (
  updates: number
) => Effect.Effect<{ readonly received: number; readonly grown: number }, unknown, Scope.Scope> = Effect.fnUntraced(
  function*(updates) {
    const { peer, session } = yield* Turns.session({ backlogUpdates: 100_000 })
    let received = 0
    let outOfOrder = 0
    const turn = yield* Effect.forkChild(
      Stream.runForEach(session.prompt("go"), (event) =>
        Effect.sync(() => {
          if (event._tag === "End") return
          if (event.update.sessionUpdate !== "tool_call_update" || event.update.title !== `${received}`) outOfOrder++
          received++
        }))
    )
    const prompt = yield* peer.expect({ method: "session/prompt" })
    let early = 0
    for (let n = 0; n < updates; n += batch) {
      if (n === updates / 10) early = yield* heldBytes
      yield* peer.send(...Array.from({ length: Math.min(batch, updates - n) }, (_, index) => progress(n + index)))
      yield* until(() => received >= n)
    }
    const grown = (yield* heldBytes) - early
    yield* peer.send(Turns.endTurn(prompt))
    yield* Fiber.join(turn)
    return { received: received - outOfOrder, grown }
  }
)

/** Lets every one of many sessions stream at once; gives how many turns had all of their updates in order. */
export const manySessions: (
  sessions: number,
  updates: number
) => Effect.Effect<number, unknown, Scope.Scope> = Effect.fnUntraced(function*(sessions, updates) {
  const { open, peer } = yield* Turns.connect()
  const names = Array.from({ length: sessions }, (_, n) => `s${n}`)
  const opened = yield* Effect.forEach(names, open)
  const turns = yield* Effect.forEach(opened, (session) => Turns.runTurn(session.prompt("go")))
  const prompts = yield* Effect.forEach(
    names,
    (sessionId) => peer.find({ method: "session/prompt", params: { sessionId } })
  )
  for (let n = 0; n < updates; n++) {
    yield* peer.send(...names.map((name) => Frames.chunk(name, `${name}:${n}`)))
    yield* Effect.yieldNow
  }
  yield* peer.send(...prompts.map((prompt) => Turns.endTurn(prompt)))
  const seen = yield* Effect.forEach(turns, (turn) => Effect.map(Fiber.join(turn), Turns.seen))
  return seen.filter((events, index) =>
    events.length === updates + 1 && events.slice(0, -1).every((text, n) => text === `${names[index]}:${n}`)
  ).length
})

/** Sends lines of noise; gives by how much memory grew from a tenth on. */
export const muchNoise: (lines: number) => Effect.Effect<number, never, Scope.Scope> = Effect.fnUntraced(
  function*(lines) {
    const { connection, peer } = yield* Wire.clientQuiet()
    const chunk = Wire.bytesOf("[agent] still starting up, please wait\n".repeat(batch))
    let early = 0
    for (let n = 0; n < lines; n += batch) {
      if (n === lines / 10) early = yield* heldBytes
      yield* peer.sendRaw(chunk)
      yield* Effect.yieldNow
    }
    yield* peer.settle
    const grown = (yield* heldBytes) - early
    yield* peer.close
    yield* connection.closed
    return grown
  }
)
