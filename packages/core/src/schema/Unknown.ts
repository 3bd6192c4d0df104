/**
 * Values from outside the schema, kept as they came.
 *
 * A newer peer may send a variant or a name that this version does not know. Nothing of it is lost: an unknown
 * *variant* of an open union arrives as an {@link Unknown} that holds its raw JSON, an unknown *name* of an open
 * enumeration arrives as the string it is. Both encode to exactly what was received, and both are reported to whoever
 * decodes, as a fallback. A known variant with a bad body is an error, never an unknown one.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"

/**
 * The annotation on those members of a union that only a repair may choose.
 *
 * **Details**
 *
 * Its value is an {@link UnknownMember}. The strict form of a schema, which is what the official schema describes, is
 * the schema without these members.
 *
 * @category annotations
 * @since 0.1.0
 */
export const UnknownKey = "~effect-acp/unknown"

/**
 * What the repair pass has to know about a union member for unknown values.
 *
 * @category models
 * @since 0.1.0
 */
export type UnknownMember =
  | {
    readonly _tag: "Value"
  }
  | {
    readonly _tag: "Variant"
    /** The member that tells the variants apart on the wire. */
    readonly discriminator: string
    /** What a raw variant must look like to be kept; any object if absent. */
    readonly accepts: Schema.Top | undefined
    readonly wrap: (raw: RawObject) => Unknown
  }

/**
 * Reads the {@link UnknownMember} of a union member.
 *
 * @category annotations
 * @since 0.1.0
 */
export const memberOf = (ast: SchemaAST.AST): UnknownMember | undefined =>
  SchemaAST.resolve(ast)?.[UnknownKey] as UnknownMember | undefined

/**
 * A JSON object as it was received.
 *
 * @category models
 * @since 0.1.0
 */
export interface RawObject {
  readonly [key: string]: unknown
}

/**
 * A variant that is not part of the schema.
 *
 * **Details**
 *
 * `raw` is the received object itself, not a copy; `JSON.stringify` writes it back unchanged.
 *
 * @category models
 * @since 0.1.0
 */
export class Unknown {
  readonly raw: RawObject
  constructor(raw: RawObject) {
    this.raw = raw
  }
  /** What `JSON.stringify` writes: the raw object. */
  toJSON(): RawObject {
    return this.raw
  }
}

/**
 * Tells whether a value is a variant from outside the schema.
 *
 * @category guards
 * @since 0.1.0
 */
// By class, not by a marker member: a peer can write any member into its JSON.
export const isUnknown = (u: unknown): u is Unknown => u instanceof Unknown

/**
 * The unknown variant of the union that is told apart by `Discriminator`.
 *
 * @category models
 * @since 0.1.0
 */
export type Variant<Discriminator extends string, Literal extends string = "unknown"> =
  & Unknown
  & { readonly [K in Discriminator]: Literal }

/**
 * Makes the class of a union's unknown variant.
 *
 * **Details**
 *
 * Instances carry the discriminator with the value `literal` (`"unknown"` unless the protocol uses that name itself), so
 * that a `switch` over the discriminator narrows to them. It lives on the prototype: it is no part of the JSON.
 *
 * @category constructors
 * @since 0.1.0
 */
export const variant = <Discriminator extends string, Literal extends string = "unknown">(
  discriminator: Discriminator,
  literal?: Literal
): new(raw: RawObject) => Variant<Discriminator, Literal> => {
  class UnknownVariant extends Unknown {}
  Object.defineProperty(UnknownVariant.prototype, discriminator, { value: literal ?? "unknown" })
  return UnknownVariant as unknown as new(raw: RawObject) => Variant<Discriminator, Literal>
}

/**
 * The union member that holds unknown variants.
 *
 * **Details**
 *
 * It accepts instances only: raw JSON never decodes to it, except by the repair pass, and then only if `accepts`, where
 * given, accepts the raw object.
 *
 * @category schemas
 * @since 0.1.0
 */
export const member = <A extends Unknown>(
  variant: new(raw: RawObject) => A,
  options: { readonly discriminator: string; readonly accepts?: Schema.Top | undefined }
): Schema.declare<A> =>
  Schema.declare((u): u is A => u instanceof variant, {
    identifier: variant.name,
    [UnknownKey]: {
      _tag: "Variant",
      discriminator: options.discriminator,
      accepts: options.accepts,
      wrap: (raw) => new variant(raw)
    } satisfies UnknownMember,
    toCodecJson: () =>
      Schema.link<A>()(Schema.Json, {
        decode: SchemaGetter.transform((raw) => new variant(raw as RawObject)),
        encode: SchemaGetter.transform((unknown) => unknown.raw as Schema.Json)
      })
  })

/**
 * Any string, in a type that still suggests the known ones.
 *
 * @category models
 * @since 0.1.0
 */
export type OpenString = string & {}

/**
 * The schema of an enumeration whose unknown names are kept as plain strings.
 *
 * @category schemas
 * @since 0.1.0
 */
export interface OpenLiterals<L extends ReadonlyArray<string>>
  extends Schema.Union<readonly [Schema.Literals<L>, Schema.Codec<OpenString>]>
{}

const openString: Schema.Codec<OpenString> = Schema.String

/**
 * Names that the protocol itself leaves open: any other string is valid too.
 *
 * @category schemas
 * @since 0.1.0
 */
export const openLiterals = <const L extends ReadonlyArray<string>>(literals: L): OpenLiterals<L> =>
  Schema.Union([Schema.Literals(literals), openString])

const unknownString = openString.annotate({ [UnknownKey]: { _tag: "Value" } satisfies UnknownMember })

/**
 * Names that the protocol lists, of which a peer may know more.
 *
 * **Details**
 *
 * Decoding keeps an unknown name as the string it is and reports it; nothing else distinguishes it from a known one.
 * Use {@link isKnown} to narrow.
 *
 * @category schemas
 * @since 0.1.0
 */
export const knownLiterals = <const L extends ReadonlyArray<string>>(literals: L): OpenLiterals<L> =>
  Schema.Union([Schema.Literals(literals), unknownString])

/**
 * Tells whether a name is one that this version knows.
 *
 * @category guards
 * @since 0.1.0
 */
export const isKnown = <const L extends ReadonlyArray<string>>(
  schema: { readonly members: readonly [Schema.Literals<L>, ...ReadonlyArray<unknown>] },
  value: string | null | undefined
): value is L[number] => schema.members[0].literals.some((literal) => literal === value)
