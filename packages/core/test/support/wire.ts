/**
 * A connection under test, its peer in the test's hands, and methods to try it with.
 */
import type * as AcpError from "@effect-acp/core/AcpError"
import * as AgentMethods from "@effect-acp/core/AgentMethods"
import * as Capabilities from "@effect-acp/core/Capabilities"
import * as Connection from "@effect-acp/core/Connection"
import * as MethodTable from "@effect-acp/core/MethodTable"
import * as Protocol from "@effect-acp/core/Protocol"
import { Frames, InvariantSentinel, ScriptedPeer } from "@effect-acp/testing"
import { Effect, Layer, Schema } from "effect"
import type { Context, Scope } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"

// =============================================================================
// Methods
// =============================================================================

const payload = Schema.Struct({
  sessionId: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(Schema.Unknown),
  _meta: Schema.optionalKey(Schema.Unknown)
})

const both = { owner: "test", direction: "both", params: payload, result: payload } as const

/** Answers what it was sent. */
export const echo = MethodTable.request("_test/echo", { ...both, callback: "echo" })

/** Does what the test says. */
export const run = MethodTable.request("_test/run", { ...both, callback: "run" })

/** A result that must be a number. */
export const count = MethodTable.request("_test/count", {
  owner: "test",
  direction: "both",
  callback: "count",
  params: Schema.Struct({ from: Schema.Finite }),
  result: Schema.Struct({ count: Schema.Finite })
})

/** Needs a capability of the agent. */
export const gated = MethodTable.request("_test/gated", {
  owner: "test",
  direction: "client_to_agent",
  callback: "gated",
  gate: Capabilities.gate("agent", ["_meta", "test", "gated"]),
  params: Schema.Struct({ number: Schema.Finite }),
  result: payload
})

/** Tells something. */
export const note = MethodTable.notification("_test/note", {
  owner: "test",
  direction: "both",
  callback: "note",
  params: payload
})

export const TestMethods = RpcGroup.make(echo, run, count, gated, note)

export const handlers = MethodTable.layerHandlers(TestMethods)

export const echoHandler = handlers({ echo: (params) => Effect.succeed(params) })

export const table = MethodTable.extend(Protocol.table, TestMethods)

const noHandlers: Layer.Layer<any> = Layer.empty as Layer.Layer<any>

// =============================================================================
// Connections
// =============================================================================

export interface Subject {
  readonly peer: ScriptedPeer.ScriptedPeer
  readonly connection: Connection.Connection
  readonly sentinel: InvariantSentinel.Sentinel
}

/** The connection that a handler serves on. */
export type Self = <A, E>(use: (connection: Connection.Connection) => Effect.Effect<A, E>) => Effect.Effect<A, E>

export interface SubjectOptions extends Partial<Omit<Connection.Options, "handlers">> {
  readonly handlers?: Layer.Layer<any> | ((self: Self) => Layer.Layer<any>) | undefined
  readonly peer?: ScriptedPeer.ScriptedPeer | undefined
  /** Runs first when the agent handles `initialize`. */
  readonly initialize?: Effect.Effect<unknown, AcpError.RequestError> | undefined
  /** Handles `initialize` to its end, whoever interrupts it. */
  readonly uninterruptibleInitialize?: boolean | undefined
  /** What the agent advertises. */
  readonly agentCapabilities?: Frames.Json | undefined
  /** What a client advertises. */
  readonly clientCapabilities?: Frames.Json | undefined
  /** Diagnostics that the test provokes. */
  readonly allow?: ReadonlyArray<InvariantSentinel.Tag> | undefined
}

/** The agent's side of a connection, not yet initialized. */
export const agentSide = (options: SubjectOptions = {}) => watched(options, agentQuiet(options))

/** The same without a sentinel. */
export const agentQuiet = Effect.fnUntraced(function*(options: SubjectOptions = {}) {
  const negotiation = Capabilities.makeUnsafe()
  const { agentCapabilities = {} } = options
  const initialize = AgentMethods.handlers({
    initialize: (request) => {
      const initialized = Effect.andThen(
        options.initialize ?? Effect.void,
        Effect.sync(() => {
          negotiation.commitUnsafe({
            protocolVersion: 1,
            agent: agentCapabilities,
            client: { ...request.clientCapabilities }
          })
          return { protocolVersion: 1, agentCapabilities }
        })
      )
      return options.uninterruptibleInitialize ? Rpc.uninterruptible(initialized) : initialized
    }
  })
  return yield* makeSubject("agent", { ...options, negotiation }, initialize)
})

/** The agent's side of a connection, behind the handshake. */
export const agent = Effect.fnUntraced(function*(options: SubjectOptions = {}) {
  const subject = yield* agentSide(options)
  yield* subject.peer.initialize()
  return subject
})

/** The client's side of a connection, not yet initialized. */
export const clientSide = (options: SubjectOptions = {}) => watched(options, makeSubject("client", options, noHandlers))

/** The client's side of a connection, behind the handshake. */
export const client = (options: SubjectOptions = {}) => watched(options, clientQuiet(options))

/** The same without a sentinel. */
export const clientQuiet = Effect.fnUntraced(function*(options: SubjectOptions = {}) {
  const negotiation = Capabilities.makeUnsafe()
  negotiation.commitUnsafe({
    protocolVersion: 1,
    agent: options.agentCapabilities ?? {},
    client: options.clientCapabilities ?? {}
  })
  return yield* makeSubject("client", { ...options, negotiation }, noHandlers)
})

const makeSubject: (
  side: "agent" | "client",
  options: SubjectOptions,
  own: Layer.Layer<any>
) => Effect.Effect<Omit<Subject, "sentinel">, never, Scope.Scope> = Effect.fnUntraced(function*(side, options, own) {
  const peer = options.peer ?? (yield* ScriptedPeer.make)
  const { handlers = noHandlers } = options
  const self: Self = (use) => Effect.suspend(() => use(connection))
  const services = yield* Layer.build(Layer.merge(typeof handlers === "function" ? handlers(self) : handlers, own))
  const connection: Connection.Connection = yield* Effect.provide(
    Connection.make({
      ...options,
      side,
      table,
      handshake: Protocol.handshake,
      handlers: services as Context.Context<never>
    }),
    peer.layer
  )
  return { peer, connection }
})

const watched = <E, R>(
  options: SubjectOptions,
  subject: Effect.Effect<Omit<Subject, "sentinel">, E, R>
): Effect.Effect<Subject, E, R | Scope.Scope> =>
  Effect.flatMap(subject, ({ connection, peer }) =>
    Effect.map(
      InvariantSentinel.watch(connection, { allow: options.allow }),
      (sentinel) => ({ connection, peer, sentinel })
    ))

// =============================================================================
// Bytes
// =============================================================================

const encoder = new TextEncoder()

export const bytesOf = (text: string): Uint8Array => encoder.encode(text)

export const concatBytes = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

/** The bytes in chunks that end at the given places, whatever order they are in. */
export const cutAt = (bytes: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const borders = [...new Set([0, ...places.map((place) => place % (bytes.length + 1)), bytes.length])].toSorted((
    a,
    b
  ) => a - b)
  return borders.slice(1).map((end, index) => bytes.slice(borders[index], end))
}

export { Frames, InvariantSentinel, ScriptedPeer }
