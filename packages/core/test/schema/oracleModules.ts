import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { readdirSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Difference } from "./oracleDifference.ts"
import type { Named } from "./oracleEffect.ts"

/** Our schemas of one universe: what is stable, or what a user of the unstable schemas sees. */
export interface Universe {
  readonly named: Named
  readonly findings: ReadonlyArray<Difference>
}

/** A named schema, and the file below `src/schema` that exports it. */
export interface Exported {
  readonly name: string
  readonly ast: AST.AST
  readonly source: string
  readonly unstable: boolean
}

const directory = fileURLToPath(new URL("../../src/schema", import.meta.url))

/** All our schemas that carry a name, found by importing every schema module. */
export const load = Effect.gen(function*() {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  const exported = yield* Effect.forEach(files.toSorted(), (file) => exportsOf(join(directory, file)))
  return universes(exported.flat())
})

/** An unstable schema takes the place of the stable one with the same name; apart from that a name belongs to one schema. */
export const universes = (
  exported: ReadonlyArray<Exported>
): { readonly stable: Universe; readonly unstable: Universe } => {
  const stable = collect(exported.filter((entry) => !entry.unstable))
  const additions = collect(exported.filter((entry) => entry.unstable))
  const named = new Map([...stable.named, ...additions.named])
  return { stable, unstable: { named, findings: additions.findings } }
}

const exportsOf = Effect.fnUntraced(function*(file: string) {
  const source = relative(directory, file)
  const module: Record<string, unknown> = yield* Effect.promise(() => import(pathToFileURL(file).href))
  return Object.values(module).filter(Schema.isSchema).flatMap(({ ast }): ReadonlyArray<Exported> => {
    const name = AST.resolveIdentifier(ast)
    if (name === undefined) return []
    return [{ name, ast, source, unstable: source.startsWith(`unstable${sep}`) }]
  })
})

const collect = (exported: ReadonlyArray<Exported>): Universe => {
  const named = new Map<string, Exported>()
  const findings: Array<Difference> = []
  for (const entry of exported) {
    const first = named.get(entry.name)
    if (first === undefined) named.set(entry.name, entry)
    else if (first.ast !== entry.ast) findings.push(duplicate(first, entry))
  }
  return { named: new Map([...named].map(([name, { ast }]) => [name, ast])), findings }
}

const duplicate = (first: Exported, second: Exported): Difference => ({
  definition: first.name,
  path: "",
  kind: "duplicate-definition",
  official: "one definition",
  ours: `${first.source} and ${second.source}`
})
