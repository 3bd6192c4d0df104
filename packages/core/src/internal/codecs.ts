/**
 * The params and results of rows, between their decoded values and JSON.
 */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import type * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as Diagnostic from "../Diagnostic.ts"
import { Compile } from "../schema/Codec.ts"
import * as Wire from "./wire.ts"

export type Report = (diagnostic: Diagnostic.Diagnostic) => void

export interface Codec {
  /** Reads a member; where it is absent or null, `{}` will do (E9). The failure says what is wrong, and where. */
  readonly decode: (member: unknown, report: Report) => Result.Result<any, string>
  /** Writes a frame that has the member. */
  readonly encode: (value: unknown, write: (member: unknown) => string) => Result.Result<string, string>
}

export interface RowCodecs {
  readonly params: Codec
  readonly result: Codec
}

export type CodecsOf = (row: Rpc.AnyWithProps) => RowCodecs

const cached = (options: Wire.Options): CodecsOf => {
  const codecs = new WeakMap<Rpc.Any, RowCodecs>()
  return (row) => {
    const known = codecs.get(row)
    if (known !== undefined) return known
    const params = make(row._tag, row.payloadSchema, options)
    const made = { params, result: make(row._tag, row.successSchema, options) }
    codecs.set(row, made)
    return made
  }
}

const compiled = cached({ compile: true })
const interpreted = cached({ compile: false })

/** The codecs of rows, compiled unless the context says otherwise. */
export const forContext = (context: Context.Context<never>): CodecsOf =>
  Context.get(context, Compile) ? compiled : interpreted

const make = (method: string, schema: Schema.Top, options: Wire.Options): Codec => {
  const wire = isPlain(schema.ast) ? Wire.make(schema, options) : transforming(schema)
  const decode = (value: unknown, report: Report) =>
    wire.decode(
      value,
      ({ kind, path, received }) =>
        report({ _tag: "Fallback", method, kind, path: formatPath(path), received: typeName(received) })
    )
  return {
    decode(member, report) {
      const decoded = decode(member, report)
      return Result.mapError(
        Result.isFailure(decoded) && (member === undefined || member === null) ? decode({}, report) : decoded,
        String
      )
    },
    // A value may be anything that its owner has made, such as an object whose members throw.
    encode(value, write) {
      try {
        const encoded = wire.encode(value)
        return Result.isSuccess(encoded) ? Result.succeed(write(encoded.success)) : Result.fail(String(encoded.failure))
      } catch (cause) {
        return Result.fail(`not JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
      }
    }
  }
}

/** The codec of a schema whose type and encoding differ: those of extensions may, those of the protocol never do. */
const transforming = (schema: Schema.Top): Wire.Codec<unknown> => {
  const codec = schema as Schema.Codec<unknown, unknown>
  const decode = Schema.decodeUnknownResult(codec)
  return { decode: (input) => decode(input), encode: Schema.encodeUnknownResult(codec) }
}

/** Tells whether values of a schema are the same on the wire: there is no transformation anywhere in it. */
const isPlain = (root: SchemaAST.AST): boolean => {
  const seen = new Set<SchemaAST.AST>()
  const visit = (ast: SchemaAST.AST): boolean => {
    if (seen.has(ast)) return true
    seen.add(ast)
    return ast.encoding === undefined && partsOf(ast).every(visit)
  }
  return visit(root)
}

const partsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Objects":
      return [
        ...ast.propertySignatures.map((property) => property.type),
        ...ast.indexSignatures.flatMap((signature) => [signature.parameter, signature.type])
      ]
    case "Arrays":
      return [...ast.elements, ...ast.rest]
    case "Union":
      return ast.types
    case "Suspend":
      return [ast.thunk()]
    case "Declaration":
      return ast.typeParameters
    default:
      return []
  }
}

const formatPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("").replace(/^\./, "")

/** The value itself may be somebody's prompt or file: its type has to do. */
const typeName = (value: unknown): string => value === null ? "null" : Array.isArray(value) ? "array" : typeof value
