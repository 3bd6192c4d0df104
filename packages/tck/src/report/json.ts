/**
 * A report for programs.
 */
import { counts, type Report } from "../Report.ts"

export const json = (report: Report): string =>
  `${JSON.stringify({ kit: "acp-tck", format: 1, counts: counts(report), ...report }, null, 2)}\n`
