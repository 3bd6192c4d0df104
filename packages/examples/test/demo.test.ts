/**
 * The demo as a person starts it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { agentFile, demoFile, fixture, isAlive, repository, runNode } from "./support.ts"

const timeout = 60_000

const demo = (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) =>
  runNode([demoFile, ...args], env === undefined ? {} : { env })

const processOf = (stdout: string) => Number(/\(process (\d+)\)/u.exec(stdout)?.[1])

/** The demo with an agent that is none: it must end with an error, one line on stderr, and nothing left. */
const refused = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* demo(args)
  assert.strictEqual(code, 1, stdout)
  assert.match(stderr, /^demo: [^\n]+\n$/u)
  const pid = processOf(stdout)
  if (!Number.isNaN(pid)) assert.isFalse(isAlive(pid), "the agent is gone")
  return { line: stderr, stdout }
})

const agent = (script: string) => ["--agent", `"${process.execPath}" -e "${script}"`]

describe("the demo", () => {
  it.live(
    "shows text, a plan, a file read, a terminal and a cancelled turn, and leaves nothing",
    () =>
      Effect.gen(function*() {
        const { code, stderr, stdout } = yield* demo([])
        assert.strictEqual(stderr, "")
        assert.strictEqual(code, 0)
        for (
          const line of [
            "Whatever the agent says arrives piece by piece, in order, and all of it.",
            "plan: [ ] Step 1 of 3, [ ] Step 2 of 3, [ ] Step 3 of 3",
            "plan: [x] Step 1 of 3, [x] Step 2 of 3, [x] Step 3 of 3",
            "asked Read README.md? Allow (policy: read and execute once, nothing else)",
            "# effect-acp",
            "| one",
            "| four",
            "node exited with code 0",
            "agent exited with code 0"
          ]
        ) assert.include(stdout.split("\n"), line)
        assert.match(stdout, /^tool Read README\.md: completed, \d+ lines of text$/mu)
        assert.match(stdout, /^1 2 3 4 5 6 7 8 $/mu)
        const reasons = [...stdout.matchAll(/^stop reason: (\w+)$/gmu)].map(([, reason]) => reason)
        assert.deepStrictEqual(reasons, ["end_turn", "end_turn", "end_turn", "end_turn", "cancelled"])
        assert.notInclude(stdout, "\u001b")
        assert.isFalse(isAlive(processOf(stdout)))
      }),
    timeout
  )

  it.live(
    "on a terminal it draws in colour and in place, without colour where NO_COLOR says so",
    () =>
      Effect.sync(() => {
        const onTerminal = (env: Readonly<Record<string, string>>) =>
          spawnSync("script", ["-qec", `'${process.execPath}' '${demoFile}' --prompt 'plan 2'`, "/dev/null"], {
            encoding: "utf8",
            timeout: 30_000,
            env: { ...process.env, NO_COLOR: "", TERM: "xterm", ...env }
          }).stdout
        const coloured = onTerminal({})
        assert.include(coloured, "\u001b[2A\u001b[J\u001b[33m[~]\u001b[0m Step 1 of 2")
        const plain = onTerminal({ NO_COLOR: "1" })
        assert.include(plain, "\u001b[2A\u001b[J[~] Step 1 of 2")
        assert.notInclude(plain, "\u001b[33m")
        assert.notInclude(onTerminal({ TERM: "dumb" }), "\u001b")
      }),
    timeout
  )

  it.live("talks to another agent, with its command line split as a shell does", () =>
    Effect.gen(function*() {
      const other = yield* demo([
        "--",
        "--agent",
        `"${process.execPath}" '${fixture("sdk-agent.ts")}'`,
        "--prompt",
        "echo one two"
      ])
      assert.strictEqual(other.code, 0, other.stderr)
      assert.include(other.stdout, "sdk-agent 1.0.0")
      assert.include(other.stdout, "one two")
      const ordinary = yield* demo(["--agent", `"${process.execPath}" '${agentFile}'`])
      assert.strictEqual(ordinary.code, 0, ordinary.stderr)
      assert.strictEqual(ordinary.stdout.split("stop reason: end_turn").length - 1, 2)
    }), timeout)

  it.live("goes on when its own reader goes away", () =>
    Effect.sync(() => {
      const { status, stderr, stdout } = spawnSync(
        "bash",
        ["-c", `set -o pipefail; '${process.execPath}' '${demoFile}' --prompt 'flood 20000' | head -1`],
        { cwd: repository, encoding: "utf8", timeout: 30_000 }
      )
      assert.strictEqual(stderr, "")
      assert.strictEqual(status, 0)
      assert.isFalse(isAlive(processOf(stdout)))
    }), timeout)

  describe("bad input", () => {
    it.live("no such command", () =>
      Effect.gen(function*() {
        const { line } = yield* refused(["--agent", "no-such-agent --acp"])
        assert.include(line, "no-such-agent --acp")
        assert.include(line, "There is no such program")
      }), timeout)

    it.live("an agent that exits at once: its code and the end of its stderr", () =>
      Effect.gen(function*() {
        const { line } = yield* refused(agent("console.error('first'); console.error('no API key'); process.exit(3)"))
        assert.include(line, "exited with code 3")
        assert.include(line, "no API key")
      }), timeout)

    it.live("an agent that dies of an exception: what it says, without its stack", () =>
      Effect.gen(function*() {
        const { line } = yield* refused(agent("throw new Error('out of luck')"))
        assert.include(line, "Error: out of luck")
        assert.notMatch(line, / at |node:internal/u)
      }), timeout)

    it.live("an agent that prints garbage and exits", () =>
      Effect.gen(function*() {
        const { line } = yield* refused(agent("console.log('Welcome to the agent!')"))
        assert.include(line, "exited with code 0")
        assert.include(line, "Welcome to the agent!")
        assert.include(line, "stderr is empty")
      }), timeout)

    it.live("an agent that prints garbage and stays", () =>
      Effect.gen(function*() {
        const { line } = yield* refused([
          "--timeout",
          "1",
          ...agent("console.log('Welcome!'); console.error('login needed'); setInterval(() => {}, 1000)")
        ])
        assert.include(line, "did not answer initialize within 1000 ms")
        assert.include(line, "Welcome!")
        assert.include(line, "login needed")
      }), timeout)

    it.live("an agent that prints garbage without end", () =>
      Effect.gen(function*() {
        const { line } = yield* refused(["--agent", "yes garbage"])
        assert.include(line, "were no messages")
        assert.include(line, "garbage")
      }), timeout)

    it.live("an agent that never answers", () =>
      Effect.gen(function*() {
        const { line } = yield* refused(["--timeout", "0.5", "--agent", "sleep 1000"])
        assert.include(line, "did not answer initialize within 500 ms")
      }), timeout)

    it.live("an agent that is killed in a turn", () =>
      Effect.gen(function*() {
        const script =
          "let n = 0; process.stdin.on('data', () => n++ < 2 ? console.log(JSON.stringify({ jsonrpc: '2.0', id: n, " +
          "result: n === 1 ? { protocolVersion: 1 } : { sessionId: 's' } })) : process.kill(process.pid, 'SIGKILL'))"
        const { line } = yield* refused(agent(script))
        assert.include(line, "was killed by SIGKILL")
      }), timeout)

    it.live("wrong flags", () =>
      Effect.gen(function*() {
        for (const args of [["--agent", ""], ["--agent", "node 'x"], ["--agnt", "x"], ["--timeout", "0"], ["more"]]) {
          const { stdout } = yield* refused(args)
          assert.strictEqual(stdout, "")
        }
      }), timeout)
  })
})
