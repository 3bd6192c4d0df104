/**
 * The client made of raw lines.
 */
import * as Launcher from "@effect-acp/tck/Launcher"
import * as Peer from "@effect-acp/tck/Peer"
import * as Transcript from "@effect-acp/tck/Transcript"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"

/** A peer of a program that answers nothing, and what the program was sent. */
const make = Effect.gen(function*() {
  const got: Array<string> = []
  const streams: { out: Launcher.Streams | undefined } = { out: undefined }
  const layer = Launcher.layerInProcess((out) => {
    streams.out = out
    return { line: (line) => got.push(line), end: () => out.exit(0) }
  })
  const peer = yield* Effect.flatMap(
    Launcher.Launcher,
    ({ launch }) => Effect.flatMap(launch, (link) => Peer.make(link))
  )
    .pipe(Effect.provide(layer))
  const say = (text: string | Uint8Array) => streams.out!.stdout(typeof text === "string" ? Buffer.from(text) : text)
  const seen = (count: number) =>
    peer.until(
      () => peer.entries.filter(({ direction }) => direction === "received").length >= count || undefined,
      "2 seconds"
    )
  return { got, peer, say, seen }
})

const permission = (id: unknown) =>
  `${
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "session/request_permission",
      params: { sessionId: "s", options: [{ optionId: "first" }, { optionId: "second" }] }
    })
  }\n`

describe("the mock client", () => {
  it.live("takes the first option, and answers cancelled once it has cancelled", () =>
    Effect.gen(function*() {
      const { got, peer, say, seen } = yield* make
      say(permission("a"))
      yield* seen(1)
      yield* peer.notify("session/cancel", { sessionId: "s" })
      say(permission("b"))
      yield* seen(2)
      yield* Effect.sleep("10 millis")
      const answers = got.map((line) => JSON.parse(line)).filter(({ id }) => id !== undefined)
      assert.deepStrictEqual(answers, [
        { jsonrpc: "2.0", id: "a", result: { outcome: { outcome: "selected", optionId: "first" } } },
        { jsonrpc: "2.0", id: "b", result: { outcome: { outcome: "cancelled" } } }
      ])
    }))

  it.live("answers every other request with -32601, under the same id", () =>
    Effect.gen(function*() {
      const { got, say, seen } = yield* make
      say("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"fs/read_text_file\",\"params\":{}}\n")
      yield* seen(1)
      yield* Effect.sleep("10 millis")
      const [answer] = got.map((line) => JSON.parse(line))
      assert.strictEqual(answer.id, 0)
      assert.strictEqual(answer.error.code, -32601)
    }))

  it.live("finds the answer to a call by value and type of its id, and tells silence from the end", () =>
    Effect.gen(function*() {
      const { peer, say } = yield* make
      const call = yield* peer.begin("initialize", {}, 1)
      say("{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n")
      assert.strictEqual((yield* peer.reply(call, "50 millis"))._tag, "Silence")
      say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":null}\n")
      assert.strictEqual((yield* peer.reply(call, "2 seconds"))._tag, "Result")
      const other = yield* peer.begin("session/new", {})
      yield* peer.closeInput
      assert.strictEqual((yield* peer.reply(other, "2 seconds"))._tag, "Ended")
    }))
})

describe("lines", () => {
  it.live("are whole however the bytes are cut, and keep what is wrong with them", () =>
    Effect.gen(function*() {
      const { peer, say, seen } = yield* make
      const text = Buffer.from("{\"text\":\"é中文 😀\"}\r\n\n[1]\nno json\n")
      for (const byte of text) say(Uint8Array.of(byte))
      say(Uint8Array.of(0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d, 0x0a))
      say("{\"last\":true}")
      yield* peer.closeInput
      yield* seen(5)
      assert.deepStrictEqual(peer.entries.map(({ message, problem }) => [message !== undefined, problem]), [
        [true, undefined],
        [false, "is JSON and not an object"],
        [false, "is not JSON"],
        [true, Transcript.notUtf8],
        [true, undefined]
      ])
      assert.deepStrictEqual(peer.entries[0].message, { text: "é中文 😀" })
      assert.deepStrictEqual(Option.fromUndefinedOr(peer.entries[4].message), Option.some({ last: true }))
    }))
})
