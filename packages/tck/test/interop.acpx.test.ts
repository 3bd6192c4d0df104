/**
 * acpx as a client of the example agent.
 */
import { version1 } from "@effect-acp/tck/client/ClientRequirements"
import * as ClientRunner from "@effect-acp/tck/client/ClientRunner"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { agentPids, exampleAgent, keep, makePlace, type Place, tapped, transcript } from "./interop.ts"
import { fixture, idsIn } from "./support.ts"

const program = join(import.meta.dirname, "..", "node_modules", "acpx", "dist", "cli.js")

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs acpx to its end. */
const acpx = (place: Place, ...args: ReadonlyArray<string>) =>
  Effect.callback<Outcome>((resume) => {
    const env = { ...process.env, HOME: place.home, NO_COLOR: "1" }
    const child = execFile(process.execPath, [program, ...args], { cwd: place.work, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1
      resume(Effect.succeed({ code, stdout, stderr }))
    })
    return Effect.sync(() => child.kill())
  })

const withAgent = (place: Place, agent: ReadonlyArray<string> = exampleAgent) => {
  const command = tapped(place, agent).join(" ")
  return (...args: ReadonlyArray<string>) => acpx(place, "--agent", command, "--ttl", "2", ...args)
}

/** Ends the processes that acpx keeps for the sessions of the test. */
const closing = (place: Place, agent?: ReadonlyArray<string>) =>
  Effect.addFinalizer(() => withAgent(place, agent)("sessions", "close"))

const methodsIn = (place: Place): ReadonlyArray<string> =>
  transcript(place).map(({ line }) => JSON.parse(line).method).filter((method) => method !== undefined)

describe("one prompt", { timeout: 120_000 }, () => {
  it.live("is answered", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      const run = yield* withAgent(place)("exec", "echo hello é中文 😀")
      assert.strictEqual(run.code, 0, run.stderr)
      assert.include(run.stdout, "hello é中文 😀")
      assert.include(run.stdout, "[done] end_turn")
      keep("acpx-echo", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("runs tools that were allowed: a file is read, a file is written, a command is run", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      const run = withAgent(place)
      const read = yield* run("--approve-all", "exec", "read README.md")
      assert.strictEqual(read.code, 0, read.stderr)
      assert.include(read.stdout, "A file of the acpx tests")
      const write = yield* run("--approve-all", "exec", "write notes.txt from the agent")
      assert.strictEqual(write.code, 0, write.stderr)
      assert.strictEqual(readFileSync(join(place.work, "notes.txt"), "utf8"), "from the agent")
      const command = yield* run("--approve-all", "exec", "run node --version")
      assert.strictEqual(command.code, 0, command.stderr)
      assert.include(command.stdout, process.version)
      keep("acpx-tools", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("does nothing that was denied, and acpx exits with 5", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      const run = withAgent(place)
      const read = yield* run("--deny-all", "exec", "read README.md")
      assert.strictEqual(read.code, 5, read.stderr)
      assert.include(read.stdout, "permission denied")
      assert.notInclude(read.stdout, "A file of the acpx tests")
      const write = yield* run("--deny-all", "exec", "write notes.txt no")
      assert.strictEqual(write.code, 5, write.stderr)
      assert.isFalse(existsSync(join(place.work, "notes.txt")))
      keep("acpx-denied", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("reads and does not write where reading alone is allowed", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      const run = withAgent(place)
      const read = yield* run("--approve-reads", "exec", "read README.md")
      assert.strictEqual(read.code, 0, read.stderr)
      assert.include(read.stdout, "A file of the acpx tests")
      const write = yield* run("--approve-reads", "exec", "write notes.txt no")
      assert.strictEqual(write.code, 5, write.stderr)
      assert.isFalse(existsSync(join(place.work, "notes.txt")))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("that fails ends acpx with 1, and the agent's words", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      const run = yield* withAgent(place)("exec", "fail")
      assert.strictEqual(run.code, 1)
      assert.include(run.stdout + run.stderr, "This turn failed, as the prompt asked")
      keep("acpx-failure", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("that takes too long ends acpx with 3, and the agent with it", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      const run = yield* withAgent(place)("--timeout", "3", "exec", "slow 2000")
      assert.strictEqual(run.code, 3, run.stderr)
      assert.include(methodsIn(place), "session/prompt")
      yield* until(() => !agentPids(place).some(isRunning))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})

describe("a session", { timeout: 120_000 }, () => {
  it.live("is asked for: without one acpx exits with 4", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      const run = yield* withAgent(place)("prompt", "echo hello")
      assert.strictEqual(run.code, 4)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("takes prompts one after the other, and changes its mode", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      yield* closing(place)
      const run = withAgent(place)
      const created = yield* run("sessions", "new")
      assert.strictEqual(created.code, 0, created.stderr)
      const mode = yield* run("set-mode", "trust")
      assert.strictEqual(mode.code, 0, mode.stderr)
      const first = yield* run("prompt", "echo the first")
      assert.include(first.stdout, "the first")
      const second = yield* run("prompt", "echo the second")
      assert.include(second.stdout, "the second")
      const history = yield* run("sessions", "history")
      assert.match(history.stdout, /the first[^]*the second/)
      assert.include(methodsIn(place), "session/set_mode")
      keep("acpx-session", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("queues a prompt behind a running one, and goes on with it when that is cancelled", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      yield* closing(place)
      const run = withAgent(place)
      yield* run("sessions", "new")
      const long = yield* Effect.forkScoped(run("prompt", "slow 2000"))
      yield* until(() => methodsIn(place).includes("session/prompt"))
      const queued = yield* run("prompt", "--no-wait", "echo from the queue")
      assert.include(queued.stdout, "[queued]")
      const cancel = yield* run("cancel")
      assert.include(cancel.stdout, "cancel requested")
      const { stdout } = yield* Fiber.join(long)
      assert.include(stdout, "[done] cancelled")
      yield* until(() => methodsIn(place).filter((method) => method === "session/prompt").length === 2)
      yield* until(() => transcript(place).at(-1)?.line.includes("end_turn") === true)
      keep("acpx-queue", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.live("goes on after its agent was killed, where the agent keeps its sessions", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      const agent = [process.execPath, fixture("durable-agent.ts"), place.store]
      yield* closing(place, agent)
      const run = withAgent(place, agent)
      yield* run("sessions", "new")
      yield* run("prompt", "before")
      const pids = agentPids(place)
      for (const pid of pids) if (isRunning(pid)) process.kill(pid, "SIGKILL")
      yield* until(() => !pids.some(isRunning))
      const again = yield* run("prompt", "after")
      assert.strictEqual(again.code, 0, again.stderr)
      assert.include(again.stdout, "You said: after")
      const messages = transcript(place).map(({ line }) => JSON.parse(line))
      const sessionIds = new Set(
        messages.filter(({ method }) => method === "session/prompt").map((_) => _.params.sessionId)
      )
      assert.strictEqual(sessionIds.size, 1)
      const reopened = messages.find(({ method }) => method === "session/load" || method === "session/resume")
      assert.isDefined(messages.find(({ id, result }) => id === reopened.id && result !== undefined))
      keep("acpx-reload", place)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})

const until = (is: () => boolean) =>
  Effect.repeat(Effect.delay(Effect.sync(is), "50 millis"), { until: (_) => _ }).pipe(Effect.timeout("30 seconds"))

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe("acpx as a client under test", { timeout: 120_000 }, () => {
  it.live("keeps the rules, except that it goes on with a version that it does not know", () =>
    Effect.gen(function*() {
      const place = yield* makePlace
      const report = yield* ClientRunner.run({
        requirements: version1,
        command: process.execPath,
        args: [program, "--approve-all", "--agent", "{agent}", "exec", "hello"],
        cwd: place.work,
        env: { HOME: place.home },
        timeout: Duration.seconds(30),
        closeGrace: Duration.seconds(3),
        jobs: 3
      })
      assert.deepStrictEqual(idsIn(report, "FAIL"), ["CLIENT-INIT-001"])
      assert.deepStrictEqual(idsIn(report, "NOT_TESTED"), [])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})
