/**
 * What may be in a field of a form.
 */
import * as Predicate from "effect/Predicate"
import * as ElicitationSchema from "../schema/ElicitationSchema.ts"

type Property<Type extends ElicitationSchema.ElicitationPropertySchema["type"]> = ElicitationSchema.Property<Type>

export const choicesOf = (
  schema: ElicitationSchema.ElicitationPropertySchema
): ReadonlyArray<ElicitationSchema.EnumOption> | undefined => {
  if (schema.type === "string") return schema.oneOf ?? schema.enum?.map(untitled)
  if (schema.type !== "array") return undefined
  return ElicitationSchema.matchItems(schema.items, {
    untitled: (items) => items.enum.map(untitled),
    titled: (items) => items.anyOf,
    unknown: () => undefined
  })
}

const untitled = (value: string): ElicitationSchema.EnumOption => ({ const: value, title: value })

export const problemOf = (
  schema: ElicitationSchema.ElicitationPropertySchema,
  value: unknown
): string | undefined => {
  switch (schema.type) {
    case "string":
      return Predicate.isString(value) ? textProblem(schema, value) : "must be text"
    case "number":
      return Predicate.isNumber(value) && Number.isFinite(value) ? rangeProblem(schema, value) : "must be a number"
    case "integer":
      return Number.isSafeInteger(value) ? rangeProblem(schema, value as number) : "must be a whole number"
    case "boolean":
      return Predicate.isBoolean(value) ? undefined : "must be on or off"
    case "array":
      return isStrings(value) ? listProblem(schema, value) : "must be a list of choices"
    case "unknown":
      return undefined
  }
}

const isStrings = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every(Predicate.isString)

const firstProblem = (...problems: ReadonlyArray<readonly [boolean, string]>): string | undefined =>
  problems.find(([isProblem]) => isProblem)?.[1]

const listTitles = (choices: ReadonlyArray<ElicitationSchema.EnumOption>) =>
  choices.map(({ title }) => title).join(", ")

const isOffered = (choices: ReadonlyArray<ElicitationSchema.EnumOption>, value: string) =>
  choices.some((choice) => choice.const === value)

const textProblem = (schema: Property<"string">, value: string): string | undefined => {
  const { format, pattern } = schema
  const minLength = schema.minLength ?? 0
  const maxLength = schema.maxLength ?? Infinity
  // JSON Schema counts characters, not UTF-16 units.
  const length = [...value].length
  const choices = choicesOf(schema)
  return firstProblem(
    [length < minLength, `must have at least ${minLength} characters`],
    [length > maxLength, `must have at most ${maxLength} characters`],
    [choices !== undefined && !isOffered(choices, value), `must be one of ${listTitles(choices ?? [])}`],
    [pattern !== undefined && pattern !== null && !matches(pattern, value), `must match ${pattern}`],
    [!hasFormat(format ?? undefined, value), `must be a valid ${format}`]
  )
}

/** A pattern that is no regular expression says nothing. */
const matches = (pattern: string, value: string): boolean => {
  try {
    return new RegExp(pattern, "u").test(value)
  } catch {
    return true
  }
}

const date = /^\d{4}-\d{2}-\d{2}$/
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/

const hasFormat = (format: ElicitationSchema.StringFormat | undefined, value: string): boolean => {
  switch (format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/.test(value)
    case "uri":
      return URL.canParse(value)
    case "date":
      return date.test(value) && !Number.isNaN(Date.parse(value))
    case "date-time":
      return dateTime.test(value) && !Number.isNaN(Date.parse(value))
    default:
      return true
  }
}

const rangeProblem = (schema: Property<"number"> | Property<"integer">, value: number): string | undefined => {
  const minimum = schema.minimum ?? -Infinity
  const maximum = schema.maximum ?? Infinity
  return firstProblem(
    [value < minimum, `must be at least ${minimum}`],
    [value > maximum, `must be at most ${maximum}`]
  )
}

const listProblem = (schema: Property<"array">, value: ReadonlyArray<string>): string | undefined => {
  const minItems = schema.minItems ?? 0
  const maxItems = schema.maxItems ?? Infinity
  const choices = choicesOf(schema)
  return firstProblem(
    [value.length < minItems, `must have at least ${minItems} choices`],
    [value.length > maxItems, `must have at most ${maxItems} choices`],
    [
      choices !== undefined && !value.every((item) => isOffered(choices, item)),
      `must only have choices among ${listTitles(choices ?? [])}`
    ]
  )
}
