import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, SubscriptionRef } from "effect"
import * as Support from "./support/client.ts"

const { Frames } = Support

describe("modes and config options", () => {
  const setup = {
    modes: { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }, { id: "code", name: "Code" }] },
    configOptions: [
      {
        id: "model",
        name: "Model",
        type: "select",
        currentValue: "a",
        options: [{ group: "g", name: "G", options: [{ value: "a", name: "A" }, { value: "b", name: "B" }] }]
      },
      { id: "brave", name: "Brave", type: "boolean", currentValue: false }
    ]
  }

  it.effect("F163 a mode is set with the agent's answer, and a later notification wins", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ setup })
      const mode = Effect.map(SubscriptionRef.get(session.state), ({ modes }) => modes?.currentModeId)
      assert.strictEqual(yield* mode, "ask")
      const first = yield* Effect.forkChild(session.setMode("code"))
      yield* peer.respond(
        yield* peer.expect({ method: "session/set_mode", params: { sessionId: "s1", modeId: "code" } }),
        {}
      )
      yield* Fiber.join(first)
      assert.strictEqual(yield* mode, "code")
      const second = yield* Effect.forkChild(session.setMode("ask"))
      const request = yield* peer.expect({ method: "session/set_mode" })
      yield* peer.send(
        Frames.result(request.id as number, {}),
        Support.update("current_mode_update", { currentModeId: "code" })
      )
      yield* Fiber.join(second)
      yield* peer.settle
      assert.strictEqual(yield* mode, "code")
    }))

  it.effect("F163 a config option is set with the agent's answer, which has them all", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ setup })
      for (
        const [configId, value, params] of [
          ["model", "b", { configId: "model", value: "b", type: undefined }],
          ["brave", true, { configId: "brave", value: true, type: "boolean" }]
        ] as const
      ) {
        const setting = yield* Effect.forkChild(session.setConfigOption(configId, value))
        const configOptions: ReadonlyArray<unknown> = [
          { ...setup.configOptions[1], currentValue: true },
          setup.configOptions[0]
        ]
        yield* peer.respond(yield* peer.expect({ method: "session/set_config_option", params }), { configOptions })
        yield* Fiber.join(setting)
        assert.deepStrictEqual<unknown>((yield* SubscriptionRef.get(session.state)).configOptions, configOptions)
      }
    }))

  it.effect("F164 what the agent does not offer is refused here, with what it offers", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ setup })
      const refused = Effect.fnUntraced(function*(change: ReturnType<typeof session.setMode>) {
        const error = yield* Effect.flip(change)
        return error._tag === "NotOffered" ? [error.what, error.chosen, error.offered.join()] : [error._tag]
      })
      assert.deepStrictEqual(yield* refused(session.setMode("nope")), ["mode", "nope", "ask,code"])
      assert.deepStrictEqual(yield* refused(session.setConfigOption("x", "a")), ["config option", "x", "model,brave"])
      assert.deepStrictEqual(yield* refused(session.setConfigOption("model", "c")), ["config value", "c", "a,b"])
      assert.deepStrictEqual(yield* refused(session.setConfigOption("model", true)), ["config value", "true", "a,b"])
      assert.deepStrictEqual(yield* refused(session.setConfigOption("brave", "yes")), [
        "config value",
        "yes",
        "true,false"
      ])
      yield* peer.expectNothing
    }))

  it.effect("F045 an answer without the options is a typed failure with what came, and the connection lives", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({ setup })
      const setting = yield* Effect.forkChild(Effect.flip(session.setConfigOption("model", "b")))
      yield* peer.respond(yield* peer.expect({ method: "session/set_config_option" }), {})
      const error = yield* Fiber.join(setting)
      assert.deepInclude(error, { _tag: "DecodeError", received: {} })
      assert.include(error.message, "configOptions")
      const again = yield* Effect.forkChild(session.setMode("code"))
      yield* peer.respond(yield* peer.expect({ method: "session/set_mode" }), {})
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(again)))
    }))
})
