/**
 * From wire values to typed values and back.
 *
 * **Details**
 *
 * A connection does this by itself, with the schemas of its method table; this module is for whoever has wire values from
 * elsewhere: a recording, a proxy, a test.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Wire from "../internal/wire.ts"

/**
 * What was done about a part of a value that its schema does not accept.
 *
 * **Details**
 *
 * - `default-on-error`: a value that does not decode was replaced by its default, or left out
 * - `default-on-null`: a null, or a required member that is missing, was replaced by its default
 * - `skipped-item`: an item that does not decode was left out of its list
 * - `unknown-variant`: a variant from outside the schema was kept as an `Unknown`
 * - `unknown-value`: a name from outside an enumeration was kept as it is
 *
 * @category models
 * @since 0.1.0
 */
export type FallbackKind = Wire.FallbackKind

/**
 * The report of a fallback that was taken.
 *
 * **Details**
 *
 * `path` leads from the root of the value to the part, with the indices of the received lists. `received` is what the peer
 * sent, undefined for a missing member; `used` is what took its place, undefined for what was left out.
 *
 * @category models
 * @since 0.1.0
 */
export interface Fallback extends Wire.Fallback {}

/**
 * Decodes and encodes the values of one schema.
 *
 * **Details**
 *
 * Neither direction throws or changes its input; the message of an error names the place and what was expected there. Decoding is strict first; on failure it applies the leniency that the
 * schema allows and reports each fallback, and only if it then succeeds. Encoding checks the value and drops members that
 * the schema does not name. Opaque JSON, such as `_meta`, is passed by reference in both directions.
 *
 * @category models
 * @since 0.1.0
 */
export interface Codec<out A> {
  readonly decode: (input: unknown, report: (fallback: Fallback) => void) => Result.Result<A, Schema.SchemaError>
  readonly encode: (value: unknown) => Result.Result<unknown, Schema.SchemaError>
}

/**
 * Whether a connection compiles the decoders of its schemas; `true` by default.
 *
 * **Details**
 *
 * Compilation generates code, once for each schema, when it is first used. Where code generation is forbidden, decoders
 * are interpreted by themselves: slower, with the same results.
 *
 * @category settings
 * @since 0.1.0
 */
export const Compile: Context.Reference<boolean> = Context.Reference<boolean>("@effect-acp/core/schema/Codec/Compile", {
  defaultValue: () => true
})

/**
 * The codec of a schema; the same one whenever it is asked for.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: <S extends Schema.Constraint>(
  schema: S,
  options?: { readonly compile?: boolean | undefined }
) => Codec<S["Type"]> = Wire.make

/**
 * The schema without its members for unknown values: what the official schema describes.
 *
 * @category combinators
 * @since 0.1.0
 */
export const strict: <S extends Schema.Constraint>(schema: S) => Schema.Codec<S["Type"]> = Wire.strict
