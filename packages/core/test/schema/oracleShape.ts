/**
 * The neutral model in which the official JSON schema and our Effect schemas are compared.
 *
 * Both readers bring a definition to the same normal form: unions are flat, `allOf` is merged into plain objects, an object
 * with alternatives is a union of whole objects, and a named definition inside another one stays a reference.
 */

/** What may happen instead of a decode error, and what an absent field means. */
export interface Marks {
  readonly onError?: "omit" | Fallback
  readonly skipInvalidItems?: true
  readonly onNull?: Fallback
  readonly default?: Fallback
}

/** A value that is used in place of the received one. */
export interface Fallback {
  readonly value: unknown
}

/** A member of an object. */
export interface Field {
  readonly required: boolean
  readonly shape: Shape
  readonly marks: Marks
}

/** A string, with what restricts it. */
export interface StringShape {
  readonly kind: "string"
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

/** A number; `minimum` and `maximum` are the effective bounds, of the format and of the explicit keywords together. */
export interface NumberShape {
  readonly kind: "integer" | "number"
  readonly format?: string
  readonly minimum: number
  readonly maximum: number
}

/** An object; `open` marks the alternative that takes every tag but the listed ones. */
export interface ObjectShape {
  readonly kind: "object"
  readonly fields: { readonly [name: string]: Field }
  readonly rest?: Shape
  readonly open?: { readonly tag: string; readonly except: ReadonlyArray<string> }
}

/** A flat list of alternatives. */
export interface UnionShape {
  readonly kind: "union"
  readonly members: ReadonlyArray<Shape>
}

/** A constant. */
export interface LiteralShape {
  readonly kind: "literal"
  readonly value: string | number | boolean
}

/** Our keeper of values from outside the schema, with the tag that tells it and what it asks of the rest. */
export interface UnknownShape {
  readonly kind: "unknown"
  readonly tag?: string
  readonly accepts?: Shape
}

/** The normal form of a type; `other` is whatever has no form. */
export type Shape =
  | { readonly kind: "any" }
  | { readonly kind: "null" }
  | { readonly kind: "boolean" }
  | { readonly kind: "array"; readonly items: Shape }
  | { readonly kind: "ref"; readonly name: string }
  | { readonly kind: "other"; readonly text: string }
  | LiteralShape
  | StringShape
  | NumberShape
  | ObjectShape
  | UnionShape
  | UnknownShape

/** The definitions of one schema by their official names. */
export interface Definitions {
  readonly [name: string]: Shape
}

/** The bounds that an integer format stands for; 64-bit formats end where JavaScript's integers do. */
export const integerFormats: { readonly [format: string]: { readonly minimum: number; readonly maximum: number } } = {
  uint8: { minimum: 0, maximum: 255 },
  uint16: { minimum: 0, maximum: 65_535 },
  uint32: { minimum: 0, maximum: 4_294_967_295 },
  uint64: { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  int32: { minimum: -2_147_483_648, maximum: 2_147_483_647 },
  int64: { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
}

export const any: Shape = { kind: "any" }
const nullShape: Shape = { kind: "null" }

/** An object without fields takes every object, whether it says so or not. */
export const object = (
  fields: ObjectShape["fields"],
  options: Pick<ObjectShape, "rest" | "open"> = {}
): ObjectShape => ({
  kind: "object",
  fields,
  ...options,
  ...(Object.keys(fields).length === 0 && options.rest === undefined && { rest: any })
})

export const union = (shapes: ReadonlyArray<Shape>): Shape => {
  const members = unique(shapes.flatMap(membersOf))
  return members.length === 1 ? members[0] : { kind: "union", members }
}

export const membersOf = (shape: Shape): ReadonlyArray<Shape> => shape.kind === "union" ? shape.members : [shape]

export const nullable = (shape: Shape): Shape => union([shape, nullShape])

export const isNullable = (shape: Shape): boolean => membersOf(shape).some((member) => member.kind === "null")

export const withoutNull = (shape: Shape): Shape =>
  shape.kind === "union" ? union(shape.members.filter((member) => member.kind !== "null")) : shape

/** Equal shapes have equal texts, whatever the order of their fields and alternatives. */
export const canonical = (value: unknown): string => JSON.stringify(ordered(value))

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== "object" || value === null) return value
  if (isUnion(value)) return { kind: "union", members: value.members.map(canonical).toSorted() }
  return Object.fromEntries(
    Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1).map(([k, v]) => [k, ordered(v)])
  )
}

const isUnion = (value: object): value is UnionShape =>
  "kind" in value && value.kind === "union" && "members" in value && Array.isArray(value.members)

const unique = (shapes: ReadonlyArray<Shape>): ReadonlyArray<Shape> => {
  const seen = new Map(shapes.map((shape) => [canonical(shape), shape]))
  return [...seen.values()]
}

/** The shape as a person would write it, short enough for a sentence. */
export const describe = (shape: Shape): string => {
  switch (shape.kind) {
    case "array":
      return `Array<${describe(shape.items)}>`
    case "literal":
      return JSON.stringify(shape.value)
    case "ref":
      return shape.name
    case "other":
      return shape.text
    case "union":
      return shape.members.map(describe).join(" | ")
    case "integer":
    case "number":
      return describeNumber(shape)
    case "string":
      return describeString(shape)
    case "object":
      return describeObject(shape)
    default:
      return shape.kind
  }
}

const describeNumber = (shape: NumberShape): string =>
  `${shape.kind} (${shape.format ?? "no format"}, ${shape.minimum} to ${shape.maximum})`

const describeString = ({ kind, ...limits }: StringShape): string => {
  const texts = Object.entries(limits).map(([name, limit]) => `${name} ${limit}`)
  return texts.length === 0 ? kind : `${kind} (${texts.join(", ")})`
}

const describeObject = (shape: ObjectShape): string => {
  const fields = Object.entries(shape.fields).map(([name, field]) =>
    `${name}${field.required ? "" : "?"}${field.shape.kind === "literal" ? `: ${describe(field.shape)}` : ""}`
  )
  if (shape.rest !== undefined) fields.push(`[name]: ${describe(shape.rest)}`)
  return `{ ${fields.join(", ")} }`
}
