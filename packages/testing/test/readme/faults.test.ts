import * as Agent from "@effect-acp/core/Agent"
import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import * as Transport from "@effect-acp/core/Transport"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import { FaultyTransport, Recording } from "@effect-acp/testing"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

const agent = Agent.layer({
  agentInfo: { name: "echo", version: "1.0.0" },
  prompt: (turn) => turn.say(turn.text)
})

/** Builds a client on a transport and has one conversation with it. */
const talk = <E>(transport: Layer.Layer<Transport.Transport, E>) =>
  Effect.gen(function*() {
    const { newSession } = yield* Client.Client
    const session = yield* newSession({ cwd: "/w" })
    return yield* TurnEvent.runText(session.prompt("hello"))
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Client.layer({ clientInfo: { name: "mine", version: "1.0.0" } }).pipe(
        Layer.provide([Permission.layerDeny, transport])
      )
    )
  )

it.effect("a noisy link changes nothing", () =>
  Effect.gen(function*() {
    const link = FaultyTransport.layer(Transport.layerMemory(agent), { seed: 42, incoming: { garbage: 0.5 } })
    assert.strictEqual((yield* talk(link)).text, "hello")
  }))

it.effect("a conversation is recorded, and replayed without its agent", () =>
  Effect.gen(function*() {
    const link = Context.get(yield* Layer.build(Transport.layerMemory(agent)), Transport.Transport)
    const recorder = yield* Recording.record(link)
    const live = yield* talk(recorder.layer)
    const text = Recording.stringify(yield* recorder.recording)

    const replayed = yield* talk(Recording.layerReplay(yield* Recording.parse(text)))
    assert.deepStrictEqual(replayed, live)
  }))
