import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Drift from "./drift.ts"
import { type Difference, kinds, report, sentence } from "./oracleDifference.ts"
import * as Ours from "./oracleEffect.ts"
import * as Modules from "./oracleModules.ts"
import { mutations } from "./oracleMutations.ts"

const official = Drift.documents(Drift.installed)

const sentences = (differences: ReadonlyArray<Difference>): ReadonlyArray<string> =>
  differences.map(sentence).toSorted()

describe("our schemas and the official ones", () => {
  it.effect("agree on the stable protocol", () =>
    Effect.gen(function*() {
      const { stable } = yield* Drift.drift()
      assert.strictEqual(report(stable), "nothing has drifted")
    }))

  it.effect("agree on the unstable protocol", () =>
    Effect.gen(function*() {
      const { unstable } = yield* Drift.drift()
      assert.strictEqual(report(unstable), "nothing has drifted")
    }))

  it.effect("are compared definition by definition", () =>
    Effect.gen(function*() {
      const ours = yield* Modules.load
      assert.deepStrictEqual([...ours.stable.named.keys()].toSorted(), Object.keys(official.stable.$defs).toSorted())
      assert.deepStrictEqual(
        [...ours.unstable.named.keys()].toSorted(),
        Object.keys(official.unstable.$defs).toSorted()
      )
    }))
})

const otherDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "drift-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
)

describe("the drift report", () => {
  it.effect("compares with the documents of another directory, in words", () =>
    Effect.gen(function*() {
      const directory = yield* otherDirectory
      const [{ apply, expected }] = mutations
      const [stable, unstable] = [apply(official.stable), official.unstable]
      writeFileSync(join(directory, "schema.json"), JSON.stringify(stable))
      writeFileSync(join(directory, "schema.unstable.json"), JSON.stringify(unstable))
      const drifted = yield* Drift.drift(directory)
      assert.strictEqual(report(drifted.stable), report(expected))
      assert.strictEqual(report(drifted.unstable), "nothing has drifted")
      assert.strictEqual(
        report(expected),
        "Cost: ours defines it, the official schema does not (official: nothing; ours: { amount, currency, _meta? })."
      )
    }))
})

describe("the oracle sees", () => {
  it("every kind of difference, each proved by a test of this file", () => {
    const provedBelow = ["duplicate-definition", "stale-reference"]
    const proved = mutations.flatMap(({ expected }) => expected.map(({ kind }): string => kind)).concat(provedBelow)
    assert.deepStrictEqual([...new Set(proved)].toSorted(), kinds.toSorted())
  })

  it.effect.each(mutations)("$name", ({ apply, expected }) =>
    Effect.gen(function*() {
      const ours = yield* Modules.load
      for (const universe of ["stable", "unstable"] as const) {
        const before = sentences(Drift.differences(official[universe], ours[universe]))
        const after = sentences(Drift.differences(apply(official[universe]), ours[universe]))
        assert.deepStrictEqual(after.filter((found) => !before.includes(found)), sentences(expected))
      }
    }))
})

describe("the collection of our schemas", () => {
  const entry = (schema: Schema.Top, source: string): Modules.Exported => ({
    name: "Id",
    ast: schema.ast,
    source,
    unstable: source.startsWith("unstable")
  })

  it("gives a name to one schema", () => {
    const one = entry(Schema.String, "A.ts")
    assert.deepStrictEqual(Modules.universes([one, { ...one, source: "B.ts" }]).stable.findings, [])
    assert.deepStrictEqual(Modules.universes([one, entry(Schema.Boolean, "B.ts")]).stable.findings, [
      {
        definition: "Id",
        path: "",
        kind: "duplicate-definition",
        official: "one definition",
        ours: "A.ts and B.ts"
      }
    ])
  })

  it("lets an unstable schema take the place of a stable one", () => {
    const { stable, unstable } = Modules.universes([
      entry(Schema.String, "A.ts"),
      entry(Schema.Boolean, "unstable/A.ts")
    ])
    assert.deepStrictEqual([stable.findings, unstable.findings], [[], []])
    assert.strictEqual(stable.named.get("Id"), Schema.String.ast)
    assert.strictEqual(unstable.named.get("Id"), Schema.Boolean.ast)
  })
})

describe("the reader of our schemas", () => {
  const Id = Schema.String.annotate({ identifier: "Id" })

  const read = (schemas: { readonly [name: string]: Schema.Top }) =>
    Ours.read(new Map(Object.entries(schemas).map(([name, schema]) => [name, schema.ast])))

  it("tells when a schema holds another version of a definition", () => {
    const other = Schema.Boolean.annotate({ identifier: "Id" })
    const { findings } = read({ Id, Holder: Schema.Struct({ id: Schema.optionalKey(other) }) })
    assert.deepStrictEqual(findings, [
      { definition: "Holder", path: ".id", kind: "stale-reference", official: "Id as string", ours: "boolean" }
    ])
  })

  it("tells when a stale definition hides deeper", () => {
    const Inner = Schema.Struct({ id: Schema.Boolean.annotate({ identifier: "Id" }) }).annotate({ identifier: "Inner" })
    const { findings } = read({ Id, Inner, Outer: Schema.Array(Inner) })
    assert.deepStrictEqual(findings.map(({ definition, path }) => definition + path), ["Inner.id"])
  })

  it.each([
    { what: "a transformation", schema: Schema.NumberFromString },
    { what: "a tuple", schema: Schema.Tuple([Schema.String]) },
    { what: "a check it does not know", schema: Schema.String.check(Schema.isTrimmed()) },
    { what: "a check on a list", schema: Schema.Array(Schema.String).check(Schema.isMinLength(1)) },
    { what: "undefined", schema: Schema.UndefinedOr(Schema.String) },
    { what: "a declaration", schema: Schema.Date }
  ])("does not vouch for $what", ({ schema }) => {
    assert.deepStrictEqual(read({ It: schema }).findings.map(({ kind }) => kind), ["unreadable"])
  })

  it("does not take a struct without fields for an object, nor a number for a finite one", () => {
    const { definitions } = read({ Empty: Schema.Struct({}), Any: Schema.Number })
    assert.deepStrictEqual(definitions, {
      Empty: { kind: "other", text: "anything but null" },
      Any: { kind: "other", text: "a number that may be NaN or Infinity" }
    })
  })
})
