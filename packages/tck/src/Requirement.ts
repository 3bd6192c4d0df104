/**
 * A requirement: its official id, how much it counts, and how an agent is held to it.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LaunchError } from "./Launcher.ts"
import type { Probe } from "./Probe.ts"

/**
 * How much a requirement counts.
 *
 * `mandatory` is for every agent, `capability` for those that advertise what it is about, `advisory` is recommended, and
 * `informational` is written down and never judged.
 *
 * @category models
 * @since 0.1.0
 */
export type Tier = "mandatory" | "capability" | "advisory" | "informational"

/**
 * What was sent, what came back, and what was expected, each in one line.
 *
 * @category models
 * @since 0.1.0
 */
export interface Finding {
  readonly sent: string
  readonly received: string
  readonly expected: string
}

/**
 * The requirement is not met.
 *
 * @category endings
 * @since 0.1.0
 */
export class Failed extends Data.TaggedError("Failed")<Finding> {}

/**
 * The requirement does not concern this agent, or this run could not tell.
 *
 * @category endings
 * @since 0.1.0
 */
export class Skipped extends Data.TaggedError("Skipped")<{ readonly reason: string }> {}

/**
 * What has to come first did not work, so the requirement was not reached.
 *
 * @category endings
 * @since 0.1.0
 */
export class NotTested extends Data.TaggedError("NotTested")<{
  readonly reason: string
  /** Whether the agent asks for authentication before it creates a session. */
  readonly blockedByAuthentication: boolean
}> {}

/**
 * How a requirement ends when it does not pass.
 *
 * @category endings
 * @since 0.1.0
 */
export type Ending = Failed | Skipped | NotTested | LaunchError

/**
 * One row of the table.
 *
 * `check` passes when it succeeds; a text that it succeeds with is written down. Every program that it launches is its
 * own and ends with it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Requirement {
  readonly id: string
  readonly tier: Tier
  readonly title: string
  readonly check: (probe: Probe) => Effect.Effect<string | void, Ending, Scope.Scope>
}

/**
 * A table of requirements, in order. Ids are unique.
 *
 * @category constructors
 * @since 0.1.0
 */
export const table = (
  ...groups: ReadonlyArray<ReadonlyArray<Requirement>>
): ReadonlyArray<Requirement> => {
  const rows = groups.flat()
  const ids = new Set(rows.map(({ id }) => id))
  if (ids.size !== rows.length) throw new Error("Two requirements have the same id")
  return rows
}
