import * as AcpError from "@effect-acp/core/AcpError"
import * as Extension from "@effect-acp/core/Extension"
import * as Raxol from "@effect-acp/core/extension/Raxol"
import { InboundRequest } from "@effect-acp/core/InboundRequest"
import * as MethodTable from "@effect-acp/core/MethodTable"
import * as Protocol from "@effect-acp/core/Protocol"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Queue, Schema } from "effect"
import * as Pair from "./support/pair.ts"

/** A method as the peer knows it, with whatever name and params. */
const request = (wire: string) =>
  MethodTable.request(wire, {
    direction: "client_to_agent",
    callback: "any",
    params: Schema.Record(Schema.String, Schema.Unknown),
    result: Schema.Unknown
  })

const notification = (wire: string) =>
  MethodTable.notification(wire, {
    direction: "client_to_agent",
    callback: "any",
    params: Schema.Record(Schema.String, Schema.Unknown)
  })

class Answers extends Context.Service<Answers, { readonly answer: string }>()("test/Answers") {}

describe("methods without a row", () => {
  it.effect("F026 are answered with -32601 and dropped with a diagnostic when nobody handles them", () =>
    Effect.gen(function*() {
      const { agent, client } = yield* Pair.make({})
      for (const wire of ["_vendor/y/ask", "ping", ""]) {
        const error = yield* Effect.flip(client.connection.call(request(wire), { q: 1 }))
        assert.strictEqual(error._tag, "MethodNotFound")
        assert.deepInclude(error, { data: { method: wire } })
      }
      yield* client.connection.notify(notification("_vendor/x/changed"), {})
      yield* Effect.flip(client.connection.call(request("ping"), {}))
      assert.deepStrictEqual(agent.diagnostics, [{ _tag: "UnknownNotification", method: "_vendor/x/changed" }])
    }))

  it.effect("F025 go to the raw handlers as they came", () =>
    Effect.gen(function*() {
      const told = yield* Queue.unbounded<unknown>()
      const raw = Extension.layerRaw({
        request: (method, params) =>
          Effect.gen(function*() {
            const { answer } = yield* Answers
            const { id } = yield* InboundRequest
            return { method, params, answer, id }
          }),
        notification: (method, params) => Queue.offer(told, { method, params })
      }).pipe(Layer.provide(Layer.succeed(Answers, { answer: "yes" })))
      const { agent, client, frames } = yield* Pair.make({ agent: raw })
      const answer = yield* client.connection.call(request("_vendor/y/ask"), { q: [1], _meta: { a: 1 } })
      const { id } = frames[0] as { id: unknown }
      assert.deepStrictEqual(answer, {
        method: "_vendor/y/ask",
        params: { q: [1], _meta: { a: 1 } },
        answer: "yes",
        id
      })
      yield* client.connection.notify(notification("_vendor/x/changed"), { x: 1 })
      assert.deepStrictEqual(yield* Queue.take(told), { method: "_vendor/x/changed", params: { x: 1 } })
      assert.deepStrictEqual(agent.diagnostics, [])
    }))

  it.effect("do not go to the raw handlers outside of the reserved space, unless they ask for it", () =>
    Effect.gen(function*() {
      const reserved = yield* Pair.make({ agent: Extension.layerRaw({ request: () => Effect.succeed("raw") }) })
      const error = yield* Effect.flip(reserved.client.connection.call(request("cursor/create_plan"), {}))
      assert.strictEqual(error._tag, "MethodNotFound")
      const asking = yield* Pair.make({
        agent: Extension.layerRaw({
          accepts: (method) => method.startsWith("cursor/"),
          request: (_, params) => Effect.succeed(params)
        })
      })
      const plan = { plan: "..." }
      assert.deepStrictEqual(yield* asking.client.connection.call(request("cursor/create_plan"), plan), plan)
    }))

  it.effect("have the defaults of what is left out", () =>
    Effect.gen(function*() {
      const { agent, client } = yield* Pair.make({ agent: Extension.layerRaw({}) })
      const error = yield* Effect.flip(client.connection.call(request("_a/b"), {}))
      assert.deepInclude(error, { _tag: "MethodNotFound", data: { method: "_a/b" } })
      yield* client.connection.notify(notification("_a/c"), {})
      yield* Effect.flip(client.connection.call(request("_a/b"), {}))
      assert.deepStrictEqual(agent.diagnostics, [{ _tag: "UnknownNotification", method: "_a/c" }])
    }))

  it.effect("fail, die and are cancelled like any other request", () =>
    Effect.gen(function*() {
      const started = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const raw = Extension.layerRaw({
        request: (method) => {
          switch (method) {
            case "_a/fails":
              return Effect.fail(new AcpError.OtherError({ code: 7, message: "seven" }))
            case "_a/dies":
              return Effect.die("secret")
            case "_a/cycle": {
              const cycle: { self?: unknown } = {}
              cycle.self = cycle
              return Effect.succeed(cycle)
            }
            default:
              return Effect.andThen(
                Effect.addFinalizer(() => Deferred.succeed(released, undefined)),
                Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
              )
          }
        }
      })
      const { client, frames } = yield* Pair.make({ agent: raw })
      const call = (wire: string) => client.connection.call(request(wire), {})
      assert.deepInclude(yield* Effect.flip(call("_a/fails")), { code: 7, message: "seven" })
      for (const wire of ["_a/dies", "_a/cycle"]) {
        const error = yield* Effect.flip(call(wire))
        assert.strictEqual(error._tag, "InternalError")
        assert.notInclude(JSON.stringify(frames.at(-1)), "secret")
      }
      const fiber = yield* Effect.forkChild(call("_a/waits"))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      yield* Deferred.await(released)
    }))

  it.effect("never are names that have a row", () =>
    Effect.gen(function*() {
      const raw = Extension.layerRaw({ request: () => Effect.succeed("raw"), notification: () => Effect.die("called") })
      const { agent, client } = yield* Pair.make({
        agent: raw,
        agentProtocol: Protocol.extend(Protocol.v1, Raxol.AgentMethods)
      })
      const error = yield* Effect.flip(client.connection.call(request("_raxol/session.steer"), {}))
      assert.strictEqual(error._tag, "MethodNotFound")
      yield* client.connection.notify(notification("_raxol/session.steer"), {})
      assert.strictEqual(yield* client.connection.call(request("_raxol/other"), {}), "raw")
      assert.deepStrictEqual(agent.diagnostics, [{ _tag: "UnservedNotification", method: "_raxol/session.steer" }])
    }))
})
