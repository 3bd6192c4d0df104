/**
 * How a field recovers from a value that its schema does not accept.
 *
 * The official schema marks such fields with `x-deserialize-*` keywords. Here they are data on the key of a plain,
 * strict schema: decoding is strict first and looks at them only when it has failed (see `wire.ts`).
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** The key annotation that carries a {@link Leniency}. */
export const LeniencyKey = "~effect-acp/leniency"

export interface Leniency {
  /** `x-deserialize-default-on-error`: what takes the place of a value that does not decode; `"omit"` drops the member. */
  readonly onError?: "omit" | { readonly value: unknown }
  /** `x-deserialize-skip-invalid-items`: items that do not decode are left out. */
  readonly skipInvalidItems?: true
  /** `x-deserialize-default-on-null`: what takes the place of `null`, and of a required member that is missing. */
  readonly onNull?: { readonly value: unknown }
  /** The official `default`: documentation, never applied to an absent member. */
  readonly default?: { readonly value: unknown }
}

export const lenient = <S extends Schema.Top>(schema: S, leniency: Leniency): S["Rebuild"] =>
  schema.pipe(Schema.annotateKey({ [LeniencyKey]: leniency }))

export const leniencyOf = (ast: SchemaAST.AST): Leniency | undefined => {
  const leniency = ast.context?.annotations?.[LeniencyKey]
  return Predicate.isObject(leniency) ? leniency as Leniency : undefined
}

/** A member that may be absent or null. */
export const nullish = <S extends Schema.Constraint>(schema: S): Schema.optionalKey<Schema.NullOr<S>> =>
  Schema.optionalKey(Schema.NullOr(schema))

/** A member that may be absent or null, and counts as absent when its value does not decode. */
export const orOmit = <S extends Schema.Constraint>(schema: S): Schema.optionalKey<Schema.NullOr<S>> =>
  lenient(nullish(schema), { onError: "omit" })

/** As {@link orOmit}, without null. */
export const optionalOrOmit = <S extends Schema.Constraint>(schema: S): Schema.optionalKey<S> =>
  lenient(Schema.optionalKey(schema), { onError: "omit" })

/** An optional member with an official default, which also replaces a value that does not decode. */
export const orDefault = <S extends Schema.Constraint>(schema: S, value: S["Type"]): Schema.optionalKey<S> =>
  lenient(Schema.optionalKey(schema), { onError: { value }, default: { value } })

/** A capability switch: `false` by default and when it does not decode. */
export const flag: Schema.optionalKey<Schema.Boolean> = orDefault(Schema.Boolean, false)

/** A required list: bad items are left out, a value that is no list becomes an empty one. */
export const list = <S extends Schema.Constraint>(item: S): Schema.$Array<S> =>
  lenient(Schema.Array(item), { onError: { value: [] }, skipInvalidItems: true })

/** An optional list: bad items are left out, a value that is no list counts as absent. */
export const optionalList = <S extends Schema.Constraint>(item: S): Schema.optionalKey<Schema.$Array<S>> =>
  lenient(Schema.optionalKey(Schema.Array(item)), { onError: "omit", skipInvalidItems: true })

/** As {@link optionalList}, and may be null. */
export const nullishList = <S extends Schema.Constraint>(
  item: S
): Schema.optionalKey<Schema.NullOr<Schema.$Array<S>>> =>
  lenient(nullish(Schema.Array(item)), { onError: "omit", skipInvalidItems: true })

/** A required list for which null, and absence, stand for an empty one. */
export const listOrNull = <S extends Schema.Constraint>(item: S): Schema.$Array<S> =>
  lenient(Schema.Array(item), { onNull: { value: [] } })

/** An optional list for which null stands for an empty one. */
export const optionalListOrNull = <S extends Schema.Constraint>(item: S): Schema.optionalKey<Schema.$Array<S>> =>
  lenient(Schema.optionalKey(Schema.Array(item)), { onNull: { value: [] } })
