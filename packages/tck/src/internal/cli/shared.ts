/**
 * Flags that both commands know, and what is done with them.
 */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Report from "../../Report.ts"
import { json } from "../../report/json.ts"
import { junit } from "../../report/junit.ts"
import * as Text from "../../report/text.ts"
import type { Tier } from "../../Requirement.ts"

/** The command line asks for something that cannot be done. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}

/** The program was judged, and is not conformant. */
export class NotConformant extends Schema.TaggedError<NotConformant>()("NotConformant", {}) {}

export const seconds = (name: string, byDefault: number, description: string) =>
  Flag.Finite(name).pipe(
    Flag.withDefault(byDefault),
    Flag.withMetavar("SECONDS"),
    Flag.withDescription(`${description} (default: ${byDefault})`),
    Flag.map(Duration.seconds)
  )

const file = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.optional, Flag.withMetavar("FILE"), Flag.withDescription(description))

export const shared = {
  filter: Flag.String("filter").pipe(
    Flag.optional,
    Flag.withMetavar("PATTERNS"),
    Flag.withDescription("Only rows whose id holds one of these, separated by commas; * stands for anything")
  ),
  list: Flag.Boolean("list").pipe(Flag.withDefault(false), Flag.withDescription("Lists the rows and runs nothing")),
  jobs: Flag.Int("jobs").pipe(Flag.withDefault(1), Flag.withDescription("How many rows run at a time (default: 1)")),
  jsonReport: file("json-report", "Writes a report as JSON"),
  junitReport: file("junit-report", "Writes a report in the format of JUnit")
}

/** The words of the command under test. */
export const commandOf = (description: string) =>
  Argument.String("command").pipe(Argument.variadic(), Argument.withDescription(description))

interface Row {
  readonly id: string
  readonly tier: Tier
  readonly title: string
}

interface Shared {
  readonly filter: Option.Option<string>
  readonly jsonReport: Option.Option<string>
  readonly junitReport: Option.Option<string>
}

const matches = (patterns: string) => {
  const alternatives = patterns.split(",").map((pattern) =>
    pattern.trim().replace(/[.+?^${}()|[\]\\]/gu, "\\$&").replaceAll("*", ".*")
  )
  const expression = new RegExp(alternatives.join("|"), "iu")
  return ({ id }: Row) => expression.test(id)
}

/** The rows that the filter leaves. */
export const select = Effect.fnUntraced(function*<A extends Row>(rows: ReadonlyArray<A>, { filter }: Shared) {
  const selected = Option.isSome(filter) ? rows.filter(matches(filter.value)) : rows
  if (selected.length > 0) return selected
  return yield* new UsageError({ message: "No row has an id that the filter matches" })
})

export const printList = (rows: ReadonlyArray<Row>) =>
  Console.log(rows.map(({ id, tier, title }) => `${id}  ${tier}  ${title}`).join("\n"))

export const canColor = Effect.map(TerminalCapabilities.TerminalCapabilities, ({ canColor }) => canColor)

const write = (report: Report.Report, to: Option.Option<string>, format: (report: Report.Report) => string) =>
  Option.match(to, {
    onNone: () => Effect.void,
    onSome: (path) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.writeFileString(path, format(report)))
  })

/** Says and writes what came out. Fails when the program is not conformant. */
export const conclude = Effect.fnUntraced(function*(report: Report.Report, input: Shared) {
  yield* Console.log(Text.summary(Text.painter(yield* canColor), report))
  yield* write(report, input.jsonReport, json)
  yield* write(report, input.junitReport, junit)
  if (!report.conformant) return yield* new NotConformant()
})
