/**
 * The public registry of agents: its entries, and how each of them is started.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

// =============================================================================
// Schemas
// =============================================================================

const launch = {
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  env: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}

/**
 * An agent in a package that a package runner fetches and starts.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PackageTarget = Schema.Struct({
  package: Schema.NonEmptyString,
  /** The program in the package, where it is not called like the package. */
  cmd: Schema.optionalKey(Schema.NonEmptyString),
  ...launch
})

/**
 * An agent in an archive that is fetched and unpacked before it is started.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BinaryTarget = Schema.Struct({
  archive: Schema.NonEmptyString,
  sha256: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{64}$/))),
  /** The program, relative to the folder that the archive was unpacked to. */
  cmd: Schema.NonEmptyString,
  ...launch
})

/**
 * An agent in the registry.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Entry = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9-]*$/)),
  name: Schema.NonEmptyString,
  version: Schema.NonEmptyString,
  description: Schema.String,
  repository: Schema.optionalKey(Schema.String),
  website: Schema.optionalKey(Schema.String),
  authors: Schema.optionalKey(Schema.Array(Schema.String)),
  license: Schema.optionalKey(Schema.String),
  license_url: Schema.optionalKey(Schema.String),
  icon: Schema.optionalKey(Schema.String),
  distribution: Schema.Struct({
    binary: Schema.optionalKey(Schema.Record(Schema.String, BinaryTarget)),
    npx: Schema.optionalKey(PackageTarget),
    uvx: Schema.optionalKey(PackageTarget)
  })
})

/**
 * An agent in the registry.
 *
 * @category models
 * @since 0.1.0
 */
export interface Entry extends Schema.Schema.Type<typeof Entry> {}

const Aggregate = Schema.fromJsonString(Schema.Struct({ version: Schema.String, agents: Schema.Array(Schema.Unknown) }))

// =============================================================================
// Plans
// =============================================================================

/**
 * A platform, in the registry's words.
 *
 * @category models
 * @since 0.1.0
 */
export interface Platform {
  readonly os: "darwin" | "linux" | "windows"
  readonly arch: "aarch64" | "x86_64"
}

/**
 * How an agent is started.
 *
 * - `Command`: spawn it as it is, with `AgentProcess.layer`.
 * - `Binary`: fetch `archive`, check it, unpack it to a folder, and spawn `cmd` from there; see {@link unpacked}.
 *
 * @category models
 * @since 0.1.0
 */
export type Plan = Data.TaggedEnum<{
  Command: {
    readonly command: string
    readonly args: ReadonlyArray<string>
    readonly env: Readonly<Record<string, string>>
  }
  Binary: {
    readonly archive: string
    readonly sha256: string | undefined
    readonly cmd: string
    readonly args: ReadonlyArray<string>
    readonly env: Readonly<Record<string, string>>
  }
}>

/**
 * Constructors and matchers of plans.
 *
 * @category constructors
 * @since 0.1.0
 */
export const Plan = Data.taggedEnum<Plan>()

/**
 * There is no way to start the agent here.
 *
 * @category errors
 * @since 0.1.0
 */
export class NoPlan extends Data.TaggedError("NoPlan")<{
  readonly agent: string
  readonly platform: string
  readonly problem: string
}> {
  override get message(): string {
    return `${this.agent} cannot be started on ${this.platform}: ${this.problem}`
  }
}

/**
 * A way of distributing agents.
 *
 * @category models
 * @since 0.1.0
 */
export type Distribution = "npx" | "uvx" | "binary"

/**
 * Decides how an agent is started on a platform, by the first distribution that it has.
 *
 * **Details**
 *
 * By default, package runners come first: they need nothing but themselves, while a binary is to be fetched and unpacked.
 * `npx` is told to ask nothing, because its question would be read as a frame.
 *
 * @category combinators
 * @since 0.1.0
 */
export const plan = (
  entry: Entry,
  platform: Platform,
  prefer: ReadonlyArray<Distribution> = ["npx", "uvx", "binary"]
): Result.Result<Plan, NoPlan> => {
  const target = `${platform.os}-${platform.arch}`
  const { binary = {}, npx, uvx } = entry.distribution
  const refuse = (problem: string) => Result.fail(new NoPlan({ agent: entry.id, platform: target, problem }))
  for (const distribution of prefer) {
    if (distribution === "npx" && npx !== undefined) return Result.succeed(packagePlan("npx", ["-y"], "--package", npx))
    if (distribution === "uvx" && uvx !== undefined) return Result.succeed(packagePlan("uvx", [], "--from", uvx))
    if (distribution === "binary" && Object.hasOwn(binary, target)) {
      const { archive, args = [], cmd, env = {}, sha256 } = binary[target]
      if (!isInside(cmd)) return refuse(`its command ${cmd} is not in its archive`)
      return Result.succeed(Plan.Binary({ archive, sha256, cmd, args, env }))
    }
  }
  return refuse("it is distributed in no way that was asked for")
}

const packagePlan = (
  command: string,
  first: ReadonlyArray<string>,
  from: string,
  { args = [], cmd, env = {}, package: name }: typeof PackageTarget.Type
): Plan =>
  Plan.Command({ command, args: [...first, ...(cmd === undefined ? [name] : [from, name, cmd]), ...args], env })

const isInside = (cmd: string) => !/^(?:[\\/]|[A-Za-z]:)/.test(cmd) && !cmd.split(/[\\/]/).includes("..")

/**
 * The command of a binary whose archive was unpacked to a folder.
 *
 * @category combinators
 * @since 0.1.0
 */
export const unpacked = (
  { args, cmd, env }: Data.TaggedEnum.Value<Plan, "Binary">,
  folder: string
): Data.TaggedEnum.Value<Plan, "Command"> =>
  Plan.Command({ command: `${folder.replace(/[\\/]+$/, "")}/${cmd.replace(/^\.[\\/]/, "")}`, args, env })

// =============================================================================
// Reading
// =============================================================================

/**
 * The agents of a registry, and the entries that could not be read: one bad entry does not hide the others.
 *
 * @category models
 * @since 0.1.0
 */
export interface Registry {
  readonly version: string
  readonly agents: ReadonlyArray<Entry>
  readonly skipped: ReadonlyArray<{ readonly index: number; readonly problem: string }>
}

/**
 * The registry could not be read.
 *
 * @category errors
 * @since 0.1.0
 */
export class RegistryError extends Data.TaggedError("RegistryError")<{
  readonly source: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `The agent registry ${this.source} could not be read: ${String(this.cause)}`
  }
}

const decodeEntry = Schema.decodeUnknownResult(Entry)

/**
 * Reads a registry from its text.
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse = (text: string, source = "text"): Effect.Effect<Registry, RegistryError> =>
  Schema.decodeUnknownEffect(Aggregate)(text).pipe(
    Effect.mapError((cause) => new RegistryError({ source, cause })),
    Effect.map(({ agents, version }) => {
      const entries = agents.map((agent) => decodeEntry(agent))
      return {
        version,
        agents: entries.flatMap((entry) => Result.isSuccess(entry) ? [entry.success] : []),
        skipped: entries.flatMap((entry, index) =>
          Result.isFailure(entry) ? [{ index, problem: entry.failure.message }] : []
        )
      }
    })
  )

/**
 * Reads a registry from a file.
 *
 * @category parsing
 * @since 0.1.0
 */
export const fromFile = (path: string): Effect.Effect<Registry, RegistryError, FileSystem.FileSystem> =>
  FileSystem.FileSystem.use((fs) => fs.readFileString(path)).pipe(
    Effect.mapError((cause) => new RegistryError({ source: path, cause })),
    Effect.flatMap((text) => parse(text, path))
  )

/**
 * Where the public registry is.
 *
 * @category constants
 * @since 0.1.0
 */
export const defaultUrl = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"

/**
 * Reads a registry over HTTP, with a copy in a file.
 *
 * **Details**
 *
 * A copy that is younger than `maxAge` (default one day) is used as it is. An older one is used only where the registry
 * cannot be had. What cannot be read as a registry never replaces the copy.
 *
 * @category parsing
 * @since 0.1.0
 */
export const fromUrl = Effect.fnUntraced(function*(options: {
  readonly cache: string
  readonly url?: string | undefined
  readonly maxAge?: Duration.Input | undefined
}) {
  const { cache, url = defaultUrl } = options
  const age = yield* ageOf(cache)
  const maxAge = Duration.toMillis(Duration.fromInputUnsafe(options.maxAge ?? "1 day"))
  if (Option.isSome(age) && age.value < maxAge) {
    const fresh = yield* Effect.option(fromFile(cache))
    if (Option.isSome(fresh)) return fresh.value
  }
  return yield* download(url, cache).pipe(
    Effect.catch((error) => Option.isNone(age) ? Effect.fail(error) : Effect.mapError(fromFile(cache), () => error))
  )
})

const ageOf = Effect.fnUntraced(function*(path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  const now = yield* Clock.currentTimeMillis
  return Option.map(Option.flatMap(info, ({ mtime }) => mtime), (mtime) => now - mtime.getTime())
})

const download = Effect.fnUntraced(function*(url: string, cache: string) {
  const client = yield* HttpClient.HttpClient
  const text = yield* client.get(url).pipe(
    Effect.flatMap(HttpClientResponse.filterStatusOk),
    Effect.flatMap((response) => response.text),
    Effect.mapError((cause) => new RegistryError({ source: url, cause }))
  )
  const registry = yield* parse(text, url)
  // The copy only saves time: a folder that cannot be written to costs nothing else.
  yield* Effect.ignore(replaceFile(cache, text))
  return registry
})

const replaceFile = Effect.fnUntraced(function*(file: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* fs.makeDirectory(path.dirname(file), { recursive: true })
  const draft = `${file}.${yield* Clock.currentTimeMillis}.tmp`
  yield* fs.writeFileString(draft, text)
  yield* fs.rename(draft, file)
})
