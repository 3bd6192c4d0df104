/**
 * Forms: the JSON schemas that describe what an agent asks the user to fill in.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { lenient, nullish, nullishList, orDefault, orOmit } from "../internal/leniency.ts"
import { Double, Int64, meta, UInt32, UInt64 } from "./Common.ts"
import * as Unknown from "./Unknown.ts"
import * as Variant from "./Variant.ts"

const labels = { title: orOmit(Schema.String), description: orOmit(Schema.String) }

/**
 * The format of a text field.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StringFormat = Unknown.knownLiterals(["email", "uri", "date", "date-time"]).annotate({
  identifier: "StringFormat"
})

/**
 * The format of a text field.
 *
 * @category models
 * @since 0.1.0
 */
export type StringFormat = typeof StringFormat.Type

/**
 * A choice with a label.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EnumOption = Schema.Struct({
  const: Schema.String,
  title: Schema.String,
  description: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "EnumOption" })

/**
 * A choice with a label.
 *
 * @category models
 * @since 0.1.0
 */
export interface EnumOption extends Schema.Schema.Type<typeof EnumOption> {}

/**
 * A text field; with `enum` or `oneOf` a choice.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StringPropertySchema = Schema.Struct({
  ...labels,
  minLength: nullish(UInt32),
  maxLength: nullish(UInt32),
  pattern: nullish(Schema.String),
  format: nullish(StringFormat),
  default: orOmit(Schema.String),
  enum: nullish(Schema.Array(Schema.String)),
  oneOf: nullish(Schema.Array(EnumOption)),
  ...meta
}).annotate({ identifier: "StringPropertySchema" })

/**
 * A text field; with `enum` or `oneOf` a choice.
 *
 * @category models
 * @since 0.1.0
 */
export interface StringPropertySchema extends Schema.Schema.Type<typeof StringPropertySchema> {}

/**
 * A field for a number; the bounds are inclusive.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NumberPropertySchema = Schema.Struct({
  ...labels,
  minimum: nullish(Double),
  maximum: nullish(Double),
  default: orOmit(Double),
  ...meta
}).annotate({ identifier: "NumberPropertySchema" })

/**
 * A field for a number; the bounds are inclusive.
 *
 * @category models
 * @since 0.1.0
 */
export interface NumberPropertySchema extends Schema.Schema.Type<typeof NumberPropertySchema> {}

/**
 * A field for an integer; the bounds are inclusive.
 *
 * @category schemas
 * @since 0.1.0
 */
export const IntegerPropertySchema = Schema.Struct({
  ...labels,
  minimum: nullish(Int64),
  maximum: nullish(Int64),
  default: orOmit(Int64),
  ...meta
}).annotate({ identifier: "IntegerPropertySchema" })

/**
 * A field for an integer; the bounds are inclusive.
 *
 * @category models
 * @since 0.1.0
 */
export interface IntegerPropertySchema extends Schema.Schema.Type<typeof IntegerPropertySchema> {}

/**
 * A field that is on or off.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BooleanPropertySchema = Schema.Struct({
  ...labels,
  default: orOmit(Schema.Boolean),
  ...meta
}).annotate({ identifier: "BooleanPropertySchema" })

/**
 * A field that is on or off.
 *
 * @category models
 * @since 0.1.0
 */
export interface BooleanPropertySchema extends Schema.Schema.Type<typeof BooleanPropertySchema> {}

/**
 * Choices without labels.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StringMultiSelectItems = Schema.Struct({
  enum: Schema.Array(Schema.String),
  ...meta
}).annotate({ identifier: "StringMultiSelectItems" })

/**
 * Choices without labels.
 *
 * @category models
 * @since 0.1.0
 */
export interface StringMultiSelectItems extends Schema.Schema.Type<typeof StringMultiSelectItems> {}

/**
 * Choices with labels.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TitledMultiSelectItems = Schema.Struct({
  anyOf: Schema.Array(EnumOption),
  ...meta
}).annotate({ identifier: "TitledMultiSelectItems" })

/**
 * Choices with labels.
 *
 * @category models
 * @since 0.1.0
 */
export interface TitledMultiSelectItems extends Schema.Schema.Type<typeof TitledMultiSelectItems> {}

/**
 * Choices of a type that the schema does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class UnknownMultiSelectItems extends Unknown.variant("type") {}

/**
 * The choices of a field that takes several.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MultiSelectItems = Schema.Union([
  Schema.Struct({ type: Schema.Literal("string"), ...StringMultiSelectItems.fields }),
  TitledMultiSelectItems,
  Unknown.member(UnknownMultiSelectItems, { discriminator: "type" })
]).annotate({ identifier: "MultiSelectItems" })

/**
 * The choices of a field that takes several.
 *
 * @category models
 * @since 0.1.0
 */
export type MultiSelectItems = typeof MultiSelectItems.Type

/**
 * A field that takes several choices.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MultiSelectPropertySchema = Schema.Struct({
  ...labels,
  minItems: nullish(UInt64),
  maxItems: nullish(UInt64),
  items: MultiSelectItems,
  default: nullishList(Schema.String),
  ...meta
}).annotate({ identifier: "MultiSelectPropertySchema" })

/**
 * A field that takes several choices.
 *
 * @category models
 * @since 0.1.0
 */
export interface MultiSelectPropertySchema extends Schema.Schema.Type<typeof MultiSelectPropertySchema> {}

/**
 * A field of a type that the schema does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class UnknownPropertySchema extends Unknown.variant("type") {}

/**
 * A field of a form, by its JSON schema type.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationPropertySchema = Schema.Union([
  Schema.Struct({ type: Schema.Literal("string"), ...StringPropertySchema.fields }),
  Schema.Struct({ type: Schema.Literal("number"), ...NumberPropertySchema.fields }),
  Schema.Struct({ type: Schema.Literal("integer"), ...IntegerPropertySchema.fields }),
  Schema.Struct({ type: Schema.Literal("boolean"), ...BooleanPropertySchema.fields }),
  Schema.Struct({ type: Schema.Literal("array"), ...MultiSelectPropertySchema.fields }),
  Unknown.member(UnknownPropertySchema, { discriminator: "type" })
]).annotate({ identifier: "ElicitationPropertySchema" })

/**
 * A field of a form, by its JSON schema type.
 *
 * @category models
 * @since 0.1.0
 */
export type ElicitationPropertySchema = typeof ElicitationPropertySchema.Type

/**
 * The type of a form, which is always `object`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationSchemaType = Schema.Literals(["object"]).annotate({ identifier: "ElicitationSchemaType" })

/**
 * The type of a form, which is always `object`.
 *
 * @category models
 * @since 0.1.0
 */
export type ElicitationSchemaType = typeof ElicitationSchemaType.Type

/**
 * A form: named fields, of which some are required.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationSchema = Schema.Struct({
  type: orDefault(ElicitationSchemaType, "object"),
  title: orOmit(Schema.String),
  properties: lenient(Schema.optionalKey(Schema.Record(Schema.String, ElicitationPropertySchema)), {
    default: { value: {} }
  }),
  required: nullish(Schema.Array(Schema.String)),
  description: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "ElicitationSchema" })

/**
 * A form: named fields, of which some are required.
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitationSchema extends Schema.Schema.Type<typeof ElicitationSchema> {}

/**
 * The field of one type.
 *
 * @category models
 * @since 0.1.0
 */
export type Property<Type extends ElicitationPropertySchema["type"]> = Extract<
  ElicitationPropertySchema,
  { readonly type: Type }
>

/**
 * A form.
 *
 * @category constructors
 * @since 0.1.0
 */
export const object = (
  properties: { readonly [name: string]: ElicitationPropertySchema },
  options?: Omit<ElicitationSchema, "type" | "properties">
): ElicitationSchema => ({ ...options, type: "object", properties })

/**
 * A text field, or a choice of one.
 *
 * @category constructors
 * @since 0.1.0
 */
export const string = (options?: StringPropertySchema): Property<"string"> => ({ ...options, type: "string" })

/**
 * A field for a number.
 *
 * @category constructors
 * @since 0.1.0
 */
export const number = (options?: NumberPropertySchema): Property<"number"> => ({ ...options, type: "number" })

/**
 * A field for an integer.
 *
 * @category constructors
 * @since 0.1.0
 */
export const integer = (options?: IntegerPropertySchema): Property<"integer"> => ({ ...options, type: "integer" })

/**
 * A field that is on or off.
 *
 * @category constructors
 * @since 0.1.0
 */
export const boolean = (options?: BooleanPropertySchema): Property<"boolean"> => ({ ...options, type: "boolean" })

/**
 * A field that takes several choices; strings are choices without labels.
 *
 * @category constructors
 * @since 0.1.0
 */
export const multiSelect = (
  choices: ReadonlyArray<string> | ReadonlyArray<EnumOption>,
  options?: Omit<MultiSelectPropertySchema, "items">
): Property<"array"> => ({
  ...options,
  type: "array",
  items: isStrings(choices) ? { type: "string", enum: choices } : { anyOf: choices }
})

const isStrings = (choices: ReadonlyArray<string> | ReadonlyArray<EnumOption>): choices is ReadonlyArray<string> =>
  typeof choices[0] !== "object"

/**
 * Handles every type of field, unknown ones included.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<Variant.ByTag<ElicitationPropertySchema, "type">> = Variant.byTag<
  ElicitationPropertySchema
>()("type")

/**
 * Handles every shape of choices, unknown ones included.
 *
 * @category matching
 * @since 0.1.0
 */
export const matchItems: Variant.Match<{
  readonly untitled: Extract<MultiSelectItems, { readonly type: "string" }>
  readonly titled: TitledMultiSelectItems
  readonly unknown: UnknownMultiSelectItems
}> = Variant.matcher((items) => !("type" in items) ? "titled" : items.type === "string" ? "untitled" : "unknown")
