/**
 * A peer that a test plays by hand: it writes raw lines and says which frames it expects.
 *
 * It speaks bytes, so that framing is part of what is tested, and it reads with code of its own: every line that it gets
 * must be one JSON-RPC 2.0 object, or the test fails.
 *
 * @since 0.1.0
 */
import type * as AcpError from "@effect-acp/core/AcpError"
import * as Transport from "@effect-acp/core/Transport"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as Frames from "./Frames.ts"

// =============================================================================
// Models
// =============================================================================

/**
 * A frame as text or as the object it stands for.
 *
 * @category models
 * @since 0.1.0
 */
export type Message = string | Frames.Json

/**
 * A peer under the control of a test.
 *
 * **Details**
 *
 * `transport` (or `layer`) is what the side under test is built on. What waits for a frame waits at most two seconds of real
 * time and then fails the test with what came instead; no clock of the test takes part.
 *
 * @category models
 * @since 0.1.0
 */
export interface ScriptedPeer {
  readonly transport: Transport.Transport
  readonly layer: Layer.Layer<Transport.Transport>

  /** Writes messages, each as a line, all of them in one chunk. */
  readonly send: (...messages: ReadonlyArray<Message>) => Effect.Effect<void>
  /** Writes bytes as they are. */
  readonly sendRaw: (bytes: string | Uint8Array) => Effect.Effect<void>
  /** Writes the bytes in chunks that end at the given positions. */
  readonly sendFragments: (bytes: string | Uint8Array, positions: ReadonlyArray<number>) => Effect.Effect<void>
  /** Writes the bytes in chunks of a size. */
  readonly sendChunks: (bytes: string | Uint8Array, size: number) => Effect.Effect<void>

  /** The next frame, whatever it is. */
  readonly receive: Effect.Effect<Frames.Json>
  /** The next frame, which must fit. */
  readonly expect: (pattern: Frames.Pattern) => Effect.Effect<Frames.Json>
  /** The first frame that fits; those before it stay, in order, for `receive`. */
  readonly find: (pattern: Frames.Pattern) => Effect.Effect<Frames.Json>
  /** Nothing more arrives before everything that can run has run. */
  readonly expectNothing: Effect.Effect<void>
  /** The side under test closes its side, and nothing came before that. */
  readonly expectEnd: Effect.Effect<void>
  /** Lets everything run that can run without time passing. */
  readonly settle: Effect.Effect<void>

  /** Sends a request with a fresh id and waits for its response; other frames stay for `receive`. */
  readonly request: (method: string, params?: unknown) => Effect.Effect<Frames.Json>
  /** Answers a frame that was received with a result. */
  readonly respond: (request: Frames.Json, result: unknown) => Effect.Effect<void>
  /** Answers a frame that was received with an error. */
  readonly respondError: (request: Frames.Json, code: number, message?: string, data?: unknown) => Effect.Effect<void>
  /** Plays a client's `initialize` and gives the agent's response. */
  readonly initialize: (clientCapabilities?: Frames.Json) => Effect.Effect<Frames.Json>
  /** Plays an agent that answers the client's `initialize`, and gives the request. */
  readonly acceptInitialize: (agentCapabilities?: Frames.Json) => Effect.Effect<Frames.Json>

  /** Stops reading: what the side under test writes fills up behind it. */
  readonly pauseReading: Effect.Effect<void>
  readonly resumeReading: Effect.Effect<void>
  /** Makes the next write of the side under test fail, as a pipe without a reader does. */
  readonly breakReading: Effect.Effect<void>
  /** Closes this side in order. */
  readonly close: Effect.Effect<void>
  /** Ends the link with a reason, as a lost socket does. */
  readonly fail: (reason: AcpError.CloseReason) => Effect.Effect<void>
  /** Ends the link as an agent process that exits. */
  readonly exit: (
    status: { readonly code?: number; readonly signal?: string; readonly stderr?: string }
  ) => Effect.Effect<void>
  /** Every line so far, in order, those that were received included. */
  readonly lines: Effect.Effect<ReadonlyArray<string>>
}

// =============================================================================
// Constructors
// =============================================================================

const encoder = new TextEncoder()

const brokenPipe = new Transport.TransportError({
  reason: { _tag: "TransportFailed", cause: new Error("EPIPE: the peer does not read any more") }
})

const toBytes = (bytes: string | Uint8Array): Uint8Array => typeof bytes === "string" ? encoder.encode(bytes) : bytes

const toLine = (message: Message): string => `${typeof message === "string" ? message : JSON.stringify(message)}\n`

const waitMillis = 2_000

/** In real time on purpose: under a test clock a missing frame would hang the test. */
const guard = <A>(self: Effect.Effect<A>, problem: () => string): Effect.Effect<A> =>
  Effect.raceFirst(
    self,
    Effect.callback<never>((resume) => {
      const timer = setTimeout(() => resume(Effect.die(new Error(problem()))), waitMillis)
      return Effect.sync(() => clearTimeout(timer))
    })
  )

/**
 * Lets everything run that can run without time passing.
 *
 * @category combinators
 * @since 0.1.0
 */
export const settle: Effect.Effect<void> = Effect.forEach(
  Array.from({ length: 100 }),
  () => Effect.yieldNow,
  { discard: true }
)

/**
 * A peer for one test.
 *
 * `maxLineBytes` bounds the lines that the side under test takes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeWith: (options: {
  readonly maxLineBytes?: number | undefined
}) => Effect.Effect<ScriptedPeer> = Effect.fnUntraced(function*(options) {
  const toSubject = yield* Queue.unbounded<Uint8Array, Transport.TransportError | Cause.Done>()
  const reading = Latch.makeUnsafe(true)
  const inbox = makeInbox()
  let lastId = 0
  let broken = false

  const transport = Transport.fromBytes({
    ...options,
    input: Stream.fromQueue(toSubject),
    output: Sink.forEachArray((chunks: ReadonlyArray<Uint8Array>) =>
      Effect.flatMap(reading.await, () => {
        if (broken) return Effect.fail(brokenPipe)
        chunks.forEach(inbox.push)
        return Effect.void
      })
    ).pipe(Sink.ensuring(Effect.sync(inbox.end)))
  })

  const write = (chunk: Uint8Array) => Effect.asVoid(Queue.offer(toSubject, chunk))

  const sendFragments: ScriptedPeer["sendFragments"] = (bytes, positions) =>
    Effect.suspend(() => {
      const all = toBytes(bytes)
      const borders = [0, ...positions, all.length]
      return Effect.forEach(
        borders.slice(1),
        (end, index) => Effect.andThen(write(all.slice(borders[index], end)), Effect.yieldNow),
        { discard: true }
      )
    })

  const send: ScriptedPeer["send"] = (...messages) => write(encoder.encode(messages.map(toLine).join("")))

  const fail: ScriptedPeer["fail"] = (reason) =>
    Effect.asVoid(Queue.fail(toSubject, new Transport.TransportError({ reason })))

  const take = (pattern: Frames.Pattern | undefined, skip: boolean): Effect.Effect<Frames.Json> => {
    const wanted = pattern === undefined ? "a frame" : Frames.describe(pattern)
    const poll: Effect.Effect<Frames.Json> = Effect.suspend(() => {
      const found = inbox.take(pattern ?? (() => true), skip)
      if (found !== undefined) return Effect.succeed(found)
      if (inbox.hasEnded()) {
        return Effect.die(new Error(`Expected ${wanted}, but the other side closed. ${inbox.summary()}`))
      }
      return Effect.flatMap(inbox.changed, () => poll)
    })
    return guard(poll, () => `Expected ${wanted}. ${inbox.summary()}`)
  }

  const request: ScriptedPeer["request"] = (method, params) =>
    Effect.suspend(() => {
      const id = `peer-${++lastId}`
      return Effect.andThen(
        send(Frames.request(id, method, params)),
        take((frame) => frame.id === id && !("method" in frame), true)
      )
    })

  return {
    transport,
    layer: Layer.succeed(Transport.Transport, transport),
    send,
    sendRaw: (bytes) => write(toBytes(bytes)),
    sendFragments,
    sendChunks: (bytes, size) => {
      const { length } = toBytes(bytes)
      return sendFragments(
        bytes,
        Array.from({ length: Math.ceil(length / size) - 1 }, (_, index) => (index + 1) * size)
      )
    },
    receive: take(undefined, false),
    expect: (pattern) => take(pattern, false),
    find: (pattern) => take(pattern, true),
    expectNothing: Effect.flatMap(settle, () => {
      const next = inbox.take(() => true, false)
      return next === undefined
        ? Effect.void
        : Effect.die(new Error(`Expected nothing, but got ${JSON.stringify(next)}. ${inbox.summary()}`))
    }),
    expectEnd: guard(
      Effect.suspend(function poll(): Effect.Effect<void> {
        const next = inbox.take(() => true, false)
        if (next !== undefined) return Effect.die(new Error(`Expected the end, but got ${JSON.stringify(next)}`))
        return inbox.hasEnded() ? Effect.void : Effect.flatMap(inbox.changed, () => Effect.suspend(poll))
      }),
      () => `Expected the end. ${inbox.summary()}`
    ),
    settle,
    request,
    respond: ({ id }, result) => send(Frames.result(id as Frames.Id, result)),
    respondError: ({ id }, code, message, data) => send(Frames.error(id as Frames.Id, code, message, data)),
    initialize: (clientCapabilities = {}) => request("initialize", { protocolVersion: 1, clientCapabilities }),
    acceptInitialize: (agentCapabilities = {}) =>
      Effect.tap(
        take({ method: "initialize" }, false),
        ({ id }) => send(Frames.result(id as Frames.Id, { protocolVersion: 1, agentCapabilities }))
      ),
    pauseReading: Effect.sync(() => reading.closeUnsafe()).pipe(Effect.asVoid),
    resumeReading: Effect.sync(() => reading.openUnsafe()).pipe(Effect.asVoid),
    breakReading: Effect.sync(() => {
      broken = true
    }),
    close: Effect.asVoid(Queue.end(toSubject)),
    fail,
    exit: ({ code = null, signal = null, stderr = "" }) =>
      fail({ _tag: "ProcessExited", command: "scripted-peer", code, signal, stderr }),
    lines: Effect.sync(inbox.lines)
  }
})

/**
 * A peer for one test.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<ScriptedPeer> = makeWith({})

// =============================================================================
// What was received
// =============================================================================

const makeInbox = () => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  const lines: Array<string> = []
  const waiting: Array<Frames.Json> = []
  let wakeUps: Array<() => void> = []
  let partial = ""
  let ended = false
  let violation: string | undefined

  const wake = () => {
    const woken = wakeUps
    wakeUps = []
    for (const resume of woken) resume()
  }

  const readLine = (line: string) => {
    lines.push(line)
    const frame = parse(line)
    if (frame === undefined) violation ??= `Not a JSON-RPC 2.0 message: ${line}`
    else waiting.push(frame)
  }

  return {
    push(chunk: Uint8Array) {
      const parts = (partial + decoder.decode(chunk, { stream: true })).split("\n")
      partial = parts.pop()!
      parts.forEach(readLine)
      wake()
    },
    end() {
      if (partial !== "") violation ??= `The last line has no newline: ${partial}`
      ended = true
      wake()
    },
    /** Takes the next frame if it fits; with `skip`, the first that fits. A next frame that does not fit is an error. */
    take(pattern: Frames.Pattern, skip: boolean): Frames.Json | undefined {
      if (violation !== undefined) throw new Error(violation)
      const index = waiting.findIndex((frame) => Frames.matches(pattern, frame))
      if (index === 0 || (skip && index > 0)) return waiting.splice(index, 1)[0]
      if (!skip && waiting.length > 0) {
        throw new Error(`Expected ${Frames.describe(pattern)}, but got ${JSON.stringify(waiting[0])}`)
      }
      return undefined
    },
    changed: Effect.callback<void>((resume) => {
      wakeUps.push(() => resume(Effect.void))
    }),
    hasEnded: () => ended,
    lines: () => [...lines],
    summary: () =>
      lines.length === 0
        ? "Nothing was received."
        : `Received so far:\n${lines.slice(-20).map((line) => `  ${line.slice(0, 500)}`).join("\n")}`
  }
}

const parse = (line: string): Frames.Json | undefined => {
  try {
    const frame: unknown = JSON.parse(line)
    return typeof frame === "object" && frame !== null && (frame as Frames.Json).jsonrpc === "2.0"
      ? frame as Frames.Json
      : undefined
  } catch {
    return undefined
  }
}
