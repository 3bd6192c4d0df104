import * as Files from "@effect-acp/host/Files"
import { assert, describe } from "@effect/vitest"
import { Effect, FileSystem, Layer, Option } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import { invalid, live, marker, missing, snapshot } from "./files.ts"
import { callAs, makeSession, refused } from "./handlers.ts"

describe("Files", () => {
  describe("containment", () => {
    live(
      "FS1 F132 a relative path is refused, wherever this process runs",
      ({ read, root, write }) =>
        Effect.gen(function*() {
          fs.writeFileSync(`${root}/a`, "x")
          yield* refused(read("a"), invalid, "not_absolute")
          yield* refused(write("./b", "x"), invalid, "not_absolute")
          yield* refused(read("C:\\root\\a"), invalid, "not_absolute")
          yield* refused(read(""), invalid, "not_absolute")
          assert.deepStrictEqual(fs.readdirSync(root), ["a"])
        })
    )

    live(
      "FS1 by option a relative path is below the first root",
      ({ read, root, write }) =>
        Effect.gen(function*() {
          yield* write("sub/a", "x")
          assert.strictEqual(yield* read("sub/a"), "x")
          assert.strictEqual(fs.readFileSync(`${root}/sub/a`, "utf8"), "x")
          yield* refused(read("../root-evil/a"), invalid, "path_traversal")
        }),
      { files: { relativePaths: true } }
    )

    live(
      "FS1 additional directories are roots, folders beside them are not",
      ({ base, read, root, write }) =>
        Effect.gen(function*() {
          fs.mkdirSync(`${base}/more`)
          fs.mkdirSync(`${base}/root-evil`)
          fs.writeFileSync(`${base}/root-evil/a`, marker)
          yield* write(`${base}/more/a`, "x")
          assert.strictEqual(yield* read(`${root}/../more/a`), "x")
          yield* refused(read(`${base}/root-evil/a`), invalid, "path_traversal")
          yield* refused(write(`${base}/root-evil/b`, "x"), invalid, "path_traversal")
          assert.deepStrictEqual(fs.readdirSync(`${base}/root-evil`), ["a"])
        }),
      { also: ["more"] }
    )

    live(
      "FS1 a root that is itself a link is entered by either name",
      ({ base, root }) =>
        Effect.gen(function*() {
          fs.symlinkSync(root, `${base}/alias`)
          fs.writeFileSync(`${root}/a`, "x")
          const session = yield* makeSession(`${base}/alias`)
          const call = callAs(yield* Layer.build(Files.layer()), session)
          assert.deepStrictEqual(yield* call("readTextFile", { path: `${base}/alias/a` }), { content: "x" })
          assert.deepStrictEqual(yield* call("readTextFile", { path: `${root}/a` }), { content: "x" })
        })
    )

    live(
      "FS1 a session that is not known has no files",
      () =>
        Effect.gen(function*() {
          const call = callAs(yield* Layer.build(Files.layer()), undefined)
          yield* refused(call("readTextFile", { path: "/etc/passwd" }), missing, "unknown_session")
        })
    )

    // Vectors 3 to 6 of the list are about names of stored objects, which paths of files know nothing of.
    const vectors: ReadonlyArray<{
      readonly name: string
      readonly path: string
      readonly reason: string
      readonly links?: Readonly<Record<string, string>>
      readonly secret?: string
    }> = [
      { name: "parent_traversal", path: "../../etc/passwd", reason: "path_traversal" },
      { name: "interior_traversal_escapes", path: "a/../../x", reason: "path_traversal" },
      { name: "leaf_symlink_escape", path: "link", links: { link: "../outside/secret.txt" }, reason: "symlink_escape" },
      {
        name: "symlinked_ancestor_dir_escape",
        path: "esc/secret.txt",
        links: { esc: "../outside" },
        reason: "symlink_escape"
      },
      { name: "symlink_cycle", path: "a", links: { a: "b", b: "a" }, reason: "too_many_symlinks" },
      {
        name: "relative_symlink_under_symlinked_ancestor_escape",
        path: "loop/loop/esc",
        links: { loop: ".", esc: "../secret.txt" },
        secret: "secret.txt",
        reason: "symlink_escape"
      },
      {
        name: "drive_absolute_symlink_escape",
        path: "link",
        links: { link: "c:/outside/secret.txt" },
        reason: "symlink_escape"
      },
      {
        name: "drive_absolute_ancestor_symlink_escape",
        path: "esc/secret.txt",
        links: { esc: "c:/outside" },
        reason: "symlink_escape"
      },
      {
        name: "unc_absolute_symlink_escape",
        path: "link",
        links: { link: "//host/share/secret.txt" },
        reason: "symlink_escape"
      },
      {
        name: "unc_absolute_ancestor_symlink_escape",
        path: "esc/secret.txt",
        links: { esc: "//host/share" },
        reason: "symlink_escape"
      },
      {
        name: "unc_backslash_symlink_escape",
        path: "link",
        links: { link: "\\\\host\\share\\secret.txt" },
        reason: "symlink_escape"
      },
      {
        name: "unc_backslash_ancestor_symlink_escape",
        path: "esc/secret.txt",
        links: { esc: "\\\\host\\share" },
        reason: "symlink_escape"
      },
      { name: "absolute_symlink_escape", path: "link", links: { link: "/etc/passwd" }, reason: "symlink_escape" },
      {
        name: "chain_of_links_escape",
        path: "a/secret.txt",
        links: { a: "b/../c", b: ".", c: "./d", d: "../outside" },
        reason: "symlink_escape"
      }
    ]

    for (const { links = {}, name, path, reason, secret = "outside/secret.txt" } of vectors) {
      live(
        `FS1 F128 F130 ${name} is refused for reading and writing, and nothing outside is touched`,
        ({ base, read, root, write }) =>
          Effect.gen(function*() {
            fs.mkdirSync(`${base}/outside`)
            fs.writeFileSync(`${base}/${secret}`, marker)
            for (const [link, target] of Object.entries(links)) fs.symlinkSync(target, `${root}/${link}`)
            const before = snapshot(base)
            for (const attempt of [read(`${root}/${path}`), write(`${root}/${path}`, "x")]) {
              const error = yield* refused(attempt, invalid, reason)
              assert.notInclude(JSON.stringify(error), marker)
              assert.strictEqual((error.data as { path: string }).path, `${root}/${path}`)
            }
            assert.deepStrictEqual(snapshot(base), before)
          })
      )
    }

    live(
      "FS1 F129 a link whose target does not exist is refused, and its target is not created",
      ({ base, read, root, write }) =>
        Effect.gen(function*() {
          fs.mkdirSync(`${base}/outside`)
          fs.symlinkSync(`${base}/outside/created`, `${root}/dangling`)
          fs.symlinkSync(`${base}/nowhere`, `${root}/folder`)
          yield* refused(write(`${root}/dangling`, "x"), invalid, "symlink_escape")
          yield* refused(write(`${root}/folder/x`, "x"), invalid, "symlink_escape")
          yield* refused(read(`${root}/dangling`), invalid, "symlink_escape")
          assert.deepStrictEqual(fs.readdirSync(`${base}/outside`), [])
          assert.isFalse(fs.existsSync(`${base}/nowhere`))
        })
    )

    live(
      "FS1 what stays inside is allowed: new folders, links inside, forty links, sixty folders",
      ({ read, root, write }) =>
        Effect.gen(function*() {
          yield* write(`${root}/new/folder/a`, "x")
          assert.strictEqual(yield* read(`${root}/new/./folder/../folder/a`), "x")
          fs.symlinkSync("new/folder", `${root}/inside`)
          fs.symlinkSync(`${root}/new`, `${root}/absolute`)
          assert.strictEqual(yield* read(`${root}/inside/a`), "x")
          assert.strictEqual(yield* read(`${root}/absolute/folder/a`), "x")
          yield* write(`${root}/inside/a`, "y")
          assert.strictEqual(fs.readFileSync(`${root}/new/folder/a`, "utf8"), "y")
          assert.isTrue(fs.lstatSync(`${root}/inside`).isSymbolicLink())
          fs.symlinkSync("new/folder/a", `${root}/l1`)
          for (let i = 2; i <= 41; i++) fs.symlinkSync(`l${i - 1}`, `${root}/l${i}`)
          assert.strictEqual(yield* read(`${root}/l40`), "y")
          yield* refused(read(`${root}/l41`), invalid, "too_many_symlinks")
          const deep = `${root}/${"d/".repeat(60)}a`
          yield* write(deep, "deep")
          assert.strictEqual(yield* read(deep), "deep")
        })
    )

    live(
      "FS1 FS2 no read or write leaves the roots while a folder is swapped for a link and back",
      ({ base, read, root, write }) =>
        Effect.gen(function*() {
          fs.mkdirSync(`${base}/outside`)
          fs.mkdirSync(`${root}/d`)
          fs.writeFileSync(`${base}/outside/f`, marker)
          fs.writeFileSync(`${root}/d/f`, "inside")
          fs.symlinkSync(`${base}/outside`, `${root}/link`)
          yield* Effect.acquireRelease(Effect.sync(() => startSwapping(root)), stopped)
          const start = Date.now()
          const outcomes = { inside: 0, refused: 0 }
          // For three seconds, and on a busy machine until both sides of the race have been met.
          const isMet = () => outcomes.inside > 0 && outcomes.refused > 0
          while (Date.now() - start < (isMet() ? 3_000 : 15_000)) {
            const text = yield* Effect.option(read(`${root}/d/f`))
            if (Option.isSome(text)) {
              assert.strictEqual(text.value, "inside")
              outcomes.inside++
            } else {
              outcomes.refused++
            }
            yield* Effect.ignore(write(`${root}/d/f`, "inside"))
            yield* Effect.ignore(write(`${root}/d/new/g`, "inside"))
            assert.deepStrictEqual(fs.readdirSync(`${base}/outside`), ["f"])
          }
          assert.deepStrictEqual(snapshot(`${base}/outside`), { [`${base}/outside/f`]: marker })
          assert.isAbove(outcomes.inside, 0)
          assert.isAbove(outcomes.refused, 0)
        })
    )

    live(
      "FS1 FS2 without paths of open handles, a folder that became a link is noticed",
      ({ base, read, root, write }) =>
        Effect.gen(function*() {
          fs.mkdirSync(`${base}/outside`)
          fs.writeFileSync(`${base}/outside/f`, marker)
          yield* write(`${root}/d/e/f`, "inside")
          assert.strictEqual(yield* read(`${root}/d/e/f`), "inside")
          onOpen = () => {
            fs.renameSync(`${root}/d/e`, `${root}/d/moved`)
            fs.symlinkSync(`${base}/outside`, `${root}/d/e`)
          }
          yield* refused(read(`${root}/d/e/f`), invalid, "symlink_escape")
          fs.rmSync(`${root}/d/e`)
          fs.renameSync(`${root}/d/moved`, `${root}/d/e`)
          onOpen = () => {
            fs.renameSync(`${root}/d/e`, `${root}/d/moved`)
            fs.symlinkSync(`${base}/outside`, `${root}/d/e`)
          }
          yield* refused(write(`${root}/d/e/f`, "x"), invalid, "symlink_escape")
          assert.deepStrictEqual(snapshot(`${base}/outside`), { [`${base}/outside/f`]: marker })
        }),
      { layers: Layer.suspend(() => withoutHandles) }
    )
  })
})

/** Runs once, before the next file is opened. */
let onOpen: (() => void) | undefined

/** A file system whose handles do not tell their number, as on platforms without `/proc`. */
const withoutHandles = Layer.effect(FileSystem.FileSystem)(
  Effect.map(FileSystem.FileSystem, (real) =>
    FileSystem.FileSystem.of({
      ...real,
      open: (path, options) =>
        Effect.suspend(() => {
          onOpen?.()
          onOpen = undefined
          return Effect.map(real.open(path, options), (file) =>
            new Proxy(file, {
              has: (target, key) => key !== "fd" && Reflect.has(target, key),
              get: (target, key) => Reflect.get(target, key, target)
            }))
        })
    }))
)

/** Swaps the folder `d` for the link `link` and back, in another process, as fast as it goes. */
const startSwapping = (root: string): ChildProcess => {
  const script = `
    const fs = require("fs")
    process.chdir(${JSON.stringify(root)})
    // A write makes the folder anew in the moment in which it is away: that one has to go.
    const tried = (run) => {
      try {
        run()
        return true
      } catch {
        return false
      }
    }
    const move = (from, to) => {
      for (let tries = 0; tries < 1_000; tries++) {
        if (tried(() => fs.renameSync(from, to))) return
        tried(() => fs.rmSync(to, { recursive: true, force: true }))
      }
      process.exit(1)
    }
    for (;;) {
      move("d", "real"); move("link", "d")
      move("d", "link"); move("real", "d")
    }`
  return spawn(process.execPath, ["-e", script], { stdio: "ignore" })
}

/** Ends a process that is still there, and waits until it is gone. */
const stopped = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    assert.isNull(child.exitCode, "it swaps no more")
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })
