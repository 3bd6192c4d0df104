/**
 * Random histories of one agent against a small model of what it promises.
 */
import * as AcpError from "@effect-acp/core/AcpError"
import * as Permission from "@effect-acp/core/schema/Permission"
import type { Turn } from "@effect-acp/core/Turn"
import { Frames, Seed } from "@effect-acp/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import { cancel, cancelRequest, prompt, start, type Subject } from "./support/agent.ts"

// =============================================================================
// What turns do
// =============================================================================

interface Script {
  readonly tag: string
  readonly steps: ReadonlyArray<"say" | "wait" | "ask" | "fork">
  readonly end: "end_turn" | "max_tokens" | "fail" | "die"
  /** The work cannot be interrupted. */
  readonly stubborn: boolean
}

const options = [Permission.allowOnce("yes", "Yes"), Permission.rejectOnce("no", "No")]

/** Turns that do what their prompt says; what waits in one waits for the gate of its tag. */
const makeHandler = (gateOf: (tag: string) => Latch.Latch) =>
  Effect.fnUntraced(function*(turn: Turn) {
    const script: Script = JSON.parse(turn.text)
    const gate = gateOf(script.tag)
    let count = 0
    const say = Effect.suspend(() => turn.say(`${script.tag}.${count++}`))
    const steps = {
      say,
      wait: gate.await,
      ask: turn.requestPermission({ toolCallId: script.tag }, options),
      fork: turn.fork(Effect.andThen(gate.await, say))
    }
    const work = Effect.gen(function*() {
      for (const step of script.steps) yield* steps[step]
      if (script.end === "fail") return yield* new AcpError.OtherError({ code: 7, message: script.tag })
      return script.end === "die" ? yield* Effect.die(new Error(script.tag)) : script.end
    })
    return yield* script.stubborn ? Effect.uninterruptible(work) : work
  })

// =============================================================================
// Histories
// =============================================================================

/** Something that the client did, and how many frames it had got by then. */
interface Done {
  readonly at: number
  readonly sessionId: string
}

interface Prompted extends Done {
  readonly id: string
  readonly script: Script
}

interface History {
  readonly prompts: Array<Prompted>
  readonly cancels: Array<Done & { readonly prompts: number }>
  readonly cancelRequests: Array<Done & { readonly id: string }>
  readonly closes: Array<Done & { readonly id: string; readonly prompts: number }>
  readonly opened: Map<string, number>
}

const randomScript = (seed: Seed.Seed, tag: string): Script => ({
  tag,
  steps: Array.from({ length: seed.int(5) }, () => seed.pick(["say", "say", "wait", "ask", "fork"] as const)),
  end: seed.pick(["end_turn", "end_turn", "max_tokens", "fail", "die"] as const),
  stubborn: seed.chance(0.2)
})

const isAsking = (frame: Frames.Json) => frame.method === "session/request_permission"

/** Plays a random client, then opens and answers whatever waits, until everything is answered. */
const play = Effect.fnUntraced(
  function*(seed: Seed.Seed, { newSession, peer }: Subject, gateOf: (tag: string) => Latch.Latch) {
    const history: History = { prompts: [], cancels: [], cancelRequests: [], closes: [], opened: new Map() }
    const sessions = [yield* newSession, yield* newSession]
    const answered = new Set<unknown>()
    let burst: Array<Frames.Json> = []

    const frames = Effect.map(peer.lines, (lines) => lines.map((line) => JSON.parse(line) as Frames.Json))
    const flush = Effect.suspend(() => {
      const messages = burst
      burst = []
      return messages.length === 0 ? Effect.void : peer.send(...messages)
    })

    const open = (tag: string, at: number) => {
      if (!history.opened.has(tag)) history.opened.set(tag, at)
      return gateOf(tag).open
    }

    const answerOne = (received: ReadonlyArray<Frames.Json>) => {
      const asking = received.filter((frame) => isAsking(frame) && !answered.has(frame.id))
      if (asking.length === 0) return
      const { id } = seed.pick(asking)
      answered.add(id)
      const outcome = seed.chance(0.2)
        ? { outcome: "cancelled" }
        : { outcome: "selected", optionId: seed.pick(["yes", "no", "ghost"]) }
      burst.push(Frames.result(id as Frames.Id, { outcome }))
    }

    const step = Effect.fnUntraced(function*() {
      const received = yield* frames
      const at = received.length
      const sessionId = seed.pick(sessions)
      const { prompts } = history
      const choice = seed.next()
      if (choice < 0.4) {
        const id = `p${prompts.length}`
        const script = randomScript(seed, id)
        prompts.push({ at, sessionId, id, script })
        burst.push(prompt(id, sessionId, JSON.stringify(script)))
      } else if (choice < 0.55) {
        history.cancels.push({ at, sessionId, prompts: prompts.length })
        burst.push(cancel(sessionId))
      } else if (choice < 0.62 && prompts.length > 0) {
        const { id, sessionId } = seed.pick(prompts)
        history.cancelRequests.push({ at, sessionId, id })
        burst.push(cancelRequest(id))
      } else if (choice < 0.67) {
        const id = `c${history.closes.length}`
        history.closes.push({ at, sessionId, id, prompts: prompts.length })
        burst.push(Frames.request(id, "session/close", { sessionId }))
        yield* flush
        sessions[sessions.indexOf(sessionId)] = yield* newSession
      } else if (choice < 0.8 && prompts.length > 0) {
        yield* flush
        yield* open(seed.pick(prompts).id, at)
      } else {
        answerOne(received)
      }
      if (seed.chance(0.6)) yield* flush
      if (seed.chance(0.5)) yield* peer.settle
    })

    for (let i = 0; i < 40; i++) yield* step()
    yield* flush
    for (let round = 0; round < 50; round++) {
      yield* peer.settle
      const received = yield* frames
      for (const { id } of history.prompts) yield* open(id, received.length)
      answerOne(received)
      yield* flush
    }
    yield* peer.settle
    return { history, frames: yield* frames }
  }
)

// =============================================================================
// The model
// =============================================================================

const textOf = (frame: Frames.Json): string | undefined => {
  const update = (frame.params as { readonly update?: { readonly content?: { readonly text?: string } } } | undefined)
    ?.update
  return update?.content?.text
}

/** Where a cancel of a prompt could have been read: after the prompt, and before the client had its response. */
const isCancelled = (
  { cancelRequests, cancels, closes, prompts }: History,
  prompted: Prompted,
  response: number
): boolean => {
  const place = prompts.indexOf(prompted)
  const reaches = (done: Done & { readonly prompts: number }) =>
    done.sessionId === prompted.sessionId && done.prompts > place && done.at <= response
  return cancels.some(reaches) || closes.some(reaches) ||
    cancelRequests.some(({ at, id }) => id === prompted.id && at <= response)
}

/** The outcome of a script that nobody disturbs. */
const outcomeOf = ({ end }: Script): unknown => {
  switch (end) {
    case "fail":
      return 7
    case "die":
      return -32603
    default:
      return end
  }
}

const outcome = ({ error, result }: Frames.Json): unknown =>
  error === undefined
    ? (result as { readonly stopReason: string }).stopReason
    : (error as { readonly code: number }).code

const check = ({ frames, history }: Effect.Success<ReturnType<typeof play>>) => {
  const responseTo = (id: string) => {
    const places = frames.flatMap((frame, place) => frame.id === id && !("method" in frame) ? [place] : [])
    assert.strictEqual(places.length, 1, `${id} is answered once`)
    return places[0]
  }
  const spans: Array<{ readonly sessionId: string; readonly first: number; readonly last: number }> = []

  for (const close of history.closes) assert.deepStrictEqual(frames[responseTo(close.id)].result, {})

  for (const [place, prompted] of history.prompts.entries()) {
    const { id, script, sessionId } = prompted
    const response = responseTo(id)
    const given = outcome(frames[response])
    const own = frames.flatMap((frame, at) => textOf(frame)?.startsWith(`${id}.`) === true ? [at] : [])
    const earlier = history.prompts.slice(0, place).filter((other) => other.sessionId === sessionId)

    // O8, and updates of a turn are in order.
    own.forEach((at, n) => {
      assert.isBelow(at, response, `${id} says nothing after its response`)
      assert.strictEqual(textOf(frames[at]), `${id}.${n}`)
    })
    if (own.length > 0) spans.push({ sessionId, first: own[0], last: response })

    if (given === -32600) {
      // U1: refused only for a turn of this session that was not answered yet.
      assert.isTrue(earlier.some((other) => responseTo(other.id) >= prompted.at), `${id} was refused for a reason`)
      assert.deepStrictEqual(own, [])
    } else if (given === -32002) {
      // U6: gone only when it was closed before.
      assert.isTrue(history.closes.some((close) => close.sessionId === sessionId && close.prompts <= place))
    } else if (isCancelled(history, prompted, response)) {
      assert.include([outcomeOf(script), "cancelled"], given, `${id} ends as it did or as cancelled`)
    } else {
      // X4, X5, X6, U7: nobody else's cancel touches it, and nothing that it said is missing.
      assert.strictEqual(given, outcomeOf(script), `${id} was not cancelled`)
      assert.strictEqual(own.length, script.steps.filter((step) => step === "say" || step === "fork").length)
    }
    // X4: one that could not have ended by itself was ended by the cancel.
    const waited = script.steps.some((step) => step === "wait" || step === "fork")
    const cancels = history.cancels.filter((done) => done.sessionId === sessionId && done.prompts > place)
    const openedAt = history.opened.get(id) ?? Infinity
    if (waited && given !== -32600 && given !== -32002 && cancels.some(({ at }) => at < openedAt && at <= response)) {
      assert.strictEqual(given, "cancelled", `${id} was cancelled while it waited`)
    }
  }

  // U1: of one session, no turn says anything while another is not answered.
  for (const one of spans) {
    for (const other of spans) {
      if (one === other || one.sessionId !== other.sessionId) continue
      assert.isTrue(one.last < other.first || other.last < one.first, "turns of a session do not overlap")
    }
  }

  // X7: a permission request of a turn is taken back before the turn ends, or it was answered.
  for (const [asked, frame] of frames.entries()) {
    if (!isAsking(frame)) continue
    const { toolCall } = frame.params as { readonly toolCall: { readonly toolCallId: string } }
    const response = responseTo(toolCall.toolCallId)
    assert.isBelow(asked, response)
    const takenBack = frames.findIndex((other) =>
      other.method === "$/cancel_request" && (other.params as Frames.Json).requestId === frame.id
    )
    if (takenBack >= 0) assert.isBelow(takenBack, response)
  }
}

describe("Model of an agent", () => {
  const batches = Array.from({ length: 10 }, (_, batch) => batch)
  for (const batch of batches) {
    it.effect(
      `U1 U3 U4 U6 U7 U8 X4 X5 X6 X7 O8 random histories, seeds ${batch * 20} to ${batch * 20 + 19}`,
      () =>
        Effect.gen(function*() {
          for (let n = batch * 20; n < batch * 20 + 20; n++) {
            const gates = new Map<string, Latch.Latch>()
            const gateOf = (tag: string) => {
              const gate = gates.get(tag) ?? Latch.makeUnsafe(false)
              gates.set(tag, gate)
              return gate
            }
            yield* Effect.gen(function*() {
              const subject = yield* start({ prompt: makeHandler(gateOf) }, {
                allow: ["HandlerFailed", "UnknownSession"]
              })
              const played = yield* play(Seed.make(n), subject, gateOf)
              check(played)
              const left = Object.entries(yield* subject.agent.connection.counts).filter(([, count]) => count > 0)
              assert.deepStrictEqual(left, [])
            }).pipe(
              Effect.scoped,
              Effect.tapCause(() => Effect.sync(() => process.stderr.write(`The seed was ${n}\n`)))
            )
          }
        }),
      30_000
    )
  }
})
