/**
 * The result of a run, and what it says about the program.
 *
 * @since 0.1.0
 */
import type { JsonObject } from "./Json.ts"
import type * as OfficialSchema from "./OfficialSchema.ts"
import type { Finding, Tier } from "./Requirement.ts"

/**
 * The state of a row after a run.
 *
 * `SKIPPED` rows do not concern this program; `NOT_TESTED` rows do, and were not reached.
 *
 * @category models
 * @since 0.1.0
 */
export type State = "PASS" | "FAIL" | "SKIPPED" | "NOT_TESTED"

/**
 * A message of the program that is not valid by the official schema.
 *
 * @category models
 * @since 0.1.0
 */
export interface Violation {
  readonly line: string
  readonly problem: string
}

/**
 * The result of one row.
 *
 * `detail` is why it was skipped or not reached, or what was written down. The transcript is there for rows that failed
 * or were not reached.
 *
 * @category models
 * @since 0.1.0
 */
export interface Result {
  readonly id: string
  readonly tier: Tier
  readonly title: string
  readonly state: State
  readonly detail: string | undefined
  readonly finding: Finding | undefined
  readonly blockedByAuthentication: boolean
  readonly violations: ReadonlyArray<Violation>
  readonly durationMillis: number
  readonly transcript: ReadonlyArray<{ readonly direction: "sent" | "received"; readonly line: string }>
  readonly stderr: string
}

/**
 * The program, and what it said of itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subject {
  readonly side: OfficialSchema.Side
  readonly command: string
  /** An agent's result of `initialize`, or a client's parameters of it; empty where there was none. */
  readonly facts: JsonObject
}

/**
 * The result of a run.
 *
 * @category models
 * @since 0.1.0
 */
export interface Report {
  readonly profile: string
  readonly subject: Subject
  readonly results: ReadonlyArray<Result>
  readonly durationMillis: number
  readonly conformant: boolean
  /** Why it is not conformant. */
  readonly reasons: ReadonlyArray<string>
}

/**
 * The report of results.
 *
 * A program is conformant when no mandatory row failed or was not reached, no capability row failed, the creation of
 * sessions was not blocked by authentication, and the version is 1.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: {
  readonly profile: string
  readonly subject: Subject
  readonly results: ReadonlyArray<Result>
  readonly durationMillis: number
}): Report => {
  const { results, subject } = options
  const idsOf = (tier: Tier, state: State) =>
    results.filter((_) => _.tier === tier && _.state === state).map(({ id }) => id)
  const reason = (words: string, ids: ReadonlyArray<string>) => ids.length === 0 ? [] : [`${words}: ${ids.join(", ")}`]
  const version = subject.facts["protocolVersion"]
  const reasons = [
    ...reason("mandatory requirements failed", idsOf("mandatory", "FAIL")),
    ...reason("mandatory requirements were not reached", idsOf("mandatory", "NOT_TESTED")),
    ...reason("requirements of advertised capabilities failed", idsOf("capability", "FAIL")),
    ...results.some((_) => _.blockedByAuthentication)
      ? ["sessions cannot be created without authentication; name a method with --auth-method"]
      : [],
    ...version === 1 ? [] : [`version ${String(version)} was chosen and not 1`]
  ]
  return {
    profile: options.profile,
    subject,
    results,
    durationMillis: options.durationMillis,
    conformant: reasons.length === 0,
    reasons
  }
}

/**
 * How many rows are in each state.
 *
 * @category accessors
 * @since 0.1.0
 */
export const counts = ({ results }: Pick<Report, "results">): Readonly<Record<State, number>> => {
  const found = { PASS: 0, FAIL: 0, SKIPPED: 0, NOT_TESTED: 0 }
  for (const { state } of results) found[state]++
  return found
}
