/**
 * Spawns commands: the one way in which this package starts processes.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { isWindows } from "./platform.ts"
import { candidates, defaultPathExt, directPlan, linePlan, type Plan, windowsPlan } from "./spawnPlan.ts"

/** A string that may be a secret. */
export type Word = string | Redacted.Redacted<string>

export type Env = Readonly<Record<string, Word | undefined>>

export interface SpawnOptions {
  readonly command: string
  readonly args: ReadonlyArray<Word>
  readonly cwd?: string | undefined
  /** Added to the environment of this process; what is undefined is taken out. */
  readonly env?: Env | undefined
  readonly extendEnv?: boolean | undefined
  readonly stdin: "pipe" | "ignore"
}

type Spawned = Effect.Effect<
  ChildProcessSpawner.ChildProcessHandle,
  PlatformError.PlatformError,
  ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path | Scope.Scope
>

/** Spawns a program with its arguments as they are, in its own process group. */
export const spawn = (options: SpawnOptions): Spawned =>
  Effect.flatMap(Path.Path, (path) =>
    isWindows(path)
      ? Effect.flatMap(planForWindows(options), (plan) => run(plan, options))
      : run({ ...directPlan(options.command, []), args: options.args }, options))

/** Runs a whole line with the platform's shell, in its own process group. */
export const spawnLine = (options: SpawnOptions): Spawned => run(linePlan(options.command), options)

const run = (plan: Omit<Plan, "args"> & { readonly args: ReadonlyArray<Word> }, options: SpawnOptions): Spawned =>
  Effect.flatMap(
    ChildProcessSpawner.ChildProcessSpawner,
    (spawner) =>
      spawner.spawn(ChildProcess.make(plan.command, plan.args, {
        cwd: options.cwd,
        env: options.env,
        extendEnv: options.extendEnv ?? true,
        shell: plan.shell,
        stdin: options.stdin,
        stdout: "pipe",
        stderr: "pipe",
        // What scopes end is ended by `terminate`; this bounds the spawner's own clean-up after it.
        killSignal: "SIGTERM",
        forceKillAfter: "1 second"
      }))
  )

const planForWindows = Effect.fnUntraced(function*(options: SpawnOptions) {
  const args = options.args.map((arg) => Redacted.isRedacted(arg) ? Redacted.value(arg) : arg)
  const file = yield* findOnWindows(options)
  const plan = windowsPlan(file, args)
  if (Result.isSuccess(plan)) return plan.success
  return yield* PlatformError.badArgument({ module: "ChildProcess", method: "spawn", description: plan.failure })
})

const findOnWindows = Effect.fnUntraced(function*(options: SpawnOptions) {
  const fs = yield* FileSystem.FileSystem
  const files = candidates(options.command, {
    path: yield* variable("PATH", options, ""),
    pathExt: yield* variable("PATHEXT", options, defaultPathExt),
    cwd: options.cwd ?? "."
  })
  for (const file of files) {
    const info = yield* Effect.option(fs.stat(file))
    if (Option.isSome(info) && info.value.type === "File") return file
  }
  return options.command
})

// Names of variables have no case on Windows; in an `env` that is a record they do.
const variable = (name: string, options: SpawnOptions, otherwise: string): Effect.Effect<string> => {
  const own = Object.entries(options.env ?? {}).find(([key]) => key.toUpperCase() === name)?.[1]
  if (own !== undefined) return Effect.succeed(Redacted.isRedacted(own) ? Redacted.value(own) : own)
  const inherited = Config.String(name).pipe(Config.orElse(() => Config.String(capitalized(name))))
  return Effect.orElseSucceed(inherited, () => otherwise)
}

const capitalized = (name: string) => `${name.slice(0, 1)}${name.slice(1).toLowerCase()}`
