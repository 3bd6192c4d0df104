/**
 * A client under test, whose agent is in the test's hands.
 */
import type * as AcpError from "@effect-acp/core/AcpError"
import * as Client from "@effect-acp/core/Client"
import type { ClientSession } from "@effect-acp/core/ClientSession"
import type * as Diagnostic from "@effect-acp/core/Diagnostic"
import * as Permission from "@effect-acp/core/Permission"
import type { SessionUpdate } from "@effect-acp/core/schema/SessionUpdate"
import type { Transport } from "@effect-acp/core/Transport"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import { Frames, ScriptedPeer } from "@effect-acp/testing"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import type { Scope } from "effect"

export { Frames }

export interface ClientOptions extends Partial<Client.Options> {
  readonly agentCapabilities?: Frames.Json | undefined
  readonly authMethods?: ReadonlyArray<Frames.Json> | undefined
  /** Handlers and services of the client; one that permits nothing is there in any case. */
  readonly services?: Layer.Layer<any> | undefined
}

export interface Subject {
  readonly client: Client.Client["Service"]
  readonly peer: ScriptedPeer.ScriptedPeer
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

const clientInfo = { name: "client-under-test", version: "1.0.0" }

/** Builds a client on the peer's transport; it is ready when the peer has answered `initialize`. */
export const build = (
  peer: ScriptedPeer.ScriptedPeer,
  { services = Layer.empty as Layer.Layer<any>, ...options }: ClientOptions = {}
): Effect.Effect<Client.Client["Service"], AcpError.ConnectError, Scope.Scope> =>
  Client.layer({ clientInfo, ...options }).pipe(
    Layer.provide(services as Layer.Layer<never>),
    Layer.provide(Permission.layerDeny),
    Layer.provide(peer.layer as Layer.Layer<Transport>),
    Layer.build,
    Effect.map(Context.get(Client.Client))
  )

/** A client behind the handshake. */
export const start = Effect.fnUntraced(function*(options: ClientOptions = {}) {
  const { agentCapabilities, authMethods } = options
  const peer = yield* ScriptedPeer.make
  const building = yield* Effect.forkChild(build(peer, options))
  const request = yield* peer.expect({ method: "initialize" })
  yield* peer.respond(request, { protocolVersion: 1, agentCapabilities, authMethods })
  const client = yield* Fiber.join(building)
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  yield* Effect.forkScoped(
    Stream.runForEach(client.connection.diagnostics, (diagnostic) => Effect.sync(() => diagnostics.push(diagnostic))),
    { startImmediately: true }
  )
  return { client, peer, diagnostics, initialize: request } satisfies Subject & { readonly initialize: Frames.Json }
})

export const cwd = "/project"

/** A session of the client; `setup` is answered beside its id. */
export const openSession = Effect.fnUntraced(function*(
  { client, peer }: Subject,
  sessionId = "s1",
  setup: Frames.Json = {}
): Effect.fn.Return<ClientSession, AcpError.SetupError, Scope.Scope> {
  const opening = yield* Effect.forkChild(client.newSession({ cwd }))
  const request = yield* peer.expect({ method: "session/new" })
  yield* peer.respond(request, { sessionId, ...setup })
  return yield* Fiber.join(opening)
})

/** A client with one session. */
export const withSession = Effect.fnUntraced(function*(options: ClientOptions & { readonly setup?: Frames.Json } = {}) {
  const subject = yield* start(options)
  return { ...subject, session: yield* openSession(subject, "s1", options.setup) }
})

/** A session update as it stands on the wire. */
export const update = (sessionUpdate: string, members: Frames.Json = {}, sessionId = "s1"): Frames.Json =>
  Frames.notification("session/update", { sessionId, update: { sessionUpdate, ...members } })

export const toolCall = (toolCallId: string, members: Frames.Json = {}, sessionId = "s1"): Frames.Json =>
  update("tool_call", { toolCallId, title: toolCallId, ...members }, sessionId)

export const endTurn = { stopReason: "end_turn" }

export const cancelledTurn = { stopReason: "cancelled" }

/** Runs a turn at once, to its result. */
export const run = <E>(turn: Stream.Stream<TurnEvent.TurnEvent, E>) =>
  Effect.forkChild(Effect.result(TurnEvent.runCollect(turn)), { startImmediately: true })

/** The text of updates that are chunks of the agent's message, the kind of the others. */
export const textOf = (updates: ReadonlyArray<SessionUpdate>) =>
  updates.map((update) => TurnEvent.messageText(update) ?? update.sessionUpdate)
