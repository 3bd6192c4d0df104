/**
 * With software that is not of this project: the official SDK, on the other end of a real child process.
 */
import * as acp from "@agentclientprotocol/sdk"
import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import * as AgentProcess from "@effect-acp/host/AgentProcess"
import * as Files from "@effect-acp/host/Files"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Stream } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { Readable, Writable } from "node:stream"
import {
  agentFile,
  clientInfo,
  collect,
  fixture,
  isAlive,
  platform,
  statuses,
  tempDirectory,
  turnIn
} from "./support.ts"

const timeout = 30_000

// =============================================================================
// Our client, their agent
// =============================================================================

const sdkAgent = (policy: Layer.Layer<Permission.Permission>) =>
  Client.layer({ clientInfo }).pipe(
    Layer.provide([policy, Files.layer()]),
    Layer.provideMerge(AgentProcess.layer(process.execPath, [fixture("sdk-agent.ts")])),
    Layer.provideMerge(platform)
  )

describe("our client with an agent of the official SDK", () => {
  it.live("handshake, streamed turn, permission, file read, cancel, exit", () =>
    Effect.gen(function*() {
      const pid = yield* Effect.gen(function*() {
        const { agent, newSession } = yield* Client.Client
        assert.strictEqual(agent.agentInfo?.name, "sdk-agent")
        assert.strictEqual(agent.protocolVersion, 1)

        const cwd = yield* tempDirectory
        yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.writeFileString(`${cwd}/a.txt`, "from the disk\n"))
        const session = yield* newSession({ cwd })
        const echoed = yield* collect(session.prompt("echo one two three"))
        assert.strictEqual(echoed.text, "one two three ")
        assert.strictEqual(echoed.updates.length, 3)
        assert.strictEqual(echoed.stopReason, "end_turn")

        const read = yield* collect(session.prompt(`read ${cwd}/a.txt`))
        assert.strictEqual(read.text, "from the disk\n")
        assert.deepStrictEqual(statuses(read.updates), ["pending", "in_progress", "completed"])

        const cancelled = yield* collect(Stream.tap(session.prompt("slow"), () => session.cancel))
        assert.strictEqual(cancelled.stopReason, "cancelled")
        assert.strictEqual((yield* collect(session.prompt("echo again"))).text, "again ")

        const { connection } = yield* Client.Client
        const counts = Object.values(yield* connection.counts)
        assert.deepStrictEqual(counts, counts.map(() => 0))
        return (yield* AgentProcess.AgentProcess).pid
      }).pipe(Effect.scoped, Effect.provide(sdkAgent(Permission.layerAllowReads)))
      assert.isFalse(isAlive(pid))
    }), timeout)

  it.live("permission that is denied", () =>
    Effect.gen(function*() {
      const { text, updates } = yield* turnIn("/", "read /etc/hostname")
      assert.strictEqual(text, "not allowed")
      assert.deepStrictEqual(statuses(updates), ["pending", "failed"])
    }).pipe(Effect.provide(sdkAgent(Permission.layerDeny))), timeout)
})

// =============================================================================
// Their client, our agent
// =============================================================================

interface Seen {
  readonly updates: Array<acp.SessionUpdate>
  readonly questions: Array<acp.RequestPermissionRequest>
}

const sdkClient = (seen: Seen, optionKind: acp.PermissionOptionKind) =>
  acp.client({ name: "sdk-client" })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      seen.updates.push(params.update)
    })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      seen.questions.push(params)
      const option = params.options.find(({ kind }) => kind === optionKind)
      return {
        outcome: option === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.optionId }
      }
    })
    .onRequest(
      acp.methods.client.fs.readTextFile,
      async ({ params }) => ({ content: await readFile(params.path, "utf8") })
    )

const untilOne = async (updates: ReadonlyArray<unknown>): Promise<void> => {
  if (updates.length > 0) return
  await new Promise((resolve) => setTimeout(resolve, 10))
  return untilOne(updates)
}

const initialize: acp.InitializeRequest = {
  protocolVersion: acp.PROTOCOL_VERSION,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: false } },
  clientInfo: { name: "sdk-client", version: "1.0.0" }
}

/** Starts our agent, hands it to a client of the SDK, and gives what came and how the process ended. */
const withAgent = <A>(
  optionKind: acp.PermissionOptionKind,
  use: (agent: acp.ClientContext, seen: Seen) => Promise<A>
) =>
  Effect.acquireUseRelease(
    Effect.sync(() => spawn(process.execPath, [agentFile], { stdio: ["pipe", "pipe", "inherit"] })),
    (child) =>
      Effect.promise(async () => {
        const seen: Seen = { updates: [], questions: [] }
        const value = await sdkClient(seen, optionKind).connectWith(streamOf(child), (agent) => use(agent, seen))
        child.stdin.end()
        const [code] = child.exitCode === null ? await once(child, "exit") : [child.exitCode]
        return { value, code: code as number | null, ...seen }
      }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const streamOf = ({ stdin, stdout }: ChildProcess) =>
  acp.ndJsonStream(
    Writable.toWeb(stdin!) as WritableStream<Uint8Array>,
    Readable.toWeb(stdout!) as ReadableStream<Uint8Array>
  )

const text = (updates: ReadonlyArray<acp.SessionUpdate>) =>
  updates.map((update) =>
    update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : ""
  ).join("")

describe("a client of the official SDK with our agent", () => {
  it.live("handshake, streamed turn, permission, file read, cancel, exit", () =>
    Effect.gen(function*() {
      const cwd = yield* tempDirectory
      yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.writeFileString(`${cwd}/a.txt`, "from the disk\n"))
      const { code, questions, value } = yield* withAgent("allow_once", async (agent, { updates }) => {
        const prompt = async (text: string) => {
          updates.length = 0
          return agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })
        }
        const { agentInfo, protocolVersion } = await agent.request(acp.methods.agent.initialize, initialize)
        const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] })

        const echoed = { ...await prompt("echo hello there"), text: text(updates), chunks: updates.length }
        const read = {
          ...await prompt("read a.txt"),
          text: text(updates),
          kinds: updates.map(({ sessionUpdate }) => sessionUpdate)
        }
        const turn = prompt("slow 1000000")
        await untilOne(updates)
        await agent.notify(acp.methods.agent.session.cancel, { sessionId })
        const cancelled = await turn
        const after = { ...await prompt("echo again"), text: text(updates) }
        return { agentInfo, protocolVersion, echoed, read, cancelled, after }
      })
      assert.strictEqual(value.agentInfo?.name, "effect-acp-example")
      assert.strictEqual(value.protocolVersion, 1)
      assert.strictEqual(value.echoed.text, "hello there")
      assert.isAbove(value.echoed.chunks, 1)
      assert.strictEqual(value.echoed.stopReason, "end_turn")
      assert.strictEqual(value.read.text, "from the disk\n")
      assert.deepStrictEqual(value.read.kinds, [
        "tool_call",
        "tool_call_update",
        "tool_call_update",
        "tool_call_update",
        "agent_message_chunk"
      ])
      assert.strictEqual(questions.length, 1)
      assert.strictEqual(value.cancelled.stopReason, "cancelled")
      assert.deepInclude(value.after, { text: "again", stopReason: "end_turn" })
      assert.strictEqual(code, 0)
    }).pipe(Effect.scoped, Effect.provide(platform)), timeout)

  it.live("permission that is denied, and errors as they are", () =>
    Effect.gen(function*() {
      const { value } = yield* withAgent("reject_once", async (agent, { updates }) => {
        await agent.request(acp.methods.agent.initialize, initialize)
        const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd: "/", mcpServers: [] })
        const prompt = (sessionId: string, text: string) =>
          agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })
        const denied = { ...await prompt(sessionId, "read etc/hostname"), text: text(updates) }
        const errors = await Promise.allSettled([prompt(sessionId, "fail"), prompt("none", "echo")])
        return { denied, codes: errors.map((_) => _.status === "rejected" ? _.reason.code : undefined) }
      })
      assert.include(value.denied.text, "permission denied")
      assert.strictEqual(value.denied.stopReason, "end_turn")
      assert.deepStrictEqual(value.codes, [1, -32002])
    }), timeout)
})
