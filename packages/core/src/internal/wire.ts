/**
 * The one way from wire values to typed values and back.
 *
 * Strict first: a compiled decoder of the strict schema takes the good case. Only when it fails does the repair pass
 * apply what the fields' leniency allows; its result is decoded strictly again. What cannot be repaired is the issue.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { memberOf } from "../schema/Unknown.ts"
import { type Fallback, repair } from "./repair.ts"

export type { Fallback, FallbackKind } from "./repair.ts"

export interface Codec<out T> {
  /** Never throws and never changes its input; reports the fallbacks that were taken, on success only. */
  readonly decode: (input: unknown, report: (fallback: Fallback) => void) => Result.Result<T, Schema.SchemaError>
  /** Checks the value, drops members that the schema does not name, and passes opaque JSON by reference. */
  readonly encode: (value: unknown) => Result.Result<unknown, Schema.SchemaError>
}

export interface Options {
  /** Compile the decoders (default). Where code generation is forbidden they are interpreted by themselves. */
  readonly compile?: boolean | undefined
}

type Decoder<T> = (input: unknown) => Result.Result<T, SchemaIssue.Issue>

const compiledCodecs = new WeakMap<SchemaAST.AST, Codec<unknown>>()
const interpretedCodecs = new WeakMap<SchemaAST.AST, Codec<unknown>>()

/** The codec of a schema whose type and encoding are the same; one per schema. */
export const make = <S extends Schema.Constraint>(schema: S, options?: Options): Codec<S["Type"]> => {
  const compile = options?.compile ?? true
  const codecs = compile ? compiledCodecs : interpretedCodecs
  const cached = codecs.get(schema.ast)
  if (cached !== undefined) return cached as Codec<S["Type"]>
  const codec = makeCodec<S["Type"]>(schema.ast, compile)
  codecs.set(schema.ast, codec)
  return codec
}

const makeCodec = <T>(ast: SchemaAST.AST, compile: boolean): Codec<T> => {
  const strict = lazyDecoder<T>(() => strictAST(ast), compile)
  const open = lazyDecoder<T>(() => ast, compile)
  return {
    decode(input, report) {
      const first = strict(input)
      if (Result.isSuccess(first)) return toError(first)
      const { fallbacks, value } = repair(ast, input)
      if (value === input && fallbacks.length === 0) return toError(first)
      const second = open(value)
      if (Result.isSuccess(second)) fallbacks.forEach((fallback) => report(fallback))
      return toError(second)
    },
    // Types and encodings are the same, so encoding is decoding without repairs.
    encode(value) {
      const first = strict(value)
      return toError(Result.isSuccess(first) ? first : open(value))
    }
  }
}

const toError: <T>(result: Result.Result<T, SchemaIssue.Issue>) => Result.Result<T, Schema.SchemaError> = Result
  .mapError((issue) => new Schema.SchemaError(issue))

const lazyDecoder = <T>(ast: () => SchemaAST.AST, compile: boolean): Decoder<T> => {
  let decoder: Decoder<T> | undefined
  return (input) => {
    decoder ??= makeDecoder<T>(ast(), compile)
    return decoder(input)
  }
}

const makeDecoder = <T>(ast: SchemaAST.AST, compile: boolean): Decoder<T> => {
  if (compile) SchemaJITCompiler.enable(ast)
  return SchemaParser.decodeUnknownResult(Schema.make<Schema.Codec<T>>(ast))
}

/**
 * The schema without its members for unknown values: what the official schema describes.
 *
 * It is also the faster one: a union of tagged structs alone is dispatched by one look-up and compiled as a whole.
 */
export const strict = <S extends Schema.Constraint>(schema: S): Schema.Codec<S["Type"]> =>
  Schema.make(strictAST(schema.ast))

const strictASTs = new WeakMap<SchemaAST.AST, SchemaAST.AST>()

const strictAST = (ast: SchemaAST.AST): SchemaAST.AST => {
  const cached = strictASTs.get(ast)
  if (cached !== undefined) return cached
  const result = toStrict(ast)
  strictASTs.set(ast, result)
  return result
}

const toStrict = (ast: SchemaAST.AST): SchemaAST.AST => {
  switch (ast._tag) {
    case "Objects":
      return strictObject(ast)
    case "Arrays":
      return strictArray(ast)
    case "Union":
      return strictUnion(ast)
    default:
      return ast
  }
}

const strictObject = (ast: SchemaAST.Objects): SchemaAST.AST => {
  const properties = ast.propertySignatures.map((property) => strictAST(property.type))
  const signatures = ast.indexSignatures.map((signature) => strictAST(signature.type))
  if (
    properties.every((type, i) => type === ast.propertySignatures[i].type) &&
    signatures.every((type, i) => type === ast.indexSignatures[i].type)
  ) return ast
  return new SchemaAST.Objects(
    properties.map((type, i) => new SchemaAST.PropertySignature(ast.propertySignatures[i].name, type)),
    signatures.map((type, i) => new SchemaAST.IndexSignature(ast.indexSignatures[i].parameter, type)),
    ast.annotations,
    ast.checks,
    undefined,
    ast.context
  )
}

const strictArray = (ast: SchemaAST.Arrays): SchemaAST.AST => {
  const elements = ast.elements.map(strictAST)
  const rest = ast.rest.map(strictAST)
  if (elements.every((type, i) => type === ast.elements[i]) && rest.every((type, i) => type === ast.rest[i])) return ast
  return new SchemaAST.Arrays(ast.isMutable, elements, rest, ast.annotations, ast.checks, undefined, ast.context)
}

const strictUnion = (ast: SchemaAST.Union): SchemaAST.AST => {
  const members = ast.types.filter((type) => memberOf(type) === undefined).map(strictAST)
  const types = members.every(isLiterals) ? members.flatMap(literalsOf) : members
  if (types.length === ast.types.length && types.every((type, i) => type === ast.types[i])) return ast
  return new SchemaAST.Union(types, ast.options, ast.annotations, ast.checks, undefined, ast.context)
}

// Unions of nothing but constants compile to one look-up, if they are flat.
const isLiterals = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Literal" || ast._tag === "Null" || (ast._tag === "Union" && ast.types.every(isLiterals))

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(literalsOf) : [ast]
