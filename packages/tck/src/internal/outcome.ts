/**
 * How a check ended, as the state of its row.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Report from "../Report.ts"
import type { Ending, Finding } from "../Requirement.ts"

/** What the result of a row says of how it ended. */
export type Outcome = Pick<Report.Result, "state" | "detail" | "finding" | "blockedByAuthentication">

const outcome = (state: Report.State, more?: Partial<Outcome>): Outcome => ({
  state,
  detail: undefined,
  finding: undefined,
  blockedByAuthentication: false,
  ...more
})

/** How a check ended: with a note, with an ending, or not in time. */
export const outcomeOf = (
  checked: Exit.Exit<Option.Option<string | void>, Ending>,
  limit: Duration.Duration
): Outcome => {
  if (Exit.isSuccess(checked)) {
    return Option.match(checked.value, {
      onNone: () => outcome("FAIL", { finding: tooSlow(limit) }),
      onSome: (note) => outcome("PASS", { detail: note ?? undefined })
    })
  }
  return Option.match(Cause.findErrorOption(checked.cause), {
    onNone: () => outcome("NOT_TESTED", { detail: `the kit itself went wrong: ${Cause.pretty(checked.cause)}` }),
    onSome: outcomeOfEnding
  })
}

const tooSlow = (limit: Duration.Duration): Finding => ({
  sent: "the steps of the requirement",
  received: `no end after ${Duration.format(limit)}`,
  expected: "answers in time"
})

/** How a row stands that did not pass. */
export const outcomeOfEnding = (ending: Ending): Outcome => {
  switch (ending._tag) {
    case "Failed":
      return outcome("FAIL", { finding: { sent: ending.sent, received: ending.received, expected: ending.expected } })
    case "Skipped":
      return outcome("SKIPPED", { detail: ending.reason })
    case "NotTested":
      return outcome("NOT_TESTED", {
        detail: ending.reason,
        blockedByAuthentication: ending.blockedByAuthentication
      })
    case "LaunchError":
      return outcome("NOT_TESTED", { detail: ending.message })
  }
}
