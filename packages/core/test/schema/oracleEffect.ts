import { memberOf, type UnknownMember } from "@effect-acp/core/schema/Unknown"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { type Check, checksOf, formatOf } from "./oracleChecks.ts"
import type { Difference } from "./oracleDifference.ts"
import type { Reading } from "./oracleOfficial.ts"
import * as Shape from "./oracleShape.ts"

/** Our schemas by the official names that they carry. */
export type Named = ReadonlyMap<string, AST.AST>

/** The key annotation under which a field says how lenient its decoding is. */
const leniencyKey = "~effect-acp/leniency"

/** Reads our schemas. Whatever is not plain data on the wire is a finding. */
export const read = (named: Named): Reading => new Reader(named).run()

interface Use {
  readonly definition: string
  readonly path: string
  readonly name: string
  readonly ast: AST.AST
}

class Reader {
  readonly named: Named
  readonly findings: Array<Difference> = []
  readonly uses: Array<Use> = []
  definition = ""

  constructor(named: Named) {
    this.named = named
  }

  run(): Reading {
    const definitions: Record<string, Shape.Shape> = {}
    for (const [name, ast] of this.named) {
      this.definition = name
      definitions[name] = this.top(ast, "")
    }
    this.checkUses(definitions)
    return { definitions, findings: uniqueFindings(this.findings) }
  }

  /** A definition may be nothing but another one under a new name. */
  top(ast: AST.AST, path: string): Shape.Shape {
    const shape = this.body(ast, path)
    const target = shape.kind === "ref" ? this.named.get(shape.name) : undefined
    return target === undefined ? shape : this.top(target, path)
  }

  /** A schema that holds a definition must hold the very one that we export, else it checks another version of it. */
  checkUses(definitions: Shape.Definitions): void {
    const seen = new Set<AST.AST>()
    for (let use = this.uses.shift(); use !== undefined; use = this.uses.shift()) {
      if (seen.has(use.ast)) continue
      seen.add(use.ast)
      this.definition = use.definition
      const shape = this.top(use.ast, use.path)
      if (Shape.canonical(shape) === Shape.canonical(definitions[use.name])) continue
      const { definition, path } = use
      const official = `${use.name} as ${Shape.describe(definitions[use.name])}`
      this.findings.push({ definition, path, kind: "stale-reference", official, ours: Shape.describe(shape) })
    }
  }

  unreadable(path: string, ours: string): Shape.Shape {
    this.findings.push({ definition: this.definition, path, kind: "unreadable", official: "plain data", ours })
    return { kind: "other", text: ours }
  }

  shape(ast: AST.AST, path: string): Shape.Shape {
    const name = AST.resolveIdentifier(ast)
    if (name === undefined || !this.named.has(name)) return this.body(ast, path)
    this.uses.push({ definition: this.definition, path, name, ast })
    return { kind: "ref", name }
  }

  body(ast: AST.AST, path: string): Shape.Shape {
    if (ast.encoding !== undefined) return this.unreadable(path, "a transformation")
    const keeper = memberOf(ast)
    if (keeper !== undefined) return this.keeper(keeper, path)
    switch (ast._tag) {
      case "String":
        return this.string(ast, path)
      case "Number":
        return this.number(ast, path)
      case "Arrays":
        return this.array(ast, path)
      case "Objects":
        return this.object(ast, path)
      case "Union":
        return this.union(ast, path)
      case "Suspend":
        return this.shape(ast.thunk(), path)
      case "Declaration":
      case "ObjectKeyword":
        return probe(ast) ?? this.unreadable(path, "a schema that takes an odd mixture of JSON")
      default:
        this.rejectChecks(ast, path)
        return this.simple(ast, path)
    }
  }

  simple(ast: AST.AST, path: string): Shape.Shape {
    switch (ast._tag) {
      case "Null":
        return { kind: "null" }
      case "Boolean":
        return { kind: "boolean" }
      case "Unknown":
      case "Any":
        return Shape.any
      case "Literal":
        return typeof ast.literal === "bigint"
          ? this.unreadable(path, "a bigint")
          : { kind: "literal", value: ast.literal }
      default:
        return this.unreadable(path, `a schema of the kind ${ast._tag}`)
    }
  }

  /** What holds values from outside the schema is no part of the schema; how it tells them from others is. */
  keeper(member: UnknownMember, path: string): Shape.Shape {
    if (member._tag === "Value") return { kind: "unknown" }
    const accepts = member.accepts === undefined ? {} : { accepts: this.body(member.accepts.ast, path) }
    return { kind: "unknown", tag: member.discriminator, ...accepts }
  }

  string(ast: AST.String, path: string): Shape.Shape {
    const format = formatOf(ast)
    const limits: { minLength?: number; maxLength?: number; pattern?: string } = {}
    for (const check of checksOf(ast)) {
      if (check.id === "isMinLength") limits.minLength = check.number("minLength")
      else if (check.id === "isMaxLength") limits.maxLength = check.number("maxLength")
      else if (check.id === "isPattern") limits.pattern = check.text("source")
      else this.unreadableCheck(check, path)
    }
    if (format === undefined) return { kind: "string", ...limits }
    // A pattern is how we check a format. Whether it does so well, generated values tell.
    const { pattern: _, ...others } = limits
    return { kind: "string", ...others, format }
  }

  number(ast: AST.Number, path: string): Shape.Shape {
    let kind: "integer" | "number" = "number"
    let finite = false
    let [minimum, maximum] = [-Infinity, Infinity]
    for (const check of checksOf(ast)) {
      if (check.id === "isFinite") finite = true
      else if (check.id === "isInt") kind = "integer"
      else if (["isBetween", "isGreaterThanOrEqualTo", "isLessThanOrEqualTo"].includes(check.id)) {
        minimum = Math.max(minimum, check.number("minimum", -Infinity))
        maximum = Math.min(maximum, check.number("maximum", Infinity))
      } else this.unreadableCheck(check, path)
    }
    if (kind === "integer") {
      minimum = Math.max(minimum, Number.MIN_SAFE_INTEGER)
      maximum = Math.min(maximum, Number.MAX_SAFE_INTEGER)
    } else if (!finite) return { kind: "other", text: "a number that may be NaN or Infinity" }
    const format = formatOf(ast) ?? (kind === "number" ? "double" : formatOfBounds(minimum, maximum))
    return { kind, ...(format !== undefined && { format }), minimum, maximum }
  }

  array(ast: AST.Arrays, path: string): Shape.Shape {
    this.rejectChecks(ast, path)
    if (ast.elements.length > 0 || ast.rest.length !== 1) return this.unreadable(path, "a tuple")
    return { kind: "array", items: this.shape(ast.rest[0], `${path}[]`) }
  }

  object(ast: AST.Objects, path: string): Shape.Shape {
    this.rejectChecks(ast, path)
    if (ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0) {
      return { kind: "other", text: "anything but null" }
    }
    const fields = ast.propertySignatures.map(({ name, type }) =>
      [String(name), this.field(type, `${path}.${String(name)}`)] as const
    )
    const [rest, ...others] = ast.indexSignatures
    if (others.length > 0 || (rest !== undefined && !isPlainString(rest.parameter))) {
      return this.unreadable(path, "a record whose keys are not plain strings")
    }
    return Shape.object(
      Object.fromEntries(fields),
      rest === undefined ? {} : { rest: this.shape(rest.type, `${path}[name]`) }
    )
  }

  field(ast: AST.AST, path: string): Shape.Field {
    const marks = ast.context?.annotations?.[leniencyKey]
    return {
      required: ast.context?.isOptional !== true,
      shape: this.shape(ast, path),
      marks: isMarks(marks) ? marks : {}
    }
  }

  union(ast: AST.Union, path: string): Shape.Shape {
    this.rejectChecks(ast, path)
    return Shape.union(ast.types.map((member) => this.shape(member, path)))
  }

  rejectChecks(ast: AST.AST, path: string): void {
    for (const check of checksOf(ast)) this.unreadableCheck(check, path)
  }

  unreadableCheck(check: Check, path: string): void {
    this.unreadable(path, `the check ${check.id}`)
  }
}

const isMarks = (value: unknown): value is Shape.Marks => typeof value === "object" && value !== null

const formatOfBounds = (minimum: number, maximum: number): string | undefined =>
  Object.entries(Shape.integerFormats).find(([, bounds]) => bounds.minimum === minimum && bounds.maximum === maximum)
    ?.[0]

const isPlainString = (ast: AST.AST): boolean => ast._tag === "String" && ast.checks === undefined

const probes: ReadonlyArray<unknown> = [null, "", 0, true, [], {}]

/** What hides its type behind a function is judged by the kinds of JSON that it takes. */
const probe = (ast: AST.AST): Shape.Shape | undefined => {
  const is = Schema.is(Schema.make<Schema.Top>(ast))
  const taken = probes.map((value) => is(value))
  if (taken.every((takes) => takes)) return Shape.any
  return taken.every((takes, index) => takes === (index === probes.length - 1)) ? Shape.object({}) : undefined
}

const uniqueFindings = (findings: ReadonlyArray<Difference>): ReadonlyArray<Difference> => {
  const texts = new Map(findings.map((finding) => [JSON.stringify(finding), finding]))
  return [...texts.values()]
}
