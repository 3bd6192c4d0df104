/**
 * One program over two transports, and what interrupting it leaves behind: nothing.
 */
import * as Client from "@effect-acp/core/Client"
import type * as Transport from "@effect-acp/core/Transport"
import * as AgentProcess from "@effect-acp/host/AgentProcess"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Ref, Stream } from "effect"
import { agentFile, collect, isAlive, layerClient, layerMemory, layerRecorded, makeFiles, platform } from "./support.ts"

const layerProcess = Layer.provide(AgentProcess.layer(process.execPath, [agentFile]), platform)

/** The program: what a client sees of five turns. */
const program = Effect.gen(function*() {
  const { agent, newSession } = yield* Client.Client
  const session = yield* newSession({ cwd: "/project" })
  const seen: Array<unknown> = [agent.agentInfo?.name]
  for (const prompt of ["echo hello", "plan 3", "read a", "flood 2000", "nonsense"]) {
    seen.push(yield* collect(session.prompt(prompt)))
  }
  const slow = session.prompt("slow 1000000").pipe(
    Stream.tap((event) => event._tag === "Update" ? session.cancel : Effect.void)
  )
  seen.push((yield* collect(slow)).stopReason)
  seen.push((yield* Effect.flip(collect(session.prompt("fail"))))._tag)
  return seen
}).pipe(Effect.scoped)

const over = <E>(transport: Layer.Layer<Transport.Transport, E>) =>
  Effect.gen(function*() {
    const { layer } = makeFiles({ "/project/a": "text" })
    return yield* Effect.provide(program, layerClient.pipe(Layer.provide(layer), Layer.provide(transport)))
  })

/** Tool calls are named at random. */
const withoutIds = (seen: ReadonlyArray<unknown>) =>
  JSON.parse(JSON.stringify(seen).replaceAll(/call_[0-9a-f-]{36}/gu, "call"))

const layers = { "the memory pair": layerMemory, "a child process": layerProcess }

describe("layers", () => {
  it.live("the same program sees the same over the memory pair and over a child process", () =>
    Effect.gen(function*() {
      const memory = yield* over(layerMemory)
      const process = yield* over(layerProcess)
      assert.deepStrictEqual(withoutIds(process), withoutIds(memory))
      assert.deepStrictEqual(memory.slice(-2), ["cancelled", "OtherError"])
      assert.strictEqual(memory.length, 8)
    }), 30_000)

  for (const [name, transport] of Object.entries(layers)) {
    it.live(
      `interrupting the consumer of a turn over ${name} cancels it on the wire and leaves nothing running`,
      () =>
        Effect.gen(function*() {
          const sent = yield* Ref.make<ReadonlyArray<string>>([])
          yield* Effect.gen(function*() {
            const { connection, newSession } = yield* Client.Client
            const session = yield* newSession({ cwd: "/" })
            const started = yield* Deferred.make<void>()
            const consumer = yield* Effect.forkChild(
              Stream.runForEach(session.prompt("slow 1000000"), () => Deferred.succeed(started, undefined))
            )
            yield* Deferred.await(started)
            yield* Fiber.interrupt(consumer)
            const cancels = (yield* Ref.get(sent)).filter((frame) => frame.includes("\"session/cancel\""))
            assert.strictEqual(cancels.length, 1)
            assert.include(cancels[0], session.sessionId)
            const counts = Object.values(yield* connection.counts)
            assert.deepStrictEqual(counts, counts.map(() => 0))
            assert.deepStrictEqual(yield* collect(session.prompt("echo")), {
              updates: [],
              text: "",
              stopReason: "end_turn"
            })
          }).pipe(Effect.scoped, Effect.provide(Layer.provide(layerClient, layerRecorded(sent, transport))))
        }),
      30_000
    )
  }

  it.live("closing the layer leaves no process", () =>
    Effect.gen(function*() {
      const pid = yield* Effect.gen(function*() {
        const { pid } = yield* AgentProcess.AgentProcess
        const { newSession } = yield* Client.Client
        const session = yield* newSession({ cwd: "/" })
        yield* Stream.runDrain(Stream.take(session.prompt("slow 1000000"), 1))
        assert.isTrue(isAlive(pid))
        return pid
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(layerClient, layerProcess)))
      assert.isFalse(isAlive(pid))
    }), 30_000)
})
