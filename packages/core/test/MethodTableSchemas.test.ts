import * as Raxol from "@effect-acp/core/extension/Raxol"
import * as MethodTable from "@effect-acp/core/MethodTable"
import * as Protocol from "@effect-acp/core/Protocol"
import * as Codec from "@effect-acp/core/schema/Codec"
import * as Unstable from "@effect-acp/core/unstable/Protocol"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, type Schema } from "effect"
import { arbitrary } from "./schema/oracleArbitrary.ts"

/** Values of a schema, decoded from what they are on the wire and encoded to it again. */
const roundTrips = Effect.fnUntraced(function*(schema: Schema.Top, seed: string) {
  const codec = Codec.make(schema)
  const values = yield* Arbitrary.sampleEffect(arbitrary(Codec.strict(schema).ast), { count: 5, size: 4, seed })
  for (const value of values) {
    const received: unknown = JSON.parse(JSON.stringify(value))
    const decoded = codec.decode(received, ({ path }) => assert.fail(`${seed} was repaired at ${path.join(".")}`))
    if (Result.isFailure(decoded)) return assert.fail(`${seed}: ${decoded.failure}`)
    const encoded = codec.encode(decoded.success)
    if (Result.isFailure(encoded)) return assert.fail(`${seed}: ${encoded.failure}`)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(encoded.success)), received, seed)
  }
})

const tables = {
  stable: Protocol.table,
  unstable: Unstable.table,
  raxol: MethodTable.make(Raxol.AgentMethods, Raxol.ClientMethods)
}

describe("6: params and results", () => {
  it.effect.each(["stable", "unstable", "raxol"] as const)(
    "of the %s rows decode and encode",
    (name) =>
      Effect.gen(function*() {
        for (const row of tables[name].rows) {
          yield* roundTrips(row.payloadSchema, `${row._tag} params`)
          if (MethodTable.describe(row).kind === "request") yield* roundTrips(row.successSchema, `${row._tag} result`)
        }
      })
  )
})
