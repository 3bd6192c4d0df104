import * as Agent from "@effect-acp/core/Agent"
import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import * as Codec from "@effect-acp/core/schema/Codec"
import * as Transport from "@effect-acp/core/Transport"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const agent = Agent.layer({ agentInfo: { name: "agent", version: "1.0.0" }, prompt: (turn) => turn.say(turn.text) })

const client = Client.layer({ clientInfo: { name: "client", version: "1.0.0" } }).pipe(
  Layer.provide([Permission.layerDeny, Transport.layerMemory(agent)])
)

const turn = Effect.gen(function*() {
  const { newSession } = yield* Client.Client
  const session = yield* newSession({ cwd: "/" })
  return yield* TurnEvent.runText(session.prompt("hello"))
}).pipe(Effect.scoped)

/** Counts the functions that are generated from text while an effect runs. */
const countGenerated = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const Original = globalThis.Function
  let generated = 0
  const Counting = new Proxy(Original, {
    construct: (target, args: Array<string>) => {
      generated++
      return Reflect.construct(target, args)
    },
    apply: (target, self, args: Array<string>) => {
      generated++
      return Reflect.apply(target, self, args)
    }
  })
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      globalThis.Function = Counting
    }),
    () =>
      Effect.sync(() => {
        globalThis.Function = Original
      })
  )
  const result = yield* effect
  return { generated, result }
}, Effect.scoped)

describe("compilation of decoders", () => {
  it.effect("can be turned off, with the same results and no generated code", () =>
    Effect.gen(function*() {
      const interpreted = Layer.provide(client, Layer.succeed(Codec.Compile, false))
      const off = yield* countGenerated(Effect.provide(turn, interpreted))
      assert.strictEqual(off.result.text, "hello")
      assert.strictEqual(off.generated, 0)
      const on = yield* countGenerated(Effect.provide(turn, client))
      assert.deepStrictEqual(on.result, off.result)
      assert.isAbove(on.generated, 0)
    }))
})
