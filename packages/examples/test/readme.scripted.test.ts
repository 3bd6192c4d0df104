import { Client, Permission, TurnEvent } from "@effect-acp/core"
import { ScriptedPeer } from "@effect-acp/testing"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"

it.effect("a turn whose agent dies fails with what the agent said last", () =>
  Effect.gen(function*() {
    const agent = yield* ScriptedPeer.make
    const client = Client.layer({ clientInfo: { name: "test", version: "1.0.0" } }).pipe(
      Layer.provide([Permission.layerDeny, agent.layer])
    )
    const turn = yield* Effect.gen(function*() {
      const { newSession } = yield* Client.Client
      const session = yield* newSession({ cwd: "/project" })
      return yield* TurnEvent.runText(session.prompt("Hello"))
    }).pipe(Effect.scoped, Effect.provide(client), Effect.flip, Effect.forkChild)

    yield* agent.acceptInitialize()
    yield* agent.respond(yield* agent.expect({ method: "session/new" }), { sessionId: "s1" })
    yield* agent.expect({ method: "session/prompt" })
    yield* agent.exit({ code: 1, stderr: "out of memory" })
    assert.include((yield* Fiber.join(turn)).message, "out of memory")
  }))
