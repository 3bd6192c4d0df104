import * as Codec from "@effect-acp/core/schema/Codec"
import { assert } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

export interface Decoded<A> {
  readonly value: A
  readonly fallbacks: ReadonlyArray<Codec.Fallback>
}

/** Decodes with compiled and with interpreted decoders, which must agree. */
export const decode = <S extends Schema.Constraint>(schema: S, input: unknown): Decoded<S["Type"]> => {
  const before = structuredClone(input)
  // Interpreted first: once compiled, a schema stays compiled for whoever asks for its decoder later.
  const [interpreted, compiled] = [false, true].map((compile) => run(schema, input, compile))
  assert.deepStrictEqual(input, before, "the input was changed")
  assert.deepStrictEqual(compiled, interpreted)
  return compiled
}

const run = <S extends Schema.Constraint>(schema: S, input: unknown, compile: boolean): Decoded<S["Type"]> => {
  const fallbacks: Array<Codec.Fallback> = []
  const result = Codec.make(schema, { compile }).decode(input, (fallback) => void fallbacks.push(fallback))
  if (Result.isFailure(result)) return assert.fail(String(result.failure))
  return { value: result.success, fallbacks }
}

/** The message of the error that decoding ends with. */
export const failure = <S extends Schema.Constraint>(schema: S, input: unknown): string => {
  const before = structuredClone(input)
  const reported: Array<Codec.Fallback> = []
  const result = Codec.make(schema).decode(input, (fallback) => void reported.push(fallback))
  assert.deepStrictEqual(input, before, "the input was changed")
  assert.deepStrictEqual(reported, [], "a failure reports no fallbacks")
  return Result.isFailure(result) ? String(result.failure) : assert.fail(`decoded: ${JSON.stringify(result.success)}`)
}

export const encode = <S extends Schema.Constraint>(schema: S, value: S["Type"]): unknown => {
  const result = Codec.make(schema).encode(value)
  return Result.isSuccess(result) ? result.success : assert.fail(String(result.failure))
}

/** What is on the wire after a value was decoded and encoded again. */
export const roundTrip = <S extends Schema.Constraint>(schema: S, input: unknown): unknown =>
  JSON.parse(JSON.stringify(encode(schema, decode(schema, input).value)))

/** Fallbacks in short: kind and path. */
export const brief = (fallbacks: ReadonlyArray<Codec.Fallback>): ReadonlyArray<string> =>
  fallbacks.map(({ kind, path }) => `${kind} ${path.join(".")}`)
