import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Option, Stream } from "effect"
import * as fs from "node:fs"
import { refused } from "./handlers.ts"
import { invalid, live, missing } from "./terminals.ts"

describe("Terminals", () => {
  describe("commands", () => {
    live(
      "T1 arguments are passed as they are, no shell reads them",
      ({ create, output, wait }) =>
        Effect.gen(function*() {
          const args = ["a b", "$HOME", "*", "; exit 3", "\"'", "", "é中😀"]
          const id = yield* create(process.execPath, [
            "-e",
            "console.log(JSON.stringify(process.argv.slice(1)))",
            ...args
          ])
          assert.deepStrictEqual(yield* wait(id), { exitCode: 0, signal: null })
          assert.deepStrictEqual(JSON.parse((yield* output(id)).output), args)
        })
    )

    live("T1 F141 a program whose path has spaces is run", ({ create, output, root, wait }) =>
      Effect.gen(function*() {
        fs.mkdirSync(`${root}/My Tool`)
        fs.writeFileSync(`${root}/My Tool/tool`, "#!/bin/sh\necho \"ran: $1\"\n", { mode: 0o755 })
        const id = yield* create(`${root}/My Tool/tool`, ["a b"])
        yield* wait(id)
        assert.strictEqual((yield* output(id)).output, "ran: a b\n")
      }))

    live("T1 F141 a shell line is not run unless the option says so", ({ create }) =>
      Effect.gen(function*() {
        const error = yield* refused(create("echo a && echo b"), invalid, "command_not_found")
        assert.strictEqual((error.data as { command: string }).command, "echo a && echo b")
        yield* refused(create("no-such-program", ["a"]), invalid, "command_not_found")
        yield* refused(create("/etc/passwd"), invalid, "command_not_executable")
      }))

    live(
      "T1 F141 by option a line without arguments that names no program is run by the shell",
      ({ create, output, wait }) =>
        Effect.gen(function*() {
          const line = yield* create("echo a && echo b | tr b c; exit 4")
          assert.deepStrictEqual(yield* wait(line), { exitCode: 4, signal: null })
          assert.strictEqual((yield* output(line)).output, "a\nc\n")
          const program = yield* create("pwd")
          assert.deepStrictEqual(yield* wait(program), { exitCode: 0, signal: null })
          yield* refused(create("echo a", ["b"]), invalid, "command_not_found")
        }),
      { shellLines: true }
    )

    live(
      "the working folder is inside the session's folders, by the same rules as files",
      ({ create, output, root, wait }) =>
        Effect.gen(function*() {
          fs.mkdirSync(`${root}/sub`)
          fs.writeFileSync(`${root}/file`, "")
          fs.symlinkSync("/etc", `${root}/out`)
          const id = yield* create("pwd", [], { cwd: `${root}/sub/../sub` })
          yield* wait(id)
          assert.strictEqual((yield* output(id)).output, `${root}/sub\n`)
          const own = yield* create("pwd")
          yield* wait(own)
          assert.strictEqual((yield* output(own)).output, `${root}\n`)
          yield* refused(create("pwd", [], { cwd: "/etc" }), invalid, "path_traversal")
          yield* refused(create("pwd", [], { cwd: `${root}/out` }), invalid, "symlink_escape")
          yield* refused(create("pwd", [], { cwd: "sub" }), invalid, "not_absolute")
          yield* refused(create("pwd", [], { cwd: `${root}/file` }), invalid, "not_a_directory")
          yield* refused(create("pwd", [], { cwd: `${root}/none` }), missing, "not_found")
        })
    )

    live(
      "the environment is that of the client, then the option's, then the agent's",
      ({ create, output, wait }) =>
        Effect.gen(function*() {
          const id = yield* create("sh", ["-c", "echo $A $B; test -n \"$PATH\""], {
            env: [{ name: "B", value: "agent" }]
          })
          assert.deepStrictEqual(yield* wait(id), { exitCode: 0, signal: null })
          assert.strictEqual((yield* output(id)).output, "option agent\n")
          yield* refused(create("sh", [], { env: [{ name: "A=B", value: "x" }] }), invalid, "invalid_env")
        }),
      { env: { A: "option", B: "option" } }
    )
  })

  describe("output", () => {
    live(
      "T2 F144 the end is kept, cut at a character, and says so",
      ({ create, output, wait }) =>
        Effect.gen(function*() {
          const text = "aé中😀z"
          const expected = [
            "",
            "z",
            "z",
            "z",
            "z",
            "😀z",
            "😀z",
            "😀z",
            "中😀z",
            "中😀z",
            "é中😀z",
            "aé中😀z",
            "aé中😀z"
          ]
          yield* Effect.forEach(expected, (kept, limit) =>
            Effect.gen(function*() {
              const id = yield* create("printf", [text], { outputByteLimit: limit })
              yield* wait(id)
              assert.deepStrictEqual(yield* output(id), {
                output: kept,
                truncated: kept !== text,
                exitStatus: { exitCode: 0, signal: null }
              })
            }), { concurrency: 4 })
        })
    )

    live(
      "T2 a character that is written in two halves is one character, also beside stderr",
      ({ create, output, wait }) =>
        Effect.gen(function*() {
          const script = `
          const pause = () => new Promise((resolve) => setTimeout(resolve, 60));
          (async () => {
            for (const byte of Buffer.from("é😀")) { process.stdout.write(Buffer.from([byte])); await pause(); process.stderr.write("."); await pause() }
          })()`
          const id = yield* create(process.execPath, ["-e", script])
          yield* Effect.sleep(400)
          assert.notInclude((yield* output(id)).output, "\uFFFD")
          yield* wait(id)
          const text = (yield* output(id)).output
          assert.strictEqual(text.replaceAll(".", ""), "é😀")
          assert.strictEqual(text.length - "é😀".length, 6)
        })
    )

    live(
      "T2 output can be read while the command runs, and has no status before its end",
      ({ create, output, root, wait }) =>
        Effect.gen(function*() {
          const id = yield* create("sh", ["-c", `echo one; while [ ! -e ${root}/go ]; do sleep 0.02; done; echo two`])
          for (;;) {
            const now = yield* output(id)
            if (now.output === "") continue
            assert.deepStrictEqual(now, { output: "one\n", truncated: false })
            break
          }
          fs.writeFileSync(`${root}/go`, "")
          yield* wait(id)
          assert.deepStrictEqual(yield* output(id), {
            output: "one\ntwo\n",
            truncated: false,
            exitStatus: { exitCode: 0, signal: null }
          })
        })
    )

    live(
      "T2 F145 the agent's limit is kept to, up to the client's, and without one there is a default",
      ({ create, output, wait }) =>
        Effect.gen(function*() {
          const script = ["-e", "process.stdout.write('x'.repeat(100000))"]
          for (
            const [outputByteLimit, kept] of [[50, 50], [5_000, 5_000], [1e15, 8_000], [undefined, 6_000]] as const
          ) {
            const id = yield* create(process.execPath, script, outputByteLimit === undefined ? {} : { outputByteLimit })
            yield* wait(id)
            const { output: text, truncated } = yield* output(id)
            assert.deepStrictEqual([text.length, truncated], [kept, true])
          }
        }),
      { outputBytes: 6_000, maxOutputBytes: 8_000 }
    )

    live(
      "live output is a stream from the beginning, and can be read after the release",
      ({ call, create, view, wait }) =>
        Effect.gen(function*() {
          const created = yield* Effect.forkChild(Stream.runHead(view.created))
          yield* Effect.sleep(20)
          const id = yield* create("sh", ["-c", "echo one; sleep 0.3; echo two >&2; sleep 0.2; echo three"])
          const terminal = Option.getOrThrow(yield* view.get(id))
          assert.strictEqual(Option.getOrThrow(yield* Fiber.join(created)), terminal)
          assert.deepInclude(terminal, { terminalId: id, sessionId: "s1", command: "sh" })
          yield* Effect.sleep(100)
          const seen: Array<string> = []
          yield* Stream.runForEach(terminal.output, (text) => Effect.sync(() => seen.push(text)))
          assert.deepStrictEqual(seen, ["one\n", "two\n", "three\n"])
          assert.deepStrictEqual(yield* wait(id), { exitCode: 0, signal: null })
          yield* call("releaseTerminal", { terminalId: id })
          assert.strictEqual(yield* Stream.mkString(terminal.output), "one\ntwo\nthree\n")
          assert.strictEqual(Option.getOrThrow(yield* view.get(id)), terminal)
          assert.deepStrictEqual(yield* terminal.exit, { code: 0, signal: null })
        })
    )

    live(
      "T2 F123 a gigabyte of output is read in flat memory",
      ({ create, output, view, wait }) =>
        Effect.gen(function*() {
          const id = yield* create("sh", ["-c", "head -c 1073741824 /dev/zero | tr '\\0' x; echo end"], {
            outputByteLimit: 1_000_000
          })
          const terminal = Option.getOrThrow(yield* view.get(id))
          const listener = yield* Effect.forkChild(Stream.runForEach(terminal.output, () => Effect.sleep(5)))
          let peak = 0
          const before = process.memoryUsage().rss
          const watcher = yield* Effect.sync(() => {
            peak = Math.max(peak, process.memoryUsage().rss)
          }).pipe(
            Effect.andThen(Effect.sleep(20)),
            Effect.forever,
            Effect.forkChild
          )
          yield* wait(id)
          yield* Fiber.interrupt(watcher)
          yield* Fiber.interrupt(listener)
          const { output: text, truncated } = yield* output(id)
          assert.isTrue(truncated)
          assert.strictEqual(text.length, 1_000_000)
          assert.isTrue(text.endsWith("xend\n"))
          assert.isBelow(peak - before, 400 * 1024 * 1024)
        })
    )
  })
})
