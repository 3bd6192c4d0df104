import * as Agent from "@effect-acp/core/Agent"
import { ScriptedPeer } from "@effect-acp/testing"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

it.effect("an agent stops when its client cancels", () =>
  Effect.gen(function*() {
    const client = yield* ScriptedPeer.make
    yield* Agent.make({
      agentInfo: { name: "mine", version: "1.0.0" },
      prompt: (turn) => Effect.andThen(turn.say("working"), Effect.never)
    }).pipe(Effect.provide(client.layer))

    yield* client.initialize()
    const { result } = yield* client.request("session/new", { cwd: "/w", mcpServers: [] })
    const { sessionId } = result as { readonly sessionId: string }

    const prompt = { sessionId, prompt: [{ type: "text", text: "go" }] }
    yield* client.send({ jsonrpc: "2.0", id: 7, method: "session/prompt", params: prompt })
    yield* client.expect({ method: "session/update", params: { update: { content: { text: "working" } } } })
    yield* client.send({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } })
    yield* client.expect({ id: 7, result: { stopReason: "cancelled" } })
    yield* client.expectNothing

    yield* client.close
    yield* client.expectEnd
    assert.isTrue((yield* client.lines).every((line) => line.startsWith("{\"jsonrpc\":\"2.0\"")))
  }))
