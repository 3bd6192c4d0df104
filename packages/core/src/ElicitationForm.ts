/**
 * The form of an elicitation as a user interface needs it: its fields, what they start with, and whether answers fit.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Check from "./internal/elicitationCheck.ts"
import type { ElicitationContentValue } from "./schema/Elicitation.ts"
import type * as ElicitationSchema from "./schema/ElicitationSchema.ts"

/**
 * A field to be filled in.
 *
 * @category models
 * @since 0.1.0
 */
export interface Field {
  readonly name: string
  /** The title, or the name of a field without one. */
  readonly label: string
  readonly description: string | undefined
  readonly required: boolean
  /** What there is to choose from; none for a field that is written or switched. */
  readonly choices: ReadonlyArray<ElicitationSchema.EnumOption> | undefined
  readonly default: ElicitationContentValue | undefined
  /** The whole schema of the field, for what is not said here: its type and bounds. */
  readonly schema: ElicitationSchema.ElicitationPropertySchema
}

/**
 * What the user has filled in, by the names of the fields.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answers {
  readonly [name: string]: ElicitationContentValue
}

/**
 * What is wrong with one field.
 *
 * @category models
 * @since 0.1.0
 */
export interface Problem {
  readonly field: string
  /** A phrase that follows the field's label: `is required`. */
  readonly problem: string
}

/**
 * The fields of a form, in order.
 *
 * @category accessors
 * @since 0.1.0
 */
export const fields = (form: ElicitationSchema.ElicitationSchema): ReadonlyArray<Field> =>
  Object.entries(form.properties ?? {}).map(([name, schema]) => ({
    name,
    label: text(schema, "title") ?? name,
    description: text(schema, "description"),
    required: form.required?.includes(name) ?? false,
    choices: Check.choicesOf(schema),
    default: defaultOf(schema),
    schema
  }))

/**
 * What a form is filled in with before the user has changed anything.
 *
 * @category accessors
 * @since 0.1.0
 */
export const defaults = (form: ElicitationSchema.ElicitationSchema): Answers =>
  Object.fromEntries(
    fields(form).flatMap((field) => field.default === undefined ? [] : [[field.name, field.default]])
  )

/**
 * Tells whether answers fit a form: the answers, or everything that is wrong with them.
 *
 * **Details**
 *
 * Required fields are there, every value has its field's type and is within its bounds, choices are among those offered,
 * and there are no fields that the form does not have. Of a field whose type this version does not know, any value fits.
 *
 * @category validation
 * @since 0.1.0
 */
export const validate = (
  form: ElicitationSchema.ElicitationSchema,
  answers: Answers
): Result.Result<Answers, ReadonlyArray<Problem>> => {
  const known = fields(form)
  const missing = known.flatMap(({ name, required }) =>
    required && !Object.hasOwn(answers, name) ? [{ field: name, problem: "is required" }] : []
  )
  const wrong = Object.entries(answers).flatMap(([name, value]): ReadonlyArray<Problem> => {
    const field = known.find((field) => field.name === name)
    const problem = field === undefined ? "is no field of the form" : Check.problemOf(field.schema, value)
    return problem === undefined ? [] : [{ field: name, problem }]
  })
  const problems = [...missing, ...wrong]
  return problems.length === 0 ? Result.succeed(answers) : Result.fail(problems)
}

const text = (
  schema: ElicitationSchema.ElicitationPropertySchema,
  key: "title" | "description"
): string | undefined => {
  const value = schema.type === "unknown" ? schema.raw[key] : schema[key]
  return Predicate.isString(value) ? value : undefined
}

const defaultOf = (schema: ElicitationSchema.ElicitationPropertySchema): ElicitationContentValue | undefined =>
  schema.type === "unknown" ? undefined : schema.default ?? undefined
