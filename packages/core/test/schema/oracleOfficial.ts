import type { Difference } from "./oracleDifference.ts"
import { merge } from "./oracleMerge.ts"
import * as Shape from "./oracleShape.ts"

/** A node of a JSON schema document. */
export interface Node {
  readonly [keyword: string]: unknown
}

/** The official document, as far as the oracle reads it. */
export interface Document {
  readonly $defs: { readonly [name: string]: Node }
}

/** What a reader found: the definitions, and whatever it could not understand. */
export interface Reading {
  readonly definitions: Shape.Definitions
  readonly findings: ReadonlyArray<Difference>
}

/** Words for people, and routing that the method table is compared with elsewhere. */
const silent = new Set(["title", "description", "discriminator", "x-docs-ignore", "x-side", "x-method"])

const marks = ["x-deserialize-default-on-error", "x-deserialize-skip-invalid-items", "x-deserialize-default-on-null"]

const structure = "$ref type const enum properties required items additionalProperties unevaluatedProperties"
const restrictions = "allOf anyOf oneOf not format minimum maximum minLength maxLength pattern"
const understood = new Set(`${structure} ${restrictions}`.split(" "))

/** Reads an official document. A keyword it does not know is a finding, never silence. */
export const read = (document: Document): Reading => new Reader(document).run()

class Reader {
  readonly document: Document
  readonly findings: Array<Difference> = []
  definition = ""

  constructor(document: Document) {
    this.document = document
  }

  run(): Reading {
    const definitions = Object.entries(this.document.$defs).map(([name, node]) => {
      this.definition = name
      return [name, this.expand(this.node(node, ""))] as const
    })
    return { definitions: Object.fromEntries(definitions), findings: this.findings }
  }

  unreadable(path: string, official: string): Shape.Shape {
    this.findings.push({ definition: this.definition, path, kind: "unreadable", official, ours: "not compared" })
    return { kind: "other", text: official }
  }

  node(node: Node, path: string, isField = false): Shape.Shape {
    this.checkKeywords(node, path, isField)
    const parts = [
      ...this.constants(node),
      ...this.reference(node),
      ...this.typed(node, path),
      ...this.all(node, path),
      ...this.alternatives(node.anyOf, path),
      ...this.alternatives(node.oneOf, path)
    ]
    if (parts.length === 0) return Shape.any
    return parts.reduce((left, right) => this.merged(left, right, path))
  }

  /** A schema may be a boolean; `false`, and whatever is no schema, cannot be compared. */
  sub(schema: unknown, path: string): Shape.Shape {
    if (schema === undefined || schema === true) return Shape.any
    return isNode(schema) ? this.node(schema, path) : this.unreadable(path, `the schema ${JSON.stringify(schema)}`)
  }

  constants(node: Node): ReadonlyArray<Shape.Shape> {
    const values = node.const !== undefined ? [node.const] : node.enum
    return Array.isArray(values) ? [Shape.union(values.map(literal))] : []
  }

  reference(node: Node): ReadonlyArray<Shape.Shape> {
    return typeof node.$ref === "string" ? [{ kind: "ref", name: node.$ref.replace("#/$defs/", "") }] : []
  }

  merged(left: Shape.Shape, right: Shape.Shape, path: string): Shape.Shape {
    return merge(this.expandMembers(left), this.expandMembers(right)) ??
      this.unreadable(path, `${Shape.describe(left)} and also ${Shape.describe(right)}`)
  }

  /** References are kept where they stand alone, and opened where something is joined to them. */
  expand(shape: Shape.Shape): Shape.Shape {
    if (shape.kind !== "ref") return shape
    const target = this.document.$defs[shape.name]
    if (target === undefined) return this.unreadable("", `a reference to ${shape.name}, which is not defined`)
    return this.expand(this.node(target, ""))
  }

  checkKeywords(node: Node, path: string, isField: boolean): void {
    for (const keyword of Object.keys(node)) {
      if (silent.has(keyword) || understood.has(keyword)) continue
      if (isField && (keyword === "default" || (marks.includes(keyword) && node[keyword] === true))) continue
      this.unreadable(path, `the keyword ${keyword}`)
    }
  }

  typed(node: Node, path: string): ReadonlyArray<Shape.Shape> {
    if (node.type === undefined || node.const !== undefined || node.enum !== undefined) return []
    const types = Array.isArray(node.type) ? node.type : [node.type]
    return [Shape.union(types.map((type) => this.oneType(node, String(type), path)))]
  }

  oneType(node: Node, type: string, path: string): Shape.Shape {
    switch (type) {
      case "null":
      case "boolean":
        return { kind: type }
      case "string":
        return { kind: "string", ...pick(node, ["format", "minLength", "maxLength", "pattern"]) }
      case "integer":
      case "number":
        return this.number(node, type, path)
      case "array":
        return { kind: "array", items: this.sub(node.items, `${path}[]`) }
      case "object":
        return this.object(node, path)
      default:
        return this.unreadable(path, `the type ${type}`)
    }
  }

  number(node: Node, kind: "integer" | "number", path: string): Shape.Shape {
    const format = typeof node.format === "string" ? { format: node.format } : {}
    const formatBounds = kind === "number" ? unbounded : Shape.integerFormats[format.format ?? "int64"]
    if (formatBounds === undefined) return this.unreadable(path, `the format ${format.format}`)
    const minimum = Math.max(formatBounds.minimum, typeof node.minimum === "number" ? node.minimum : -Infinity)
    const maximum = Math.min(formatBounds.maximum, typeof node.maximum === "number" ? node.maximum : Infinity)
    return { kind, ...format, minimum, maximum }
  }

  object(node: Node, path: string): Shape.Shape {
    const required = new Set(Array.isArray(node.required) ? node.required : [])
    const properties = isNode(node.properties) ? Object.entries(node.properties) : []
    const fields = properties.map(([name, property]) =>
      [name, this.field(property, required.has(name), `${path}.${name}`)] as const
    )
    for (const name of required) {
      if (!properties.some(([property]) => property === name)) {
        fields.push([String(name), { required: true, shape: Shape.any, marks: {} }])
      }
    }
    const open = this.open(node, path)
    return Shape.object(Object.fromEntries(fields), { ...this.rest(node, path), ...(open !== undefined && { open }) })
  }

  rest(node: Node, path: string): { rest?: Shape.Shape } {
    const rest = node.additionalProperties ?? node.unevaluatedProperties
    return rest === undefined ? {} : { rest: this.sub(rest, `${path}[name]`) }
  }

  field(node: unknown, required: boolean, path: string): Shape.Field {
    if (!isNode(node)) return { required, shape: this.sub(node, path), marks: {} }
    const shape = this.node(node, path, true)
    return { required, shape, marks: this.marks(node, shape, required, path) }
  }

  marks(node: Node, shape: Shape.Shape, required: boolean, path: string): Shape.Marks {
    const fallback = "default" in node ? { value: node.default } : undefined
    return {
      ...(fallback !== undefined && { default: fallback }),
      ...(node[marks[0]] === true && { onError: fallback ?? (required ? this.empty(shape, path) : "omit") }),
      ...(node[marks[1]] === true && { skipInvalidItems: true }),
      ...(node[marks[2]] === true && { onNull: fallback ?? this.empty(shape, path) })
    }
  }

  /** What the official implementation falls back to where the schema names no value. */
  empty(shape: Shape.Shape, path: string): Shape.Fallback {
    if (shape.kind === "array") return { value: [] }
    if (shape.kind === "object") return { value: {} }
    this.unreadable(path, `a fallback without a value for ${Shape.describe(shape)}`)
    return { value: undefined }
  }

  all(node: Node, path: string): ReadonlyArray<Shape.Shape> {
    return Array.isArray(node.allOf) ? node.allOf.map((part) => this.sub(part, path)) : []
  }

  alternatives(members: unknown, path: string): ReadonlyArray<Shape.Shape> {
    return Array.isArray(members) ? [Shape.union(members.map((member) => this.sub(member, path)))] : []
  }

  expandMembers(shape: Shape.Shape): Shape.Shape {
    return Shape.union(Shape.membersOf(shape).map((member) => this.expand(member)))
  }

  /** `not` is understood in one form only: an alternative that takes all tags but those of its siblings. */
  open(node: Node, path: string): Shape.ObjectShape["open"] {
    if (node.not === undefined) return undefined
    const excluded = isNode(node.not) && Array.isArray(node.not.anyOf) ? node.not.anyOf.map(tagOf) : [undefined]
    const tags = excluded.filter((entry) => entry !== undefined)
    if (tags.length !== excluded.length || new Set(tags.map((entry) => entry.tag)).size !== 1) {
      this.unreadable(path, `the keyword not in the form ${JSON.stringify(node.not)}`)
      return undefined
    }
    return { tag: tags[0].tag, except: tags.map((entry) => entry.value) }
  }
}

const unbounded = { minimum: -Infinity, maximum: Infinity }

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

const literal = (value: unknown): Shape.Shape => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return { kind: "literal", value }
  }
  return value === null ? { kind: "null" } : { kind: "other", text: JSON.stringify(value) }
}

const pick = (node: Node, names: ReadonlyArray<string>): Partial<Shape.StringShape> =>
  Object.fromEntries(names.filter((name) => node[name] !== undefined).map((name) => [name, node[name]]))

const tagOf = (node: unknown): { readonly tag: string; readonly value: string } | undefined => {
  if (!isNode(node) || !isNode(node.properties)) return undefined
  const [property, ...others] = Object.entries(node.properties)
  if (property === undefined || others.length > 0 || !isNode(property[1])) return undefined
  const value = property[1].const
  return typeof value === "string" ? { tag: property[0], value } : undefined
}
