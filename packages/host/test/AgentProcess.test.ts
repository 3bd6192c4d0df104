import * as Client from "@effect-acp/core/Client"
import * as Frame from "@effect-acp/core/Frame"
import * as Permission from "@effect-acp/core/Permission"
import * as Transport from "@effect-acp/core/Transport"
import * as AgentProcess from "@effect-acp/host/AgentProcess"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Redacted, Scope, Stream } from "effect"
import { eventually, isAlive, node, platform, readWhenThere, tempDirectory, timed } from "./support.ts"

const live = <A, E>(name: string, effect: Effect.Effect<A, E, Layer.Success<typeof platform> | Scope.Scope>) =>
  it.live(name, () => Effect.provide(effect, platform), 30_000)

/** All frames of an agent, and how its link ended. */
const collect = (transport: Transport.Transport) =>
  Effect.gen(function*() {
    const frames: Array<unknown> = []
    const exit = yield* Effect.exit(Stream.runForEach(transport.incoming, (item) =>
      Effect.sync(() =>
        frames.push(item instanceof Frame.Frame ? item.value : { noise: item.preview })
      )))
    return { frames, reason: Exit.isFailure(exit) ? reasonOf(exit) : undefined }
  })

const reasonOf = (exit: Exit.Failure<unknown, unknown>) => {
  const failure = exit.cause.reasons[0]
  assert(failure._tag === "Fail" && failure.error instanceof Transport.TransportError)
  return failure.error.reason
}

const exited = (reason: ReturnType<typeof reasonOf> | undefined) => {
  assert(reason?._tag === "ProcessExited", JSON.stringify(reason))
  return reason
}

const start = (script: string, options?: AgentProcess.Options) => {
  const [command, args] = node(script)
  return AgentProcess.make(command, args, options)
}

/** Starts an agent in a scope of its own, which the test closes. */
const startIn = (scope: Scope.Scope, script: string, options?: AgentProcess.Options) =>
  Scope.provide(start(script, options), scope)

describe("AgentProcess", () => {
  live(
    "F110 what a process that never answers has written to stderr is what its client fails with",
    Effect.gen(function*() {
      const [command, args] = node("console.error('not logged in'); setInterval(() => {}, 1e3)")
      const client = Client.layer({ clientInfo: { name: "test", version: "1" }, handshakeTimeout: "1 second" })
      const error = yield* Layer.build(
        Layer.provide(client, [AgentProcess.layer(command, args, { stdinGrace: 0 }), Permission.layerDeny])
      ).pipe(Effect.scoped, Effect.flip)
      assert.include(error.message, "its stderr ends with: not logged in")
    })
  )

  describe("start", () => {
    live(
      "R1 a program that does not exist fails with what was tried and what to do",
      Effect.gen(function*() {
        const error = yield* Effect.flip(AgentProcess.make("no-such-agent", ["--acp", "a b"]))
        assert.strictEqual(error.reason._tag, "SpawnFailed")
        assert(error.reason._tag === "SpawnFailed")
        assert.strictEqual(error.reason.problem, "NotFound")
        assert.include(error.message, "no-such-agent --acp 'a b'")
        assert.include(error.message, "PATH")
      })
    )

    live(
      "R1 a folder that does not exist is told from a program that does not exist",
      Effect.gen(function*() {
        const error = yield* Effect.flip(AgentProcess.make(process.execPath, [], { cwd: "/no/such/folder" }))
        assert(error.reason._tag === "SpawnFailed")
        assert.strictEqual(error.reason.problem, "BadFolder")
        assert.include(error.message, "/no/such/folder")
      })
    )

    live(
      "R1 a file that is not executable says so",
      Effect.gen(function*() {
        const error = yield* Effect.flip(AgentProcess.make("/etc/passwd"))
        assert(error.reason._tag === "SpawnFailed")
        assert.strictEqual(error.reason.problem, "NotPermitted")
      })
    )

    live(
      "R1 secrets among the arguments are not shown",
      Effect.gen(function*() {
        const error = yield* Effect.flip(AgentProcess.make("no-such-agent", [Redacted.make("hunter2")]))
        assert.notInclude(error.message, "hunter2")
        assert.notInclude(JSON.stringify(error), "hunter2")
      })
    )

    live(
      "the environment is added to, arguments are passed as they are",
      Effect.gen(function*() {
        const { transport } = yield* AgentProcess.make(
          process.execPath,
          [
            "-e",
            "console.log(JSON.stringify({ args: process.argv.slice(1), a: process.env.ACP_A, path: !!process.env.PATH }))",
            "a b",
            "$HOME",
            "*"
          ],
          { env: { ACP_A: "1" } }
        )
        const { frames } = yield* collect(transport)
        assert.deepStrictEqual(frames, [{ args: ["a b", "$HOME", "*"], a: "1", path: true }])
      })
    )
  })

  describe("link", () => {
    live(
      "frames pass both ways and closing the writing side ends the agent in order",
      Effect.gen(function*() {
        const { transport } = yield* start("process.stdin.pipe(process.stdout)")
        yield* Stream.run(Stream.make("{\"a\":1}", "{\"b\":\"é\"}"), transport.outgoing)
        const { frames, reason } = yield* collect(transport)
        assert.deepStrictEqual(frames, [{ a: 1 }, { b: "é" }])
        assert.strictEqual(exited(reason).code, 0)
      })
    )

    live(
      "F108 R1 an agent that fails at once is reported with its code and what it wrote to stderr",
      Effect.gen(function*() {
        const { transport } = yield* start(
          "process.stdout.write('{\"last\":1}'); process.stderr.write('Cannot use this model: x\\n', () => process.exit(1))"
        )
        const { frames, reason } = yield* collect(transport)
        assert.deepStrictEqual(frames, [{ last: 1 }])
        assert.strictEqual(exited(reason).code, 1)
        assert.strictEqual(exited(reason).signal, null)
        assert.include(exited(reason).stderr, "Cannot use this model: x")
      })
    )

    live(
      "R1 a death by signal is reported by the signal's name",
      Effect.gen(function*() {
        const { process: agent, transport } = yield* start(
          "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)"
        )
        const { reason } = yield* collect(transport)
        assert.strictEqual(exited(reason).signal, "SIGKILL")
        assert.strictEqual(exited(reason).code, null)
        assert.deepStrictEqual(yield* agent.exit, { code: null, signal: "SIGKILL" })
      })
    )

    live(
      "all that was written before the exit is delivered, to a slow reader too",
      Effect.gen(function*() {
        const { transport } = yield* start(
          "for (let i = 0; i < 300; i++) console.log(JSON.stringify({ i, pad: 'x'.repeat(10_000) }))"
        )
        let count = 0
        yield* Effect.exit(
          Stream.runForEach(transport.incoming, () => Effect.sleep(5).pipe(Effect.andThen(Effect.sync(() => count++))))
        )
        assert.strictEqual(count, 300)
      })
    )

    live(
      "a grandchild that holds the pipes open does not hold up the end",
      Effect.gen(function*() {
        const { transport } = yield* start(
          `require("child_process").spawn("sleep", ["30"], { stdio: "inherit" }).unref();
           console.log('{"last":true}'); setTimeout(() => process.exit(0), 100)`,
          { termGrace: 200 }
        )
        const { millis, value } = yield* timed(collect(transport))
        assert.deepStrictEqual(value.frames, [{ last: true }])
        assert.strictEqual(exited(value.reason).code, 0)
        assert.isBelow(millis, 6_000)
      })
    )

    live(
      "an agent that closes its stdout and goes on ends the link in order",
      Effect.gen(function*() {
        const { transport } = yield* start(
          "console.log('{\"a\":1}'); setTimeout(() => require('fs').closeSync(1), 50); setInterval(() => {}, 1000)",
          { stdinGrace: 0, termGrace: 200 }
        )
        const { frames, reason } = yield* collect(transport)
        assert.deepStrictEqual(frames, [{ a: 1 }])
        assert.strictEqual(reason, undefined)
      })
    )

    live(
      "R3 a write to a dead process ends the link with the cause of its death",
      Effect.gen(function*() {
        const { process: agent, transport } = yield* start("console.error('bye'); process.exit(7)")
        const reading = yield* Effect.forkChild(collect(transport))
        yield* agent.exit
        const exit = yield* Effect.exit(Stream.run(Stream.make("{\"a\":1}"), transport.outgoing))
        assert(Exit.isFailure(exit))
        const reason = exited(reasonOf(exit))
        assert.strictEqual(reason.code, 7)
        assert.include(reason.stderr, "bye")
        assert.strictEqual(exited((yield* Fiber.join(reading)).reason).code, 7)
      })
    )

    live(
      "R3 the reason of a failed write comes after what the process had written",
      Effect.gen(function*() {
        const { transport } = yield* start(
          "process.stdin.once('data', () => { for (let i = 0; i < 500; i++) console.log(JSON.stringify({ i, pad: 'x'.repeat(200) })); process.exitCode = 2; process.stdin.destroy() })"
        )
        let seenAtFailure = 0
        let seen = 0
        const pings = Stream.tap(Stream.forever(Stream.make("{\"ping\":1}")), () => Effect.sleep(1))
        const writing = yield* Stream.run(pings, transport.outgoing).pipe(
          Effect.exit,
          Effect.tap(() =>
            Effect.sync(() => {
              seenAtFailure = seen
            })
          ),
          Effect.forkChild
        )
        yield* Effect.exit(Stream.runForEach(transport.incoming, () => Effect.sync(() => seen++)))
        const exit = yield* Fiber.join(writing)
        assert(Exit.isFailure(exit))
        assert.strictEqual(exited(reasonOf(exit)).code, 2)
        assert.strictEqual(seen, 500)
        assert.isAtLeast(seenAtFailure, 499)
      })
    )
  })

  describe("stderr", () => {
    live(
      "R1 F123 stderr is drained without a listener and its tail is bounded, marked and cut at a character",
      Effect.gen(function*() {
        const { process: agent, transport } = yield* start(
          "const line = 'aé中😀z'.repeat(10000); for (let i = 0; i < 200; i++) process.stderr.write(line); console.log('{}')",
          { stderrTailBytes: 1_000 }
        )
        const { frames, reason } = yield* collect(transport)
        assert.deepStrictEqual(frames, [{}])
        const tail = exited(reason).stderr
        assert.isTrue(tail.startsWith("…"))
        const kept = Buffer.byteLength(tail.slice(1))
        assert.isAtMost(kept, 1_000)
        assert.isAbove(kept, 990)
        assert.notInclude(tail, "\uFFFD")
        assert.strictEqual(yield* agent.stderrTail, tail)
      })
    )

    live(
      "F111 stderr can be listened to while the agent starts, from its beginning",
      Effect.gen(function*() {
        const { process: agent } = yield* start(
          "process.stderr.write('installing'); setTimeout(() => process.stderr.write(' … done'), 300)"
        )
        yield* Effect.sleep(150)
        const text = yield* Stream.mkString(agent.stderr)
        assert.strictEqual(text, "installing … done")
        assert.strictEqual(yield* Stream.mkString(agent.stderr), "installing … done")
      })
    )
  })

  describe("close", () => {
    live(
      "R2 an agent that finishes after the end of its stdin is not killed",
      Effect.gen(function*() {
        const folder = yield* tempDirectory
        const scope = yield* Scope.make()
        const { process: agent } = yield* startIn(
          scope,
          `process.stdin.resume().on("end", () => setTimeout(() => {
             process.stdout.write("x".repeat(1_000_000)); require("fs").writeFileSync("${folder}/done", "yes") }, 1500))`
        )
        const { millis } = yield* timed(Scope.close(scope, Exit.void))
        assert.deepStrictEqual(yield* agent.exit, { code: 0, signal: null })
        assert.strictEqual(yield* readWhenThere(`${folder}/done`), "yes")
        assert.isBelow(millis, 5_000)
      })
    )

    live(
      "R2 an agent that ignores the end of its stdin gets SIGTERM",
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const { process: agent } = yield* startIn(scope, "setInterval(() => {}, 1000)", { stdinGrace: 100 })
        const { millis } = yield* timed(Scope.close(scope, Exit.void))
        assert.deepStrictEqual(yield* agent.exit, { code: null, signal: "SIGTERM" })
        assert.isBelow(millis, 2_000)
      })
    )

    live(
      "R2 F106 an agent that ignores SIGTERM as well is killed",
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const { process: agent, transport } = yield* startIn(
          scope,
          "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('{}')",
          { stdinGrace: 50, termGrace: 200 }
        )
        yield* Stream.runHead(transport.incoming)
        const { millis } = yield* timed(Scope.close(scope, Exit.void))
        assert.deepStrictEqual(yield* agent.exit, { code: null, signal: "SIGKILL" })
        assert.isFalse(isAlive(agent.pid))
        assert.isBelow(millis, 3_000)
      })
    )

    live(
      "R2 F143 grandchildren that ignore SIGTERM are gone before closing is done",
      Effect.gen(function*() {
        const folder = yield* tempDirectory
        const scope = yield* Scope.make()
        yield* startIn(
          scope,
          `const child = require("child_process").spawn("sh", ["-c", "trap '' TERM; echo $$ > ${folder}/pid; while :; do sleep 1; done"]);
           process.stdin.resume().on("end", () => process.exit(0))`,
          { stdinGrace: 2000, termGrace: 200 }
        )
        const grandchild = Number(yield* readWhenThere(`${folder}/pid`))
        assert.isTrue(isAlive(grandchild))
        yield* Scope.close(scope, Exit.void)
        assert.isFalse(isAlive(grandchild))
      })
    )

    live(
      "R2 closing twice, and by hand before the scope, is one closing",
      Effect.gen(function*() {
        const { process: agent } = yield* start("process.stdin.resume()")
        const fiber = yield* Effect.forkChild(agent.close)
        yield* agent.close
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(yield* agent.exit, { code: 0, signal: null })
      })
    )

    live(
      "F110 a program that is no agent leaves nothing behind when the wait for it is given up",
      Effect.gen(function*() {
        const pids: Array<number> = []
        const talk = Effect.gen(function*() {
          const { pid } = yield* AgentProcess.AgentProcess
          const transport = yield* Transport.Transport
          pids.push(pid)
          yield* Stream.runDrain(transport.incoming)
        })
        const outcome = yield* talk.pipe(
          Effect.provide(AgentProcess.layer("sh", ["-c", "cat > /dev/null"])),
          Effect.timeoutOption(500)
        )
        assert.strictEqual(outcome._tag, "None")
        yield* eventually(() => !isAlive(pids[0]), "the program has ended")
      })
    )

    live(
      "R2 an agent that does not read its stdin does not hold up closing",
      Effect.gen(function*() {
        const scope = yield* Scope.make()
        const { transport } = yield* startIn(scope, "setInterval(() => {}, 1000)", { stdinGrace: 200, termGrace: 200 })
        const writing = yield* Effect.forkChild(Effect.exit(
          Stream.run(Stream.forever(Stream.succeed(JSON.stringify({ pad: "x".repeat(50_000) }))), transport.outgoing)
        ))
        yield* Effect.sleep(200)
        const { millis } = yield* timed(Scope.close(scope, Exit.void))
        assert.isBelow(millis, 3_000)
        yield* Fiber.interrupt(writing)
      })
    )
  })
})
