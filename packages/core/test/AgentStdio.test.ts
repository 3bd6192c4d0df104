import * as Agent from "@effect-acp/core/Agent"
import { Frames } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect, Fiber, Latch, Layer, Queue, Sink, Stdio, Stream } from "effect"
import type { Cause } from "effect"
import { Console as NodeConsole } from "node:console"

const bytes = (...messages: ReadonlyArray<Frames.Json>) =>
  new TextEncoder().encode(messages.map((message) => `${JSON.stringify(message)}\n`).join(""))

type Streams = { readonly stdout: Array<string>; readonly stderr: Array<string> }

/** What the process writes to its two streams while an effect runs, whoever writes it. */
const captured = <A, E, R>(run: (streams: Streams) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const streams: Streams = { stdout: [], stderr: [] }
      const originals = [process.stdout.write, process.stderr.write] as const
      const into = (lines: Array<string>) => (chunk: string | Uint8Array) => {
        lines.push(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk))
        return true
      }
      process.stdout.write = into(streams.stdout) as typeof process.stdout.write
      process.stderr.write = into(streams.stderr) as typeof process.stderr.write
      return { streams, originals }
    }),
    ({ streams }) => run(streams),
    ({ originals }) =>
      Effect.sync(() => {
        process.stdout.write = originals[0]
        process.stderr.write = originals[1]
      })
  )

/** Stdio as a process has it: what the agent writes goes to whatever the process's stdout is at that time. */
const stdioLayer = (stdin: Queue.Dequeue<Uint8Array, Cause.Done>) =>
  Stdio.layerTest({
    stdin: Stream.fromQueue(stdin),
    stdout: () => Sink.forEach((chunk: string | Uint8Array) => Effect.sync(() => process.stdout.write(chunk)))
  })

/** Gives bytes to an agent's stdin and ends it a little later, as a pipe does. */
const piped = (stdin: Queue.Queue<Uint8Array, Cause.Done>, input: Uint8Array) =>
  Effect.forkChild(
    Queue.offer(stdin, input).pipe(Effect.andThen(Effect.sleep("20 millis")), Effect.andThen(Queue.end(stdin)))
  )

const parse = (lines: ReadonlyArray<string>) =>
  lines.join("").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Frames.Json)

const initialize = Frames.request(0, "initialize", { protocolVersion: 1, clientCapabilities: {} })
const newSession = Frames.request(1, "session/new", { cwd: "/w", mcpServers: [] })

describe("Agent.runStdio", () => {
  it.live("F7 nothing but frames is written to stdout, whoever writes", () =>
    captured(Effect.fnUntraced(function*(streams) {
      const noisy = Effect.gen(function*() {
        // The test runner's own console goes elsewhere; this is the one that a process has.
        const console = new NodeConsole(process.stdout, process.stderr)
        console.log("by console.log")
        console.info("by console.info")
        console.table([{ by: "console.table" }])
        process.stdout.write("by somebody else\n")
        process.stdout.write(new TextEncoder().encode("by somebody's bytes\n"))
        yield* Console.log("by Console")
        yield* Effect.log("by the logger")
      })
      const stdin = yield* Queue.unbounded<Uint8Array, Cause.Done>()
      yield* piped(stdin, bytes(initialize, newSession))
      const agent = Agent.layer({
        agentInfo: { name: "noisy", version: "1.0.0" },
        prompt: () => Effect.void,
        openSession: () => noisy
      })
      yield* Agent.runStdio(Layer.merge(agent, Layer.effectDiscard(noisy))).pipe(Effect.provide(stdioLayer(stdin)))
      assert.deepStrictEqual(parse(streams.stdout).map(({ id }) => id), [0, 1])
      const stderr = streams.stderr.join("")
      const writers = ["console.log", "console.info", "console.table", "somebody else", "somebody's bytes"]
      for (const writer of writers) assert.include(stderr, writer)
    })))

  it.live("F7 stdout is given back when the agent is done", () =>
    captured(Effect.fnUntraced(function*(streams) {
      const before = process.stdout.write
      const stdin = yield* Queue.unbounded<Uint8Array, Cause.Done>()
      yield* Queue.end(stdin)
      yield* Agent.runStdio(Agent.layer({ agentInfo: { name: "a", version: "1" }, prompt: () => Effect.void })).pipe(
        Effect.provide(stdioLayer(stdin))
      )
      assert.strictEqual(process.stdout.write, before)
      process.stdout.write("mine")
      assert.deepStrictEqual(streams.stdout, ["mine"])
    })))

  it.live("R2 what is in flight when stdin ends is answered, and then it is done", () =>
    captured(Effect.fnUntraced(function*(streams) {
      const stdin = yield* Queue.unbounded<Uint8Array, Cause.Done>()
      yield* piped(stdin, bytes(initialize, newSession))
      const agent = Agent.layer({
        agentInfo: { name: "slow", version: "1.0.0" },
        prompt: () => Effect.void,
        openSession: () => Effect.sleep("100 millis")
      })
      yield* Agent.runStdio(agent).pipe(Effect.provide(stdioLayer(stdin)))
      assert.deepStrictEqual(parse(streams.stdout).map(({ id, result }) => [id, typeof result]), [[0, "object"], [
        1,
        "object"
      ]])
    })))

  it.live("R2 interrupting it, as a signal does, cancels what runs, answers it and ends", () =>
    captured(Effect.fnUntraced(function*(streams) {
      const started = yield* Latch.make()
      const stdin = yield* Queue.unbounded<Uint8Array, Cause.Done>()
      yield* Queue.offer(stdin, bytes(initialize, newSession))
      const agent = Agent.layer({
        agentInfo: { name: "busy", version: "1.0.0" },
        prompt: () => Effect.void,
        openSession: () => Effect.andThen(started.open, Effect.never)
      })
      const fiber = yield* Effect.forkChild(Agent.runStdio(agent).pipe(Effect.provide(stdioLayer(stdin))))
      yield* started.await
      yield* Fiber.interrupt(fiber)
      const [, answer] = parse(streams.stdout)
      assert.strictEqual(answer.id, 1)
      assert.isObject(answer.error)
    })))
})
