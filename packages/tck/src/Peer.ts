/**
 * A client made of raw lines: it writes what it is told to, keeps all that comes, and hides nothing.
 *
 * @since 0.1.0
 */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Lines } from "./internal/lines.ts"
import { at, items, type JsonObject } from "./Json.ts"
import type { ExitStatus, Link } from "./Launcher.ts"
import * as Transcript from "./Transcript.ts"

/**
 * A request that was written.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  readonly id: string | number
  readonly method: string
  readonly sent: Transcript.Entry
}

/**
 * What came back for a request: a result, an error, nothing in time, or the end of the output.
 *
 * @category models
 * @since 0.1.0
 */
export type Reply =
  | { readonly _tag: "Result"; readonly call: Call; readonly entry: Transcript.Entry; readonly result: unknown }
  | {
    readonly _tag: "Error"
    readonly call: Call
    readonly entry: Transcript.Entry
    readonly error: unknown
    readonly code: unknown
  }
  | { readonly _tag: "Silence"; readonly call: Call }
  | { readonly _tag: "Ended"; readonly call: Call }

/**
 * The answer of the mock client to a request of the agent.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = { readonly result: unknown } | {
  readonly error: { readonly code: number; readonly message: string }
}

/**
 * How the mock client answers: it is given the request, and whether its session has been cancelled.
 *
 * @category models
 * @since 0.1.0
 */
export type Answerer = (request: JsonObject, cancelled: boolean) => Answer

/**
 * One run of the program under test, seen through its lines.
 *
 * @category models
 * @since 0.1.0
 */
export interface Peer {
  /** What went over the wire so far; it grows. */
  readonly entries: ReadonlyArray<Transcript.Entry>
  readonly sendLine: (line: string) => Effect.Effect<Transcript.Entry>
  readonly notify: (method: string, params: JsonObject) => Effect.Effect<Transcript.Entry>
  /** Writes a request and does not wait. Ids count up from 1 where none is given. */
  readonly begin: (method: string, params: JsonObject, id?: string | number) => Effect.Effect<Call>
  /** Waits for the answer to a request, no longer than `within`. */
  readonly reply: (call: Call, within: Duration.Input) => Effect.Effect<Reply>
  /** Waits until `find` finds something; nothing when the output ends or the time is over. */
  readonly until: <A>(find: () => A | undefined, within: Duration.Input) => Effect.Effect<Option.Option<A>>
  readonly ended: Effect.Effect<boolean>
  /** The name of the method that a request of this client had. */
  readonly methodOf: (id: unknown) => string | undefined
  readonly closeInput: Effect.Effect<void>
  readonly exit: Effect.Effect<ExitStatus>
  readonly stderr: Link["stderr"]
}

/**
 * Advertises nothing: takes the first option of a permission request, or cancelled after a cancel, and knows no other
 * request.
 *
 * @category answers
 * @since 0.1.0
 */
export const answerNothing: Answerer = ({ method, params }, cancelled) => {
  if (method !== "session/request_permission") return { error: { code: -32601, message: "Method not found" } }
  const optionId = at(items(at(params, "options"))[0], "optionId")
  return { result: { outcome: cancelled ? { outcome: "cancelled" } : { outcome: "selected", optionId } } }
}

/**
 * Starts to read a link. The reading ends with the scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (link: Link, answer: Answerer = answerNothing): Effect.Effect<Peer, never, Scope.Scope> =>
  Effect.suspend(() => {
    const state = new State(link, answer)
    return Effect.as(Effect.forkScoped(state.read), state)
  })

class State implements Peer {
  readonly entries: Array<Transcript.Entry> = []
  readonly closeInput: Effect.Effect<void>
  readonly exit: Effect.Effect<ExitStatus>
  readonly stderr: Link["stderr"]
  readonly ended = Effect.sync(() => this.isEnded)
  readonly methodOf = (id: unknown) => this.asked.get(id)

  private readonly link: Link
  private readonly answer: Answerer
  private readonly lines = new Lines()
  private readonly asked = new Map<unknown, string>()
  private readonly cancelled = new Set<unknown>()
  private nextId = 1
  private isEnded = false
  private changed = Deferred.makeUnsafe<void>()

  constructor(link: Link, answer: Answerer) {
    this.link = link
    this.answer = answer
    this.closeInput = link.closeInput
    this.exit = link.exit
    this.stderr = link.stderr
  }

  /** Reads until the output ends. */
  get read(): Effect.Effect<void> {
    return this.link.output.pipe(
      Stream.runForEach((chunk) => this.receiveAll(this.lines.push(chunk))),
      Effect.andThen(Effect.suspend(() => this.receiveAll(this.lines.end()))),
      Effect.ensuring(Effect.sync(() => {
        this.isEnded = true
        this.wake()
      }))
    )
  }

  private receiveAll(lines: ReadonlyArray<Uint8Array>): Effect.Effect<void> {
    return Effect.forEach(lines, (line) => this.receive(line), { discard: true })
  }

  private receive(line: Uint8Array): Effect.Effect<void> {
    const entry = Transcript.received(line, this.entries.length)
    this.entries.push(entry)
    return Effect.ensuring(this.answerTo(entry), Effect.sync(() => this.wake()))
  }

  private answerTo(entry: Transcript.Entry): Effect.Effect<void> {
    if (Transcript.kindOf(entry) !== "request") return Effect.void
    const { id, params } = entry.message!
    const answer = this.answer(entry.message!, this.cancelled.has(at(params, "sessionId")))
    return Effect.asVoid(this.send({ jsonrpc: "2.0", id, ...answer }))
  }

  private wake(): void {
    const { changed } = this
    this.changed = Deferred.makeUnsafe()
    Deferred.doneUnsafe(changed, Exit.void)
  }

  private send(message: JsonObject): Effect.Effect<Transcript.Entry> {
    return this.sendLine(JSON.stringify(message))
  }

  sendLine(line: string): Effect.Effect<Transcript.Entry> {
    return Effect.suspend(() => {
      const entry = Transcript.sent(line, this.entries.length)
      this.entries.push(entry)
      return Effect.as(this.link.write(line), entry)
    })
  }

  notify(method: string, params: JsonObject): Effect.Effect<Transcript.Entry> {
    return Effect.suspend(() => {
      if (method === "session/cancel") this.cancelled.add(params["sessionId"])
      return this.send({ jsonrpc: "2.0", method, params })
    })
  }

  begin(method: string, params: JsonObject, id?: string | number): Effect.Effect<Call> {
    return Effect.suspend(() => {
      const used = id ?? this.nextId++
      this.asked.set(used, method)
      return Effect.map(this.send({ jsonrpc: "2.0", id: used, method, params }), (sent) => ({ id: used, method, sent }))
    })
  }

  reply(call: Call, within: Duration.Input): Effect.Effect<Reply> {
    return this.until(() => this.replyTo(call), within).pipe(
      Effect.map(Option.getOrElse((): Reply => ({ _tag: this.isEnded ? "Ended" : "Silence", call })))
    )
  }

  private replyTo(call: Call): Reply | undefined {
    const entry = this.entries.slice(call.sent.index).find((entry) =>
      entry.direction === "received" && Transcript.kindOf(entry) === "response" && entry.message!["id"] === call.id
    )
    if (entry === undefined) return undefined
    const { error, result } = entry.message!
    return error === undefined || error === null
      ? { _tag: "Result", call, entry, result }
      : { _tag: "Error", call, entry, error, code: at(error, "code") }
  }

  until<A>(find: () => A | undefined, within: Duration.Input): Effect.Effect<Option.Option<A>> {
    const look: Effect.Effect<Option.Option<A>> = Effect.suspend(() => {
      const found = find()
      if (found !== undefined) return Effect.succeedSome(found)
      return this.isEnded ? Effect.succeedNone : Effect.andThen(Deferred.await(this.changed), look)
    })
    return Effect.map(Effect.timeoutOption(look, within), Option.flatten)
  }
}
