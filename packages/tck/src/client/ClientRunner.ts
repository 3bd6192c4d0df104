/**
 * Starts a client for each scenario, gives it the scripted agent, and judges what it writes.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as ChildProcess from "effect/process/ChildProcess"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import { fileURLToPath } from "node:url"
import { outcomeOf } from "../internal/outcome.ts"
import { at, isObject, type JsonObject, preview } from "../Json.ts"
import { LaunchError } from "../Launcher.ts"
import * as OfficialSchema from "../OfficialSchema.ts"
import * as Report from "../Report.ts"
import { StartError } from "../Runner.ts"
import * as Transcript from "../Transcript.ts"
import { askedBy, calls, type ClientRequirement, type Run } from "./ClientRequirement.ts"
import type { Name } from "./Scenario.ts"

/**
 * The client, and how long it may take.
 *
 * In `args`, `{agent}` stands for the command of the scripted agent as one argument, and an argument that is `{agent...}`
 * for its words. The variables ACP_TCK_AGENT and ACP_TCK_AGENT_JSON hold the command as a line and as a list.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly requirements: ReadonlyArray<ClientRequirement>
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** How long a client may take for a turn and its end. */
  readonly timeout: Duration.Duration
  /** How long a client may take to exit after its turn, and its agent after the client. */
  readonly closeGrace: Duration.Duration
  readonly jobs?: number | undefined
  readonly onResult?: ((result: Report.Result) => Effect.Effect<void>) | undefined
}

/**
 * Runs the rules against a client.
 *
 * Fails when the client cannot be started, or never writes to its agent; all else is in the report.
 *
 * @category running
 * @since 0.1.0
 */
export const run = Effect.fnUntraced(function*(options: Options) {
  const { jobs = 1, onResult = () => Effect.void, requirements } = options
  const startedAt = yield* Clock.currentTimeMillis
  const scenarios = new Set(requirements.map(({ scenario }) => scenario))
  const takes = yield* Effect.forEach(
    scenarios,
    (scenario) => Effect.tap(judge(options, scenario), ({ results }) => Effect.forEach(results, onResult)),
    { concurrency: jobs }
  )
  const results = new Map(takes.flatMap(({ results }) => results.map((result) => [result.id, result] as const)))
  if (takes.every(({ client }) => client.entries.length === 0)) {
    const [{ stderr }] = takes
    return yield* new StartError({ command: options.command, reason: "it never wrote to its agent", stderr })
  }
  return Report.make({
    profile: "clients",
    subject: {
      side: "client",
      command: [options.command, ...options.args].join(" "),
      facts: takes.map(({ client }) => at(calls(client, "initialize")[0]?.message, "params")).find(isObject) ?? {}
    },
    results: requirements.map(({ id }) => results.get(id)!),
    durationMillis: (yield* Clock.currentTimeMillis) - startedAt
  })
})

/** Plays a scenario, and judges how it went by all of its rules. */
const judge = Effect.fnUntraced(
  function*(options: Options, scenario: Name) {
    const startedAt = yield* Clock.currentTimeMillis
    const { client, stderr } = yield* play(options, scenario)
    const durationMillis = (yield* Clock.currentTimeMillis) - startedAt
    const requirements = options.requirements.filter((requirement) => requirement.scenario === scenario)
    const results = yield* Effect.forEach(
      requirements,
      ({ check, id, tier, title }) =>
        Effect.map(Effect.exit(Effect.asSome(check(client))), (checked): Report.Result => {
          const outcome = outcomeOf(checked, options.timeout)
          const isOpen = outcome.state === "FAIL" || outcome.state === "NOT_TESTED"
          return {
            id,
            tier,
            title,
            ...outcome,
            violations: violationsOf(client),
            durationMillis,
            transcript: isOpen ? client.entries.map(({ direction, line }) => ({ direction, line })) : [],
            stderr: isOpen ? stderr : ""
          }
        })
    )
    return { client, stderr, results }
  },
  Effect.scoped
)

const violationsOf = (client: Run): ReadonlyArray<Report.Violation> =>
  client.entries.filter(({ direction }) => direction === "received").flatMap((entry) => {
    const problem = OfficialSchema.messageProblem("client", entry, askedBy(client, "agent"))
    return problem === undefined ? [] : [{ line: preview(entry.line), problem }]
  })

const script = fileURLToPath(new URL(`scripted${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url))

/** A word that a POSIX shell reads as it is. */
const quoted = (word: string): string => /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

const commandFor = ({ args, command, cwd, env }: Options, scenario: Name, record: string) => {
  const words = [process.execPath, script, scenario, record]
  const line = words.map(quoted).join(" ")
  const filled = args.flatMap((arg) => arg === "{agent...}" ? words : [arg.replaceAll("{agent}", line)])
  return ChildProcess.make(command, filled, {
    cwd,
    env: { ...env, ACP_TCK_AGENT: line, ACP_TCK_AGENT_JSON: JSON.stringify(words) },
    extendEnv: true,
    stdin: "ignore",
    // What a client that exits leaves behind is signalled at once. That signal must not do the client's work, nor end the
    // agent in the middle of its record; what still runs in the end is killed.
    killSignal: "SIGCONT",
    forceKillAfter: "500 millis"
  })
}

/** What the record tells at some moment. */
interface Recorded {
  readonly entries: ReadonlyArray<Transcript.Entry>
  readonly events: ReadonlyArray<unknown>
  readonly pids: ReadonlyArray<number>
}

const readRecord = (fs: FileSystem.FileSystem, file: string): Effect.Effect<Recorded> =>
  fs.readFileString(file).pipe(
    Effect.orElseSucceed(() => ""),
    Effect.map((text) => {
      const parts: ReadonlyArray<JsonObject> = text.split("\n").slice(0, -1).map((line) => JSON.parse(line))
      const lines = parts.filter((part) => part["direction"] !== undefined)
      return {
        entries: lines.map(({ direction, line }, index) =>
          direction === "sent"
            ? Transcript.sent(String(line), index)
            : Transcript.received(Buffer.from(String(line)), index)
        ),
        events: parts.map(({ event }) => event).filter((event) => event !== undefined),
        pids: parts.map(({ pid }) => pid).filter((pid) => typeof pid === "number")
      }
    })
  )

/** Lets a client play a scenario to its end. */
const play = Effect.fnUntraced(function*(options: Options, scenario: Name) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const record = path.join(yield* fs.makeTempDirectoryScoped({ prefix: "acp-tck-" }), "record.jsonl")
  const handle = yield* commandFor(options, scenario, record).pipe(
    Effect.mapError((error) => new LaunchError({ command: options.command, reason: error.message }))
  )
  const stderr = { tail: "" }
  yield* Effect.forkScoped(Effect.ignore(Stream.runDrain(handle.stdout)))
  yield* handle.stderr.pipe(
    Stream.decodeText(),
    Stream.runForEach((text) => Effect.sync(() => stderr.tail = (stderr.tail + text).slice(-2000))),
    Effect.ignore,
    Effect.forkScoped
  )
  const tells = (event: string) => waitFor(readRecord(fs, record), ({ events }) => events.includes(event))
  const interrupt = Effect.andThen(tells("busy"), Effect.sync(() => process.kill(-handle.pid, "SIGINT")))
  if (scenario === "busy") yield* Effect.forkScoped(Effect.ignore(interrupt))
  const exit = yield* awaitExit(handle, tells("turn ended"), options)
  const pidsGone = waitFor(readRecord(fs, record), ({ pids }) => !pids.some(isRunning))
  const gone = yield* Effect.timeoutOption(pidsGone, options.closeGrace)
  const { entries, events } = yield* readRecord(fs, record)
  const client: Run = {
    entries,
    exit: Option.getOrUndefined(exit),
    leftAgent: Option.isNone(gone),
    signalled: events.includes("busy")
  }
  return { client, stderr: stderr.tail }
})

/** Waits for the client to exit: as long as a turn may take, or, after the turn, as long as the grace. */
const awaitExit = (
  handle: ChildProcessSpawner.ChildProcessHandle,
  turnEnded: Effect.Effect<void>,
  { closeGrace, timeout }: Options
) =>
  Effect.match(handle.exitCode, {
    onSuccess: (code) => ({ code: Number(code), signal: null }),
    onFailure: (error) => ({ code: null, signal: /\bSIG[A-Z0-9]+\b/.exec(String(error.cause))?.[0] ?? null })
  }).pipe(
    Effect.asSome,
    Effect.raceFirst(Effect.as(Effect.andThen(turnEnded, Effect.sleep(closeGrace)), Option.none())),
    Effect.timeoutOption(timeout),
    Effect.map(Option.flatten)
  )

const waitFor = <A>(look: Effect.Effect<A>, is: (value: A) => boolean): Effect.Effect<void> =>
  Effect.asVoid(Effect.repeat(Effect.delay(look, "25 millis"), { until: is }))

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
