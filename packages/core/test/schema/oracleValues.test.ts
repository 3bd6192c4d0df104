import type * as Wire from "@effect-acp/core/internal/wire"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AST } from "effect/SchemaAST"
import * as Drift from "./drift.ts"
import { arbitrary } from "./oracleArbitrary.ts"
import { damage, generate, seeded } from "./oracleGenerate.ts"
import * as Modules from "./oracleModules.ts"
import type { Document } from "./oracleOfficial.ts"
import { canonical } from "./oracleShape.ts"
import { type Validator, validator } from "./oracleValidator.ts"

const official = Drift.documents(Drift.installed)
const validators = { stable: validator(official.stable), unstable: validator(official.unstable) }

const wire = Effect.promise((): Promise<typeof Wire> =>
  import(new URL("../../src/internal/wire.ts", import.meta.url).href)
)

const overWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const universes = ["stable", "unstable"] as const

interface Subject {
  readonly name: string
  readonly ast: AST
  readonly document: Document
  readonly validate: Validator
}

/** What the official schema says against values that ours makes. */
const objectionsToOurs = Effect.fnUntraced(function*({ ast, name, validate }: Subject) {
  const { strict } = yield* wire
  const strictly = strict(Schema.make<Schema.Top>(ast))
  const values = yield* Arbitrary.sampleEffect(arbitrary(strictly.ast), { count: 25, size: 6, seed: name })
  return values.map(overWire).flatMap((value) => objection(name, value, validate(name, value)))
})

/** What ours says against values that the official schema makes. */
const objectionsToOfficial = Effect.fnUntraced(function*({ ast, document, name, validate }: Subject) {
  const take = (yield* taker)(ast)
  const isEnvelope = document.$defs[name]["x-docs-ignore"] === true
  return samples(document, name, 50).flatMap((value) => {
    assert.isUndefined(validate(name, value), `the generator made a bad ${name}`)
    const { error, repairs, result } = take(value)
    // An envelope holds one of many params without saying which, and the first that fits takes it.
    const altered = isEnvelope ? undefined : changed(value, overWire(result))
    return objection(name, value, error ?? repairs.find((kind) => kind !== keeping) ?? altered)
  })
})

/** Damaged values on which the official schema and ours do not judge alike. */
const disagreements = Effect.fnUntraced(function*({ ast, document, name, validate }: Subject) {
  const take = (yield* taker)(ast)
  const chance = seeded(name.length)
  return samples(document, name, 100).map((value) => damage(value, chance)).flatMap((value) => {
    const { error, repairs } = take(value)
    // Ours keeps unknown variants where the official schema is closed, too.
    if (error === undefined && repairs.length > 0 && repairs.every((kind) => kind === keeping)) return []
    const official = validate(name, value)
    const ours = error ?? repairs[0]
    if ((official === undefined) === (ours === undefined)) return []
    return objection(name, value, `official: ${official ?? "valid"}, ours: ${ours ?? "valid"}`)
  })
})

const keeping = "unknown-variant"

const taker = Effect.map(wire, ({ make }) => (ast: AST) => {
  const codec = make(Schema.make<Schema.Top>(ast))
  return (value: unknown) => {
    const repairs: Array<string> = []
    const decoded = codec.decode(value, ({ kind }) => void repairs.push(kind))
    return Result.isSuccess(decoded)
      ? { error: undefined, repairs, result: decoded.success }
      : { error: String(decoded.failure), repairs, result: undefined }
  }
})

const samples = (document: Document, name: string, length: number): ReadonlyArray<unknown> => {
  const chance = seeded(name.length)
  return Array.from({ length }, () => overWire(generate(document, name, chance)))
}

const changed = (before: unknown, after: unknown): string | undefined =>
  canonical(before) === canonical(after) ? undefined : `became ${JSON.stringify(after)}`

const objection = (name: string, value: unknown, why: string | undefined): ReadonlyArray<string> =>
  why === undefined ? [] : [`${name}: ${why} in ${JSON.stringify(value)}`]

const eachOf = Effect.fnUntraced(function*(
  universe: (typeof universes)[number],
  check: (subject: Subject) => Effect.Effect<ReadonlyArray<string>, Arbitrary.SampleError>
) {
  const { named } = (yield* Modules.load)[universe]
  const [document, validate] = [official[universe], validators[universe]]
  const found = yield* Effect.forEach(named, ([name, ast]) => check({ name, ast, document, validate }))
  assert.deepStrictEqual(found.flat().slice(0, 20), [])
})

describe.each(universes)("values of the %s protocol", (universe) => {
  it.effect("that ours makes are valid officially", () => eachOf(universe, objectionsToOurs))
  it.effect("that the official schema makes are taken unchanged by ours", () => eachOf(universe, objectionsToOfficial))
  it.effect("that are damaged are judged alike", () => eachOf(universe, disagreements))
})
