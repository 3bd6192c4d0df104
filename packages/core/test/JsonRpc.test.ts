import * as JsonRpc from "@effect-acp/core/JsonRpc"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const id = Schema.Union([Schema.String, Schema.Int, Schema.Null])
const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(schema)
const envelope = Schema.Struct({
  jsonrpc: optional(Schema.Literals(["2.0", "1.0"])),
  id: optional(Schema.Union([id, Schema.Boolean, Schema.Literal(1.5)])),
  method: optional(Schema.Union([Schema.String, Schema.Int])),
  params: optional(Schema.Json),
  result: optional(Schema.Json),
  error: optional(Schema.Union([Schema.Null, Schema.Struct({ code: Schema.Int, message: Schema.String })])),
  extra: optional(Schema.Literal(true))
})

/** The rule, said in another way than the code says it. */
const expected = (frame: typeof envelope.Type): string => {
  if (frame.jsonrpc === "1.0" || (frame.jsonrpc === undefined && frame.extra)) return "Malformed"
  const hasMethod = typeof frame.method === "string"
  const hasId = Object.hasOwn(frame, "id")
  const validId = hasId && (frame.id === null || typeof frame.id === "string" || Number.isSafeInteger(frame.id))
  if (frame.method !== undefined && !hasMethod) return "Malformed"
  if (hasMethod && !hasId) return "Notification"
  if (hasMethod) return validId ? "Request" : "Malformed"
  if (!validId) return "Malformed"
  if (frame.error !== undefined && frame.error !== null) return "Failure"
  return frame.result === undefined ? "Malformed" : "Success"
}

describe("envelope", () => {
  it.effect.prop(
    "E1 what a message is follows from the members that are there",
    [envelope],
    ([frame]) =>
      Effect.sync(() => {
        assert.strictEqual(JsonRpc.classify(frame)._tag, expected(frame))
      })
  )

  it("E1 a method makes a request of an object that has a result as well", () => {
    const both = JsonRpc.classify({ jsonrpc: "2.0", id: 3, method: "m", result: {} })
    assert.deepStrictEqual(both, { _tag: "Request", id: 3, method: "m", params: undefined })
  })

  it("E1 a null error beside a result is a success, a null result beside an error a failure", () => {
    assert.strictEqual(JsonRpc.classify({ jsonrpc: "2.0", id: 1, result: {}, error: null })._tag, "Success")
    assert.strictEqual(
      JsonRpc.classify({ jsonrpc: "2.0", id: 1, result: null, error: { code: 1, message: "" } })._tag,
      "Failure"
    )
    assert.strictEqual(JsonRpc.classify({ jsonrpc: "2.0", id: 1, result: null })._tag, "Success")
  })

  it("E1 a log line in JSON that has an id is no message", () => {
    const logged = JsonRpc.classify({ level: "info", id: 3, result: "ok" })
    assert.isTrue(logged._tag === "Malformed" && !logged.answerable)
  })

  it("E1 the names of an object's prototype are no members", () => {
    assert.strictEqual(
      JsonRpc.classify(JSON.parse("{\"jsonrpc\":\"2.0\",\"__proto__\":{\"method\":\"m\"}}"))._tag,
      "Malformed"
    )
    assert.isUndefined(JsonRpc.member({}, "constructor"))
  })

  it.effect.prop("E2 an id is written as it came, with its type", [id], ([value]) =>
    Effect.sync(() => {
      const request = JsonRpc.classify(JSON.parse(JSON.stringify({ jsonrpc: "2.0", id: value, method: "m" })))
      assert.isTrue(request._tag === "Request")
      if (request._tag !== "Request") return
      assert.strictEqual(JSON.parse(JsonRpc.success(request.id, {})).id, value)
      assert.strictEqual(JSON.parse(JsonRpc.failure(request.id, { code: 1, message: "" })).id, value)
    }))

  it("E2 an integer is the same id however it is written, and what no number can hold is no id", () => {
    assert.isTrue(JsonRpc.isId(JSON.parse("1.0")))
    assert.isTrue(JsonRpc.isId(Number.MAX_SAFE_INTEGER))
    for (const text of ["1e400", "1.5", "9007199254740993", "true", "{}", "[1]"]) {
      assert.isFalse(JsonRpc.isId(JSON.parse(text)), text)
    }
  })

  it("F6 line separators of Unicode are escaped wherever they stand", () => {
    for (
      const text of [
        JsonRpc.success("a\u2028", { "k\u2029": "v\u2028" }),
        JsonRpc.failure("\u2028", { code: 1, message: "\u2029", data: ["\u2028"] }),
        JsonRpc.request(1, "m", { t: "\u2028\u2029\n\r" })
      ]
    ) {
      assert.notMatch(text, /[\n\r\u2028\u2029]/)
    }
    assert.deepStrictEqual(JSON.parse(JsonRpc.stringifyUnsafe({ t: "\u2028\n" })), { t: "\u2028\n" })
  })

  it("C6 an error whose data is not JSON still has its code and message", () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    assert.deepStrictEqual(JSON.parse(JsonRpc.failure(1, { code: -32603, message: "m", data: cycle })).error, {
      code: -32603,
      message: "m"
    })
  })

  it("C3 an error of any shape keeps what can be read of it", () => {
    assert.deepStrictEqual(JsonRpc.errorObject({ code: -32000, message: "m", data: { a: 1 } }), {
      code: -32000,
      message: "m",
      data: { a: 1 }
    })
    assert.strictEqual(JsonRpc.errorObject("text").data, "text")
    assert.deepStrictEqual(JsonRpc.errorObject({ code: "x" }).data, { code: "x" })
  })
})
