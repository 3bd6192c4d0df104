/**
 * A report for people.
 */
import * as Duration from "effect/Duration"
import { at } from "../Json.ts"
import { counts, type Report, type Result, type State } from "../Report.ts"
import type { Finding, Tier } from "../Requirement.ts"

/** Colours a word, or leaves it as it is. */
export type Paint = (state: State | "RUN", word: string) => string

const colours: Readonly<Record<State | "RUN", number>> = { PASS: 32, FAIL: 31, SKIPPED: 90, NOT_TESTED: 33, RUN: 1 }

export const painter = (canColor: boolean): Paint => (state, word) =>
  canColor ? `\u001b[${colours[state]}m${word}\u001b[0m` : word

const findingLine = ({ expected, received, sent }: Finding): string =>
  `sent ${sent}; came back ${received}; expected ${expected}`

/** One line for each result, as it comes. */
export const line = (paint: Paint, { detail, durationMillis, finding, id, state, title }: Result): string => {
  const end = finding === undefined ? detail : findingLine(finding)
  const word = paint(state, state.replace("_", " ").padEnd(10))
  return `${word} ${id}  ${title} (${Math.round(durationMillis)} ms)${end === undefined ? "" : `: ${end}`}`
}

/** What is said before the first row. */
export const heading = (command: string, rows: number, profile: string): string =>
  `Judging "${command}" by ${rows} requirements of ${profile}`

const tiers: ReadonlyArray<Tier> = ["mandatory", "capability", "advisory", "informational"]

const states: ReadonlyArray<State> = ["PASS", "FAIL", "SKIPPED", "NOT_TESTED"]

const cell = (value: string | number): string => String(value).padStart(11)

const tableLine = (name: string, cells: ReadonlyArray<string | number>): string =>
  `${name.padEnd(14)}${cells.map(cell).join("")}`

const block = ({ finding, id, title }: Result): ReadonlyArray<string> => [
  `${id}  ${title}`,
  `    sent       ${finding?.sent}`,
  `    came back  ${finding?.received}`,
  `    expected   ${finding?.expected}`,
  ""
]

const nameOf = ({ subject: { facts, side } }: Report): string => {
  const info = facts[`${side}Info`]
  const name = at(info, "name")
  return typeof name === "string" ? `${name} ${String(at(info, "version"))}` : `${side} without a name`
}

/** What is said after the last row. */
export const summary = (paint: Paint, report: Report): string => {
  const failed = report.results.filter(({ state }) => state === "FAIL")
  const rows = tiers.flatMap((tier) => {
    const results = report.results.filter((result) => result.tier === tier)
    if (results.length === 0) return []
    const found = counts({ results })
    return [tableLine(tier, states.map((state) => found[state]))]
  })
  return [
    "",
    ...failed.length === 0 ? [] : [paint("FAIL", "Failures"), "", ...failed.flatMap(block)],
    tableLine("", ["pass", "fail", "skipped", "not tested"]),
    ...rows,
    "",
    `${nameOf(report)}, protocol version ${String(report.subject.facts["protocolVersion"])}, ${
      Duration.format(Duration.millis(Math.round(report.durationMillis)))
    }`,
    report.conformant ? paint("PASS", "Conformant") : paint("FAIL", "Not conformant"),
    ...report.reasons.map((reason) => `  - ${reason}`)
  ].join("\n")
}
