/**
 * A client with an open session, and its agent in the test's hands.
 */
import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import type { SessionEvent, TurnEvent } from "@effect-acp/core/TurnEvent"
import { Frames, InvariantSentinel, ScriptedPeer } from "@effect-acp/testing"
import { Effect, Fiber, Stream } from "effect"

export interface ClientOptions extends Partial<Client.Options> {
  readonly allow?: ReadonlyArray<InvariantSentinel.Tag> | undefined
  readonly agentCapabilities?: Frames.Json | undefined
}

export const connect = Effect.fnUntraced(function*(options: ClientOptions = {}) {
  const peer = yield* ScriptedPeer.make
  const connecting = yield* Effect.forkChild(
    Client.make({ clientInfo: { name: "test", version: "0.0.0" }, ...options }).pipe(
      Effect.provide([Permission.layerDeny, peer.layer])
    )
  )
  yield* peer.acceptInitialize(options.agentCapabilities)
  const client = yield* Fiber.join(connecting)
  const sentinel = yield* InvariantSentinel.watch(client.connection, { allow: options.allow })

  const open = Effect.fnUntraced(function*(sessionId: string) {
    const opening = yield* Effect.forkChild(client.newSession({ cwd: "/w" }))
    yield* peer.respond(yield* peer.find({ method: "session/new" }), { sessionId })
    return yield* Fiber.join(opening)
  })

  return { peer, client, connection: client.connection, sentinel, open }
})

/** A client with one session, `s1`. */
export const session = Effect.fnUntraced(function*(options: ClientOptions = {}) {
  const connected = yield* connect(options)
  return { ...connected, session: yield* connected.open("s1") }
})

export const endTurn = (request: Frames.Json, stopReason = "end_turn") =>
  Frames.result(request.id as Frames.Id, { stopReason })

/** What a consumer saw: texts, and how the turn ended. */
export const seen = (events: ReadonlyArray<TurnEvent>): ReadonlyArray<string> =>
  events.map((event) => event._tag === "End" ? `end:${event.response.stopReason}` : textOf(event.update))

export const seenOutside = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<string> =>
  events.map(({ phase, update }) => `${phase}:${textOf(update)}`)

const textOf = (update: SessionEvent["update"]): string => {
  const { content } = update as { readonly content?: { readonly text?: string } }
  return content?.text ?? update.sessionUpdate
}

/** Runs a turn in a fiber of its own and gives what it saw. */
export const runTurn = <E>(turn: Stream.Stream<TurnEvent, E>) => Effect.forkChild(Stream.runCollect(turn))
