/**
 * The example agent as a process: what it writes to stdout, and how it ends.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import {
  agentFile,
  fixture,
  frames,
  initialize,
  type Io,
  line,
  type Message,
  newSession,
  prompt,
  repository,
  runNode
} from "./support.ts"

const timeout = 30_000

/** Opens `sessions` sessions, and calls `then` with their ids when all are there. */
const afterSessions = (
  sessions: number,
  then: (ids: ReadonlyArray<string>, io: Io) => void,
  otherwise: (message: Message, io: Io) => void = () => {}
) => {
  const ids: Array<string> = []
  return (message: Message, io: Io) => {
    if (message.result?.agentInfo !== undefined) {
      io.send(...Array.from({ length: sessions }, (_, index) => newSession(`new ${index}`)))
    } else if (message.result?.sessionId !== undefined) {
      ids.push(message.result.sessionId)
      if (ids.length === sessions) then(ids, io)
    } else otherwise(message, io)
  }
}

const answerTo = (stdout: string, id: string | number) =>
  frames(stdout).find((message) => message.id === id && !message.method)

describe("the agent process", () => {
  it.live("R2 ends by itself with code 0 when stdin ends", () =>
    Effect.gen(function*() {
      for (const input of ["", initialize, initialize + newSession(1)]) {
        const { code, millis, stderr } = yield* runNode([agentFile], { input })
        assert.strictEqual(code, 0)
        assert.strictEqual(stderr, "")
        assert.isBelow(millis, 10_000) // with its start
      }
    }), timeout)

  it.live("R2 answers every request that was piped into it", () =>
    Effect.gen(function*() {
      const input = initialize + Array.from({ length: 100 }, (_, index) => newSession(index + 1)).join("") +
        prompt("no session", "none", "echo hi") + line({ id: "unknown", method: "no/such/method" }) + "not json\n"
      const { code, stdout } = yield* runNode([agentFile], { input })
      assert.strictEqual(code, 0)
      assert.strictEqual(answerTo(stdout, 0)?.result.agentInfo.name, "effect-acp-example")
      const sessions = new Set(Array.from({ length: 100 }, (_, index) => answerTo(stdout, index + 1)?.result.sessionId))
      assert.strictEqual(sessions.size, 100)
      assert.strictEqual(answerTo(stdout, "no session")?.error?.code, -32002)
      assert.strictEqual(answerTo(stdout, "unknown")?.error?.code, -32601)
      assert.deepStrictEqual(frames(stdout).flatMap(({ error, id }) => id === null ? [error?.code] : []), [-32700])
    }), timeout)

  it.live(
    "R2 lets turns in flight finish for two seconds, then cancels them, and answers all",
    () =>
      Effect.gen(function*() {
        const { code, millis, stdout } = yield* runNode([agentFile], {
          input: initialize,
          react: afterSessions(3, ([a, b, c], io) => {
            io.send(prompt("short", a, "slow 4"), prompt("endless", b, "slow 1000000"), prompt("echo", c, "echo hi"))
            io.end()
          })
        })
        assert.strictEqual(code, 0)
        assert.strictEqual(answerTo(stdout, "short")?.result.stopReason, "end_turn")
        assert.strictEqual(answerTo(stdout, "echo")?.result.stopReason, "end_turn")
        assert.strictEqual(answerTo(stdout, "endless")?.result.stopReason, "cancelled")
        assert.isBelow(millis, 5_000)
      }),
    timeout
  )

  it.live("F7 writes nothing but frames to stdout, whatever its handlers print", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* runNode([fixture("noisy-agent.ts")], {
        input: initialize,
        react: afterSessions(
          1,
          ([id], io) => io.send(prompt("turn", id, "hi")),
          (message, io) => message.id === "turn" && io.end()
        )
      })
      assert.strictEqual(code, 0)
      assert.strictEqual(answerTo(stdout, "turn")?.result.stopReason, "end_turn")
      for (const message of frames(stdout)) assert.notInclude(JSON.stringify(message), "noise")
      for (
        const way of ["console.log", "console.info", "process.stdout", "Console.log", "Effect.log", "Effect.logError"]
      ) {
        assert.strictEqual(stderr.split(`noise: ${way}\n`).length - 1, 3, way)
      }
    }), timeout)

  it.live("F7 a defect is told on stderr, not to the client", () =>
    Effect.gen(function*() {
      const { stderr, stdout } = yield* runNode([agentFile], {
        input: initialize,
        react: afterSessions(
          1,
          ([id], io) => io.send(prompt("turn", id, "die")),
          (message, io) => message.id === "turn" && io.end()
        )
      })
      assert.strictEqual(answerTo(stdout, "turn")?.error?.code, -32603)
      assert.notInclude(stdout, "as the prompt asked")
      assert.include(stderr, "as the prompt asked")
    }), timeout)

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.live(`${signal} ends it in order: the running turn is answered as cancelled`, () =>
      Effect.gen(function*() {
        const { code, millis, stderr, stdout } = yield* runNode([agentFile], {
          input: initialize,
          react: afterSessions(
            1,
            ([id], io) => io.send(prompt("turn", id, "slow 1000000")),
            (message, io) =>
              message.method === "session/update" && message.params.update.content?.text === "1 " && io.kill(signal)
          )
        })
        assert.strictEqual(code, 0)
        assert.strictEqual(stderr, "")
        assert.strictEqual(answerTo(stdout, "turn")?.result.stopReason, "cancelled")
        assert.isBelow(millis, 5_000)
      }), timeout)
  }

  it.live("R3 ends quietly when nobody reads its stdout any more", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* runNode([agentFile], {
        input: initialize,
        react: afterSessions(1, ([id], io) => {
          io.deafen()
          io.send(prompt("turn", id, "flood 1000000"))
        })
      })
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr, "")
    }), timeout)

  it.live("`pnpm --silent agent` starts it, with nothing but frames on stdout", () =>
    Effect.sync(() => {
      const { status, stdout } = spawnSync("pnpm", ["--silent", "agent"], {
        cwd: repository,
        input: initialize + newSession(1),
        encoding: "utf8",
        timeout: 20_000
      })
      assert.strictEqual(status, 0)
      assert.deepStrictEqual(frames(stdout).map((frame) => frame.method ?? frame.id), [0, 1, "session/update"])
    }), timeout)
})
