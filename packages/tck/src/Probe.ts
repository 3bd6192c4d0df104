/**
 * What a requirement has in its hands: programs to launch, conversations to begin, and words for what went wrong.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { at, isObject, type JsonObject, preview } from "./Json.ts"
import type { Launcher, LaunchError } from "./Launcher.ts"
import * as OfficialSchema from "./OfficialSchema.ts"
import * as Peer from "./Peer.ts"
import { Failed, NotTested, Skipped } from "./Requirement.ts"
import type { Settings } from "./Settings.ts"
import { type Entry, kindOf } from "./Transcript.ts"

/**
 * What a requirement is given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Probe {
  readonly settings: Settings
  /** Starts a program of its own, for a client that advertises nothing. */
  readonly launch: Effect.Effect<Peer.Peer, LaunchError, Scope.Scope>
  /** Starts a program of its own, for a client that answers in another way. */
  readonly launchAs: (answer: Peer.Answerer) => Effect.Effect<Peer.Peer, LaunchError, Scope.Scope>
  /** The programs that were started, in order. */
  readonly peers: ReadonlyArray<Peer.Peer>
}

/**
 * A probe of what a launcher starts.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (launcher: Launcher["Service"], settings: Settings): Probe => {
  const peers: Array<Peer.Peer> = []
  const launchAs = (answer: Peer.Answerer) =>
    launcher.launch.pipe(
      Effect.flatMap((link) => Peer.make(link, answer)),
      Effect.tap((peer) => Effect.sync(() => peers.push(peer)))
    )
  return { settings, launch: launchAs(Peer.answerNothing), launchAs, peers }
}

/**
 * An agent that has answered `initialize`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Agent {
  readonly probe: Probe
  readonly peer: Peer.Peer
  /** The result of `initialize`. */
  readonly facts: JsonObject
}

// =============================================================================
// Words
// =============================================================================

/**
 * A reply in one line.
 *
 * @category formatting
 * @since 0.1.0
 */
export const received = (reply: Peer.Reply): string => {
  if (reply._tag === "Silence") return "no answer in time"
  return reply._tag === "Ended" ? "the output ended without an answer" : preview(reply.entry.line)
}

/**
 * The requirement fails: the call, its reply, and what was expected instead.
 *
 * @category endings
 * @since 0.1.0
 */
export const unexpected = (reply: Peer.Reply, expected: string): Failed =>
  new Failed({ sent: preview(reply.call.sent.line), received: received(reply), expected })

/**
 * The requirement could not be reached because of this reply.
 *
 * @category endings
 * @since 0.1.0
 */
export const unreached = (reply: Peer.Reply): NotTested =>
  new NotTested({
    reason: `${reply.call.method} did not succeed: ${received(reply)}`,
    blockedByAuthentication: isAuthRequired(reply) && reply.call.method === "session/new"
  })

/**
 * Whether the agent asks for authentication.
 *
 * @category guards
 * @since 0.1.0
 */
export const isAuthRequired = (reply: Peer.Reply): boolean => reply._tag === "Error" && reply.code === -32000

// =============================================================================
// Calls
// =============================================================================

/**
 * Writes a request and waits for its reply.
 *
 * @category calls
 * @since 0.1.0
 */
export const call = (
  { peer, probe }: Pick<Agent, "peer" | "probe">,
  method: string,
  params: JsonObject,
  id?: string | number
): Effect.Effect<Peer.Reply> =>
  Effect.flatMap(peer.begin(method, params, id), (call) => peer.reply(call, probe.settings.timeout))

/**
 * The result of a reply that must be one, and valid by the official schema where a definition is named.
 *
 * @category calls
 * @since 0.1.0
 */
export const resultOf = (reply: Peer.Reply, definition?: string): Effect.Effect<JsonObject, Failed> => {
  const expected = definition === undefined ? "a result" : `a result that is a valid ${definition}`
  if (reply._tag !== "Result") return Effect.fail(unexpected(reply, expected))
  const problem = definition === undefined ? undefined : OfficialSchema.problem(definition, reply.result)
  if (problem !== undefined) return Effect.fail(unexpected(reply, `${expected}, but ${problem}`))
  if (!isObject(reply.result)) return Effect.fail(unexpected(reply, `${expected}: an object`))
  return Effect.succeed(reply.result)
}

/** The result of a step that comes before what is judged. */
const stepResult = (reply: Peer.Reply): Effect.Effect<JsonObject, NotTested> =>
  reply._tag === "Result" && isObject(reply.result) ? Effect.succeed(reply.result) : Effect.fail(unreached(reply))

/**
 * The parameters of `initialize` that advertise nothing.
 *
 * @category constants
 * @since 0.1.0
 */
export const initializeParams: JsonObject = {
  protocolVersion: 1,
  clientCapabilities: {},
  clientInfo: { name: "acp-tck", version: "0.1.0" }
}

/**
 * Launches an agent and asks it to initialize, whatever it answers.
 *
 * @category calls
 * @since 0.1.0
 */
export const initialize = Effect.fnUntraced(function*(
  probe: Probe,
  params: JsonObject = initializeParams,
  id?: string | number
) {
  const peer = yield* probe.launch
  const call = yield* peer.begin("initialize", params, id)
  const reply = yield* peer.reply(call, probe.settings.startupTimeout)
  return { probe, peer, reply }
})

/**
 * Launches an agent that answers `initialize` with success; else the requirement is not reached.
 *
 * @category calls
 * @since 0.1.0
 */
export const start = Effect.fnUntraced(function*(probe: Probe, id?: string | number) {
  const { peer, reply } = yield* initialize(probe, initializeParams, id)
  const facts = yield* stepResult(reply)
  const agent: Agent = { probe, peer, facts }
  return agent
})

/**
 * Launches an agent that advertises a capability; else the requirement is skipped.
 *
 * @category calls
 * @since 0.1.0
 */
export const startWith = Effect.fnUntraced(function*(probe: Probe, ...path: readonly [string, ...Array<string>]) {
  const agent = yield* start(probe)
  const value = at(agent.facts, "agentCapabilities", ...path)
  if (value === true || isObject(value)) return agent
  return yield* new Skipped({ reason: `the agent does not advertise ${path.join(".")}` })
})

/**
 * Authenticates where a method was named, and asks for a session, whatever the answer.
 *
 * @category calls
 * @since 0.1.0
 */
export const askForSession = Effect.fnUntraced(function*(agent: Agent, params?: JsonObject, id?: string | number) {
  const { authMethod, sessionCwd } = agent.probe.settings
  if (authMethod !== undefined) {
    const reply = yield* call(agent, "authenticate", { methodId: authMethod })
    if (reply._tag !== "Result") return yield* unreached(reply)
  }
  return yield* call(agent, "session/new", { cwd: sessionCwd, mcpServers: [], ...params }, id)
})

/**
 * A session that was created.
 *
 * @category models
 * @since 0.1.0
 */
export interface Session {
  readonly agent: Agent
  readonly sessionId: string
  /** The result that named it. */
  readonly created: JsonObject
}

/**
 * Creates a session; else the requirement is not reached.
 *
 * @category calls
 * @since 0.1.0
 */
export const createSession = Effect.fnUntraced(function*(agent: Agent) {
  const reply = yield* askForSession(agent)
  const created = yield* stepResult(reply)
  const sessionId = created["sessionId"]
  if (typeof sessionId !== "string" || sessionId === "") return yield* unreached(reply)
  const session: Session = { agent, sessionId, created }
  return session
})

/**
 * Launches an agent and creates a session in it.
 *
 * @category calls
 * @since 0.1.0
 */
export const startSession = (probe: Probe) => Effect.flatMap(start(probe), createSession)

/**
 * A text block.
 *
 * @category constructors
 * @since 0.1.0
 */
export const text = (words: string): JsonObject => ({ type: "text", text: words })

/**
 * A text in several scripts.
 *
 * @category constants
 * @since 0.1.0
 */
export const hello = text("hello é中文 😀")

/**
 * Sends a prompt and waits for the end of its turn.
 *
 * @category calls
 * @since 0.1.0
 */
export const prompt = (
  { agent, sessionId }: Session,
  blocks: ReadonlyArray<JsonObject> = [hello],
  more?: JsonObject
): Effect.Effect<Peer.Reply> => call(agent, "session/prompt", { sessionId, prompt: blocks, ...more })

/**
 * A turn that must end with one of the defined stop reasons.
 *
 * @category calls
 * @since 0.1.0
 */
export const endOfTurn = (reply: Peer.Reply): Effect.Effect<unknown, Failed> => {
  const reasons = OfficialSchema.constantsOf("StopReason")
  const reason = reply._tag === "Result" ? at(reply.result, "stopReason") : undefined
  return reasons.some((known) => known === reason)
    ? Effect.succeed(reason)
    : Effect.fail(unexpected(reply, `a result whose stopReason is one of ${reasons.join(", ")}`))
}

/**
 * Initializes, creates a session and sends one prompt: the exchange that most requirements look at.
 *
 * @category calls
 * @since 0.1.0
 */
export const basicExchange = Effect.fnUntraced(function*(probe: Probe, words: JsonObject = hello) {
  const session = yield* startSession(probe)
  const reply = yield* prompt(session, [words])
  return { ...session, reply }
})

/**
 * The basic exchange to its very end: what comes after the last answer, and until the agent has exited, too.
 *
 * @category calls
 * @since 0.1.0
 */
export const wholeExchange = Effect.fnUntraced(function*(probe: Probe) {
  const exchange = yield* basicExchange(probe)
  const { peer } = exchange.agent
  if (exchange.reply._tag === "Silence") return yield* unreached(exchange.reply)
  yield* settle(exchange.agent)
  yield* peer.closeInput
  yield* peer.until(() => undefined, probe.settings.closeGrace)
  return exchange
})

// =============================================================================
// Looking
// =============================================================================

/**
 * Waits for as long as "nothing more arrives" takes.
 *
 * @category looking
 * @since 0.1.0
 */
export const settle = ({ peer, probe }: Pick<Agent, "peer" | "probe">): Effect.Effect<void> =>
  Effect.asVoid(peer.until(() => undefined, probe.settings.silence))

/**
 * What the agent wrote, from an entry on and up to another.
 *
 * @category looking
 * @since 0.1.0
 */
export const writtenBy = (peer: Peer.Peer, from = 0, to = Infinity): ReadonlyArray<Entry> =>
  peer.entries.filter(({ direction, index }) => direction === "received" && index >= from && index < to)

/**
 * The `session/update` notifications among what the agent wrote.
 *
 * @category looking
 * @since 0.1.0
 */
export const updates = (peer: Peer.Peer, from = 0, to = Infinity): ReadonlyArray<Entry> =>
  writtenBy(peer, from, to).filter((entry) =>
    kindOf(entry) === "notification" && entry.message!["method"] === "session/update"
  )

const history = new Set<unknown>([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan"
])

/**
 * The updates of a session that tell its history, and not its state.
 *
 * @category looking
 * @since 0.1.0
 */
export const historyOf = (session: Session, from: number, to = Infinity): ReadonlyArray<Entry> =>
  updates(session.agent.peer, from, to).filter(({ message }) =>
    at(message, "params", "sessionId") === session.sessionId &&
    history.has(at(message, "params", "update", "sessionUpdate"))
  )

/**
 * Sends the prompt that keeps the agent busy, and waits for the first update, but no longer than the cancel delay.
 * The requirement is skipped when the turn has ended by then.
 *
 * @category calls
 * @since 0.1.0
 */
export const startBusyTurn = Effect.fnUntraced(function*({ agent, sessionId }: Session) {
  const { peer, probe: { settings } } = agent
  const call = yield* peer.begin("session/prompt", { sessionId, prompt: [text(settings.busyPrompt)] })
  yield* peer.until(() => updates(peer, call.sent.index)[0] ?? endOf(peer, call), settings.cancelDelay)
  if (endOf(peer, call) === undefined) return call
  return yield* new Skipped({ reason: "the turn ended before it could be cancelled; give a longer busy prompt" })
})

const endOf = (peer: Peer.Peer, { id, sent }: Peer.Call): Entry | undefined =>
  writtenBy(peer, sent.index).find((entry) => kindOf(entry) === "response" && entry.message!["id"] === id)

/**
 * Waits for a reply as long as any answer may take.
 *
 * @category calls
 * @since 0.1.0
 */
export const replyTo = ({ peer, probe }: Agent, call: Peer.Call, within?: Duration.Input): Effect.Effect<Peer.Reply> =>
  peer.reply(call, within ?? probe.settings.timeout)
