import type * as Module from "@effect-acp/host/internal/spawnPlan"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

const { candidates, defaultPathExt, quoteForBatch, windowsPlan }: typeof Module = await import(
  new URL("../src/internal/spawnPlan.ts", import.meta.url).href
)

const lookup = { path: "C:\\nodejs\\;\"C:\\My Tools\";;", pathExt: defaultPathExt, cwd: "C:\\work" }

/** The command line of a program, split as programs on Windows split it. */
const split = (line: string): ReadonlyArray<string> => {
  const args: Array<string> = []
  let current = ""
  let quoted = false
  let started = false
  for (let i = 0; i < line.length;) {
    const slashes = /^\\*/.exec(line.slice(i))![0].length
    const next = line[i + slashes]
    if (next === "\"") {
      current += "\\".repeat(slashes >> 1)
      i += slashes + 1
      started = true
      if (slashes % 2 === 1) current += "\""
      else if (quoted && line[i] === "\"") {
        current += "\""
        i++
      } else quoted = !quoted
      continue
    }
    current += "\\".repeat(slashes)
    if (slashes > 0) started = true
    i += slashes
    if (next === undefined) break
    if (next === " " && !quoted) {
      if (started) args.push(current)
      current = ""
      started = false
    } else {
      current += next
      started = true
    }
    i++
  }
  return started ? [...args, current] : args
}

/** What `cmd.exe` makes of a line, in one pass: the expansion to nothing goes away, `%name%` would be a value. */
const expand = (line: string) =>
  line.replace(/%cd:~,%|%(\w+)%/g, (_, name: string | undefined) => name === undefined ? "" : `<value of ${name}>`)

/** The characters that `cmd.exe` would read as syntax: those outside quotes. */
const unquoted = (line: string) => line.split("\"").filter((_, i) => i % 2 === 0).join("")

describe("spawnPlan", () => {
  describe("F166 what a name means on Windows", () => {
    it("a bare name is looked for in PATH with every extension, not in the current folder", () => {
      assert.deepStrictEqual(candidates("npx", lookup), [
        "C:\\nodejs\\npx.com",
        "C:\\nodejs\\npx.exe",
        "C:\\nodejs\\npx.bat",
        "C:\\nodejs\\npx.cmd",
        "C:\\nodejs\\npx.ps1",
        "C:\\My Tools\\npx.com",
        "C:\\My Tools\\npx.exe",
        "C:\\My Tools\\npx.bat",
        "C:\\My Tools\\npx.cmd",
        "C:\\My Tools\\npx.ps1"
      ])
    })

    it("a name with an extension is tried as it is first", () => {
      assert.strictEqual(candidates("tool.CMD", lookup)[0], "C:\\nodejs\\tool.CMD")
      assert.strictEqual(candidates("node.v24", lookup)[0], "C:\\nodejs\\node.v24.com")
    })

    it("paths are looked for where they point to", () => {
      assert.strictEqual(candidates("C:\\a b\\agent.exe", lookup)[0], "C:\\a b\\agent.exe")
      assert.strictEqual(candidates("bin\\agent", lookup)[3], "C:\\work\\bin\\agent.cmd")
      assert.strictEqual(candidates("\\\\host\\share\\agent.exe", lookup)[0], "\\\\host\\share\\agent.exe")
    })
  })

  describe("F166 how a file is run on Windows", () => {
    it("a program is spawned as it is", () => {
      assert.deepStrictEqual(
        windowsPlan("C:\\a b\\agent.exe", ["-y", "a b", "%PATH%", "&calc"]),
        Result.succeed({ command: "C:\\a b\\agent.exe", args: ["-y", "a b", "%PATH%", "&calc"], shell: false })
      )
    })

    it("a batch file is a line for cmd.exe, with every argument quoted", () => {
      assert.deepStrictEqual(
        windowsPlan("C:\\Program Files\\nodejs\\npx.cmd", ["-y", "a b", "%PATH%", "&calc", "say \"hi\"", "dir\\"]),
        Result.succeed({
          command: [
            "\"C:\\Program Files\\nodejs\\npx.cmd\"",
            "\"-y\"",
            "\"a b\"",
            "\"%%cd:~,%PATH%%cd:~,%\"",
            "\"&calc\"",
            "\"say \"\"hi\"\"\"",
            "\"dir\\\\\""
          ].join(" "),
          args: [],
          shell: true
        })
      )
    })

    it("a batch file cannot be given a line break", () => {
      for (const arg of ["a\nb", "a\rb", "a\0b"]) {
        assert.isTrue(Result.isFailure(windowsPlan("a.bat", ["ok", arg])))
      }
    })

    it("a PowerShell script is run by PowerShell", () => {
      const plan = Result.getOrThrow(windowsPlan("C:\\tools\\agent.ps1", ["a b"]))
      assert.strictEqual(plan.command, "powershell.exe")
      assert.deepStrictEqual(plan.args.slice(-3), ["-File", "C:\\tools\\agent.ps1", "a b"])
      assert.isFalse(plan.shell)
    })

    const Piece = Schema.Literals([
      "a",
      " ",
      "\"",
      "\\",
      "%",
      "PATH",
      "&",
      "|",
      "<",
      ">",
      "^",
      "(",
      ")",
      "!",
      ";",
      ",",
      "=",
      "'",
      "é"
    ])

    it("what looks like a variable is not expanded", () => {
      assert.strictEqual(expand("\"%PATH%\""), "\"<value of PATH>\"")
      assert.deepStrictEqual(split(expand(quoteForBatch("%PATH%"))), ["%PATH%"])
    })

    it.effect.prop("any argument of a batch file comes back as it was and holds no syntax", [
      Schema.Array(Piece),
      Schema.Array(Piece)
    ], ([a, b]) =>
      Effect.sync(() => {
        const args = [a.join(""), b.join("")]
        const line = args.map(quoteForBatch).join(" ")
        assert.match(unquoted(line), /^ *$/)
        assert.deepStrictEqual(split(expand(line)), args)
      }))
  })
})
