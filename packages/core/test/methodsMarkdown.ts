/**
 * The method tables as Markdown, from the rows themselves.
 */
import * as Capabilities from "@effect-acp/core/Capabilities"
import * as Raxol from "@effect-acp/core/extension/Raxol"
import * as MethodTable from "@effect-acp/core/MethodTable"
import * as Protocol from "@effect-acp/core/Protocol"
import * as Unstable from "@effect-acp/core/unstable/Protocol"
import type * as Rpc from "effect/rpc/Rpc"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

const directions: Record<MethodTable.Direction, string> = {
  client_to_agent: "client → agent",
  agent_to_client: "agent → client",
  both: "both"
}

const header = ["wire name", "direction", "kind", "callback", "params", "result", "capability", "layer"]

const code = (text: string) => `\`${text}\``

const nameOf = ({ ast }: Schema.Top): string => SchemaAST.resolveIdentifier(ast) ?? "JSON"

const formatGate = (gate: Capabilities.Gate | undefined): string =>
  gate === undefined ?
    "" :
    `${gate.side} ${gate.paths.map((path) => code(Capabilities.describeGate({ ...gate, paths: [path] }))).join(" or ")}`

const cells = (row: Rpc.AnyWithProps): ReadonlyArray<string> => {
  const { callback, direction, gate, kind, layer, wire } = MethodTable.describe(row)
  return [
    code(wire),
    directions[direction],
    kind,
    callback ?? "",
    nameOf(row.payloadSchema),
    kind === "request" ? nameOf(row.successSchema) : "",
    formatGate(gate),
    layer
  ]
}

/** A table whose columns are padded, as the formatter wants it. */
const tableOf = (rows: ReadonlyArray<Rpc.AnyWithProps>): string => {
  const lines = [header, ...rows.map(cells)]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const format = (line: ReadonlyArray<string>) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`
  const [first, ...rest] = lines.map(format)
  return [first, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rest].join("\n")
}

const isRefined = (row: Rpc.AnyWithProps) => MethodTable.describe(row).refines !== undefined

/** All of `docs/methods.md`. */
export const markdown = (): string => {
  const stable = new Set(Protocol.table.rows.map((row) => row.key))
  const raxol = MethodTable.make(Raxol.AgentMethods, Raxol.ClientMethods)
  return `# Methods

Printed from the rows of the method table by \`pnpm methods\`. Where a capability is named, the method may be called only when
that side has advertised it.

## Version 1

${tableOf(Protocol.table.rows)}

## Version 1, unstable

What \`@effect-acp/core/unstable/Protocol\` adds:

${tableOf(Unstable.table.rows.filter((row) => !stable.has(row.key)))}

And the stable methods whose params or result have unstable additions there:

${tableOf(Unstable.table.rows.filter(isRefined))}

## An extension

What \`@effect-acp/core/extension/Raxol\` declares:

${tableOf(raxol.rows)}
`
}
