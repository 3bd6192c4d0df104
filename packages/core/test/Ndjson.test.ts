import { Frame, type Incoming, Noise } from "@effect-acp/core/Frame"
import * as Ndjson from "@effect-acp/core/Ndjson"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import * as Wire from "./support/wire.ts"

const decode = (chunks: Iterable<Uint8Array>, maxLineBytes?: number): ReadonlyArray<Incoming> => {
  const decoder = new Ndjson.Decoder(maxLineBytes)
  const out: Array<Incoming> = []
  for (const chunk of chunks) decoder.push(chunk, out)
  decoder.end(out)
  return out
}

const decodeText = (text: string, maxLineBytes?: number) => decode([Wire.bytesOf(text)], maxLineBytes)

const shown = (items: ReadonlyArray<Incoming>) =>
  items.map((item) => item instanceof Frame ? item.value : { noise: item.reason, size: item.size })

/** One byte a chunk: every place between two bytes is a border. */
const byByte = (bytes: Uint8Array) => Array.from(bytes, (byte) => Uint8Array.of(byte))

const lines = Schema.Array(Schema.Union([
  Schema.Struct({ text: Schema.String, number: Schema.Finite }),
  Schema.Struct({ text: Schema.Literals(["中😀", "a\u2028b\u2029c\u0085d", "\r\n", "\ud800", ""]) })
]))
const places = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })))

const reasonOf = (line: string): string => {
  const text = line.toWellFormed().replace(/^\ufeff/, "")
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? "Batch" : typeof value === "object" && value !== null ? "frame" : "NotAnObject"
  } catch {
    return "Truncated"
  }
}

describe("frames", () => {
  it.effect.prop(
    "F1 any partition of the bytes gives the same frames",
    [lines, Schema.Array(Schema.Literals(["\n", "\r\n", "\n\n"])), places],
    ([values, ends, cuts]) =>
      Effect.sync(() => {
        const text = values.map((value, index) => JSON.stringify(value) + (ends[index] ?? "\n")).join("")
        const bytes = Wire.bytesOf(text)
        const expected = values.map((value) => JSON.parse(JSON.stringify(value)))
        assert.deepStrictEqual(shown(decode(Wire.cutAt(bytes, cuts))), expected)
        assert.deepStrictEqual(shown(decode(byByte(bytes))), expected)
      })
  )

  it("F1 cuts inside a character and between CR and LF change nothing", () => {
    const text = `{"t":"中😀"}\r\n{"t":"b"}\n`
    const bytes = Wire.bytesOf(text)
    for (let place = 0; place <= bytes.length; place++) {
      assert.deepStrictEqual(shown(decode(Wire.cutAt(bytes, [place]))), [{ t: "中😀" }, { t: "b" }])
    }
  })

  it("F1 raw line separators of Unicode, NEL, and a lone CR do not split", () => {
    const value = { t: "a\u2028b\u2029c\u0085d" }
    assert.deepStrictEqual(shown(decodeText(`${JSON.stringify(value)}\n`)), [value])
    assert.deepStrictEqual(shown(decodeText("{\"a\":1}\r{\"b\":2}\n")), [{ noise: "NotJson", size: 15 }])
    assert.deepStrictEqual(shown(decodeText("{\"a\":\r1}\n")), [{ a: 1 }])
  })

  it("F1 many frames in one chunk come in order", () => {
    const text = Array.from({ length: 10_000 }, (_, n) => `{"n":${n}}\n`).join("")
    assert.deepStrictEqual(shown(decodeText(text)), Array.from({ length: 10_000 }, (_, n) => ({ n })))
  })

  it("F2 CRLF and LF mix, blank lines and a first byte-order mark are skipped", () => {
    const text = "\ufeff{\"a\":1}\r\n\n \t \r\n\r\n{\"b\":2}\n\n{\"c\":3}\r\n"
    assert.deepStrictEqual(shown(decodeText(text)), [{ a: 1 }, { b: 2 }, { c: 3 }])
    assert.deepStrictEqual(shown(decode(byByte(Wire.bytesOf(text)))), [{ a: 1 }, { b: 2 }, { c: 3 }])
  })

  it("F2 a last line without a newline is a frame; one that is cut off says so", () => {
    assert.deepStrictEqual(shown(decodeText("{\"a\":1}\n{\"b\":2}")), [{ a: 1 }, { b: 2 }])
    assert.deepStrictEqual(shown(decodeText("{\"a\":1}\n{\"b\":")), [{ a: 1 }, { noise: "Truncated", size: 5 }])
    assert.deepStrictEqual(shown(decodeText("{\"a\":1}\n  ")), [{ a: 1 }])
    assert.deepStrictEqual(decodeText(""), [])
  })

  it.effect("F2 a stream that ends gives its last line", () =>
    Effect.gen(function*() {
      const bytes = Stream.fromIterable(Wire.cutAt(Wire.bytesOf("{\"a\":1}\n{\"b\":2}"), [3, 9]))
      assert.deepStrictEqual(shown(yield* Stream.runCollect(Ndjson.decode(bytes))), [{ a: 1 }, { b: 2 }])
    }))

  it("F3 a line of exactly the limit passes, one byte more does not, and the next line is read", () => {
    const line = (size: number) => `{"t":"${"x".repeat(size - 8)}"}`
    assert.strictEqual(line(100).length, 100)
    for (const end of ["\n", "\r\n"]) {
      for (const chunk of [1, 7, 1_000]) {
        const bytes = Wire.bytesOf(`${line(100)}${end}${line(101)}${end}{"a":1}${end}`)
        const chunks = Array.from(
          { length: Math.ceil(bytes.length / chunk) },
          (_, n) => bytes.slice(n * chunk, (n + 1) * chunk)
        )
        const [exact, over, next, ...rest] = decode(chunks, 100)
        assert.instanceOf(exact, Frame)
        assert.instanceOf(over, Noise)
        assert.strictEqual(over instanceof Noise && over.reason, "TooLarge")
        assert.deepStrictEqual(next instanceof Frame && next.value, { a: 1 })
        assert.deepStrictEqual(rest, [])
      }
    }
  })

  it("F3 an endless line is reported once and kept nowhere", () => {
    const decoder = new Ndjson.Decoder(1_000)
    const out: Array<Incoming> = []
    const chunk = new Uint8Array(64 * 1024).fill(0x78)
    const before = process.memoryUsage()
    for (let n = 0; n < 4_000; n++) decoder.push(chunk, out)
    const after = process.memoryUsage()
    assert.deepStrictEqual(out.map((item) => item instanceof Noise && item.reason), ["TooLarge"])
    assert.isBelow(after.arrayBuffers - before.arrayBuffers, 16 * 1024 * 1024)
    decoder.push(Wire.bytesOf("\n{\"a\":1}\n"), out)
    assert.deepStrictEqual(shown(out.slice(1)), [{ a: 1 }])
  })

  it("F3 a long line in single bytes takes no more memory than its bound", () => {
    const decoder = new Ndjson.Decoder(4 * 1024 * 1024)
    const out: Array<Incoming> = []
    const one = Uint8Array.of(0x78)
    const before = process.memoryUsage()
    for (let n = 0; n < 3 * 1024 * 1024; n++) decoder.push(one, out)
    const after = process.memoryUsage()
    assert.isBelow(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers, 64 * 1024 * 1024)
  })

  it("F3 the beginning of a line that is too long says which message it was", () => {
    const envelopeOf = (text: string) => {
      const [noise] = decodeText(`${text}${"x".repeat(500)}"}}\n`, 100)
      assert.instanceOf(noise, Noise)
      return noise instanceof Noise ? noise.envelope : undefined
    }
    assert.deepStrictEqual(envelopeOf("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"t\":\""), {
      kind: "response",
      id: 4
    })
    assert.deepStrictEqual(envelopeOf("{ \"id\" : \"a\\\"b\" , \"error\" : {\"message\":\""), {
      kind: "response",
      id: "a\"b"
    })
    assert.deepStrictEqual(envelopeOf("{\"method\":\"fs/read\",\"id\":0,\"params\":{\"t\":\""), {
      kind: "request",
      id: 0
    })
    assert.deepStrictEqual(
      envelopeOf("{\"params\":{\"id\":9,\"a\":[1,{\"result\":2}]},\"id\":-1,\"method\":\""),
      { kind: "request", id: -1 }
    )
    assert.isUndefined(envelopeOf("{\"method\":\"session/update\",\"params\":{\"id\":1,\"t\":\""))
    assert.isUndefined(envelopeOf("{\"id\":12"))
    assert.isUndefined(envelopeOf("{\"id\":1.5,\"result\":\""))
    assert.isUndefined(envelopeOf("[{\"id\":1,\"result\":\""))
    assert.isUndefined(envelopeOf("garbage \"id\":1,\"result\":\""))
  })

  it("F4 a line that is no JSON object is noise with its first bytes and its length", () => {
    const noise = (bytes: Uint8Array) => decode([Wire.concatBytes(bytes, Wire.bytesOf("\n{\"a\":1}\n"))])
    const reasons = (text: string) =>
      noise(Wire.bytesOf(text)).map((item) => item instanceof Noise ? item.reason : "frame")
    assert.deepStrictEqual(reasons("[agent] starting"), ["NotJson", "frame"])
    assert.deepStrictEqual(reasons("42"), ["NotAnObject", "frame"])
    assert.deepStrictEqual(reasons("null"), ["NotAnObject", "frame"])
    assert.deepStrictEqual(reasons("\"text\""), ["NotAnObject", "frame"])
    assert.deepStrictEqual(reasons("[]"), ["Batch", "frame"])
    assert.deepStrictEqual(reasons("\ufeff{\"later\":true}").length, 2)
    const [bad, good] = noise(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d))
    assert.deepStrictEqual(bad instanceof Noise && { reason: bad.reason, size: bad.size }, {
      reason: "NotUtf8",
      size: 5
    })
    assert.instanceOf(good, Frame)
    const [long] = decodeText(`${"é".repeat(10_000)}\n`)
    assert.isTrue(
      long instanceof Noise && long.size === 20_000 && long.preview.length <= 200 && long.preview.startsWith("é")
    )
  })

  it.effect.prop(
    "F4 a line is a frame or noise exactly as JSON says",
    [Schema.Json, Schema.String],
    ([value, text]) =>
      Effect.sync(() => {
        const json = JSON.stringify(value)
        const candidates = [json, ` ${json} `, text, `${json}${text}`, `${text}${json}`, `[${text}`, `-${json}`]
        for (const candidate of candidates.filter((line) => !/[\n\r]/.test(line) && line.trim() !== "")) {
          const [item] = decodeText(candidate)
          assert.strictEqual(item instanceof Noise ? item.reason : "frame", reasonOf(candidate), candidate)
        }
      })
  )

  it("F5 the cost of a line is linear in its bytes, whatever the chunks", { timeout: 60_000, retry: 2 }, () => {
    const cost = (size: number, chunk: number) => {
      const bytes = Wire.bytesOf(`{"t":"${"x".repeat(size)}"}\n`)
      const chunks = Array.from(
        { length: Math.ceil(bytes.length / chunk) },
        (_, n) => bytes.subarray(n * chunk, (n + 1) * chunk)
      )
      const runs = Array.from({ length: 5 }, () => {
        const start = performance.now()
        assert.strictEqual(decode(chunks).length, 1)
        return performance.now() - start
      })
      return Math.max(1, Math.min(...runs))
    }
    const mebibyte = 1024 * 1024
    const whole = cost(32 * mebibyte, 64 * mebibyte)
    assert.isBelow(cost(32 * mebibyte, 1024), 20 * whole)
    // Were the cost quadratic, it would be 64 times as high for 8 times the bytes.
    assert.isBelow(cost(16 * mebibyte, 64), 30 * cost(2 * mebibyte, 64))
  })

  it.effect.prop(
    "F6 what is written is one line for each message, with no line break of any kind in it",
    [Schema.Array(Schema.Json)],
    ([values]) =>
      Effect.sync(() => {
        const texts = values.map((value) => JSON.stringify({ value }))
        if (texts.length === 0) return
        const [bytes, ...rest] = Ndjson.encodeBytes(texts as [string, ...Array<string>])
        assert.deepStrictEqual(rest, [])
        assert.deepStrictEqual(shown(decode([bytes])), texts.map((text) => JSON.parse(text)))
        assert.strictEqual(bytes.filter((byte) => byte === 0x0a).length, texts.length)
      })
  )

  it("F6 much is written in several writes, and every one of them ends with a whole line", () => {
    const texts = Array.from(
      { length: 200 },
      (_, n) => JSON.stringify({ n, text: "ü–😀".repeat(n === 70 ? 50_000 : 300) })
    )
    const writes = Ndjson.encodeBytes(texts as [string, ...Array<string>])
    assert.isAbove(writes.length, 3)
    for (const write of writes) assert.strictEqual(write[write.length - 1], 0x0a)
    assert.deepStrictEqual(shown(decode([...writes])), texts.map((text) => JSON.parse(text)))
  })

  it("F6 what was made to be written stays as it is while more is made", () => {
    const texts = Array.from({ length: 500 }, (_, n) => JSON.stringify({ n, text: "x".repeat(n * 13 % 5_000) }))
    const writes = texts.flatMap((text) => Ndjson.encodeBytes([text]))
    assert.deepStrictEqual(shown(decode(writes)), texts.map((text) => JSON.parse(text)))
  })
})
