/**
 * A requirement that a client is held to: the scenario that it is put in, and what is then expected of it.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import { isObject } from "../Json.ts"
import type { ExitStatus } from "../Launcher.ts"
import type { Ending, Tier } from "../Requirement.ts"
import { type Entry, kindOf } from "../Transcript.ts"
import type { Name } from "./Scenario.ts"

/**
 * A run of a client against the scripted agent. What the client wrote is `received`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Run {
  readonly entries: ReadonlyArray<Entry>
  /** How the client ended by itself; `undefined` when it had to be ended. */
  readonly exit: ExitStatus | undefined
  /** Whether the agent was still there after the client had exited. */
  readonly leftAgent: boolean
  /** Whether the client was told to stop, as by Ctrl-C. */
  readonly signalled: boolean
}

/**
 * One row of the table of clients.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientRequirement {
  readonly id: string
  readonly tier: Tier
  readonly title: string
  readonly scenario: Name
  readonly check: (run: Run) => Effect.Effect<string | void, Ending>
}

/**
 * The method of each request that the agent sent, by its id.
 *
 * @category looking
 * @since 0.1.0
 */
export const askedBy = ({ entries }: Run, side: "agent" | "client") => {
  const direction = side === "agent" ? "sent" : "received"
  const asked = new Map(
    entries.filter((entry) => entry.direction === direction && kindOf(entry) === "request").map(({ message }) => [
      message!["id"],
      String(message!["method"])
    ])
  )
  return (id: unknown): string | undefined => asked.get(id)
}

/**
 * The messages that the client wrote with this method.
 *
 * @category looking
 * @since 0.1.0
 */
export const calls = ({ entries }: Run, method: string): ReadonlyArray<Entry> =>
  entries.filter(({ direction, message }) => direction === "received" && message?.["method"] === method)

/**
 * The requests that the agent sent with this method, each with the answers that it got.
 *
 * @category looking
 * @since 0.1.0
 */
export const questions = (
  { entries }: Run,
  method?: string
): ReadonlyArray<{ readonly question: Entry; readonly answers: ReadonlyArray<Entry> }> =>
  entries
    .filter((entry) => entry.direction === "sent" && kindOf(entry) === "request")
    .filter(({ message }) => method === undefined || message!["method"] === method)
    .map((question) => ({
      question,
      answers: entries.filter((entry) =>
        entry.direction === "received" && kindOf(entry) === "response" && isObject(entry.message) &&
        entry.message["id"] === question.message!["id"]
      )
    }))
