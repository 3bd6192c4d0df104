import * as Local from "@effect-acp/core/Local"
import type { Turn } from "@effect-acp/core/Turn"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, FileSystem, Path } from "effect"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { prompt, start } from "./support/agent.ts"

type Services = FileSystem.FileSystem | Path.Path | ChildProcessSpawner

/** What an effect in a turn gives, and the agent's client while it runs. */
const inTurn = Effect.fnUntraced(function*<A, E>(client: object, use: (turn: Turn) => Effect.Effect<A, E, Services>) {
  const given = yield* Deferred.make<A, E>()
  const { newSession, peer } = yield* start({
    prompt: (turn) => Effect.asVoid(Deferred.complete(given, Effect.provide(use(turn), NodeServices.layer)))
  }, { client: { ...client } })
  yield* peer.send(prompt(1, yield* newSession))
  return { peer, result: Deferred.await(given) }
})

const inDirectory = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return path.join(yield* fs.makeTempDirectoryScoped(), "file.txt")
})

describe("The agent's own machine", () => {
  it.live("K23 F155 files are read and written locally where the client offers none", () =>
    Effect.gen(function*() {
      const file = yield* inDirectory
      const { result } = yield* inTurn({}, (turn) =>
        Effect.gen(function*() {
          yield* Local.writeTextFile(turn, file, "one\ntwo\r\nthree")
          return [
            yield* Local.readTextFile(turn, file),
            yield* Local.readTextFile(turn, file, { line: 2 }),
            yield* Local.readTextFile(turn, file, { line: 2, limit: 1 }),
            yield* Local.readTextFile(turn, file, { limit: 1 }),
            yield* Local.readTextFile(turn, file, { line: 9 })
          ]
        }))
      assert.deepStrictEqual(yield* result, ["one\ntwo\r\nthree", "two\r\nthree", "two\r\n", "one\n", ""])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("K23 F155 what the client offers is used, and its refusal stands", () =>
    Effect.gen(function*() {
      const file = yield* inDirectory
      const { peer, result } = yield* inTurn(
        { fs: { readTextFile: true, writeTextFile: true } },
        (turn) => Effect.andThen(Local.writeTextFile(turn, file, "x"), Effect.flip(Local.readTextFile(turn, file)))
      )
      yield* peer.respond(yield* peer.find({ method: "fs/write_text_file", params: { path: file } }), {})
      yield* peer.respondError(yield* peer.find({ method: "fs/read_text_file" }), -32602)
      assert.strictEqual((yield* result)._tag, "InvalidParams")
      const fs = yield* FileSystem.FileSystem
      assert.isFalse(yield* fs.exists(file))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  const node = (script: string) => ({ command: process.execPath, args: ["-e", script], cwd: "/" })

  it.live("a command runs as a process of the agent where the client offers no terminals", () =>
    Effect.gen(function*() {
      const { result } = yield* inTurn({}, (turn) =>
        Local.run(turn, {
          ...node("console.log(process.env.GREETING, process.cwd()); console.error('oops'); process.exitCode = 3"),
          env: [{ name: "GREETING", value: "hello" }]
        }))
      const { exitStatus, output, timedOut, truncated } = yield* result
      assert.deepStrictEqual({ exitStatus, timedOut, truncated }, {
        exitStatus: { exitCode: 3, signal: null },
        timedOut: false,
        truncated: false
      })
      assert.include(output, "hello /\n")
      assert.include(output, "oops\n")
    }))

  it.live("the end of a long output is kept, from the start of a character on", () =>
    Effect.gen(function*() {
      const { result } = yield* inTurn({}, (turn) =>
        Local.run(turn, { ...node("process.stdout.write('é'.repeat(10000) + 'end')"), outputByteLimit: 6 }))
      const { output, truncated } = yield* result
      assert.deepStrictEqual({ output, truncated }, { output: "éend", truncated: true })
    }))

  it.live("a command that takes longer than its limit is killed", () =>
    Effect.gen(function*() {
      const { result } = yield* inTurn({}, (turn) =>
        Local.run(turn, node("console.log('started'); setInterval(() => {}, 1000)"), { timeout: "700 millis" }))
      const { exitStatus, output, timedOut } = yield* result
      assert.deepStrictEqual({ exitStatus, output, timedOut }, {
        exitStatus: { exitCode: null, signal: "SIGTERM" },
        output: "started\n",
        timedOut: true
      })
    }))

  it.live("a command that is not there fails as such", () =>
    Effect.gen(function*() {
      const { result } = yield* inTurn({}, (turn) => Effect.flip(Local.run(turn, { command: "/no/such/command" })))
      assert.strictEqual((yield* result)._tag, "PlatformError")
    }))
})
