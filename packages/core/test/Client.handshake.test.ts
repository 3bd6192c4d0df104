import * as AcpError from "@effect-acp/core/AcpError"
import * as Authentication from "@effect-acp/core/Authentication"
import * as ClientMethods from "@effect-acp/core/ClientMethods"
import * as Elicitation from "@effect-acp/core/Elicitation"
import * as Transport from "@effect-acp/core/Transport"
import { ScriptedPeer } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Support from "./support/client.ts"

const { cwd } = Support

/** Builds a client and gives its failure. */
const failing = (peer: ScriptedPeer.ScriptedPeer, options?: Support.ClientOptions) =>
  Effect.forkChild(Effect.flip(Effect.scoped(Support.build(peer, options))))

describe("handshake", () => {
  it.effect("H5 a version that the client does not speak is a typed failure that names both, and closes", () =>
    Effect.gen(function*() {
      for (const offered of [0, 2]) {
        const peer = yield* ScriptedPeer.make
        const building = yield* failing(peer)
        const request = yield* peer.expect({ method: "initialize", params: { protocolVersion: 1 } })
        yield* peer.respond(request, { protocolVersion: offered })
        assert.deepInclude(yield* Fiber.join(building), {
          _tag: "UnsupportedProtocolVersion",
          requested: 1,
          offered
        })
        yield* peer.expectEnd
      }
    }))

  it.effect("an error of the agent is the failure, with its code and data", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const building = yield* failing(peer)
      yield* peer.respondError(yield* peer.expect({ method: "initialize" }), -32603, "no", { why: "x" })
      assert.deepInclude(yield* Fiber.join(building), { _tag: "InternalError", message: "no", data: { why: "x" } })
      yield* peer.expectEnd
    }))

  it.effect("F110 what does not answer initialize within the bound is named with what it wrote instead", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const building = yield* failing(peer, { handshakeTimeout: "2 seconds" })
      yield* peer.expect({ method: "initialize" })
      yield* peer.sendRaw("Reading prompt from stdin...\n")
      yield* peer.settle
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(building)
      assert.deepInclude(error, {
        _tag: "HandshakeTimeout",
        millis: 2_000,
        noise: "Reading prompt from stdin..."
      })
      assert.include(error.message, "Reading prompt from stdin...")
    }))

  it.effect("F110 what an agent says beside its frames is told as well", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const aside = Effect.succeed("its stderr ends with: not logged in")
      const layer = Layer.provide(
        Layer.effect(Transport.Transport)(Effect.map(Transport.Transport, (transport) => ({ ...transport, aside }))),
        peer.layer
      )
      const building = yield* failing({ ...peer, layer }, { handshakeTimeout: "2 seconds" })
      yield* peer.expect({ method: "initialize" })
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(building)
      assert.deepInclude(error, { _tag: "HandshakeTimeout", aside: "its stderr ends with: not logged in" })
      assert.include(error.message, "it wrote: its stderr ends with: not logged in")
    }))

  it.effect("F111 without a bound the agent may take any time", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const building = yield* Effect.forkChild(Support.build(peer))
      const request = yield* peer.expect({ method: "initialize" })
      yield* TestClock.adjust("1 hour")
      yield* peer.respond(request, { protocolVersion: 1, agentInfo: { name: "slow", version: "2" } })
      const { agent } = yield* Fiber.join(building)
      assert.strictEqual(agent.agentInfo?.name, "slow")
    }))

  it.effect("what ends in the handshake says how, and what it wrote that was no message", () =>
    Effect.gen(function*() {
      const peer = yield* ScriptedPeer.make
      const building = yield* failing(peer)
      yield* peer.expect({ method: "initialize" })
      yield* peer.sendRaw("usage: agent [options]\n")
      yield* peer.exit({ code: 2, stderr: "bad flag" })
      const error = yield* Fiber.join(building)
      assert.strictEqual(error._tag, "ConnectionClosed")
      assert.include(error.message, "usage: agent")
      assert.include(error.message, "bad flag")
    }))
})

describe("what a client advertises", () => {
  const advertised = (services: Layer.Layer<any>, options: Support.ClientOptions = {}) =>
    Effect.map(
      Support.start({ ...options, services }),
      ({ initialize }) => (initialize.params as Support.Frames.Json).clientCapabilities
    )

  const readTextFile = () => Effect.succeed({ content: "" })

  it.effect("G5 is what it has handlers for, no more and no less", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* advertised(Layer.empty as Layer.Layer<any>), {})
      assert.deepStrictEqual(yield* advertised(ClientMethods.handlers({ readTextFile })), {
        fs: { readTextFile: true }
      })
      assert.deepStrictEqual(
        yield* advertised(Elicitation.layer({ form: () => Effect.succeed("cancel") })),
        { elicitation: { form: {} } }
      )
      assert.deepStrictEqual(
        yield* advertised(Elicitation.layer({
          form: () => Effect.succeed("cancel"),
          url: () => Effect.succeed("decline")
        })),
        { elicitation: { form: {}, url: {} } }
      )
      const choose = () => Effect.succeed(undefined)
      assert.deepStrictEqual(yield* advertised(Authentication.layer({ choose })), {})
      assert.deepStrictEqual(
        yield* advertised(Authentication.layer({ choose, login: () => Effect.succeed(true) })),
        { auth: { terminal: true } }
      )
      assert.deepStrictEqual(
        yield* advertised(ClientMethods.handlers({ readTextFile }), {
          capabilities: { session: { notices: {} }, fs: { _meta: { x: 1 } } }
        }),
        { fs: { readTextFile: true, _meta: { x: 1 } }, session: { notices: {} } }
      )
    }))

  it.effect("G5 a method without a handler is refused", () =>
    Effect.gen(function*() {
      const { peer } = yield* Support.start({ services: ClientMethods.handlers({ readTextFile }) })
      assert.deepInclude(yield* peer.request("fs/write_text_file", {}), {
        error: { code: -32601, message: "Method not found", data: { method: "fs/write_text_file" } }
      })
      const answer = yield* peer.request("fs/read_text_file", { sessionId: "s", path: "/a" })
      assert.deepStrictEqual(answer.result, { content: "" })
    }))
})

describe("authentication", () => {
  const authMethods = [
    { id: "browser", name: "Browser" },
    { id: "cli", name: "Terminal", type: "terminal", args: ["--login"], env: { LOGIN: "1" } }
  ]

  const required = (peer: ScriptedPeer.ScriptedPeer, method: string) =>
    Effect.flatMap(peer.expect({ method }), (request) => peer.respondError(request, -32000, "Authentication required"))

  it.effect("without a service the demand is the failure", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({ authMethods })
      const opening = yield* Effect.forkChild(Effect.flip(Effect.scoped(client.newSession({ cwd }))))
      yield* required(peer, "session/new")
      assert.strictEqual((yield* Fiber.join(opening))._tag, "AuthRequired")
      assert.deepStrictEqual<unknown>(client.agent.authMethods, authMethods)
    }))

  it.effect("a set-up that needs it is tried once more behind authenticate, load and resume too", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({
        authMethods,
        agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
        services: Authentication.layerMethod("browser")
      })
      for (
        const [method, open] of [
          ["session/new", client.newSession({ cwd })],
          ["session/load", client.loadSession({ cwd, sessionId: "a" })],
          ["session/resume", client.resumeSession({ cwd, sessionId: "b" })]
        ] as const
      ) {
        const opening = yield* Effect.forkChild(open)
        yield* required(peer, method)
        yield* peer.respond(yield* peer.expect({ method: "authenticate", params: { methodId: "browser" } }), {})
        yield* peer.respond(yield* peer.expect({ method }), { sessionId: "s1" })
        yield* Fiber.join(opening)
      }
    }))

  it.effect("F061 an agent that still asks is not asked again", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({ authMethods, services: Authentication.layerMethod("browser") })
      const opening = yield* Effect.forkChild(Effect.flip(Effect.scoped(client.newSession({ cwd }))))
      yield* required(peer, "session/new")
      yield* peer.respond(yield* peer.expect({ method: "authenticate" }), {})
      yield* required(peer, "session/new")
      const error = yield* Fiber.join(opening)
      assert.deepInclude(error, { _tag: "AuthenticationFailed", methodId: "browser", reason: "StillRequired" })
      assert.include(error.message, "browser")
      yield* peer.expectNothing
    }))

  it.effect("two set-ups at a time authenticate once", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({ authMethods, services: Authentication.layerMethod("browser") })
      const openings = [
        yield* Effect.forkChild(client.newSession({ cwd: "/a" })),
        yield* Effect.forkChild(client.newSession({ cwd: "/b" }))
      ]
      yield* required(peer, "session/new")
      yield* required(peer, "session/new")
      yield* peer.respond(yield* peer.expect({ method: "authenticate" }), {})
      for (const sessionId of ["a", "b"]) {
        yield* peer.respond(yield* peer.expect({ method: "session/new" }), { sessionId })
      }
      yield* Effect.forEach(openings, Fiber.join)
    }))

  it.effect("a terminal method is a login for the host, offered only where it can run one", () =>
    Effect.gen(function*() {
      const logins: Array<Authentication.TerminalLogin> = []
      const offered: Array<ReadonlyArray<string>> = []
      const services = (login: boolean, result: boolean) =>
        Authentication.layer({
          choose: (methods) =>
            Effect.sync(() => {
              offered.push(methods.map(({ id }) => id))
              return methods.at(-1)
            }),
          ...(login
            ? { login: (request: Authentication.TerminalLogin) => Effect.sync(() => (logins.push(request), result)) }
            : {})
        })
      for (const [result, reason] of [[true, "Reconnect"], [false, "LoginFailed"]] as const) {
        const { client, peer } = yield* Support.start({ authMethods, services: services(true, result) })
        const opening = yield* Effect.forkChild(Effect.flip(Effect.scoped(client.newSession({ cwd }))))
        yield* required(peer, "session/new")
        assert.deepInclude(yield* Fiber.join(opening), { _tag: "AuthenticationFailed", methodId: "cli", reason })
        yield* peer.expectNothing
      }
      assert.deepStrictEqual([logins[0].args, logins[0].env], [["--login"], { LOGIN: "1" }])

      const { client, peer } = yield* Support.start({ authMethods, services: services(false, false) })
      const opening = yield* Effect.forkChild(Effect.flip(Effect.scoped(client.newSession({ cwd }))))
      yield* required(peer, "session/new")
      yield* peer.respondError(yield* peer.expect({ method: "authenticate", params: { methodId: "browser" } }), -32603)
      assert.strictEqual((yield* Fiber.join(opening))._tag, "InternalError")
      assert.deepStrictEqual(offered, [["browser", "cli"], ["browser", "cli"], ["browser"]])
    }))

  it.effect("authenticate takes what is advertised for it, logout what the agent can", () =>
    Effect.gen(function*() {
      const { client, peer } = yield* Support.start({ authMethods, agentCapabilities: { auth: { logout: {} } } })
      for (const methodId of ["cli", "nope"]) {
        const error = yield* Effect.flip(client.authenticate(methodId))
        assert.deepInclude(error, { _tag: "NotOffered", chosen: methodId, offered: ["browser"] })
      }
      const calls = yield* Effect.forkChild(Effect.andThen(client.authenticate("browser"), client.logout))
      yield* peer.respond(yield* peer.expect({ method: "authenticate", params: { methodId: "browser" } }), {})
      yield* peer.respond(yield* peer.expect({ method: "logout" }), {})
      yield* Fiber.join(calls)
    }))

  it("an error says what to do in words", () => {
    const error = new AcpError.AuthenticationFailed({ methodId: "x", reason: "Reconnect" })
    assert.include(AcpError.format(error), "connect to the agent again")
  })
})
