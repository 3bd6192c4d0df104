import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import * as Support from "./support.ts"

const chatFile = join(import.meta.dirname, "../src/chat.ts")
const chatAgent = `"${process.execPath}" "${Support.fixture("chat-agent.ts")}"`

const type = (lines: ReadonlyArray<string>, args: ReadonlyArray<string> = []) =>
  Support.runNode([chatFile, ...args], { input: lines.map((line) => `${line}\n`).join("") })

/** Runs the chat and answers what is on its screen, whenever that has changed. */
const talk = (
  args: ReadonlyArray<string>,
  react: (screen: string, interrupt: () => void) => string | undefined
): Effect.Effect<{ readonly code: number | null; readonly stdout: string }> =>
  Effect.callback((resume) => {
    const child = spawn(process.execPath, [chatFile, ...args], { cwd: Support.repository })
    let stdout = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      const line = react(stdout, () => child.kill("SIGINT"))
      if (line !== undefined) child.stdin.write(`${line}\n`)
    })
    child.on("close", (code) => resume(Effect.succeed({ code, stdout })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("the chat", () => {
  it.live("shows text, plans and tool calls, and asks before they run", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* type([
        "echo one two three",
        "plan 1",
        "ask",
        "1",
        "ask",
        "nonsense",
        "read README.md",
        "1"
      ])
      assert.strictEqual(code, 0, stdout)
      assert.include(stdout, "> one two three\n(end_turn)")
      assert.include(stdout, "[x] Step 1 of 1")
      assert.include(stdout, "May it: Ask for permission (other)?\n  1 Allow once")
      assert.include(stdout, "Allow once was chosen")
      assert.include(stdout, "Reject once was chosen")
      assert.match(stdout, /Read README.md \(read\): completed/u)
    }), 30_000)

  it.live("goes on after a turn that fails", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* type(["fail", "die", "echo still here", "/quit", "never sent"])
      assert.strictEqual(code, 0, stdout)
      assert.include(stdout, "This turn failed, as the prompt asked")
      assert.include(stdout, "error -32603")
      assert.include(stdout, "still here\n(end_turn)")
      assert.notInclude(stdout, "never sent")
    }), 30_000)

  it.live("shows diffs, switches modes and options, and opens a session again", () =>
    Effect.gen(function*() {
      let sessionId: string | undefined
      const steps = [
        () => "edit",
        () => "/mode",
        () => "/mode code",
        () => "/mode",
        () => "/mode nope",
        () => "/set brave true",
        () => "/set",
        () => "remember me",
        () => "/new",
        () => "/sessions",
        () => `/resume ${sessionId}`
      ]
      const { code, stdout } = yield* talk(["--agent", chatAgent], (screen) => {
        sessionId ??= /\(session (\S+)\)/u.exec(screen)?.[1]
        return screen.endsWith("> ") ? steps.shift()?.() ?? "/quit" : undefined
      })
      assert.strictEqual(code, 0, stdout)
      assert.include(stdout, "Edit a.txt (edit): completed\n    /project/a.txt\n    - before\n    + after")
      assert.include(stdout, "  * ask  Ask first\n    code  Just do it")
      assert.include(stdout, "    ask  Ask first\n  * code  Just do it")
      assert.include(stdout, "The agent offers no mode nope; it offers ask, code")
      assert.include(stdout, "brave = true (true, false)")
      const reopened = stdout.slice(stdout.lastIndexOf("> edit"))
      assert.include(reopened, "> remember me\nYou said: remember me")
      assert.include(reopened, `(session ${sessionId})`)
    }), 30_000)

  it.live("Ctrl-C cancels the turn, and ends the chat when there is none", () =>
    Effect.gen(function*() {
      let interrupts = 0
      const { code, stdout } = yield* talk([], (screen, interrupt) => {
        if (screen.endsWith(")\n> ") && interrupts === 0) return "slow 1000"
        if (screen.endsWith(" 3 ") || (screen.endsWith("(cancelled)\n> ") && interrupts === 1)) {
          interrupts++
          interrupt()
        }
        return undefined
      })
      assert.strictEqual(code, 0, stdout)
      assert.strictEqual(interrupts, 2)
      assert.include(stdout, "(cancelled)")
    }), 30_000)

  it.live("says in one line what is wrong with an agent that is none", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* type([], ["--agent", "no-such-agent-command"])
      assert.strictEqual(code, 1)
      assert.include(stdout, "no-such-agent-command")
    }), 30_000)
})
