/**
 * Paths into the capability objects, as the schemas of those objects know them.
 */
import type * as SchemaAST from "effect/SchemaAST"
import { AgentCapabilities } from "../schema/unstable/AgentCapabilities.ts"
import { ClientCapabilities } from "../schema/unstable/ClientCapabilities.ts"

type Side = "agent" | "client"

/** The unstable schemas: they have everything that the stable ones have. */
const schemas = { agent: AgentCapabilities, client: ClientCapabilities }

/** What a path leads to: a switch, an object, or something within free JSON such as `_meta`. */
export type Capability = "switch" | "object" | "free"

/** The top-level members of a side's capability object. */
export const fields = (side: Side): ReadonlyArray<string> => Object.keys(schemas[side].fields)

export const find = (side: Side, path: ReadonlyArray<string>): Capability | undefined => {
  let ast = notNull(schemas[side].ast)
  for (const segment of path) {
    if (isFree(ast)) return "free"
    const member = memberOf(ast, segment)
    if (member === undefined) return undefined
    ast = member
  }
  return ast._tag === "Boolean" ? "switch" : "object"
}

/** Says of a path that leads nowhere what is there instead. */
export const problemOf = (side: Side, path: ReadonlyArray<string>): string | undefined => {
  const depth = path.findIndex((_, index) => find(side, path.slice(0, index + 1)) === undefined)
  if (depth < 0) return undefined
  const parent = path.slice(0, depth)
  const members = membersOf(parent.reduce((ast, segment) => memberOf(ast, segment)!, notNull(schemas[side].ast)))
  const place = ["the capabilities", ...parent].join(".")
  return `${path.join(".")}, but ${place} of the ${side} have no ${path[depth]}; they have ${
    members.join(", ") || "none"
  }`
}

const isFree = (ast: SchemaAST.AST): boolean =>
  ast._tag === "ObjectKeyword" || (ast._tag === "Objects" && ast.indexSignatures.length > 0)

const notNull = (ast: SchemaAST.AST): SchemaAST.AST =>
  ast._tag === "Union" ? ast.types.find((type) => type._tag !== "Null")! : ast

const memberOf = (ast: SchemaAST.AST, name: string): SchemaAST.AST | undefined => {
  const property = ast._tag === "Objects"
    ? ast.propertySignatures.find((property) => property.name === name)
    : undefined
  return property === undefined ? undefined : notNull(property.type)
}

const membersOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map((property) => String(property.name)) : []
