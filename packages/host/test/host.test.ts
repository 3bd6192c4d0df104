import * as Client from "@effect-acp/core/Client"
import type * as ClientSession from "@effect-acp/core/ClientSession"
import * as Permission from "@effect-acp/core/Permission"
import * as AgentProcess from "@effect-acp/host/AgentProcess"
import * as Files from "@effect-acp/host/Files"
import * as Terminals from "@effect-acp/host/Terminals"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import * as fs from "node:fs"
import { eventually, isAlive, platform, readWhenThere, tempDirectory } from "./support.ts"

const agent = AgentProcess.layer(process.execPath, [`${import.meta.dirname}/fixtures/agent.mjs`], {
  stdinGrace: "1 second"
})

const services = <A, E, R>(handlers: Layer.Layer<A, E, R>) =>
  Client.layer({ clientInfo: { name: "test", version: "1.0.0" } }).pipe(
    Layer.provideMerge(handlers),
    Layer.provide(Permission.layerDeny),
    Layer.provideMerge(agent)
  )

/** What the agent says of the calls that it is asked to make. */
const ask = (session: ClientSession.ClientSession, calls: ReadonlyArray<readonly [string, unknown]>) =>
  Stream.runCollect(session.prompt(JSON.stringify(calls))).pipe(
    Effect.map((events) =>
      events.flatMap((event) =>
        event._tag === "Update" && event.update.sessionUpdate === "agent_message_chunk" &&
          event.update.content.type === "text"
          ? [JSON.parse(event.update.content.text)]
          : []
      )
    )
  )

describe("a client with host services", () => {
  it.live("G5 advertises what it serves, and the agent can use it over the wire", () =>
    Effect.gen(function*() {
      const cwd = yield* tempDirectory
      const context = yield* Layer.build(services(Layer.mergeAll(Files.layer(), Terminals.layer())))
      const client = Context.get(context, Client.Client)
      const meta = client.agent._meta as { readonly client: { readonly fs: unknown; readonly terminal: unknown } }
      assert.deepStrictEqual(meta.client.fs, { readTextFile: true, writeTextFile: true })
      assert.strictEqual(meta.client.terminal, true)
      const session = yield* client.newSession({ cwd })
      const answers = yield* ask(session, [
        ["fs/write_text_file", { path: `${cwd}/a`, content: "one\ntwo\n" }],
        ["fs/read_text_file", { path: `${cwd}/a`, line: 2, limit: 1 }],
        ["fs/read_text_file", { path: "/etc/passwd" }],
        ["terminal/create", { command: "echo", args: ["hello"] }],
        ["terminal/wait_for_exit", { terminalId: "term-1" }],
        ["terminal/output", { terminalId: "term-1" }],
        ["terminal/release", { terminalId: "term-1" }]
      ])
      assert.deepStrictEqual(answers[0], {})
      assert.deepStrictEqual(answers[1], { content: "two\n" })
      assert.deepInclude(answers[2], { code: -32602, data: { reason: "path_traversal", path: "/etc/passwd" } })
      assert.deepStrictEqual(answers.slice(3), [
        { terminalId: "term-1" },
        { exitCode: 0, signal: null },
        { output: "hello\n", truncated: false, exitStatus: { exitCode: 0, signal: null } },
        {}
      ])
    }).pipe(Effect.provide(platform)), 20_000)

  it.live("G5 the read-only variant advertises reading alone", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(services(Files.layerReadOnly()))
      const meta = Context.get(context, Client.Client).agent._meta as {
        readonly client: { readonly fs: { readonly writeTextFile?: boolean; readonly readTextFile?: boolean } }
      }
      assert.isTrue(meta.client.fs.readTextFile)
      assert.notStrictEqual(meta.client.fs.writeTextFile, true)
    }).pipe(Effect.provide(platform)), 20_000)

  const terminalOf = (cwd: string) =>
    ["terminal/create", {
      command: "sh",
      args: ["-c", `trap "" TERM; echo $$ > ${cwd}/pid; while :; do sleep 1; done`]
    }] as const

  it.live(
    "T4 R2 an agent that dies takes its terminals with it, while the client's scope is open",
    () =>
      Effect.gen(function*() {
        const cwd = yield* tempDirectory
        const context = yield* Layer.build(services(Terminals.layer({ killGrace: 200 })))
        const session = yield* Context.get(context, Client.Client).newSession({ cwd })
        const turn = yield* Effect.forkChild(
          Effect.exit(ask(session, [terminalOf(cwd), ["terminal/wait_for_exit", { terminalId: "term-1" }]]))
        )
        const pid = Number(yield* readWhenThere(`${cwd}/pid`))
        process.kill(Context.get(context, AgentProcess.AgentProcess).pid, "SIGKILL")
        const exit = yield* Fiber.join(turn)
        assert.isTrue(Exit.isFailure(exit) && String(exit.cause).includes("SIGKILL"))
        yield* eventually(() => !isAlive(pid), "the terminal has ended")
      }).pipe(Effect.provide(platform)),
    20_000
  )

  it.live("T4 R2 closing the client's scope ends the agent and its terminals", () =>
    Effect.gen(function*() {
      const cwd = yield* tempDirectory
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(services(Terminals.layer({ killGrace: 200 })), scope)
      const session = yield* Scope.provide(Context.get(context, Client.Client).newSession({ cwd }), scope)
      yield* ask(session, [terminalOf(cwd)])
      const pid = Number(yield* readWhenThere(`${cwd}/pid`))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(isAlive(pid))
      assert.isFalse(isAlive(Context.get(context, AgentProcess.AgentProcess).pid))
      assert.strictEqual(fs.existsSync(`${cwd}/pid`), true)
    }).pipe(Effect.provide(platform)), 20_000)

  it.live("F109 a dead agent is not used again, and a new one can be started", () =>
    Effect.gen(function*() {
      const cwd = yield* tempDirectory
      const context = yield* Layer.build(services(Layer.empty))
      const client = Context.get(context, Client.Client)
      yield* client.newSession({ cwd })
      process.kill(Context.get(context, AgentProcess.AgentProcess).pid, "SIGKILL")
      const reason = yield* client.connection.closed
      assert.deepInclude(reason, { _tag: "ProcessExited", code: null, signal: "SIGKILL" })
      const error = yield* Effect.flip(client.newSession({ cwd }))
      assert.strictEqual(error._tag, "ConnectionClosed")
      const again = Context.get(yield* Layer.build(services(Layer.empty)), Client.Client)
      yield* again.newSession({ cwd })
    }).pipe(Effect.provide(platform)), 20_000)

  it.live("F108 an agent that exits in a turn is reported with its code", () =>
    Effect.gen(function*() {
      const cwd = yield* tempDirectory
      const context = yield* Layer.build(services(Layer.empty))
      const session = yield* Context.get(context, Client.Client).newSession({ cwd })
      const exit = yield* Effect.exit(ask(session, [["exit", 9]]))
      assert.isTrue(Exit.isFailure(exit) && String(exit.cause).includes("exited with code 9"), String(exit))
    }).pipe(Effect.provide(platform)), 20_000)
})

describe("a program that is no agent", () => {
  const connect = (command: string, args: ReadonlyArray<string>) =>
    Effect.scoped(Layer.build(
      Client.layer({ clientInfo: { name: "test", version: "1.0.0" }, handshakeTimeout: "1 second" }).pipe(
        Layer.provide([Permission.layerDeny, AgentProcess.layer(command, args, { stdinGrace: "1 second" })])
      )
    )).pipe(Effect.flip, Effect.provide(platform))

  it.live("F110 one that never answers is given up after the bound", () =>
    Effect.gen(function*() {
      const error = yield* connect("sh", ["-c", "cat > /dev/null"])
      assert.match(String(error), /initialize/)
    }), 20_000)

  it.live("R1 one that exits is reported with what it wrote to stderr", () =>
    Effect.gen(function*() {
      const error = yield* connect("sh", ["-c", "echo 'unknown option --acp' >&2; exit 64"])
      assert.match(String(error), /exited with code 64/)
      assert.match(String(error), /unknown option --acp/)
    }), 20_000)
})
