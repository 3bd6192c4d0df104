import * as Client from "@effect-acp/core/Client"
import * as ClientMethods from "@effect-acp/core/ClientMethods"
import * as Permission from "@effect-acp/core/Permission"
import type { ContentBlock } from "@effect-acp/core/schema/Content"
import type { SessionUpdate } from "@effect-acp/core/schema/SessionUpdate"
import * as Transport from "@effect-acp/core/Transport"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import * as ExampleAgent from "@effect-acp/examples/ExampleAgent"
import { NodeServices } from "@effect/platform-node"
import { Effect, FileSystem, Layer, Ref, Sink, type Stream } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

export const repository = join(import.meta.dirname, "../../..")
export const agentFile = join(import.meta.dirname, "../src/agent.ts")
export const demoFile = join(import.meta.dirname, "../src/demo.ts")
export const fixture = (name: string) => join(import.meta.dirname, "fixtures", name)

export const platform = NodeServices.layer

/** The example agent in this process. */
export const layerMemory = Layer.provide(Transport.layerMemory(ExampleAgent.layer), platform)

export const clientInfo = { name: "test", version: "1.0.0" }

// =============================================================================
// Turns
// =============================================================================

/** Runs a turn in a new session and gives what came. */
export const turnIn = Effect.fnUntraced(function*(cwd: string, prompt: string | ReadonlyArray<ContentBlock>) {
  const { newSession } = yield* Client.Client
  const session = yield* newSession({ cwd })
  return yield* collect(session.prompt(prompt))
}, Effect.scoped)

export const collect = Effect.fnUntraced(function*<E, R>(turn: Stream.Stream<TurnEvent.TurnEvent, E, R>) {
  const updates: Array<SessionUpdate> = []
  const { stopReason } = yield* TurnEvent.runForEachUpdate(turn, (update) =>
    Effect.sync(() => {
      // The commands of a new session are told right behind its answer, so they may come within the first turn.
      if (update.sessionUpdate !== "available_commands_update") updates.push(update)
    }))
  return { updates, text: updates.map((update) => TurnEvent.messageText(update) ?? "").join(""), stopReason }
})

/** The states that the tool calls of a turn went through. */
export const statuses = (updates: ReadonlyArray<SessionUpdate>) =>
  updates.flatMap((update) =>
    update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update"
      ? update.status === undefined ? [] : [update.status]
      : []
  )

/** The content that the tool calls of a turn ended with. */
export const toolContent = (updates: ReadonlyArray<SessionUpdate>) =>
  updates.flatMap((update) =>
    update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update"
      ? update.content === undefined || update.content === null ? [] : [update.content]
      : []
  ).at(-1)

// =============================================================================
// Clients
// =============================================================================

/** Files in memory, and the paths that were asked for. */
export const makeFiles = (initial: Readonly<Record<string, string>>) => {
  const files = new Map(Object.entries(initial))
  const calls: Array<string> = []
  const layer = ClientMethods.handlers({
    readTextFile: ({ path }) =>
      Effect.suspend(() => {
        calls.push(`read ${path}`)
        const content = files.get(path)
        return content === undefined ? Effect.die(new Error("no such file")) : Effect.succeed({ content })
      }),
    writeTextFile: ({ content, path }) =>
      Effect.sync(() => {
        calls.push(`write ${path}`)
        files.set(path, content)
        return {}
      })
  })
  return { files, calls, layer }
}

export const layerClient = Layer.provide(Client.layer({ clientInfo }), Permission.layerAllowOnce)

/** A transport that remembers what was sent over it. */
export const layerRecorded = <E, R>(
  sent: Ref.Ref<ReadonlyArray<string>>,
  layer: Layer.Layer<Transport.Transport, E, R>
) =>
  Layer.provide(
    Layer.effect(Transport.Transport)(Effect.map(Transport.Transport, (transport) => ({
      ...transport,
      outgoing: recorded(sent, transport.outgoing)
    }))),
    layer
  )

const recorded = (sent: Ref.Ref<ReadonlyArray<string>>, sink: Transport.Transport["outgoing"]) =>
  Sink.mapInputEffect(sink, (frame: string) => Effect.as(Ref.update(sent, (all) => [...all, frame]), frame))

// =============================================================================
// Processes
// =============================================================================

export interface Finished {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** From the end of its stdin, or the signal, to its end. */
  readonly millis: number
}

export interface Io {
  readonly send: (...lines: ReadonlyArray<string>) => void
  readonly end: () => void
  readonly kill: (signal: NodeJS.Signals) => void
  /** Stops reading its stdout. */
  readonly deafen: () => void
}

/**
 * Runs Node on a file, writes `input` to its stdin, and tells how it ended. Stdin ends after `input`, unless `react` is
 * there to answer each message.
 */
export const runNode = (
  args: ReadonlyArray<string>,
  options: {
    readonly input?: string
    readonly react?: (message: Message, io: Io) => void
    readonly env?: Readonly<Record<string, string>>
    readonly cwd?: string
  } = {}
): Effect.Effect<Finished> =>
  Effect.callback((resume) => {
    let told = performance.now()
    const child = spawn(process.execPath, args, {
      cwd: options.cwd ?? repository,
      env: { ...process.env, ...options.env },
      stdio: ["pipe", "pipe", "pipe"]
    })
    const io: Io = {
      send: (...lines) => child.stdin.write(lines.join("")),
      end: () => {
        told = performance.now()
        child.stdin.end()
      },
      kill: (signal) => {
        told = performance.now()
        child.kill(signal)
      },
      deafen: () => child.stdout.destroy()
    }
    let stdout = ""
    let stderr = ""
    let handled = 0
    child.stdin.on("error", () => {})
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      if (options.react === undefined) return
      const messages = frames(stdout.slice(0, stdout.lastIndexOf("\n") + 1))
      while (handled < messages.length) options.react(messages[handled++], io)
    })
    child.on("close", (code, signal) =>
      resume(Effect.succeed({ code, signal, stdout, stderr, millis: performance.now() - told })))
    io.send(options.input ?? "")
    if (options.react === undefined) {
      io.end()
    }
    return Effect.sync(() =>
      child.kill("SIGKILL")
    )
  })

/** Whether a process runs; one that has ended and was not reaped does not. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

export const tempDirectory = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "acp-examples-" }))
})

// =============================================================================
// Frames
// =============================================================================

export interface Message {
  readonly jsonrpc: string
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: any
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

/** The messages on a stdout; a line that is none fails the test. */
export const frames = (stdout: string): ReadonlyArray<Message> =>
  stdout.split("\n").filter((line) => line !== "").map((line) => {
    const message = JSON.parse(line) as Message
    if (message.jsonrpc !== "2.0") throw new Error(`no message: ${line}`)
    return message
  })

export const line = (message: Omit<Message, "jsonrpc">) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`

export const initialize = line({ id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } })

export const newSession = (id: string | number) =>
  line({ id, method: "session/new", params: { cwd: repository, mcpServers: [] } })

export const prompt = (id: string | number, sessionId: string, text: string) =>
  line({ id, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } })
