import { Frames } from "@effect-acp/testing"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Queue, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"
import * as Wire from "./support/wire.ts"

const script = fileURLToPath(new URL("./fixtures/noisyAgent.ts", import.meta.url))

describe("an agent's stdout", () => {
  it.live("F7 nothing but frames is written to it, whoever prints", () =>
    Effect.gen(function*() {
      const input = yield* Queue.unbounded<Uint8Array>()
      const send = (message: Frames.Json) => Queue.offer(input, Wire.bytesOf(`${JSON.stringify(message)}\n`))
      const child = yield* ChildProcess.make(process.execPath, [script], { stdin: Stream.fromQueue(input) })
      const lines: Array<Frames.Json> = []
      const stderr = yield* Effect.forkChild(Stream.mkString(Stream.decodeText(child.stderr)))
      yield* send(Frames.request(0, "initialize", { protocolVersion: 1, clientCapabilities: {} }))
      yield* send(Frames.request(1, "session/new", { cwd: "/w", mcpServers: [] }))
      yield* child.stdout.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.mapEffect((line) =>
          Effect.suspend(() => {
            const frame = JSON.parse(line) as Frames.Json
            lines.push(frame)
            if (frame.id !== 1) return Effect.succeed(false)
            const { sessionId } = frame.result as { readonly sessionId: string }
            return send(Frames.request(2, "session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] }))
          })
        ),
        Stream.takeUntil(() => lines.at(-1)?.id === 2),
        Stream.runDrain
      )
      yield* child.kill()
      assert.isTrue(lines.every(({ jsonrpc }) => jsonrpc === "2.0"))
      assert.deepStrictEqual(lines.map(({ id, method }) => id ?? method), [0, 1, "session/update", 2])
      const printed = yield* Fiber.join(stderr)
      for (const text of ["effect console", "effect log", "console.log", "console.info", "raw write", "raw bytes"]) {
        assert.include(printed, text)
      }
    }).pipe(Effect.provide(NodeServices.layer)), 20_000)
})
