/**
 * The official SDK's client with the example agent, and its agent with the client of this library.
 */
import * as acp from "@agentclientprotocol/sdk"
import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import * as AgentProcess from "@effect-acp/host/AgentProcess"
import * as Files from "@effect-acp/host/Files"
import * as Terminals from "@effect-acp/host/Terminals"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { exampleAgent, keep, makePlace, type Place, tapped } from "./interop.ts"
import { fixture } from "./support.ts"

const { agent: agentMethods, client: clientMethods } = acp.methods

// =============================================================================
// Their client, our agent
// =============================================================================

type Update = acp.SessionNotification["update"]

/** What a client of the SDK has seen. */
interface Seen {
  readonly updates: Array<Update>
  readonly permissions: Array<acp.RequestPermissionRequest>
}

const makeSdkClient = (seen: Seen, allow: () => boolean) =>
  acp.client({ name: "sdk-client" })
    .onNotification(clientMethods.session.update, ({ params }) => {
      seen.updates.push(params.update)
    })
    .onRequest(clientMethods.session.requestPermission, ({ params }) => {
      seen.permissions.push(params)
      const option = params.options.find(({ kind }) => kind === (allow() ? "allow_once" : "reject_once"))!
      return { outcome: { outcome: "selected", optionId: option.optionId } }
    })
    .onRequest(clientMethods.fs.readTextFile, ({ params }) => ({ content: readFileSync(params.path, "utf8") }))
    .onRequest(clientMethods.fs.writeTextFile, ({ params }) => {
      writeFileSync(params.path, params.content)
      return {}
    })
    .onRequest(clientMethods.terminal.create, () => ({ terminalId: "terminal-1" }))
    .onRequest(clientMethods.terminal.waitForExit, () => ({ exitCode: 0, signal: null }))
    .onRequest(clientMethods.terminal.output, () => ({ output: "done\n", truncated: false }))
    .onRequest(clientMethods.terminal.release, () => ({}))

/** Runs a conversation of the SDK's client with an agent behind a tap. */
const withSdkClient = <A>(
  place: Place,
  agent: ReadonlyArray<string>,
  talk: (context: acp.ClientContext, seen: Seen, permit: (allow: boolean) => void) => Promise<A>
) =>
  Effect.gen(function*() {
    const [command, ...args] = tapped(place, agent)
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], cwd: place.work })),
      (child) => Effect.sync(() => child.kill())
    )
    const seen: Seen = { updates: [], permissions: [] }
    const policy = { allow: true }
    const stream = acp.ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>
    )
    return yield* Effect.promise(() =>
      makeSdkClient(seen, () => policy.allow).connectWith(stream, (context) =>
        talk(context, seen, (allow) => {
          policy.allow = allow
        }))
    )
  })

const greet = (context: acp.ClientContext) =>
  context.request(agentMethods.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "sdk-client", version: "1.0.0" },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true }
  })

const create = (context: acp.ClientContext, place: Place) =>
  context.request(agentMethods.session.new, { cwd: place.work, mcpServers: [] })

const say = (context: acp.ClientContext, sessionId: string, ...texts: ReadonlyArray<string>) =>
  context.request(agentMethods.session.prompt, {
    sessionId,
    prompt: texts.map((text) => ({ type: "text" as const, text }))
  })

const textIn = (updates: ReadonlyArray<Update>): string =>
  updates.map((update) =>
    update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : ""
  ).join("")

const kindsIn = (updates: ReadonlyArray<Update>): ReadonlySet<string> =>
  new Set(updates.map(({ sessionUpdate }) => sessionUpdate))

describe("the SDK's client with the example agent", { timeout: 60_000 }, () => {
  it.live("talks, uses tools, and asks", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      yield* withSdkClient(place, exampleAgent, async (context, seen, permit) => {
        const greeting = await greet(context)
        assert.strictEqual(greeting.protocolVersion, 1)
        const { sessionId } = await create(context, place)

        assert.deepStrictEqual(await say(context, sessionId, "echo hello é中文 😀"), { stopReason: "end_turn" })
        assert.strictEqual(textIn(seen.updates), "hello é中文 😀")

        await say(context, sessionId, "read README.md")
        assert.isTrue(kindsIn(seen.updates).has("tool_call"))
        assert.include(JSON.stringify(seen.updates), "A file of the acpx tests")
        await say(context, sessionId, "write notes.txt from the agent")
        assert.strictEqual(readFileSync(join(place.work, "notes.txt"), "utf8"), "from the agent")
        await say(context, sessionId, "run make all")
        assert.isAtLeast(seen.permissions.length, 3)

        permit(false)
        await say(context, sessionId, "write notes.txt no")
        assert.strictEqual(readFileSync(join(place.work, "notes.txt"), "utf8"), "from the agent")
        assert.include(textIn(seen.updates), "permission denied")

        await say(context, sessionId, "plan 2")
        assert.isTrue(kindsIn(seen.updates).has("plan"))
      })
      keep("sdk-client-tools", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("cancels, fails, and changes modes and options", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      yield* withSdkClient(place, exampleAgent, async (context, seen) => {
        await greet(context)
        const { configOptions, modes, sessionId } = await create(context, place)

        const turn = say(context, sessionId, "slow 2000")
        await new Promise((resolve) => setTimeout(resolve, 300))
        await context.notify(agentMethods.session.cancel, { sessionId })
        assert.deepStrictEqual(await turn, { stopReason: "cancelled" })
        const before = seen.updates.length
        await new Promise((resolve) => setTimeout(resolve, 200))
        assert.strictEqual(seen.updates.length, before)

        const failure = await say(context, sessionId, "fail").then(() => undefined, (error: unknown) => error)
        if (!(failure instanceof acp.RequestError)) return assert.fail("the turn did not fail")
        assert.strictEqual(failure.code, 1)

        const other = modes!.availableModes.find(({ id }) => id !== modes!.currentModeId)!
        await context.request(agentMethods.session.setMode, { sessionId, modeId: other.id })
        const option = configOptions!.find(({ type }) => type === "select")!
        const values = (option as { readonly options: ReadonlyArray<{ readonly value: string }> }).options
        const value = values.find((_) => _.value !== option.currentValue)!.value
        const changed = await context.request(agentMethods.session.setConfigOption, {
          sessionId,
          configId: option.id,
          value
        })
        assert.strictEqual(changed.configOptions.find(({ id }) => id === option.id)?.currentValue, value)
      })
      keep("sdk-client-turns", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("lists, loads, resumes, closes and deletes sessions", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      yield* withSdkClient(place, exampleAgent, async (context, seen) => {
        await greet(context)
        const { sessionId } = await create(context, place)
        await say(context, sessionId, "echo remember this")

        const listed = await context.request(agentMethods.session.list, { cwd: place.work })
        assert.deepStrictEqual(listed.sessions.map((_) => _.sessionId), [sessionId])

        await context.request(agentMethods.session.close, { sessionId })
        seen.updates.length = 0
        await context.request(agentMethods.session.load, { sessionId, cwd: place.work, mcpServers: [] })
        assert.include(textIn(seen.updates), "remember this")

        await context.request(agentMethods.session.close, { sessionId })
        seen.updates.length = 0
        await context.request(agentMethods.session.resume, { sessionId, cwd: place.work })
        assert.notInclude(textIn(seen.updates), "remember this")
        assert.deepStrictEqual(await say(context, sessionId, "echo again"), { stopReason: "end_turn" })

        await context.request(agentMethods.session.delete, { sessionId })
        assert.deepStrictEqual((await context.request(agentMethods.session.list, {})).sessions, [])
      })
      keep("sdk-client-sessions", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})

// =============================================================================
// Our client, their agent
// =============================================================================

const textOf = <E, R>(turn: Stream.Stream<TurnEvent.TurnEvent, E, R>) =>
  Effect.map(TurnEvent.runText(turn), ({ text }) => text)

const clientFor = (place: Place) => {
  const [command, ...args] = tapped(place, [process.execPath, fixture("sdk-agent.ts")])
  return Client.layer({ clientInfo: { name: "effect-client", version: "1.0.0" } }).pipe(
    Layer.provide([Files.layer(), Terminals.layer(), Permission.layerAllowOnce]),
    Layer.provide(AgentProcess.layer(command, args))
  )
}

describe("the client of this library with the SDK's agent", { timeout: 60_000 }, () => {
  it.live("talks, uses tools, cancels, and changes modes and options", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      yield* Effect.gen(function*() {
        const client = yield* Client.Client
        assert.strictEqual(client.agent.agentInfo?.name, "sdk-agent")
        const session = yield* client.newSession({ cwd: place.work })

        assert.include(yield* textOf(session.prompt("hello é中文 😀")), "You said: hello é中文 😀")
        assert.include(yield* textOf(session.prompt("read README.md")), "A file of the acpx tests")
        assert.include(yield* textOf(session.prompt("run node --version")), process.version)
        assert.include(yield* textOf(session.prompt("ask")), "selected")

        yield* session.setMode("code")
        yield* session.setConfigOption("model", "large")

        const turn = yield* Effect.forkChild(Stream.runLast(session.prompt("busy")))
        yield* Effect.sleep("300 millis")
        yield* session.cancel
        const last = yield* Effect.fromOption(yield* Fiber.join(turn))
        assert.deepInclude(last, { _tag: "End", response: { stopReason: "cancelled" } })
      }).pipe(Effect.scoped, Effect.provide(clientFor(place)))
      keep("sdk-agent-turns", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("lists, loads, resumes and deletes sessions", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      yield* Effect.gen(function*() {
        const client = yield* Client.Client
        const cwd = place.work
        const sessionId = yield* Effect.scoped(Effect.gen(function*() {
          const session = yield* client.newSession({ cwd })
          yield* Stream.runDrain(session.prompt("remember this"))
          return session.sessionId
        }))
        const listed = yield* Stream.runCollect(client.listSessions({ cwd }))
        assert.deepStrictEqual(listed.map((_) => _.sessionId), [sessionId])

        const loaded = yield* Effect.scoped(
          Effect.map(client.loadSession({ sessionId, cwd }), ({ history }) => history)
        )
        assert.include(JSON.stringify(loaded), "remember this")
        const resumed = yield* client.resumeSession({ sessionId, cwd })
        assert.deepStrictEqual(resumed.history, [])
        assert.include(yield* textOf(resumed.prompt("again")), "You said: again")
        yield* client.deleteSession(sessionId)
        assert.deepStrictEqual(yield* Stream.runCollect(client.listSessions()), [])
      }).pipe(Effect.scoped, Effect.provide(clientFor(place)))
      keep("sdk-agent-sessions", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})
