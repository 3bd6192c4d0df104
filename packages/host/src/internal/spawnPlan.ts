/**
 * What to spawn for a command and its arguments: on Windows, a name may mean a script that only an interpreter can run.
 */
import * as Result from "effect/Result"

/** What a command is looked up in. */
export interface Lookup {
  /** The value of PATH. */
  readonly path: string
  /** The value of PATHEXT. */
  readonly pathExt: string
  /** The folder that a relative command is relative to. */
  readonly cwd: string
}

export const defaultPathExt = ".COM;.EXE;.BAT;.CMD"

/** What is handed to the spawner. With `shell`, `command` is a whole line for the platform's shell. */
export interface Plan {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly shell: boolean
}

/**
 * The files that a command may mean on Windows, the best first.
 *
 * The current folder is not searched for a bare name: what an agent leaves in a workspace must not be run by accident.
 */
export const candidates = (command: string, lookup: Lookup): ReadonlyArray<string> => {
  const names = withExtensions(command, lookup.pathExt)
  if (isAbsolute(command)) return names
  const folders = /[\\/]/.test(command) ? [lookup.cwd] : lookup.path.split(";").map(unquote)
  return folders.filter((folder) => folder !== "").flatMap((folder) => names.map((name) => join(folder, name)))
}

const isAbsolute = (path: string) => /^(?:[A-Za-z]:[\\/]|[\\/])/.test(path)

const join = (folder: string, name: string) => `${folder.replace(/[\\/]+$/, "")}\\${name}`

const unquote = (folder: string) => folder.trim().replace(/^"(.*)"$/, "$1")

const withExtensions = (command: string, pathExt: string): ReadonlyArray<string> => {
  const extensions = pathExt.split(";").map((extension) => extension.trim()).filter((extension) => extension !== "")
  const known = [...extensions, ".ps1"]
  const complete = known.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()))
  const extended = known.map((extension) => `${command}${extension.toLowerCase()}`)
  return complete ? [command, ...extended] : extended
}

/**
 * How a file is run on Windows, by its extension.
 *
 * Programs are spawned as they are. Batch files need `cmd.exe`, which reads its line once to start the file and again when
 * the file passes its arguments on; PowerShell scripts need PowerShell. No argument is ever read as syntax (F166).
 */
export const windowsPlan = (file: string, args: ReadonlyArray<string>): Result.Result<Plan, string> => {
  if (/\.(?:cmd|bat)$/i.test(file)) return batchPlan(file, args)
  if (/\.ps1$/i.test(file)) return Result.succeed(powershellPlan(file, args))
  return Result.succeed({ command: file, args, shell: false })
}

/** A program that is spawned with its arguments as they are, as everywhere but on Windows. */
export const directPlan = (command: string, args: ReadonlyArray<string>): Plan => ({ command, args, shell: false })

/** A whole line for the platform's shell. */
export const linePlan = (line: string): Plan => ({ command: line, args: [], shell: true })

const powershellPlan = (file: string, args: ReadonlyArray<string>): Plan => ({
  command: "powershell.exe",
  args: ["-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", file, ...args],
  shell: false
})

const batchPlan = (file: string, args: ReadonlyArray<string>): Result.Result<Plan, string> => {
  if (file.includes("\"")) return Result.fail("the name of a batch file cannot contain a quotation mark")
  const broken = args.findIndex((arg) => /[\0\r\n]/.test(arg))
  if (broken !== -1) return Result.fail(`argument ${broken + 1} has a line break, which a batch file cannot be given`)
  return Result.succeed(linePlan([file, ...args].map(quoteForBatch).join(" ")))
}

/**
 * Quotes one argument for a batch file.
 *
 * A quotation mark is doubled, which leaves `cmd.exe` inside the quotes however often the line is read, and which
 * programs read as one mark; backslashes before one are doubled. `%` is followed by an expansion to nothing, so that no
 * variable name can begin with it.
 */
export const quoteForBatch = (arg: string): string =>
  `"${
    arg.replace(/(\\*)("|$)/g, (_, slashes: string, mark: string) => slashes + slashes + mark + mark).replaceAll(
      "%",
      "%%cd:~,%"
    )
  }"`
