import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import { Frames, InvariantSentinel, ScriptedPeer } from "@effect-acp/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"

it.effect("a client shows what its agent says", () =>
  Effect.gen(function*() {
    const agent = yield* ScriptedPeer.make
    const connecting = yield* Effect.forkChild(
      Client.make({ clientInfo: { name: "mine", version: "1.0.0" } }).pipe(
        Effect.provide([Permission.layerDeny, agent.layer])
      )
    )
    yield* agent.acceptInitialize({ loadSession: true })
    const client = yield* Fiber.join(connecting)
    yield* InvariantSentinel.watch(client.connection)

    const opening = yield* Effect.forkChild(client.newSession({ cwd: "/w" }))
    yield* agent.respond(yield* agent.expect({ method: "session/new" }), { sessionId: "s1" })
    const session = yield* Fiber.join(opening)

    const turn = yield* Effect.forkChild(TurnEvent.runText(session.prompt("hello")))
    const prompt = yield* agent.expect({ method: "session/prompt", params: { sessionId: "s1" } })
    // One chunk of bytes, cut inside the emoji.
    const line = `${JSON.stringify(Frames.chunk("s1", "hi 😀"))}\n`
    yield* agent.sendFragments(line, [line.indexOf("😀") + 2])
    yield* agent.respond(prompt, { stopReason: "end_turn" })
    assert.strictEqual((yield* Fiber.join(turn)).text, "hi 😀")

    const failing = yield* Effect.forkChild(Effect.flip(TurnEvent.runText(session.prompt("again"))))
    yield* agent.expect({ method: "session/prompt" })
    yield* agent.exit({ code: 1, stderr: "out of credit" })
    assert.include((yield* Fiber.join(failing)).message, "out of credit")
  }))
