/**
 * An agent under test, its client in the test's hands.
 */
import * as Agent from "@effect-acp/core/Agent"
import * as SessionConfig from "@effect-acp/core/schema/SessionConfig"
import type { SessionStore } from "@effect-acp/core/SessionStore"
import { Frames, InvariantSentinel, ScriptedPeer } from "@effect-acp/testing"
import { Context, Effect, Layer } from "effect"

export type Subject = Effect.Success<ReturnType<typeof start>>

/** What a session may be set up with. */
export const modes = {
  currentModeId: "ask",
  availableModes: [{ id: "ask", name: "Ask" }, { id: "code", name: "Code" }]
}

export const model = SessionConfig.select({
  id: "model",
  name: "Model",
  options: [{ value: "big", name: "Big" }, { value: "small", name: "Small" }],
  currentValue: "big"
})

const info = { agentInfo: { name: "subject", version: "1.0.0" } }

export interface StartOptions {
  readonly client?: Frames.Json | undefined
  /** Diagnostics that the test provokes. */
  readonly allow?: ReadonlyArray<InvariantSentinel.Tag> | undefined
  readonly store?: Layer.Layer<SessionStore> | undefined
  /** Default: yes. */
  readonly initialize?: boolean | undefined
}

/** Starts an agent, initialized. Nothing that a connection should never notice may happen to it. */
export const start = Effect.fnUntraced(function*(
  options: Omit<Agent.Options, "agentInfo">,
  { allow, client, initialize = true, store }: StartOptions = {}
) {
  const peer = yield* ScriptedPeer.make
  const agentLayer = Agent.layer({ ...info, ...options }) as Layer.Layer<Agent.Agent>
  const needed = store === undefined ? peer.layer : Layer.merge(peer.layer, store)
  const agent = Context.get(yield* Layer.build(Layer.provide(agentLayer, needed)), Agent.Agent)
  const sentinel = yield* InvariantSentinel.watch(agent.connection, { allow })
  const initialized = initialize ? yield* peer.initialize(client) : undefined

  const newSession = Effect.map(
    peer.request("session/new", { cwd: "/w", mcpServers: [] }),
    (response) => (response.result as { readonly sessionId: string }).sessionId
  )
  return { peer, agent, sentinel, initialized, newSession }
})

export const prompt = (id: Frames.Id, sessionId: string, text = "go") =>
  Frames.request(id, "session/prompt", { sessionId, prompt: [{ type: "text", text }] })

export const cancel = (sessionId: string) => Frames.notification("session/cancel", { sessionId })

export const cancelRequest = (requestId: Frames.Id) => Frames.notification("$/cancel_request", { requestId })

/** A response that ends a turn. */
export const stopped = (id: Frames.Id, stopReason: string) => ({ id, result: { stopReason } })

export const refused = (id: Frames.Id, code: number, data?: unknown) => ({
  id,
  error: data === undefined ? { code } : { code, data }
})

export const busy = (id: Frames.Id) => refused(id, -32600, { reason: "session_busy" })

export const update = (sessionId: string, update: Frames.Json) => ({
  method: "session/update",
  params: { sessionId, update }
})

export const said = (sessionId: string, text: string) =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
