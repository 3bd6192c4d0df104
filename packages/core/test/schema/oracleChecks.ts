import type * as AST from "effect/SchemaAST"

/** A check of a schema, by the name and the payload that Effect gives its own checks. */
export interface Check {
  readonly id: string
  readonly number: (name: string, fallback?: number) => number
  readonly text: (name: string) => string
}

/** All checks of a schema, groups opened. */
export const checksOf = (ast: AST.AST): ReadonlyArray<Check> => (ast.checks ?? []).flatMap(open)

const open = (check: AST.Check<never>): ReadonlyArray<Check> =>
  check._tag === "FilterGroup" ? check.checks.flatMap(open) : [toCheck(check)]

const prefix = "effect/schema/"

const toCheck = (filter: AST.Filter<never>): Check => {
  const representation: unknown = filter.annotations?.representation
  const id = String(member(representation, "id") ?? filter.annotations?.expected ?? "without a name")
  const payload = member(representation, "payload")
  return {
    id: id.startsWith(prefix) ? id.slice(prefix.length) : id,
    number: (name, fallback = Number.NaN) => Number(member(payload, name) ?? fallback),
    text: (name) => String(member(payload, name))
  }
}

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

/** The `format` annotation of a schema, wherever its checks have moved it. */
export const formatOf = (ast: AST.AST): string | undefined => {
  const annotations = [ast.annotations, ...(ast.checks ?? []).map((check) => check.annotations)]
  const formats = annotations.map((annotation) => member(annotation, "format"))
  return formats.find((format) => typeof format === "string")
}
