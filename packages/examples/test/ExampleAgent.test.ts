import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import * as Content from "@effect-acp/core/schema/Content"
import type { SessionUpdate } from "@effect-acp/core/schema/SessionUpdate"
import * as Files from "@effect-acp/host/Files"
import * as Terminals from "@effect-acp/host/Terminals"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Layer, Stream, SubscriptionRef } from "effect"
import {
  clientInfo,
  collect,
  isAlive,
  layerClient,
  layerMemory,
  makeFiles,
  platform,
  statuses,
  tempDirectory,
  toolContent,
  turnIn
} from "./support.ts"

/** The example agent with a client that offers nothing but a permission policy. */
const bare = Layer.provide(layerClient, layerMemory)

const withPolicy = <A>(policy: Layer.Layer<Permission.Permission>, handlers: Layer.Layer<A>) =>
  Client.layer({ clientInfo }).pipe(Layer.provide([policy, handlers]), Layer.provide(layerMemory))

const chunks = (updates: ReadonlyArray<SessionUpdate>) =>
  updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")

describe("the example agent", () => {
  describe("messages", () => {
    it.live("echo gives the text back, piece by piece and as it was", () =>
      Effect.gen(function*() {
        const said = "  hello é中文 😀\nand  more "
        const { stopReason, text, updates } = yield* turnIn("/", `echo ${said}`)
        assert.strictEqual(text, said)
        assert.isAbove(chunks(updates).length, 1)
        assert.strictEqual(stopReason, "end_turn")
      }).pipe(Effect.provide(bare)))

    it.live("echo of two characters comes in two pieces, of none in no piece", () =>
      Effect.gen(function*() {
        const two = yield* turnIn("/", "echo hi")
        assert.strictEqual(chunks(two.updates).length, 2)
        const none = yield* turnIn("/", "echo")
        assert.deepStrictEqual(none, { updates: [], text: "", stopReason: "end_turn" })
      }).pipe(Effect.provide(bare)))

    it.live("plan shows each step from pending to completed", () =>
      Effect.gen(function*() {
        const { updates } = yield* turnIn("/", "plan 2")
        const plans = updates.flatMap((update) =>
          update.sessionUpdate === "plan" ? [update.entries.map(({ status }) => status)] : []
        )
        assert.deepStrictEqual(plans, [
          ["pending", "pending"],
          ["in_progress", "pending"],
          ["completed", "in_progress"],
          ["completed", "completed"]
        ])
      }).pipe(Effect.provide(bare)))

    it.live("slow takes 50 ms for each piece", () =>
      Effect.gen(function*() {
        const started = performance.now()
        const { text } = yield* turnIn("/", "slow 5")
        assert.strictEqual(text, "1 2 3 4 5 ")
        assert.isAtLeast(performance.now() - started, 240)
      }).pipe(Effect.provide(bare)))

    it.live("flood gives every piece in order", () =>
      Effect.gen(function*() {
        const { text, updates } = yield* turnIn("/", "flood 5000")
        assert.strictEqual(updates.length, 5_000)
        assert.strictEqual(text, Array.from({ length: 5_000 }, (_, index) => `${index + 1} `).join(""))
      }).pipe(Effect.provide(bare)))

    it.live("a number that is none is answered with a word and the help", () =>
      Effect.gen(function*() {
        for (const prompt of ["plan", "plan x", "plan -1", "plan 101", "slow 1.5", "flood many"]) {
          const { stopReason, text } = yield* turnIn("/", prompt)
          assert.include(text, "is not a whole number", prompt)
          assert.include(text, "echo TEXT", prompt)
          assert.strictEqual(stopReason, "end_turn")
        }
      }).pipe(Effect.provide(bare)))

    it.live("anything else is answered with the help", () =>
      Effect.gen(function*() {
        for (const prompt of ["", "hello", "toString", "__proto__", "ECHO x", "read", "write", "run"]) {
          const { stopReason, text } = yield* turnIn("/", prompt)
          assert.include(text, "echo TEXT", prompt)
          assert.strictEqual(stopReason, "end_turn")
        }
      }).pipe(Effect.provide(bare)))

    it.live("inspect lists the kinds of content; the first text block is the command", () =>
      Effect.gen(function*() {
        const { text } = yield* turnIn("/", [
          Content.resourceLink({ name: "a", uri: "file:///a" }),
          Content.text("inspect"),
          Content.text("echo no"),
          Content.image({ data: "", mimeType: "image/png" }),
          Content.audio({ data: "", mimeType: "audio/wav" }),
          Content.resource({ uri: "file:///b", text: "b" })
        ])
        assert.strictEqual(text, "resource_link, text, text, image, audio, resource")
      }).pipe(Effect.provide(bare)))
  })

  describe("errors", () => {
    it.live("fail ends the turn with a typed error, die with one that says nothing; the session goes on", () =>
      Effect.gen(function*() {
        const { newSession } = yield* Client.Client
        const session = yield* newSession({ cwd: "/" })
        const failed = yield* Effect.flip(collect(session.prompt("fail")))
        assert(failed._tag === "OtherError")
        assert.strictEqual(failed.code, 1)
        assert.include(failed.message, "as the prompt asked")
        const died = yield* Effect.flip(collect(session.prompt("die")))
        assert(died._tag === "InternalError")
        assert.notInclude(JSON.stringify(died), "as the prompt asked")
        assert.strictEqual((yield* collect(session.prompt("echo on"))).text, "on")
      }).pipe(Effect.scoped, Effect.provide(bare)))
  })

  describe("files", () => {
    it.live("read asks, reads a path below the folder of the session, and gives the text twice", () =>
      Effect.gen(function*() {
        const { calls, layer } = makeFiles({ "/project/notes.md": "one\ntwo\n" })
        const { text, updates } = yield* turnIn("/project", "read notes.md").pipe(
          Effect.provide(withPolicy(Permission.layerAllowOnce, layer))
        )
        assert.strictEqual(text, "one\ntwo\n")
        assert.deepStrictEqual(toolContent(updates), [{
          type: "content",
          content: { type: "text", text: "one\ntwo\n" }
        }])
        assert.deepStrictEqual(statuses(updates), ["pending", "in_progress", "completed"])
        assert.deepStrictEqual(calls, ["read /project/notes.md"])
      }))

    it.live("read without permission reads nothing and says so", () =>
      Effect.gen(function*() {
        const { calls, layer } = makeFiles({ "/project/notes.md": "one" })
        const nobody = Permission.layer(() => Effect.succeed("cancelled" as const))
        for (const [policy, expected] of [[Permission.layerDeny, "end_turn"], [nobody, "cancelled"]] as const) {
          const { stopReason, text, updates } = yield* turnIn("/project", "read notes.md").pipe(
            Effect.provide(withPolicy(policy, layer))
          )
          assert.include(text, "permission denied")
          assert.deepStrictEqual(statuses(updates), ["pending", "failed"])
          assert.strictEqual(stopReason, expected)
        }
        assert.deepStrictEqual(calls, [])
      }))

    it.live("a policy that dies allows nothing", () =>
      Effect.gen(function*() {
        const { calls, layer } = makeFiles({ "/project/notes.md": "one" })
        const { text } = yield* turnIn("/project", "read notes.md").pipe(
          Effect.provide(withPolicy(Permission.layer(() => Effect.die(new Error("no policy"))), layer))
        )
        assert.include(text, "permission denied")
        assert.deepStrictEqual(calls, [])
      }))

    it.live("write shows what changes, asks, writes and says so", () =>
      Effect.gen(function*() {
        const { calls, files, layer } = makeFiles({ "/project/a": "old" })
        const { text, updates } = yield* turnIn("/project", "write a new  text\n").pipe(
          Effect.provide(withPolicy(Permission.layerAllowOnce, layer))
        )
        assert.strictEqual(text, "wrote a")
        assert.deepStrictEqual(toolContent(updates), [{
          type: "diff",
          path: "/project/a",
          oldText: "old",
          newText: "new  text\n"
        }])
        assert.strictEqual(files.get("/project/a"), "new  text\n")
        assert.deepStrictEqual(calls, ["read /project/a", "write /project/a"])
      }))

    it.live("write of a new file has no old text; without permission nothing is written", () =>
      Effect.gen(function*() {
        const { files, layer } = makeFiles({})
        const { text, updates } = yield* turnIn("/project", "write /tmp/b text").pipe(
          Effect.provide(withPolicy(Permission.layerDeny, layer))
        )
        assert.include(text, "permission denied")
        assert.deepStrictEqual(toolContent(updates), [{ type: "diff", path: "/tmp/b", newText: "text" }])
        assert.strictEqual(files.size, 0)
      }))

    it.live("what the client did not advertise is not asked for and not called", () =>
      Effect.gen(function*() {
        let questions = 0
        const policy = Permission.layer((request) =>
          Effect.sync(() => {
            questions++
            return Permission.allowOnce(request)
          })
        )
        for (
          const [prompt, capability] of [["read a", "fs.readTextFile"], ["write a b", "fs.writeTextFile"], [
            "run ls",
            "terminal"
          ]]
        ) {
          const { stopReason, text, updates } = yield* turnIn("/", prompt).pipe(
            Effect.provide(withPolicy(policy, Layer.empty))
          )
          assert.include(text, `did not advertise ${capability}`)
          assert.strictEqual(statuses(updates).at(-1), "failed")
          assert.strictEqual(stopReason, "end_turn")
        }
        assert.strictEqual(questions, 0)
      }))

    it.live("works on the files of the disk", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const cwd = yield* tempDirectory
        const client = withPolicy(Permission.layerAllowOnce, Layer.provide(Files.layer(), platform))
        yield* Effect.gen(function*() {
          assert.strictEqual((yield* turnIn(cwd, "write deep/a.txt hello")).text, "wrote deep/a.txt")
          assert.strictEqual(yield* fs.readFileString(`${cwd}/deep/a.txt`), "hello")
          assert.strictEqual((yield* turnIn(cwd, "read deep/a.txt")).text, "hello")
          assert.include((yield* turnIn(cwd, "read missing.txt")).text, "-32002")
          assert.include((yield* turnIn(cwd, "read ../../etc/passwd")).text, "-32602")
        }).pipe(Effect.provide(client))
      }).pipe(Effect.scoped, Effect.provide(platform)))
  })

  describe("terminals", () => {
    const client = withPolicy(Permission.layerAllowOnce, Layer.provide(Terminals.layer(), platform))

    it.live("run embeds the terminal, gives its output and says how it ended", () =>
      Effect.gen(function*() {
        const { text, updates } = yield* turnIn(
          "/",
          `run "${process.execPath}" -e "console.log('a b'); process.exit(3)"`
        )
        assert.include(text, "exited with code 3")
        assert.deepStrictEqual(statuses(updates), ["pending", "in_progress", "completed"])
        const [terminal] = toolContent(updates) ?? []
        assert.strictEqual(terminal.type, "terminal")
        const output = updates.flatMap((update) =>
          update.sessionUpdate === "tool_call_update" && update.rawOutput !== undefined ? [update.rawOutput] : []
        )
        assert.deepInclude(output[0], { output: "a b\n", truncated: false, exitCode: 3 })
      }).pipe(Effect.provide(client)), 20_000)

    it.live("run of what does not exist, or of half a quote, is said", () =>
      Effect.gen(function*() {
        const { updates } = yield* turnIn("/", "run no-such-program")
        assert.strictEqual(statuses(updates).at(-1), "failed")
        assert.include((yield* turnIn("/", "run echo 'a")).text, "a quote is not closed")
      }).pipe(Effect.provide(client)))

    it.live("cancelling run ends the command", () =>
      Effect.gen(function*() {
        const { newSession } = yield* Client.Client
        const session = yield* newSession({ cwd: "/" })
        const terminals = yield* Terminals.Terminals
        const fiber = yield* Effect.forkChild(collect(session.prompt("run sleep 100")), { startImmediately: true })
        const [terminal] = yield* Stream.runCollect(Stream.take(terminals.created, 1))
        assert.isTrue(isAlive(terminal.pid))
        yield* session.cancel
        assert.strictEqual((yield* Fiber.join(fiber)).stopReason, "cancelled")
        yield* terminal.exit
        assert.isFalse(isAlive(terminal.pid))
      }).pipe(
        Effect.scoped,
        Effect.provide(
          Client.layer({ clientInfo }).pipe(
            Layer.provideMerge(Layer.provide(Terminals.layer(), platform)),
            Layer.provide([Permission.layerAllowOnce, layerMemory])
          )
        )
      ), 20_000)
  })

  describe("sessions", () => {
    it.live("are listed, loaded with their conversation, and deleted", () =>
      Effect.gen(function*() {
        const client = yield* Client.Client
        const ids = Effect.map(Stream.runCollect(client.listSessions()), (all) => all.map(({ sessionId }) => sessionId))
        const sessionId = yield* Effect.scoped(Effect.gen(function*() {
          const session = yield* client.newSession({ cwd: "/" })
          yield* collect(session.prompt("echo remember this"))
          return session.sessionId
        }))
        assert.deepStrictEqual(yield* ids, [sessionId])
        const session = yield* client.loadSession({ sessionId, cwd: "/" })
        const { text } = yield* collect(session.prompt("echo on"))
        assert.strictEqual(text, "on")
        const said = session.history.map(({ update }) => "content" in update ? JSON.stringify(update.content) : "")
          .join("")
        assert.include(said, "echo remember this")
        yield* client.deleteSession(sessionId)
        assert.deepStrictEqual(yield* ids, [])
      }).pipe(Effect.scoped, Effect.provide(bare)))
  })

  describe("choices", () => {
    it.live("the mode decides whether tool calls are asked for", () =>
      Effect.gen(function*() {
        const { layer } = makeFiles({ "/a": "text" })
        const asked: Array<string> = []
        const policy = Permission.layer((request) => {
          asked.push(String(request.toolCall.title))
          return Effect.succeed(Permission.allowOnce(request))
        })
        const statuses = yield* Effect.gen(function*() {
          const { newSession } = yield* Client.Client
          const session = yield* newSession({ cwd: "/" })
          yield* collect(session.prompt("read a"))
          yield* session.setMode("trust")
          return yield* collect(session.prompt("read a"))
        }).pipe(Effect.scoped, Effect.provide(withPolicy(policy, layer)))
        assert.deepStrictEqual(asked, ["Read a"])
        assert.include(statuses.text, "text")
      }))

    it.live("the config option decides in how many pieces echo speaks; the commands are told", () =>
      Effect.gen(function*() {
        const { newSession } = yield* Client.Client
        const session = yield* newSession({ cwd: "/" })
        yield* session.setConfigOption("pieces", "1")
        const { updates } = yield* collect(session.prompt("echo all in one"))
        assert.strictEqual(chunks(updates).length, 1)
        const { commands } = yield* SubscriptionRef.get(session.state)
        assert.include(commands.map(({ name }) => name), "echo")
      }).pipe(Effect.scoped, Effect.provide(bare)))
  })

  describe("permission", () => {
    it.live("ask offers all four kinds and says which was chosen", () =>
      Effect.gen(function*() {
        for (const kind of ["allow_once", "allow_always", "reject_once", "reject_always"] as const) {
          const policy = Permission.layer(({ options }) =>
            Effect.succeed(options.find((option) => option.kind === kind) ?? "cancelled" as const)
          )
          const { text } = yield* turnIn("/", "ask").pipe(Effect.provide(withPolicy(policy, Layer.empty)))
          assert.include(text, kind)
        }
        const nobody = Permission.layer(() => Effect.succeed("cancelled" as const))
        const { stopReason, text } = yield* turnIn("/", "ask").pipe(Effect.provide(withPolicy(nobody, Layer.empty)))
        assert.include(text, "permission denied")
        assert.strictEqual(stopReason, "cancelled")
      }))

    it.live("cancelling a turn whose question is open ends both", () =>
      Effect.gen(function*() {
        const { newSession } = yield* Client.Client
        const session = yield* newSession({ cwd: "/" })
        const fiber = yield* Effect.forkChild(collect(session.prompt("ask")))
        yield* Effect.sleep("100 millis")
        yield* session.cancel
        assert.strictEqual((yield* Fiber.join(fiber)).stopReason, "cancelled")
        assert.strictEqual((yield* collect(session.prompt("echo next"))).text, "next")
      }).pipe(Effect.scoped, Effect.provide(withPolicy(Permission.layer(() => Effect.never), Layer.empty))))
  })
})
