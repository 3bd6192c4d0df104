/**
 * Transcripts of conversations with foreign peers: every message decodes by our schemas and encodes to what it was, and is
 * valid by the official schema.
 *
 * They are recorded by the tests beside this one, with ACP_TCK_RECORD=1 in the environment.
 */
import * as Method from "@effect-acp/core/Method"
import * as Protocol from "@effect-acp/core/Protocol"
import * as Codec from "@effect-acp/core/schema/Codec"
import * as OfficialSchema from "@effect-acp/tck/OfficialSchema"
import * as Transcript from "@effect-acp/tck/Transcript"
import { assert, describe, it } from "@effect/vitest"
import { Result, type Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { corpus } from "./interop.ts"

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

interface Entry {
  readonly from: "client" | "agent"
  readonly message: Message
}

const read = (name: string): ReadonlyArray<Entry> =>
  readFileSync(join(corpus, name), "utf8").trim().split("\n").map((line) => JSON.parse(line))

const other = { client: "agent", agent: "client" } as const

/** Entries with the method that they call or answer. A transcript may hold several conversations, and ids come again. */
const withMethods = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry & { readonly method: string }> => {
  const asked = { client: new Map<unknown, string>(), agent: new Map<unknown, string>() }
  return entries.map(({ from, message }) => {
    const method = message.method ?? asked[other[from]].get(message.id)
    if (method === undefined) return assert.fail(`nobody asked for ${JSON.stringify(message)}`)
    if (message.method !== undefined && message.id !== undefined) asked[from].set(message.id, method)
    return { from, message, method }
  })
}

/** The row of a method that this side handles. */
const rowOf = (handler: "client" | "agent", method: string) =>
  Protocol.table.rows.find((row) => row._tag === method && Method.isHandledBy(Method.describe(row), handler))

const roundTrip = (schema: Schema.Top, value: unknown, what: string): void => {
  const codec = Codec.make(schema)
  const decoded = codec.decode(value, ({ path }) => assert.fail(`${what} was repaired at ${path.join(".")}`))
  if (Result.isFailure(decoded)) return assert.fail(`${what}: ${decoded.failure}`)
  const encoded = codec.encode(decoded.success)
  if (Result.isFailure(encoded)) return assert.fail(`${what}: ${encoded.failure}`)
  assert.deepStrictEqual(JSON.parse(JSON.stringify(encoded.success)), value, what)
}

describe.each(readdirSync(corpus))("%s", (name) => {
  const entries = withMethods(read(name))

  it("decodes and encodes without loss", () => {
    for (const { from, message, method } of entries) {
      const row = rowOf(message.method === undefined ? from : other[from], method)
      if (row === undefined) assert.fail(`there is no method ${method}`)
      if (message.params !== undefined) roundTrip(row.payloadSchema, message.params, `${name}: params of ${method}`)
      if (message.result !== undefined) roundTrip(row.successSchema, message.result, `${name}: result of ${method}`)
    }
  })

  it("is valid by the official schema", () => {
    for (const [index, { from, message, method }] of entries.entries()) {
      const entry = Transcript.received(Buffer.from(JSON.stringify(message)), index)
      assert.isUndefined(OfficialSchema.messageProblem(from, entry, () => method), JSON.stringify(message))
    }
  })
})

it("the corpus holds conversations with both foreign clients and a foreign agent", () => {
  const names = readdirSync(corpus).join(" ")
  for (const peer of ["acpx-", "sdk-client", "sdk-agent"]) assert.include(names, peer)
})
