/**
 * Holds an agent to a table of requirements, each in a process of its own.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { outcomeOf, outcomeOfEnding } from "./internal/outcome.ts"
import { isObject, type JsonObject, preview } from "./Json.ts"
import { Launcher } from "./Launcher.ts"
import * as OfficialSchema from "./OfficialSchema.ts"
import type * as Peer from "./Peer.ts"
import * as Probe from "./Probe.ts"
import * as Report from "./Report.ts"
import { Failed, type Requirement } from "./Requirement.ts"
import type { Settings } from "./Settings.ts"

/**
 * The agent did not come so far that it could be judged.
 *
 * @category errors
 * @since 0.1.0
 */
export class StartError extends Schema.TaggedError<StartError>()("StartError", {
  command: Schema.String,
  reason: Schema.String,
  stderr: Schema.String
}) {
  override get message(): string {
    const said = this.stderr.trim() === "" ? "" : `\nIt wrote to stderr:\n${this.stderr.trim()}`
    return `"${this.command}" cannot be judged: ${this.reason}${said}`
  }
}

/**
 * What is run, and how.
 *
 * `jobs` is how many rows run at a time, 1 by default. `onResult` is told each result as it is there.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** What the requirements are called together. "version 1" by default. */
  readonly profile?: string | undefined
  readonly requirements: ReadonlyArray<Requirement>
  readonly settings: Settings
  readonly jobs?: number | undefined
  readonly onResult?: ((result: Report.Result) => Effect.Effect<void>) | undefined
}

/**
 * Runs the requirements against what the launcher starts.
 *
 * Fails when the agent cannot be started, or does not answer `initialize` at all; all else is in the report.
 *
 * @category running
 * @since 0.1.0
 */
export const run = Effect.fnUntraced(function*(options: Options) {
  const { jobs = 1, onResult = () => Effect.void, requirements, settings } = options
  const launcher = yield* Launcher
  const startedAt = yield* Clock.currentTimeMillis
  const facts = yield* greet(launcher, settings)
  const results = yield* Effect.forEach(
    requirements,
    (requirement) => Effect.tap(runOne(launcher, settings, requirement), onResult),
    { concurrency: jobs }
  )
  const judged = withViolations(results)
  yield* Effect.forEach(judged.filter((result) => !results.includes(result)), onResult, { discard: true })
  return Report.make({
    profile: options.profile ?? "version 1",
    subject: { side: "agent", command: launcher.command, facts },
    results: judged,
    durationMillis: (yield* Clock.currentTimeMillis) - startedAt
  })
})

/** Learns what the agent says of itself. */
const greet = Effect.fnUntraced(
  function*(launcher: Launcher["Service"], settings: Settings) {
    const { command } = launcher
    const { peer, reply } = yield* Probe.initialize(Probe.make(launcher, settings)).pipe(
      Effect.mapError(({ reason }) => new StartError({ command, reason, stderr: "" }))
    )
    if (reply._tag === "Result" && isObject(reply.result)) return reply.result
    if (reply._tag === "Result" || reply._tag === "Error") return {} satisfies JsonObject
    const { tail } = yield* peer.stderr
    const reason = reply._tag === "Ended"
      ? "it exited without an answer to initialize"
      : `it did not answer initialize within ${Duration.format(settings.startupTimeout)}`
    return yield* new StartError({ command, reason, stderr: tail })
  },
  Effect.scoped
)

const runOne = Effect.fnUntraced(
  function*(launcher: Launcher["Service"], settings: Settings, requirement: Requirement) {
    const probe = Probe.make(launcher, settings)
    const startedAt = yield* Clock.currentTimeMillis
    const checked = yield* Effect.exit(Effect.timeoutOption(requirement.check(probe), settings.testTimeout))
    const { peers } = probe
    const outcome = outcomeOf(checked, settings.testTimeout)
    const isOpen = outcome.state === "FAIL" || outcome.state === "NOT_TESTED"
    const stderr = yield* Effect.forEach(peers, ({ stderr }) => Effect.map(stderr, ({ tail }) => tail))
    const result: Report.Result = {
      id: requirement.id,
      tier: requirement.tier,
      title: requirement.title,
      ...outcome,
      violations: peers.flatMap(violationsOf),
      durationMillis: (yield* Clock.currentTimeMillis) - startedAt,
      transcript: isOpen
        ? peers.flatMap(({ entries }) => entries.map(({ direction, line }) => ({ direction, line })))
        : [],
      stderr: isOpen ? stderr.join("") : ""
    }
    return result
  },
  Effect.scoped
)

// An agent that speaks another version is not held to the schema of this one.
const violationsOf = (peer: Peer.Peer): ReadonlyArray<Report.Violation> => {
  const greeting = peer.entries.find(({ direction, message }) =>
    direction === "received" && isObject(message?.["result"])
  )
  const version = isObject(greeting?.message?.["result"]) ? greeting.message["result"]["protocolVersion"] : undefined
  if (typeof version === "number" && version > 1) return []
  return Probe.writtenBy(peer).flatMap((entry) => {
    const problem = OfficialSchema.messageProblem("agent", entry, peer.methodOf)
    return problem === undefined ? [] : [{ line: preview(entry.line), problem }]
  })
}

const schemaRow = "ACP-SCHEMA-001"

/** A message that is not valid counts against the row on the schema, whichever row it was seen in. */
const withViolations = (results: ReadonlyArray<Report.Result>): ReadonlyArray<Report.Result> =>
  results.map((result) => {
    if (result.id !== schemaRow || result.state !== "PASS") return result
    const seen = results.find(({ violations }) => violations.length > 0)
    if (seen === undefined) return result
    const [{ line, problem }] = seen.violations
    return {
      ...result,
      ...outcomeOfEnding(
        new Failed({
          sent: `the steps of ${seen.id}`,
          received: `${line} (${problem})`,
          expected: "messages that are valid by the official schema"
        })
      )
    }
  })
