import * as Files from "@effect-acp/host/Files"
import type * as Window from "@effect-acp/host/internal/window"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Option, PlatformError, Schema } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { invalid, live, marker, missing, snapshot } from "./files.ts"
import { callAs, makeSession, refused } from "./handlers.ts"
import { platform, tempDirectory } from "./support.ts"

const { window }: typeof Window = await import(new URL("../src/internal/window.ts", import.meta.url).href)

describe("Files", () => {
  describe("what is a file", () => {
    live(
      "FS2 folders, pipes and devices are refused, without waiting for them",
      ({ read, root, write }) =>
        Effect.gen(function*() {
          fs.mkdirSync(`${root}/folder`)
          execFileSync("mkfifo", [`${root}/pipe`])
          for (const name of ["folder", "pipe", ""]) {
            yield* refused(read(`${root}/${name}`), invalid, "not_a_file")
            yield* refused(write(`${root}/${name}`, "x"), invalid, "not_a_file")
          }
          yield* Effect.gen(function*() {
            const call = callAs(yield* Layer.build(Files.layer()), yield* makeSession("/dev"))
            yield* refused(call("readTextFile", { path: "/dev/zero" }), invalid, "not_a_file")
            yield* refused(call("writeTextFile", { path: "/dev/null", content: "x" }), invalid, "not_a_file")
          })
          assert.isTrue(fs.statSync(`${root}/pipe`).isFIFO())
        })
    )

    live(
      "FS2 a file that is exchanged between the look and the opening is not read",
      ({ base, root }) =>
        Effect.gen(function*() {
          fs.writeFileSync(`${root}/a`, "first")
          fs.writeFileSync(`${base}/secret`, marker)
          const real = yield* FileSystem.FileSystem
          const swapping = FileSystem.FileSystem.of({
            ...real,
            lstat: (path) => {
              const seen = fs.lstatSync(path, { bigint: false })
              return Effect.tap(real.lstat(path), () =>
                Effect.sync(() => {
                  if (!path.endsWith("/a") || !seen.isFile()) return
                  fs.rmSync(`${root}/a`)
                  fs.symlinkSync(`${base}/secret`, `${root}/a`)
                }))
            }
          })
          const call = callAs(
            yield* Layer.build(Files.layer()).pipe(Effect.provideService(FileSystem.FileSystem, swapping)),
            yield* makeSession(root)
          )
          yield* refused(call("readTextFile", { path: `${root}/a` }), invalid, "symlink_escape")
        })
    )

    live(
      "FS2 a hard link is written as a file of its own: the other name keeps its text",
      ({ base, root, write }) =>
        Effect.gen(function*() {
          fs.writeFileSync(`${base}/other`, marker)
          fs.linkSync(`${base}/other`, `${root}/a`)
          yield* write(`${root}/a`, "x")
          assert.strictEqual(fs.readFileSync(`${root}/a`, "utf8"), "x")
          assert.strictEqual(fs.readFileSync(`${base}/other`, "utf8"), marker)
        })
    )
  })

  describe("window", () => {
    live(
      "FS3 F124 F125 the window is counted from line 1 and is a part of the file",
      ({ read, root }) =>
        Effect.gen(function*() {
          const path = `${root}/f`
          fs.writeFileSync(path, "a\nb\r\nc\nd\n")
          assert.strictEqual(yield* read(path), "a\nb\r\nc\nd\n")
          assert.strictEqual(yield* read(path, null, 2), "a\nb\r\n")
          assert.strictEqual(yield* read(path, 2, 1), "b\r\n")
          assert.strictEqual(yield* read(path, 3), "c\nd\n")
          assert.strictEqual(yield* read(path, 0, 1), "a\n")
          assert.strictEqual(yield* read(path, 1, 0), "")
          assert.strictEqual(yield* read(path, 9), "")
          assert.strictEqual(yield* read(path, 4_294_967_295, 4_294_967_295), "")
        })
    )

    it.effect.prop(
      "FS3 windows of any size put together are the text",
      [
        Schema.Array(Schema.Literals(["a", "é", "\n", "\r\n", "\r", "\uFEFF", "\u2028", "😀"])),
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))
      ],
      ([parts, size]) =>
        Effect.sync(() => {
          const text = parts.join("")
          const count = text.split("\n").length
          let joined = ""
          for (let line = 1; line <= count; line += size) {
            const part = window(text, line, size)
            assert.isAtMost(part.split("\n").length - 1, size)
            joined += part
          }
          assert.strictEqual(joined, text)
          assert.strictEqual(window(text, count + 1, null), "")
          assert.strictEqual(
            window(text, 3, null),
            window(text, null, 2) === text ? "" : text.slice(window(text, null, 2).length)
          )
        })
    )

    live(
      "FS3 F134 F135 what is read and written back is the same file, byte for byte",
      ({ read, root, write }) =>
        Effect.gen(function*() {
          const contents = [
            "",
            "a",
            "a\n",
            "a\r\nb\r\n",
            "a\nb\r\nc\rd",
            "\uFEFFa\n",
            "\uFEFF",
            "\u0000\u2028é中😀",
            "\uFEFF\uFEFFa"
          ]
          for (const content of contents) {
            const path = `${root}/f`
            fs.writeFileSync(path, content)
            const bytes = fs.readFileSync(path)
            const text = yield* read(path)
            assert.strictEqual(text, content)
            yield* write(path, text)
            assert.deepStrictEqual(fs.readFileSync(path), bytes)
          }
        })
    )

    live(
      "FS3 F134 a file that is not UTF-8 is refused, never changed into replacement characters",
      ({ read, root, write }) =>
        Effect.gen(function*() {
          fs.writeFileSync(`${root}/f`, Buffer.from([0x61, 0xff, 0x62]))
          yield* refused(read(`${root}/f`), invalid, "invalid_utf8")
          yield* refused(write(`${root}/f`, "half \ud83d"), invalid, "invalid_text")
          assert.deepStrictEqual([...fs.readFileSync(`${root}/f`)], [0x61, 0xff, 0x62])
        })
    )
  })

  describe("limits", () => {
    live(
      "FS4 a file of 16 MiB is read, one byte more is not",
      ({ read, root }) =>
        Effect.gen(function*() {
          const limit = 16 * 1024 * 1024
          for (const size of [limit - 1, limit]) {
            fs.writeFileSync(`${root}/f`, Buffer.alloc(size, "a"))
            assert.strictEqual((yield* read(`${root}/f`)).length, size)
          }
          fs.writeFileSync(`${root}/f`, Buffer.alloc(limit + 1, "a"))
          const error = yield* refused(read(`${root}/f`), invalid, "file_too_large")
          assert.deepInclude(error.data as object, { size: limit + 1, limit })
        })
    )

    live(
      "FS4 a file without a size is bounded while it is read",
      () =>
        Effect.gen(function*() {
          const call = callAs(yield* Layer.build(Files.layer({ maxReadBytes: 10 })), yield* makeSession("/proc/self"))
          yield* refused(call("readTextFile", { path: "/proc/self/status" }), invalid, "file_too_large")
        })
    )

    live(
      "FS4 a missing file is not found, in a missing folder and under a file",
      ({ read, root }) =>
        Effect.gen(function*() {
          fs.writeFileSync(`${root}/file`, "x")
          yield* refused(read(`${root}/none`), missing, "not_found")
          yield* refused(read(`${root}/none/none`), missing, "not_found")
          fs.symlinkSync("none", `${root}/link`)
          yield* refused(read(`${root}/link`), missing, "not_found")
          yield* refused(read(`${root}/file/x`), invalid, "not_a_file")
        })
    )

    live(
      "FS4 what the file system does not permit is refused with a reason",
      ({ root }) =>
        Effect.gen(function*() {
          fs.writeFileSync(`${root}/a`, "x")
          const real = yield* FileSystem.FileSystem
          const denied = (method: string) =>
            Effect.fail(PlatformError.systemError({ _tag: "PermissionDenied", module: "FileSystem", method }))
          const call = callAs(
            yield* Layer.build(Files.layer()).pipe(Effect.provideService(FileSystem.FileSystem, {
              ...real,
              open: (path, options) => path.endsWith(".") ? real.open(path, options) : denied("open")
            })),
            yield* makeSession(root)
          )
          yield* refused(call("readTextFile", { path: `${root}/a` }), invalid, "permission_denied")
          yield* refused(call("writeTextFile", { path: `${root}/a`, content: "y" }), invalid, "permission_denied")
          assert.deepStrictEqual(snapshot(root), { [`${root}/a`]: "x" })
        })
    )
  })

  describe("writing", () => {
    live(
      "FS5 parents are created, the mode is kept, a new file has the usual mode",
      ({ root, write }) =>
        Effect.gen(function*() {
          fs.writeFileSync(`${root}/script`, "old")
          fs.chmodSync(`${root}/script`, 0o751)
          yield* write(`${root}/script`, "new")
          assert.strictEqual(fs.statSync(`${root}/script`).mode & 0o7777, 0o751)
          yield* write(`${root}/a/b/c`, "x")
          fs.writeFileSync(`${root}/usual`, "")
          assert.strictEqual(fs.statSync(`${root}/a/b/c`).mode, fs.statSync(`${root}/usual`).mode)
          assert.deepStrictEqual(fs.readdirSync(root).toSorted(), ["a", "script", "usual"])
        })
    )

    live(
      "FS5 a read-only file is refused and unchanged",
      ({ root, write }) =>
        Effect.gen(function*() {
          fs.writeFileSync(`${root}/a`, "x", { mode: 0o444 })
          yield* refused(write(`${root}/a`, "y"), invalid, "read_only")
          assert.strictEqual(fs.readFileSync(`${root}/a`, "utf8"), "x")
        })
    )

    live(
      "FS5 a disk that is full in the middle of a write leaves the old file and nothing beside it",
      ({ root }) =>
        Effect.gen(function*() {
          fs.writeFileSync(`${root}/a`, "old")
          const real = yield* FileSystem.FileSystem
          const full = FileSystem.FileSystem.of({
            ...real,
            open: (path, options) =>
              Effect.map(real.open(path, options), (file) =>
                options?.flag !== "wx" ? file : new Proxy(file, {
                  get: (target, key) =>
                    key !== "writeAll" ? Reflect.get(target, key, target) : (bytes: Uint8Array) =>
                      Effect.andThen(
                        target.writeAll(bytes.subarray(0, bytes.length / 2)),
                        Effect.fail(
                          PlatformError.systemError({ _tag: "Unknown", module: "FileSystem", method: "write" })
                        )
                      )
                }))
          })
          const call = callAs(
            yield* Layer.build(Files.layer()).pipe(Effect.provideService(FileSystem.FileSystem, full)),
            yield* makeSession(root)
          )
          yield* refused(call("writeTextFile", { path: `${root}/a`, content: "new text" }), -32603, "io_error")
          yield* refused(call("writeTextFile", { path: `${root}/b`, content: "new text" }), -32603, "io_error")
          assert.deepStrictEqual(snapshot(root), { [`${root}/a`]: "old" })
        })
    )

    live(
      "FS5 readers see the old text or the new one while a file is written over and over",
      ({ read, root, write }) =>
        Effect.gen(function*() {
          const texts = ["a".repeat(500_000), "b".repeat(700_000)]
          const path = `${root}/f`
          yield* write(path, texts[0])
          const writing = yield* Effect.forkChild(
            Effect.forEach(Array.from({ length: 40 }, (_, i) => texts[i % 2]), (text) => write(path, text))
          )
          for (let i = 0; i < 40; i++) assert.include(texts, yield* read(path))
          yield* Effect.yieldNow
          assert.include(texts, fs.readFileSync(path, "utf8"))
          writing.interruptUnsafe()
        })
    )

    live(
      "FS5 writes at once to one file end with one of them, whole",
      ({ root, write }) =>
        Effect.gen(function*() {
          const texts = Array.from({ length: 20 }, (_, i) => `${i}`.repeat(10_000))
          yield* Effect.forEach(texts, (text) => write(`${root}/deep/er/f`, text), { concurrency: "unbounded" })
          assert.include(texts, fs.readFileSync(`${root}/deep/er/f`, "utf8"))
          assert.deepStrictEqual(fs.readdirSync(`${root}/deep/er`), ["f"])
        })
    )
  })

  describe("buffers", () => {
    const dirty = new Map<string, string>()
    const saved: Array<string> = []
    const buffers = Layer.succeed(Files.Buffers, {
      read: ({ path }) => Effect.succeed(Option.fromUndefinedOr(dirty.get(path.split("/").at(-1)!))),
      write: ({ path, sessionId }, content, save) => {
        const name = path.split("/").at(-1)!
        if (name === "kept") return Effect.sync(() => dirty.set(name, content))
        return Effect.andThen(
          save,
          Effect.sync(() => {
            saved.push(`${sessionId}:${name}`)
            dirty.delete(name)
          })
        )
      }
    })

    live(
      "FS6 F133 unsaved text is in front of the disk, saved text is not",
      ({ read, root }) =>
        Effect.gen(function*() {
          fs.writeFileSync(`${root}/clean`, "old")
          fs.writeFileSync(`${root}/dirty`, "old")
          dirty.set("dirty", "one\ntwo\n")
          execFileSync("sh", ["-c", `printf new > ${root}/clean; printf new > ${root}/dirty`])
          assert.strictEqual(yield* read(`${root}/clean`), "new")
          assert.strictEqual(yield* read(`${root}/dirty`), "one\ntwo\n")
          assert.strictEqual(yield* read(`${root}/dirty`, 2, 1), "two\n")
        }),
      { layers: buffers }
    )

    live(
      "FS6 an editor can keep a write in its buffer, or save and follow it",
      ({ read, root, write }) =>
        Effect.gen(function*() {
          yield* write(`${root}/kept`, "unsaved")
          assert.isFalse(fs.existsSync(`${root}/kept`))
          assert.strictEqual(yield* read(`${root}/kept`), "unsaved")
          dirty.set("b", "dirty")
          yield* write(`${root}/b`, "text")
          assert.strictEqual(fs.readFileSync(`${root}/b`, "utf8"), "text")
          assert.strictEqual(yield* read(`${root}/b`), "text")
          assert.deepStrictEqual(saved, ["s1:b"])
        }),
      { layers: buffers }
    )

    live(
      "FS6 buffers are not asked for what is outside the roots",
      ({ base, read, write }) =>
        Effect.gen(function*() {
          dirty.set("outside", marker)
          yield* refused(read(`${base}/outside`), invalid, "path_traversal")
          yield* refused(write(`${base}/kept`, "x"), invalid, "path_traversal")
        }),
      { layers: buffers }
    )
  })

  it.live("layerReadOnly serves reading only", () =>
    Effect.gen(function*() {
      const root = yield* tempDirectory
      fs.writeFileSync(`${root}/a`, "x")
      const handlers = yield* Layer.build(Files.layerReadOnly())
      const call = callAs(handlers, yield* makeSession(root))
      assert.deepStrictEqual(yield* call("readTextFile", { path: `${root}/a` }), { content: "x" })
      assert.strictEqual([...handlers.mapUnsafe.keys()].filter((key) => key.includes("fs/write_text_file")).length, 0)
    }).pipe(Effect.provide(platform)))
})
