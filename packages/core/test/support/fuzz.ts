/**
 * A random peer for each seed: valid frames, mutated frames, garbage and cuts, mixed with live calls.
 *
 * Whatever it sends, the connection must not crash, hang, leak, or give a wrong answer.
 */
import * as Transport from "@effect-acp/core/Transport"
import { FaultyTransport, Seed } from "@effect-acp/testing"
import { Effect, Exit, Fiber, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import * as Wire from "./wire.ts"

const { Frames } = Wire

/** What a seed must not do. */
export class FuzzFailure extends Error {
  readonly seed: number
  constructor(seed: number, problem: string) {
    super(`${problem}\nReproduce with: node scripts/fuzz.ts --seed ${seed}`)
    this.seed = seed
  }
}

const handlers = Wire.handlers({
  echo: (params) => Effect.succeed(params),
  count: ({ from }) => Effect.succeed({ count: from }),
  run: ({ value }) => {
    switch (value) {
      case "hang":
        return Effect.never
      case "die":
        return Effect.die("boom")
      case "bad":
        return Effect.succeed({ value: 1n })
      case "slow":
        return Effect.as(Effect.sleep("1 second"), { value })
      case "yield":
        return Effect.as(Effect.forEach([1, 2, 3], () => Effect.yieldNow), { value })
      default:
        return Effect.succeed({ value })
    }
  },
  note: ({ value }) => value === "die" ? Effect.die("boom") : value === "hang" ? Effect.never : Effect.void
})

const behaviours = ["hang", "die", "bad", "slow", "yield", "plain"]

// =============================================================================
// What a random peer sends
// =============================================================================

interface Clean {
  readonly id: string
  /** What the answer must carry, if it is a result. */
  readonly value: unknown
}

interface Script {
  readonly bytes: Uint8Array
  /** Requests that were sent whole and once, as far as their bytes go. */
  readonly clean: ReadonlyArray<Clean & { readonly end: number }>
}

const garbage = [
  "[agent] starting up",
  "",
  "   ",
  "{",
  "}",
  "[]",
  "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_test/echo\"}]",
  "null",
  "\"\\ud800\"",
  "{\"jsonrpc\":\"2.0\"}",
  "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"_test/echo\"}",
  "{\"jsonrpc\":\"2.0\",\"id\":1e999,\"method\":\"_test/echo\"}",
  "{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}",
  "{\"__proto__\":{\"method\":\"_test/echo\"},\"id\":3}",
  "{\"jsonrpc\":\"2.0\",\"method\":\"__proto__\"}",
  "{\"jsonrpc\":\"2.0\",\"method\":\"hasOwnProperty\",\"params\":{}}",
  `{"jsonrpc":"2.0","method":"_test/note","params":{"value":${"[".repeat(3_000)}${"]".repeat(3_000)}}}`,
  `{"level":"info","id":1,"result":"${"x".repeat(3_000)}"}`
]

/** No part of it is the id of a call, so that no mutation makes an answer of it. */
const orphanId = 999_999_999

const mutate = (seed: Seed.Seed, text: string): string => {
  const at = seed.int(text.length)
  switch (seed.int(5)) {
    case 0:
      return text.slice(0, at) + String.fromCharCode(32 + seed.int(95)) + text.slice(at + 1)
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + seed.int(5))
    case 2:
      return text.slice(0, at) + text.slice(seed.int(text.length))
    case 3:
      return text.replace("\"2.0\"", seed.pick(["2.0", "\"1.0\"", "null", "\"2.0\",\"id\":\"x\""]))
    default:
      return text.replace("params", seed.pick(["result", "error", "method", "id", "param\u2028s"]))
  }
}

const makeScript = (seed: Seed.Seed, side: "agent" | "client"): Script => {
  const parts: Array<Uint8Array> = []
  const clean: Array<Clean & { readonly end: number }> = []
  let size = 0
  // Bytes without a newline spoil the line that follows them.
  let spoiled = false
  const add = (bytes: Uint8Array, spoils = false) => {
    parts.push(bytes)
    size += bytes.length
    spoiled = spoils
  }
  const addLine = (text: string) => add(Wire.bytesOf(`${text}${seed.pick(["\n", "\n", "\n", "\r\n", "\n\n"])}`))
  const request = (id: string | number): Wire.Frames.Json => {
    const value = seed.pick([...behaviours, "π\u2028", seed.int(1_000)])
    return Frames.request(id, seed.pick(["_test/echo", "_test/run", "_test/run", "_test/count", "_test/none"]), {
      value,
      from: seed.int(100)
    })
  }
  const count = 1 + seed.int(25)
  for (let n = 0; n < count; n++) {
    const dirty = seed.int(30)
    const kind = seed.int(10)
    if (kind <= 2) {
      const id = `clean-${n}`
      const frame = request(id)
      const whole = !spoiled
      addLine(JSON.stringify(frame))
      if (whole) clean.push({ id, value: (frame.params as { readonly value: unknown }).value, end: size })
    } else if (kind === 3) addLine(mutate(seed, JSON.stringify(request(`x${dirty}`))))
    else if (kind === 4) addLine(seed.pick(garbage))
    else if (kind === 5) {
      const known = seed.chance(0.5) ? `clean-${seed.int(n + 1)}` : seed.pick([dirty, `x${dirty}`, null])
      addLine(JSON.stringify(Frames.notification("$/cancel_request", { requestId: known })))
    } else if (kind === 6) {
      const note = Frames.notification(seed.pick(["_test/note", "_x/y", "session/update"]), {
        sessionId: seed.pick(["s1", "s2", 5]),
        value: seed.pick(behaviours)
      })
      addLine(seed.chance(0.3) ? mutate(seed, JSON.stringify(note)) : JSON.stringify(note))
    } else if (kind === 7) {
      const orphan = seed.pick([Frames.result(orphanId, {}), Frames.result("x", {}), Frames.error(null, -32700)])
      addLine(seed.chance(0.5) ? mutate(seed, JSON.stringify(orphan)) : JSON.stringify(orphan))
    } else if (kind === 8) add(Uint8Array.from({ length: 1 + seed.int(40) }, () => seed.int(256)), true)
    else if (kind === 9 && side === "agent") {
      addLine(JSON.stringify(Frames.request("init", "initialize", { protocolVersion: 1 })))
    }
  }
  const bytes = Wire.concatBytes(...parts)
  return { bytes, clean }
}

// =============================================================================
// One seed
// =============================================================================

/** Runs one seed; dies with a {@link FuzzFailure} that says how to run it again. */
export const runSeed = (number: number): Effect.Effect<void> =>
  run(Seed.make(number)).pipe(
    Effect.scoped,
    Effect.provide(TestClock.layer()),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.catchDefect((defect) =>
      Effect.die(
        defect instanceof FuzzFailure
          ? defect
          : new FuzzFailure(number, defect instanceof Error ? defect.message : String(defect))
      )
    ),
    orHang(number)
  )

const orHang = (number: number) => (self: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.raceFirst(
    self,
    Effect.callback<never>((resume) => {
      const timer = setTimeout(() => resume(Effect.die(new FuzzFailure(number, "It hangs."))), 20_000)
      return Effect.sync(() => clearTimeout(timer))
    })
  )

const run = Effect.fnUntraced(function*(seed: Seed.Seed) {
  const fail = (problem: string) => Effect.die(new FuzzFailure(seed.seed, problem))
  const side = seed.pick(["agent", "client"] as const)
  const peer = yield* Wire.ScriptedPeer.makeWith({ maxLineBytes: seed.pick([2_000, 100_000]) })
  const options: Wire.SubjectOptions = {
    peer,
    handlers,
    maxInFlight: seed.pick([2, 5, 1_000]),
    maxWaitingNotifications: seed.pick([1, 100]),
    outgoingBudget: seed.pick([300, 1_000_000]),
    maxNoise: seed.pick([undefined, undefined, undefined, 1])
  }
  const { connection } = yield* side === "agent" ? Wire.agentQuiet(options) : Wire.clientQuiet(options)
  if (side === "agent" && seed.chance(0.8)) yield* peer.initialize()
  const script = makeScript(seed, side)
  const cut = seed.chance(0.3) ? seed.int(script.bytes.length + 1) : script.bytes.length

  const calls = yield* Effect.forEach(
    Array.from({ length: seed.int(6) }, (_, n) => n),
    (value) => {
      const call = connection.call(Wire.echo, { value: `call-${value}` })
      return Effect.map(
        Effect.forkDetach(seed.chance(0.3) ? Effect.timeout(call, "1 second") : call),
        (fiber) => ({ value: `call-${value}`, fiber, interrupt: seed.chance(0.2) })
      )
    }
  )
  const wire = { betweenLines: true }
  const answering = yield* answerCalls(seed, peer, wire)

  const places = Array.from({ length: seed.int(12) }, () => seed.int(script.bytes.length + 1))
  for (const chunk of Wire.cutAt(script.bytes.slice(0, cut), places)) {
    wire.betweenLines = chunk.at(-1) === 0x0a
    yield* peer.sendRaw(chunk)
    if (seed.chance(0.3)) yield* Effect.yieldNow
    if (seed.chance(0.05)) yield* peer.pauseReading
    if (seed.chance(0.05)) yield* peer.resumeReading
    if (seed.chance(0.1)) yield* TestClock.adjust("1 second")
  }
  for (const { fiber, interrupt } of calls) if (interrupt) yield* Fiber.interrupt(fiber)
  yield* peer.resumeReading
  yield* peer.settle
  yield* TestClock.adjust("1 second")
  yield* peer.settle

  const how = seed.pick(["peer closes", "reset", "exit", "close"] as const)
  const closing = yield* Effect.forkDetach(
    how === "peer closes"
      ? Effect.andThen(peer.close, connection.closed)
      : how === "reset"
      ? Effect.andThen(peer.fail({ _tag: "TransportFailed", cause: "reset" }), connection.closed)
      : how === "exit"
      ? Effect.andThen(peer.exit({ code: 1 }), connection.closed)
      : connection.close()
  )
  yield* peer.settle
  yield* TestClock.adjust("10 seconds")
  yield* Fiber.join(closing)
  yield* Fiber.interrupt(answering)

  const exits = yield* Effect.forEach(calls, ({ fiber }) => Fiber.await(fiber))
  for (const [index, exit] of exits.entries()) {
    const wrong = wrongCall(exit, calls[index].value)
    if (wrong !== undefined) return yield* fail(wrong)
  }
  const counts = yield* connection.counts
  for (const [table, size] of Object.entries(counts)) {
    if (size !== 0) return yield* fail(`${size} entries remain in ${table}`)
  }
  const reason = yield* connection.closed
  const wrong = wrongAnswers(
    (yield* peer.lines).map((line) => JSON.parse(line) as Wire.Frames.Json),
    script.clean.filter(({ end }) => end <= cut),
    reason._tag === "ProtocolViolated"
  )
  if (wrong !== undefined) return yield* fail(wrong)
})

/** Answers the calls of the side under test, some of them wrongly, twice or not at all. */
const answerCalls = (
  seed: Seed.Seed,
  peer: Wire.ScriptedPeer.ScriptedPeer,
  wire: { readonly betweenLines: boolean }
) => {
  const answer = Effect.gen(function*() {
    for (;;) {
      const call = yield* nextCall(peer)
      const { value } = call.params as { readonly value: unknown }
      const id = call.id as number
      const answers = [
        Frames.result(id, { value }),
        Frames.error(id, seed.pick([-32603, -32002, 5])),
        Frames.result(String(id), { value: "of another type" }),
        { jsonrpc: "2.0", id, error: "text" }
      ]
      while (!wire.betweenLines) yield* Effect.yieldNow
      if (seed.chance(0.15)) continue
      const chosen = seed.chance(0.6) ? answers[0] : seed.pick(answers)
      yield* peer.send(chosen)
      if (seed.chance(0.1)) yield* peer.send(chosen)
    }
  })
  return Effect.forkDetach(answer)
}

/** The next call among the lines, without a time limit. */
const nextCall = (peer: Wire.ScriptedPeer.ScriptedPeer): Effect.Effect<Wire.Frames.Json> =>
  Effect.orElseSucceed(
    Effect.catchDefect(peer.find({ method: "_test/echo" }), () => Effect.never),
    () => ({})
  )

const wrongCall = (exit: Exit.Exit<{ readonly value?: unknown }, unknown>, value: string): string | undefined =>
  Exit.isSuccess(exit) && exit.value.value !== value
    ? `A call was answered ${JSON.stringify(exit.value)} instead of ${value}`
    : undefined

const wrongAnswers = (
  frames: ReadonlyArray<Wire.Frames.Json>,
  clean: ReadonlyArray<Clean>,
  cutOff: boolean
): string | undefined => {
  const answers = new Map<unknown, Array<Wire.Frames.Json>>()
  for (const frame of frames) {
    if ("method" in frame) continue
    answers.set(frame.id, [...(answers.get(frame.id) ?? []), frame])
  }
  for (const { id, value } of clean) {
    const got = answers.get(id) ?? []
    if (got.length > 1) return `${id} was answered ${got.length} times`
    if (got.length === 0 && !cutOff) return `${id} was not answered`
    const result = got[0]?.result as { readonly value?: unknown; readonly count?: unknown } | undefined
    if (result !== undefined && result.count === undefined && result.value !== value) {
      return `${id} was answered ${JSON.stringify(result)} instead of ${JSON.stringify(value)}`
    }
  }
  return undefined
}

// =============================================================================
// Two good sides on a bad link
// =============================================================================

/** Lets two connections call one another over a link with faults: calls end, answers are the right ones, nothing remains. */
export const runFaulty = (number: number): Effect.Effect<void> =>
  faulty(number).pipe(
    Effect.scoped,
    Effect.provide(TestClock.layer()),
    Effect.provideService(References.MinimumLogLevel, "None"),
    orHang(number)
  )

const faulty = Effect.fnUntraced(function*(number: number) {
  const seed = Seed.make(number)
  const fail = (problem: string) => Effect.die(new FuzzFailure(number, problem))
  const probability = () => seed.pick([0, 0, 0.05, 0.3])
  const faults = (): FaultyTransport.Faults => ({
    drop: probability(),
    duplicate: probability(),
    reorder: probability(),
    garbage: probability(),
    delay: probability(),
    maxDelay: "1 second",
    cutAfter: seed.pick([undefined, undefined, 20])
  })
  const [left, right] = yield* Transport.makeMemory
  const bad = FaultyTransport.make(left, { seed: number, incoming: faults(), outgoing: faults() })
  const peer = yield* Wire.ScriptedPeer.make
  const on = (transport: Transport.Transport) => ({ ...peer, layer: Layer.succeed(Transport.Transport, transport) })
  const sides = [
    yield* Wire.clientQuiet({ peer: on(bad), handlers }),
    yield* Wire.clientQuiet({ peer: on(right), handlers })
  ]
  const calls = yield* Effect.forEach(
    Array.from({ length: 20 }, (_, n) => n),
    (n) =>
      Effect.map(
        Effect.forkDetach(
          Effect.timeout(
            sides[n % 2].connection.call(Wire.echo, { value: `call-${n}` }),
            seed.pick(["1 second", "5 seconds"])
          )
        ),
        (fiber) => ({ value: `call-${n}`, fiber })
      )
  )
  yield* peer.settle
  yield* TestClock.adjust("10 seconds")
  yield* peer.settle
  yield* Effect.forEach(sides, ({ connection }) => Effect.forkDetach(connection.close()), { discard: true })
  yield* peer.settle
  yield* TestClock.adjust("10 seconds")
  for (const { fiber, value } of calls) {
    const wrong = wrongCall(yield* Fiber.await(fiber), value)
    if (wrong !== undefined) return yield* fail(wrong)
  }
  for (const { connection } of sides) {
    yield* connection.closed
    const counts = yield* connection.counts
    if (Object.values(counts).some((size) => size !== 0)) {
      return yield* fail(`Entries remain: ${JSON.stringify(counts)}`)
    }
  }
})
