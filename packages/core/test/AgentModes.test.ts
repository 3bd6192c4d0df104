import * as SessionConfig from "@effect-acp/core/schema/SessionConfig"
import { Frames } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { prompt, start, stopped, update } from "./support/agent.ts"

const modes = {
  currentModeId: "ask",
  availableModes: [{ id: "ask", name: "Ask" }, { id: "code", name: "Code" }]
}

const configOptions = [
  SessionConfig.select({
    id: "model",
    name: "Model",
    options: [{ value: "big", name: "Big" }, { value: "small", name: "Small" }],
    currentValue: "big"
  }),
  SessionConfig.boolean({ id: "fast", name: "Fast", currentValue: false })
]

const opening = { cwd: "/w", mcpServers: [] }

describe("Modes and config options of a session", () => {
  it.effect("K27 F163 a change of mode by the client is answered, and told for whoever waits for that", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          yield* turn.session.setMode("ask")
        }),
        openSession: () => Effect.succeed({ modes }),
        setMode: (_, modeId) => Effect.sync(() => seen.push(modeId))
      })
      const sessionId = yield* newSession
      yield* peer.send(Frames.request(1, "session/set_mode", { sessionId, modeId: "code" }))
      yield* peer.expect(update(sessionId, { sessionUpdate: "current_mode_update", currentModeId: "code" }))
      yield* peer.expect({ id: 1, result: {} })
      assert.deepStrictEqual(seen, ["code"])
      yield* peer.send(prompt(2, sessionId))
      yield* peer.expect(update(sessionId, { sessionUpdate: "current_mode_update", currentModeId: "ask" }))
      yield* peer.expect(stopped(2, "end_turn"))
    }))

  it.effect("K27 F164 an unknown mode, option or value is -32602 with what there is, before the handler", () =>
    Effect.gen(function*() {
      const acted = { setMode: () => Effect.die("acted"), setConfigOption: () => Effect.die("acted") }
      const { newSession, peer } = yield* start({
        prompt: () => Effect.void,
        openSession: () => Effect.succeed({ modes, configOptions }),
        ...acted
      }, { client: { session: { configOptions: { boolean: {} } } } })
      const sessionId = yield* newSession
      const ask = (method: string, params: Frames.Json) =>
        Effect.map(peer.request(method, { sessionId, ...params }), ({ error }) => {
          const { code, data } = error as Frames.Json
          return { code, data }
        })
      assert.deepStrictEqual(yield* ask("session/set_mode", { modeId: "nope" }), {
        code: -32602,
        data: { modeId: "nope", available: ["ask", "code"] }
      })
      assert.deepStrictEqual(yield* ask("session/set_config_option", { configId: "nope", value: "big" }), {
        code: -32602,
        data: { configId: "nope", available: ["model", "fast"] }
      })
      assert.deepStrictEqual(yield* ask("session/set_config_option", { configId: "model", value: "huge" }), {
        code: -32602,
        data: { configId: "model", value: "huge", available: ["big", "small"] }
      })
      assert.deepStrictEqual(
        yield* ask("session/set_config_option", { configId: "fast", type: "boolean", value: "yes" }),
        {
          code: -32602,
          data: { configId: "fast", value: "yes", available: [true, false] }
        }
      )
    }))

  it.effect("K27 a boolean option is not offered to a client that did not say it can show one", () =>
    Effect.gen(function*() {
      const { peer } = yield* start({ prompt: () => Effect.void, openSession: () => Effect.succeed({ configOptions }) })
      const { result } = yield* peer.request("session/new", opening)
      const offered = (result as { readonly configOptions: ReadonlyArray<{ readonly id: string }> }).configOptions
      assert.deepStrictEqual(offered.map(({ id }) => id), ["model"])
    }))

  it.effect("K27 a config option that is the mode and the mode change together", () =>
    Effect.gen(function*() {
      const option = SessionConfig.select({
        id: "m",
        name: "Mode",
        category: "mode",
        options: [{ value: "ask", name: "Ask" }, { value: "code", name: "Code" }],
        currentValue: "ask"
      })
      const { newSession, peer } = yield* start({
        prompt: () => Effect.void,
        openSession: () => Effect.succeed({ modes, configOptions: [option] })
      })
      const sessionId = yield* newSession
      yield* peer.send(Frames.request(1, "session/set_config_option", { sessionId, configId: "m", value: "code" }))
      yield* peer.expect(
        update(sessionId, { sessionUpdate: "config_option_update", configOptions: [{ id: "m", currentValue: "code" }] })
      )
      yield* peer.expect(update(sessionId, { sessionUpdate: "current_mode_update", currentModeId: "code" }))
      yield* peer.expect({ id: 1, result: { configOptions: [{ id: "m", currentValue: "code" }] } })
      yield* peer.send(Frames.request(2, "session/set_mode", { sessionId, modeId: "ask" }))
      yield* peer.expect(update(sessionId, { sessionUpdate: "current_mode_update", currentModeId: "ask" }))
      yield* peer.expect(
        update(sessionId, { sessionUpdate: "config_option_update", configOptions: [{ id: "m", currentValue: "ask" }] })
      )
      yield* peer.expect({ id: 2, result: {} })
    }))
})
