import * as Terminal from "@effect-acp/core/Terminal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { cancel, prompt, said, start, stopped } from "./support/agent.ts"

const client = { terminal: true }

const named = (sessionId: string) => ({ sessionId, terminalId: "t1" })

describe("Terminals of the client", () => {
  it.effect("K20 F140 run creates, waits, reads and releases", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          const { exitStatus, output } = yield* turn.run({ command: "ls", args: ["-la"] })
          yield* turn.say(`${exitStatus.exitCode} ${output}`)
        })
      }, { client })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      const params = named(sessionId)
      yield* peer.respond(
        yield* peer.expect({
          method: "terminal/create",
          params: { sessionId, command: "ls", args: ["-la"], cwd: "/w" }
        }),
        { terminalId: "t1" }
      )
      yield* peer.respond(yield* peer.expect({ method: "terminal/wait_for_exit", params }), {
        exitCode: 0,
        signal: null
      })
      yield* peer.respond(yield* peer.expect({ method: "terminal/output", params }), {
        output: "files",
        truncated: false
      })
      yield* peer.respond(yield* peer.expect({ method: "terminal/release", params }), {})
      yield* peer.expect(said(sessionId, "0 files"))
      yield* peer.expect(stopped(1, "end_turn"))
    }))

  it.effect("K20 a command that takes longer than its limit is killed, and its output is read", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: Effect.fnUntraced(function*(turn) {
          const { output, timedOut } = yield* turn.run({ command: "sleep" }, { timeout: "10 seconds" })
          yield* turn.say(`${timedOut} ${output}`)
        })
      }, { client })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.respond(yield* peer.expect({ method: "terminal/create" }), { terminalId: "t1" })
      const { id } = yield* peer.expect({ method: "terminal/wait_for_exit" })
      yield* TestClock.adjust("10 seconds")
      yield* peer.expect({ method: "$/cancel_request", params: { requestId: id } })
      yield* peer.respond(yield* peer.expect({ method: "terminal/kill" }), {})
      yield* peer.respond(yield* peer.expect({ method: "terminal/wait_for_exit" }), {
        exitCode: null,
        signal: "SIGKILL"
      })
      yield* peer.respond(yield* peer.expect({ method: "terminal/output" }), { output: "partial", truncated: true })
      yield* peer.respond(yield* peer.expect({ method: "terminal/release" }), {})
      yield* peer.expect(said(sessionId, "true partial"))
    }))

  it.effect("K20 F140 a terminal is released when its turn fails", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: (turn) => Effect.andThen(turn.terminal({ command: "ls" }), Effect.die("no"))
      }, { client, allow: ["HandlerFailed"] })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.respond(yield* peer.expect({ method: "terminal/create" }), { terminalId: "t1" })
      yield* peer.respond(yield* peer.expect({ method: "terminal/release", params: named(sessionId) }), {})
      yield* peer.expect({ id: 1, error: { code: -32603 } })
    }))

  it.effect("K20 F140 a terminal is released when its turn is cancelled, before the end of the turn", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: (turn) => Effect.asVoid(turn.run({ command: "sleep" }))
      }, { client })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      yield* peer.respond(yield* peer.expect({ method: "terminal/create" }), { terminalId: "t1" })
      const { id } = yield* peer.expect({ method: "terminal/wait_for_exit" })
      yield* peer.send(cancel(sessionId))
      yield* peer.expect({ method: "$/cancel_request", params: { requestId: id } })
      const release = yield* peer.expect({ method: "terminal/release", params: named(sessionId) })
      yield* peer.expectNothing
      yield* peer.respond(release, {})
      yield* peer.expect(stopped(1, "cancelled"))
    }))

  it.effect("K20 F140 a terminal that was being created when the turn was cancelled is released once it is there", () =>
    Effect.gen(function*() {
      const { newSession, peer } = yield* start({
        prompt: (turn) => Effect.asVoid(turn.run({ command: "sleep" }))
      }, { client })
      const sessionId = yield* newSession
      yield* peer.send(prompt(1, sessionId))
      const create = yield* peer.expect({ method: "terminal/create" })
      yield* peer.send(cancel(sessionId))
      yield* peer.expect(stopped(1, "cancelled"))
      yield* peer.respond(create, { terminalId: "t1" })
      yield* peer.respond(yield* peer.expect({ method: "terminal/release", params: named(sessionId) }), {})
      yield* peer.expectNothing
    }))

  it("K20 F141 a shell line is a command that goes to the system as it is", () => {
    assert.deepStrictEqual(Terminal.shell("git status && echo x"), {
      command: "sh",
      args: ["-c", "git status && echo x"]
    })
    assert.deepStrictEqual(Terminal.shell("dir | more", "windows"), {
      command: "cmd.exe",
      args: ["/d", "/s", "/c", "dir | more"]
    })
  })
})
