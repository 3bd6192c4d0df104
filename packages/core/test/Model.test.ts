/**
 * Random histories, step by step beside a reference model that says what must be seen after each step.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Turns from "./support/turns.ts"
import * as Wire from "./support/wire.ts"

const { Frames } = Wire

const small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))
const id = Schema.Union([small, Schema.Literals(["0", "1", "a"])])

// =============================================================================
// Requests, answers, cancellations, timeouts and ends
// =============================================================================

const step = Schema.Union([
  Schema.Struct({ do: Schema.Literal("request"), id, how: Schema.Literals(["echo", "hang", "die", "refuse"]) }),
  Schema.Struct({ do: Schema.Literal("cancel"), id }),
  Schema.Struct({ do: Schema.Literal("notify"), how: Schema.Literals(["echo", "die", "unknown"]) }),
  Schema.Struct({ do: Schema.Literal("call"), timeout: Schema.Boolean }),
  Schema.Struct({ do: Schema.Literals(["answer", "fail", "interrupt"]), call: small }),
  Schema.Struct({ do: Schema.Literal("time") }),
  Schema.Struct({ do: Schema.Literals(["peer closes", "this side closes"]) })
])

type Step = typeof step.Type

interface Model {
  readonly inFlight: Set<string | number>
  readonly calls: Array<
    { state: "pending" | "answered" | "failed" | "interrupted" | "timed out" | "ended"; timeout: boolean }
  >
  ended: boolean
}

/** What the peer must see after a step. */
const expected = (model: Model, step: Step): ReadonlyArray<Wire.Frames.Json> => {
  if (model.ended) return []
  switch (step.do) {
    case "request":
      if (model.inFlight.has(step.id)) return []
      if (step.how === "hang") {
        model.inFlight.add(step.id)
        return []
      }
      return [
        step.how === "echo"
          ? { id: step.id, result: { value: "echo" } }
          : { id: step.id, error: { code: step.how === "die" ? -32603 : -32601 } }
      ]
    case "cancel":
      return model.inFlight.delete(step.id) ? [{ id: step.id, error: { code: -32800 } }] : []
    case "notify":
      return []
    case "call":
      model.calls.push({ state: "pending", timeout: step.timeout })
      return [{ id: model.calls.length, method: "_test/echo" }]
    case "answer":
    case "fail":
    case "interrupt": {
      const call = model.calls[step.call]
      if (call?.state !== "pending") return []
      call.state = step.do === "answer" ? "answered" : step.do === "fail" ? "failed" : "interrupted"
      return step.do === "interrupt" ? [cancelled(step.call + 1)] : []
    }
    case "time":
      return model.calls.flatMap((call, index) => {
        if (call.state !== "pending" || !call.timeout) return []
        call.state = "timed out"
        return [cancelled(index + 1)]
      })
    default: {
      model.ended = true
      for (const call of model.calls) if (call.state === "pending") call.state = "ended"
      const answers = [...model.inFlight].map((id) => ({ id, error: { code: -32800 } }))
      model.inFlight.clear()
      return answers
    }
  }
}

const cancelled = (requestId: number) => ({ method: "$/cancel_request", params: { requestId } })

const stateOf = (exit: Exit.Exit<unknown, { readonly _tag: string }> | undefined): Model["calls"][number]["state"] => {
  if (exit === undefined) return "pending"
  if (Exit.isSuccess(exit)) return "answered"
  const error = Exit.findErrorOption(exit)
  if (error._tag === "None") return "interrupted"
  return error.value._tag === "ConnectionClosed"
    ? "ended"
    : error.value._tag === "TimeoutError"
    ? "timed out"
    : "failed"
}

describe("model", () => {
  it.effect.prop(
    "C1 E4 X1 X2 any history of requests, answers, cancellations, timeouts and ends is as the model says",
    [Schema.Array(step)],
    ([history]) =>
      Effect.gen(function*() {
        const { connection, peer } = yield* Wire.agent({
          allow: ["HandlerFailed", "DuplicateRequest"],
          handlers: Wire.handlers({
            run: ({ value }) =>
              value === "hang"
                ? Effect.never
                : value === "die"
                ? Effect.die("boom")
                : Effect.succeed({ value: "echo" }),
            note: ({ value }) => value === "die" ? Effect.die("boom") : Effect.void
          })
        })
        const model: Model = { inFlight: new Set(), calls: [], ended: false }
        const calls: Array<Fiber.Fiber<unknown, { readonly _tag: string }>> = []

        const act = (step: Step): Effect.Effect<unknown> => {
          switch (step.do) {
            case "request":
              return peer.send(
                Frames.request(step.id, step.how === "refuse" ? "_test/none" : "_test/run", { value: step.how })
              )
            case "cancel":
              return peer.send(Frames.notification("$/cancel_request", { requestId: step.id }))
            case "notify":
              return peer.send(Frames.notification(step.how === "unknown" ? "_x/y" : "_test/note", { value: step.how }))
            case "call": {
              const call = connection.call(Wire.echo, {})
              return Effect.map(
                Effect.forkDetach(step.timeout ? Effect.timeout(call, "1 second") : call),
                (fiber) => calls.push(fiber)
              )
            }
            case "answer":
              return peer.send(Frames.result(step.call + 1, { value: "answer" }))
            case "fail":
              return peer.send(Frames.error(step.call + 1, -32002))
            case "interrupt":
              return calls[step.call] === undefined ? Effect.void : Fiber.interrupt(calls[step.call])
            case "time":
              return TestClock.adjust("1 second")
            case "peer closes":
              return peer.close
            default:
              return connection.close()
          }
        }

        for (const step of history) {
          const wasEnded = model.ended
          const frames = expected(model, step)
          if (wasEnded && step.do !== "interrupt" && step.do !== "time") continue
          yield* act(step)
          yield* peer.settle
          for (const frame of frames) yield* peer.find(frame)
          yield* model.ended ? Effect.void : peer.expectNothing
          assert.deepStrictEqual(calls.map((call) => stateOf(call.pollUnsafe())), model.calls.map(({ state }) => state))
          const { inFlight, pendingCalls } = yield* connection.counts
          assert.deepStrictEqual({ inFlight, pendingCalls }, {
            inFlight: model.inFlight.size,
            pendingCalls: model.calls.filter(({ state }) => state === "pending").length
          })
        }
        yield* connection.close()
        assert.deepStrictEqual(yield* connection.counts, {
          pendingCalls: 0,
          inFlight: 0,
          held: 0,
          lanes: 0,
          unwritten: 0
        })
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 150 }, timeout: 20_000 }
  )

  // ===========================================================================
  // Turns and updates
  // ===========================================================================

  it.effect.prop(
    "O1 O2 O3 O4 any history of prompts, updates and answers is delivered as the model says",
    [
      Schema.Array(Schema.Struct({
        do: Schema.Literals(["prompt", "update", "update", "garbled", "answer", "fail"]),
        session: Schema.Literals(["s1", "s2"])
      }))
    ],
    ([history]) =>
      Effect.gen(function*() {
        const { open, peer } = yield* Turns.connect({ allow: ["InvalidNotification"] })
        const sessions = { s1: yield* open("s1"), s2: yield* open("s2") }
        const turns = { s1: [] as Array<Turn>, s2: [] as Array<Turn> }
        const outside = { s1: [] as Array<string>, s2: [] as Array<string> }
        const subscribers = yield* Effect.forEach(["s1", "s2"] as const, (name) =>
          Effect.forkChild(Stream.runCollect(sessions[name].updates), { startImmediately: true }))
        let count = 0

        for (const step of history) {
          const running = turns[step.session].find(({ state }) =>
            state === "running"
          )
          if (step.do === "prompt") {
            if (running !== undefined) continue
            const seen: Array<string> = []
            const fiber = yield* Effect.forkChild(
              Effect.exit(Stream.runForEach(sessions[step.session].prompt("go"), (event) =>
                Effect.sync(() => {
                  seen.push(...Turns.seen([event]))
                })))
            )
            const request = yield* peer.expect({ method: "session/prompt", params: { sessionId: step.session } })
            turns[step.session].push({ state: "running", seen, expected: [], request, fiber })
          } else if (step.do === "update") {
            const text = `${step.session}-${++count}`
            yield* peer.send(Frames.chunk(step.session, text))
            if (running === undefined) outside[step.session].push(`outside:${text}`)
            else {
              running.expected.push(text)
              outside[step.session].push(`turn:${text}`)
            }
          } else if (step.do === "garbled") {
            yield* peer.send(Frames.notification("session/update", { sessionId: step.session, update: {} }))
          } else if (running !== undefined) {
            running.state = step.do === "answer" ? "answered" : "failed"
            if (step.do === "answer") running.expected.push("end:end_turn")
            yield* peer.send(
              step.do === "answer"
                ? Turns.endTurn(running.request)
                : Frames.error(running.request.id as number, -32603)
            )
            const exit = yield* Fiber.join(running.fiber)
            assert.strictEqual(Exit.isSuccess(exit), step.do === "answer")
            assert.deepStrictEqual(running.seen, running.expected)
          }
        }
        yield* peer.close
        yield* peer.settle
        for (const [index, name] of (["s1", "s2"] as const).entries()) {
          for (const turn of turns[name]) {
            if (turn.state === "running") assert.isTrue(Exit.isFailure(yield* Fiber.join(turn.fiber)))
            assert.deepStrictEqual(turn.seen, turn.expected)
          }
          assert.deepStrictEqual(Turns.seenOutside(yield* Fiber.join(subscribers[index])), outside[name])
        }
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 100 }, timeout: 20_000 }
  )
})

interface Turn {
  state: "running" | "answered" | "failed"
  readonly seen: Array<string>
  readonly expected: Array<string>
  readonly request: Wire.Frames.Json
  readonly fiber: Fiber.Fiber<Exit.Exit<void, unknown>>
}
