import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { formatOf } from "./oracleChecks.ts"

/** Generates values of a schema of ours, with opaque objects made of JSON. */
export const arbitrary = (ast: AST.AST): Arbitrary.Arbitrary<unknown> =>
  Arbitrary.schema(Schema.make<Schema.Top>(opened(ast)))

const record = Schema.Record(Schema.String, Schema.Json).ast

/** Our check of a URI is a rough one: what it lets through beyond URIs is no matter for the wire. */
const uris = (ast: AST.AST): AST.AST => {
  const is = Schema.is(Schema.make<Schema.Top>(ast))
  return Schema.Literals(["https://example.com/a?b=c#d", "urn:example:1"].filter((uri) => is(uri))).ast
}

/** What is opaque for the decoder, an object keyword with a guard, cannot be generated; a record of JSON can. */
const opened = (ast: AST.AST): AST.AST => {
  if (formatOf(ast) === "uri") return uris(ast)
  switch (ast._tag) {
    case "ObjectKeyword":
      return new AST.Objects([], record.indexSignatures, undefined, undefined, undefined, ast.context)
    case "Objects":
      return new AST.Objects(
        ast.propertySignatures.map(({ name, type }) => new AST.PropertySignature(name, opened(type))),
        ast.indexSignatures.map(({ parameter, type }) => new AST.IndexSignature(parameter, opened(type))),
        ast.annotations,
        ast.checks,
        undefined,
        ast.context
      )
    case "Arrays":
      return new AST.Arrays(
        ast.isMutable,
        ast.elements.map(opened),
        ast.rest.map(opened),
        ast.annotations,
        ast.checks,
        undefined,
        ast.context
      )
    case "Union":
      return new AST.Union(ast.types.map(opened), ast.options, ast.annotations, ast.checks, undefined, ast.context)
    case "Unknown":
    case "Any":
      return ast.context?.isOptional === true ? Schema.optionalKey(Schema.Json).ast : Schema.Json.ast
    default:
      return ast
  }
}
