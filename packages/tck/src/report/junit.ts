/**
 * A report in the format of JUnit, for build servers.
 */
import { counts, type Report, type Result } from "../Report.ts"

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;"
}

/** Text for an attribute. Characters that XML does not know are dropped. */
const escape = (text: string): string =>
  text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"\n\r\t]/gu, (character) => escapes[character])

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values).map(([name, value]) => ` ${name}="${escape(String(value))}"`).join("")

const seconds = (millis: number): string => (millis / 1000).toFixed(3)

const bodyOf = ({ detail, finding, state, tier }: Result): string => {
  switch (state) {
    case "PASS":
      return detail === undefined ? "" : `<system-out>${escape(detail)}</system-out>`
    case "FAIL": {
      const message = `sent ${finding?.sent}; came back ${finding?.received}; expected ${finding?.expected}`
      return `<failure${attributes({ type: tier, message })}/>`
    }
    case "SKIPPED":
      return `<skipped${attributes({ message: detail ?? "" })}/>`
    case "NOT_TESTED":
      return `<error${attributes({ type: tier, message: detail ?? "" })}/>`
  }
}

const testCase = (result: Result): string => {
  const { durationMillis, id, tier, title } = result
  return `  <testcase${attributes({ classname: tier, name: `${id} ${title}`, time: seconds(durationMillis) })}>${
    bodyOf(result)
  }</testcase>`
}

export const junit = (report: Report): string => {
  const found = counts(report)
  const suite = attributes({
    name: `acp-tck ${report.profile}`,
    tests: report.results.length,
    failures: found.FAIL,
    errors: found.NOT_TESTED,
    skipped: found.SKIPPED,
    time: seconds(report.durationMillis)
  })
  return [
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    `<testsuite${suite}>`,
    ...report.results.map(testCase),
    "</testsuite>",
    ""
  ].join("\n")
}
