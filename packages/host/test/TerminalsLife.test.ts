import * as Terminals from "@effect-acp/host/Terminals"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { spawn } from "node:child_process"
import { callAs, refused } from "./handlers.ts"
import { eventually, isAlive, processesWith, readWhenThere, timed } from "./support.ts"
import { invalid, live, missing, type Setting } from "./terminals.ts"

describe("Terminals", () => {
  describe("life", () => {
    live(
      "T3 F120 the end is reported by code and by signal, at once when it is over",
      ({ create, output, wait }) =>
        Effect.gen(function*() {
          const code = yield* create("sh", ["-c", "exit 7"])
          const signal = yield* create("sh", ["-c", "kill -9 $$"])
          for (let i = 0; i < 2; i++) {
            assert.deepStrictEqual(yield* wait(code), { exitCode: 7, signal: null })
            assert.deepStrictEqual(yield* wait(signal), { exitCode: null, signal: "SIGKILL" })
          }
          const { millis } = yield* timed(wait(signal))
          assert.isBelow(millis, 100)
          assert.deepStrictEqual((yield* output(signal)).exitStatus, { exitCode: null, signal: "SIGKILL" })
        })
    )

    live(
      "T3 F137 a grandchild that holds the pipes does not hold up the exit",
      ({ create, output, wait }) =>
        Effect.gen(function*() {
          const id = yield* create("sh", ["-c", "sleep 30 & echo started"])
          const { millis } = yield* timed(wait(id))
          assert.isBelow(millis, 3_000)
          assert.deepStrictEqual(yield* output(id), {
            output: "started\n",
            truncated: false,
            exitStatus: { exitCode: 0, signal: null }
          })
        })
    )

    live(
      "T3 a killed terminal stays readable, and can be killed again",
      ({ call, create, output, wait }) =>
        Effect.gen(function*() {
          const id = yield* create("sh", ["-c", "echo before; exec sleep 30"])
          const waiting = yield* Effect.forkChild(wait(id))
          while ((yield* output(id)).output === "") yield* Effect.sleep(10)
          assert.deepStrictEqual(yield* call("killTerminal", { terminalId: id }), {})
          assert.deepStrictEqual(yield* Fiber.join(waiting), { exitCode: null, signal: "SIGTERM" })
          assert.deepStrictEqual(yield* output(id), {
            output: "before\n",
            truncated: false,
            exitStatus: { exitCode: null, signal: "SIGTERM" }
          })
          assert.deepStrictEqual(yield* call("killTerminal", { terminalId: id }), {})
          assert.deepStrictEqual(yield* wait(id), { exitCode: null, signal: "SIGTERM" })
        })
    )

    live(
      "T3 F138 a release answers those who wait, kills, forgets; a second use is an error",
      ({ call, create, view, wait }) =>
        Effect.gen(function*() {
          const id = yield* create("sleep", ["30"])
          const { pid } = Option.getOrThrow(yield* view.get(id))
          const order: Array<string> = []
          const waiting = yield* Effect.forkChild(
            Effect.tap(wait(id), () => Effect.sync(() => order.push("wait"))),
            { startImmediately: true }
          )
          assert.deepStrictEqual(yield* call("releaseTerminal", { terminalId: id }), {})
          order.push("release")
          assert.isFalse(isAlive(pid))
          assert.deepStrictEqual(yield* Fiber.join(waiting), { exitCode: null, signal: "SIGTERM" })
          assert.deepStrictEqual(order, ["wait", "release"])
          for (const method of ["terminalOutput", "waitForTerminalExit", "killTerminal", "releaseTerminal"] as const) {
            const error = yield* refused(call(method, { terminalId: id }), missing, "unknown_terminal")
            assert.strictEqual((error.data as { terminalId: string }).terminalId, id)
          }
        })
    )

    live(
      "T5 another session cannot name a terminal, an unknown session has none",
      ({ create, other, root, view, wait }) =>
        Effect.gen(function*() {
          const id = yield* create("sleep", ["30"])
          for (const method of ["terminalOutput", "waitForTerminalExit", "killTerminal", "releaseTerminal"] as const) {
            yield* refused(other(method, { terminalId: id }), missing, "unknown_terminal")
          }
          assert.isTrue(isAlive(Option.getOrThrow(yield* view.get(id)).pid))
          const nobody = callAs(yield* Layer.build(Terminals.layer()), undefined)
          yield* refused(nobody("createTerminal", { command: "pwd", cwd: root }), missing, "unknown_session")
          yield* refused(nobody("terminalOutput", { terminalId: id }), missing, "unknown_session")
          yield* refused(wait("term-999"), missing, "unknown_terminal")
        })
    )

    const stubborn = (root: string, mark: string) =>
      `sh -c 'trap "" TERM; echo $$ > ${root}/grandchild; while :; do sleep 1; done' ${mark} & trap "" TERM; echo up; wait`

    const ways: ReadonlyArray<readonly [string, (setting: Setting, id: string) => Effect.Effect<unknown, any>]> = [
      ["a release", ({ call }, id) => call("releaseTerminal", { terminalId: id })],
      ["a kill", ({ call }, id) => call("killTerminal", { terminalId: id })],
      ["the end of the session", ({ closeSession }) => closeSession],
      ["the end of the connection", ({ closeLayer }) => closeLayer]
    ]

    for (const [way, end] of ways) {
      live(`T4 F143 ${way} leaves nothing of a group that ignores SIGTERM`, (setting) =>
        Effect.gen(function*() {
          const mark = `mark-${Math.random()}`
          const id = yield* setting.create("sh", ["-c", stubborn(setting.root, mark)])
          const { pid } = Option.getOrThrow(yield* setting.view.get(id))
          const waiting = yield* Effect.forkChild(setting.wait(id))
          const grandchild = Number(yield* readWhenThere(`${setting.root}/grandchild`))
          assert.isTrue(isAlive(pid) && isAlive(grandchild))
          yield* end(setting, id)
          assert.isFalse(isAlive(pid) || isAlive(grandchild))
          assert.deepStrictEqual(processesWith(mark), [])
          assert.deepStrictEqual(yield* Fiber.join(waiting), { exitCode: null, signal: "SIGKILL" })
        }))
    }

    live(
      "T4 the sudden end of the client leaves nothing of a group that ignores SIGTERM",
      ({ root }) =>
        Effect.gen(function*() {
          const mark = `mark-${Math.random()}`
          const client = spawn(process.execPath, [
            `${import.meta.dirname}/fixtures/crashing-client.ts`,
            root,
            stubborn(root, mark)
          ], {
            stdio: ["ignore", "pipe", "inherit"]
          })
          yield* Effect.callback<void>((resume) => {
            client.stdout.once("data", () => resume(Effect.void))
          })
          const grandchild = Number(yield* readWhenThere(`${root}/grandchild`))
          assert.isTrue(isAlive(grandchild))
          client.kill("SIGKILL")
          yield* eventually(() => processesWith(mark).length === 0, "the group is gone")
          assert.isFalse(isAlive(grandchild))
        })
    )

    live(
      "T4 what a command left in the background ends with the release",
      ({ call, create, root, wait }) =>
        Effect.gen(function*() {
          const id = yield* create("sh", ["-c", `sleep 30 > /dev/null 2>&1 & echo $! > ${root}/pid`])
          yield* wait(id)
          const background = Number(yield* readWhenThere(`${root}/pid`))
          assert.isTrue(isAlive(background))
          yield* call("releaseTerminal", { terminalId: id })
          assert.isFalse(isAlive(background))
        })
    )

    live(
      "T4 F140 a terminal that is created while its session ends does not outlive it",
      ({ closeSession, create, root }) =>
        Effect.gen(function*() {
          const mark = `${root}/late`
          const creating = yield* Effect.forkChild(
            Effect.forEach(Array.from({ length: 8 }), () => Effect.exit(create("sh", ["-c", "sleep 30", mark])), {
              concurrency: 5
            })
          )
          yield* Effect.sleep(15)
          yield* closeSession
          yield* Fiber.join(creating)
          yield* closeSession
          yield* eventually(() => processesWith(mark).length === 0, "nothing is left")
          yield* refused(create("pwd"), -32603, "session_closed")
        })
    )

    live(
      "T4 200 terminals at once run, are read and end together",
      ({ closeSession, create, output, root, view, wait }) =>
        Effect.gen(function*() {
          const ids = yield* Effect.forEach(
            Array.from({ length: 200 }, (_, i) => i),
            (i) => create("sh", ["-c", `echo ${i}; exec sleep 60`, `${root}/many`]),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(new Set(ids).size, 200)
          yield* Effect.forEach(ids, (id, i) =>
            Effect.gen(function*() {
              while ((yield* output(id)).output !== `${i}\n`) yield* Effect.sleep(20)
            }), { concurrency: "unbounded" })
          const terminals = yield* view.all
          assert.strictEqual(terminals.length, 200)
          const { millis } = yield* timed(closeSession)
          assert.isBelow(millis, 20_000)
          assert.deepStrictEqual(terminals.filter(({ pid }) => isAlive(pid)), [])
          assert.deepStrictEqual(yield* view.all, [])
          yield* refused(wait(ids[0]), missing, "unknown_terminal")
        })
    )

    live(
      "there is a limit to the terminals and to the output of a session, and of all",
      ({ call, create, other }) =>
        Effect.gen(function*() {
          const first = yield* create("sleep", ["30"], { outputByteLimit: 600 })
          yield* refused(create("sleep", ["30"], { outputByteLimit: 600 }), -32603, "too_much_output")
          yield* create("sleep", ["30"], { outputByteLimit: 100 })
          yield* refused(create("sleep", ["30"], { outputByteLimit: 100 }), -32603, "too_many_terminals")
          yield* other("createTerminal", { command: "pwd", outputByteLimit: 1 })
          yield* refused(other("createTerminal", { command: "pwd", outputByteLimit: 1 }), -32603, "too_many_terminals")
          yield* call("releaseTerminal", { terminalId: first })
          yield* create("sleep", ["30"], { outputByteLimit: 600 })
          yield* refused(create("no-such-program"), -32603, "too_many_terminals")
        }),
      { maxPerSession: 2, maxTotal: 3, maxOutputBytesPerSession: 1_000 }
    )

    live("a command that was not started takes no room", ({ create }) =>
      Effect.gen(function*() {
        for (let i = 0; i < 5; i++) yield* refused(create("no-such-program"), invalid, "command_not_found")
        yield* create("pwd")
      }), { maxPerSession: 1 })
  })
})
