/**
 * Figures from samples, as a table and as JSON.
 */
import { cpus } from "node:os"
import type { Figure } from "./Catalog.ts"
import type { Samples, SideName } from "./Runner.ts"

export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
}

export const summarize = (values: ReadonlyArray<number>): Summary => {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  return {
    median: sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2,
    min: sorted[0],
    max: sorted[sorted.length - 1]
  }
}

export interface Row {
  readonly id: string
  readonly title: string
  readonly figure: Figure
  readonly ours: Summary
  readonly sdk: Summary
  readonly floor: Summary | undefined
  /** How many times lower than the SDK's our median is. */
  readonly ratio: number
  /** How many times lower than the SDK's the floor is: no library can be further from the SDK. */
  readonly limit: number | undefined
  /** How much of the floor's speed is reached, from 0 to 1. */
  readonly ofFloor: number | undefined
}

export const rowsOf = ({ case: { figures, id, title }, sides }: Samples): ReadonlyArray<Row> =>
  figures.map((figure) => {
    const summary = (side: SideName) => summarize(sides[side].map((measurement) => measurement[figure.name]))
    const hasFloor = sides.floor.length > 0 && figure.name in sides.floor[0]
    const [ours, sdk, floor] = [summary("ours"), summary("sdk"), hasFloor ? summary("floor") : undefined]
    return {
      id,
      title,
      figure,
      ours,
      sdk,
      floor,
      ratio: sdk.median / ours.median,
      limit: floor === undefined ? undefined : sdk.median / floor.median,
      ofFloor: floor === undefined ? undefined : floor.median / ours.median
    }
  })

const number = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)

const range = ({ max, median, min }: Summary, unit: string): string =>
  `${number(median)} ${unit} (${number(min)}–${number(max)})`

const cellsOf = ({ figure, floor, id, limit, ofFloor, ours, ratio, sdk }: Row): ReadonlyArray<string> => [
  id,
  figure.label,
  range(ours, figure.unit),
  range(sdk, figure.unit),
  `${number(ratio)}×`,
  figure.target === undefined ? "" : `${figure.target}×`,
  limit === undefined ? "" : `${number(limit)}×`,
  floor === undefined ? "" : range(floor, figure.unit),
  ofFloor === undefined ? "" : `${Math.round(ofFloor * 100)} %`
]

const header = ["", "figure", "ours", "SDK", "SDK ÷ ours", "asked", "SDK ÷ floor", "floor", "of the floor"]

/** A table in Markdown that can be read as it is. */
export const tableOf = (header: ReadonlyArray<string>, lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = header.map((title, column) =>
    Math.max(3, ...[title, ...lines.map((line) => line[column])].map((cell) => cell.length))
  )
  const write = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`
  return [write(header), write(widths.map((width) => "-".repeat(width))), ...lines.map(write)].join("\n")
}

export const table = (rows: ReadonlyArray<Row>): string => tableOf(header, rows.map(cellsOf))

/** What the figures were measured on. */
export const environment = () => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: `${cpus().length} × ${cpus()[0].model}`
})

/** Everything that was measured, for other programs. */
export const json = (samples: ReadonlyArray<Samples>, options: { readonly pairs: number }): string =>
  JSON.stringify(
    {
      ...environment(),
      ...options,
      rows: samples.flatMap(rowsOf),
      samples: samples.map(({ case: { id }, sides }) => ({ id, ...sides }))
    },
    undefined,
    2
  )
