/**
 * A language model of `effect/ai` as the work of an agent's turns.
 *
 * What the model says, thinks and calls is told as it comes; its tools run in the turn, and ask the user first where they
 * say so.
 *
 * @since 0.1.0
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as AcpError from "./AcpError.ts"
import * as AgentSession from "./AgentSession.ts"
import * as ModelCalls from "./internal/modelCalls.ts"
import type { ContentBlock } from "./schema/Content.ts"
import type { StopReason } from "./schema/Prompt.ts"
import type { SessionUpdate } from "./schema/SessionUpdate.ts"
import type { ToolCall } from "./schema/ToolCall.ts"
import { SessionStore } from "./SessionStore.ts"
import { defaultPermissionOptions, type Turn } from "./Turn.ts"

// =============================================================================
// Models
// =============================================================================

/**
 * The turn that a tool is called in: a tool that lists it among its `dependencies` can use what the turn offers, such as
 * the client's files and terminals.
 *
 * @category services
 * @since 0.1.0
 */
export class CurrentTurn extends Context.Service<CurrentTurn, Turn>()("@effect-acp/core/Model/CurrentTurn") {}

/**
 * How a tool call is shown to the user; what is left out is as the model named it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Description extends Partial<Pick<ToolCall, "title" | "kind" | "locations" | "content" | "rawInput">> {}

/**
 * What a model works with.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** What the model is told before everything else. */
  readonly system?: string | undefined
  /** How many tokens fit the model's context. When it is given, usage is told after every request to the model. */
  readonly contextSize?: number | undefined
  /** How often the model is asked in one turn before it ends as `max_turn_requests`. Default 50. */
  readonly maxRequests?: number | undefined
  /** How tool calls are shown. Default: by the name of the tool. */
  readonly describe?: ((name: string, params: unknown) => Description) | undefined
}

/**
 * What a model works with that may call tools.
 *
 * @category options
 * @since 0.1.0
 */
export interface ToolOptions<Tools extends Record<string, Tool.Any>, E, R> extends Options {
  /**
   * The tools that the model may call: a `Toolkit`, or an effect that makes one for each turn.
   *
   * A tool with `needsApproval` asks the user first; when it is not allowed, the model is told and goes on.
   */
  readonly toolkit: Effect.Effect<Toolkit.WithHandler<Tools>, E, R>
}

// =============================================================================
// Constructors
// =============================================================================

/**
 * Makes a prompt handler of the language model that is provided.
 *
 * **Details**
 *
 * Each session is a conversation of its own. With a `SessionStore`, one that is loaded or resumed goes on with what was
 * said in it. The model is asked again for as long as it calls tools. A finish for length ends the turn as `max_tokens`, one
 * by a content filter as `refusal`.
 *
 * Cancelling a turn interrupts the model's stream and its tools; what was said until then stays in the conversation, and
 * calls that had no result do not. What the model or a tool fails with is answered as -32603 with its message.
 *
 * @category constructors
 * @since 0.1.0
 */
export const prompt: {
  <Tools extends Record<string, Tool.Any>, E, R>(
    options: ToolOptions<Tools, E, R>
  ): (turn: Turn) => Effect.Effect<StopReason, AcpError.AcpError, Requirements<Tools, R>>
  (options?: Options): (turn: Turn) => Effect.Effect<StopReason, AcpError.AcpError, LanguageModel.LanguageModel>
} = (options: AnyOptions = {}) => {
  const conversation = AgentSession.local((session) => Effect.flatMap(recall(session, options.system), Ref.make))
  return (turn: Turn): Effect.Effect<StopReason, AcpError.AcpError, any> =>
    Effect.flatMap(conversation(turn.session), (history) => run(turn, options, history))
}

/**
 * What a model with these tools needs: the model, the tools' handlers and what those need besides the turn.
 *
 * @category utility types
 * @since 0.1.0
 */
export type Requirements<Tools extends Record<string, Tool.Any>, R> =
  | LanguageModel.LanguageModel
  | Exclude<R | Tool.HandlerServices<Tools[keyof Tools]> | Tool.ResultDecodingServices<Tools[keyof Tools]>, CurrentTurn>

interface AnyOptions extends Options {
  readonly toolkit?: Effect.Effect<any, unknown, any> | undefined
}

type AnyToolkit = Toolkit.WithHandler<Record<string, Tool.Any>>

type AnyPart = Response.StreamPart<Record<string, Tool.Any>>

const defaultMaxRequests = 50

/** Runs a turn. What came of it stays in the conversation, and no call is left open, whatever ends it. */
const run = (
  turn: Turn,
  options: AnyOptions,
  history: Ref.Ref<Prompt.Prompt>
): Effect.Effect<StopReason, AcpError.AcpError, LanguageModel.LanguageModel> =>
  Effect.flatMap(Ref.get(history), (before) => {
    const calls = ModelCalls.make(turn, options.describe ?? (() => ({})))
    const answers: Array<Array<AnyPart>> = []
    const asked = Prompt.concat(before, Prompt.make([{ role: "user", content: turn.request.prompt.flatMap(toPart) }]))
    return Effect.onExit(
      converse(turn, options, { asked, answers, calls }),
      () => Effect.andThen(calls.failOpen, Ref.set(history, withAnswers(asked, answers)))
    )
  })

/** Asks the model for as long as it calls tools; `answers` takes what it answers as it comes. */
const converse = Effect.fnUntraced(function*(turn: Turn, options: AnyOptions, { answers, asked, calls }: {
  readonly asked: Prompt.Prompt
  readonly answers: Array<Array<AnyPart>>
  readonly calls: ModelCalls.Calls
}): Effect.fn.Return<StopReason, AcpError.AcpError, LanguageModel.LanguageModel> {
  const toolkit = yield* makeToolkit(turn, options, calls)
  let prompt = asked
  while (answers.length < (options.maxRequests ?? defaultMaxRequests)) {
    const parts: Array<AnyPart> = []
    answers.push(parts)
    yield* Stream.runForEach(streamOf(prompt, toolkit), (part) => {
      parts.push(part)
      return report(turn, calls, part)
    })
    yield* reportUsage(turn, options, parts)
    prompt = Prompt.concat(prompt, toPrompt(parts))
    const stopped = yield* stopReason(parts)
    if (stopped !== undefined) return stopped
    const approvals = parts.filter((part) => part.type === "tool-approval-request")
    if (approvals.length > 0) prompt = Prompt.concat(prompt, yield* requestApprovals(turn, calls, approvals))
  }
  return "max_turn_requests"
})

const streamOf = (
  prompt: Prompt.Prompt,
  toolkit: AnyToolkit | undefined
): Stream.Stream<AnyPart, AcpError.InternalError, LanguageModel.LanguageModel> =>
  Stream.mapError(
    toolkit === undefined ? LanguageModel.streamText({ prompt }) : LanguageModel.streamText({ prompt, toolkit }),
    toInternalError
  ) as Stream.Stream<AnyPart, AcpError.InternalError, LanguageModel.LanguageModel>

/** The tools of a turn, whose calls tell when they start. */
const makeToolkit = Effect.fnUntraced(function*(
  turn: Turn,
  { toolkit }: AnyOptions,
  calls: ModelCalls.Calls
): Effect.fn.Return<AnyToolkit | undefined, AcpError.InternalError> {
  if (toolkit === undefined) return undefined
  const { handle, tools }: AnyToolkit = yield* Effect.mapError(
    Effect.provideService(toolkit as Effect.Effect<AnyToolkit, unknown>, CurrentTurn, turn),
    toInternalError
  )
  return {
    tools,
    handle: (name, params, id, parseOptions) => {
      const handled = Effect.provideService(
        Effect.map(handle(name, params, id, parseOptions), Stream.provideService(CurrentTurn, turn)),
        CurrentTurn,
        turn
      )
      if (id === undefined) return handled
      const told = Effect.andThen(calls.describe(id, name, params), calls.start(id))
      return Effect.andThen(Effect.ignore(told), handled)
    }
  }
})

// =============================================================================
// Telling
// =============================================================================

const report = (
  turn: Turn,
  calls: ModelCalls.Calls,
  part: AnyPart
): Effect.Effect<void, AcpError.AcpError> => {
  switch (part.type) {
    case "text-delta":
      return part.delta === "" ? Effect.void : turn.say(part.delta)
    case "reasoning-delta":
      return part.delta === "" ? Effect.void : turn.think(part.delta)
    case "tool-params-start":
      return calls.announce(part.id, part.name)
    case "tool-call":
      return calls.describe(part.id, part.name, part.params)
    case "tool-result":
      return part.preliminary
        ? calls.progress(part.id, part.encodedResult)
        : calls.end(part.id, part.encodedResult, part.isFailure)
    case "error":
      return Effect.fail(toInternalError(part.error))
    default:
      return Effect.void
  }
}

const reportUsage = (turn: Turn, { contextSize }: AnyOptions, parts: ReadonlyArray<AnyPart>) => {
  const finish = parts.find((part) => part.type === "finish")
  if (contextSize === undefined || finish === undefined) return Effect.void
  const { inputTokens, outputTokens } = finish.usage
  return turn.usage({ used: (inputTokens.total ?? 0) + (outputTokens.total ?? 0), size: contextSize })
}

const requestApprovals = Effect.fnUntraced(function*(
  turn: Turn,
  calls: ModelCalls.Calls,
  approvals: ReadonlyArray<Response.ToolApprovalRequestPart>
) {
  const responses = yield* Effect.forEach(approvals, ({ approvalId, toolCallId }) =>
    Effect.map(
      turn.requestPermission(calls.described(toolCallId), defaultPermissionOptions),
      (outcome) => ({ approvalId, outcome, toolCallId })
    ), { concurrency: "unbounded" })
  const cancelled = responses.find(({ outcome }) => outcome._tag === "Cancelled")
  if (cancelled !== undefined) {
    return yield* new AcpError.PermissionDenied({ toolCallId: cancelled.toolCallId, outcome: "cancelled" })
  }
  return Prompt.fromMessages([
    Prompt.toolMessage({
      content: responses.map(({ approvalId, outcome }) =>
        Prompt.toolApprovalResponsePart({ approvalId, approved: outcome._tag === "Allowed" })
      )
    })
  ])
})

/** Why the turn ends with this answer; none when the model waits for the results of its calls. */
const stopReason = (parts: ReadonlyArray<AnyPart>): Effect.Effect<StopReason | undefined, AcpError.InternalError> => {
  switch (parts.find((part) => part.type === "finish")?.reason) {
    case "length":
      return Effect.succeed("max_tokens")
    case "content-filter":
      return Effect.succeed("refusal")
    case "error":
      return Effect.fail(new AcpError.InternalError({ message: "The model ended with an error" }))
    default:
      return Effect.succeed(parts.some(isCall) ? undefined : "end_turn")
  }
}

const isCall = (part: AnyPart) => part.type === "tool-call" && !part.providerExecuted

const toInternalError = (error: unknown): AcpError.InternalError =>
  new AcpError.InternalError({
    message: error instanceof Error ? error.message : typeof error === "string" ? error : JSON.stringify(error)
  })

// =============================================================================
// Conversations
// =============================================================================

/** What a response adds to the conversation: results of calls of an earlier response come before what it says itself. */
const toPrompt = (parts: ReadonlyArray<AnyPart>): Prompt.Prompt => {
  const own = new Set(parts.flatMap((part) => part.type === "tool-call" ? [part.id] : []))
  const isEarlier = (part: AnyPart) => part.type === "tool-result" && !own.has(part.id)
  return Prompt.concat(
    Prompt.fromResponseParts(parts.filter(isEarlier)),
    Prompt.fromResponseParts(parts.filter((part) => !isEarlier(part)))
  )
}

/** The conversation after a turn, without calls that had no result: a model does not take them. */
const withAnswers = (asked: Prompt.Prompt, answers: ReadonlyArray<ReadonlyArray<AnyPart>>): Prompt.Prompt => {
  const ended = new Set(
    answers.flat().flatMap((part) => part.type === "tool-result" && !part.preliminary ? [part.id] : [])
  )
  const stays = (part: AnyPart) =>
    part.type !== "tool-approval-request" && (part.type !== "tool-call" || ended.has(part.id))
  return answers.reduce((prompt, parts) => Prompt.concat(prompt, toPrompt(parts.filter(stays))), asked)
}

/** What was said in earlier lives of a session, as far as a store has kept it. */
const recall = Effect.fnUntraced(function*(session: AgentSession.AgentSession, system: string | undefined) {
  const beginning = system === undefined ? Prompt.empty : Prompt.setSystem(Prompt.empty, system)
  const store = yield* Effect.serviceOption(SessionStore)
  if (store._tag === "None") return beginning
  const said = yield* Stream.runFold(store.value.history(session.sessionId), () => Prompt.empty, remember).pipe(
    Effect.catch((error) => Effect.as(Effect.logError("The conversation could not be recalled", error), Prompt.empty))
  )
  return Prompt.concat(beginning, said)
})

const remember = (said: Prompt.Prompt, update: SessionUpdate): Prompt.Prompt => {
  switch (update.sessionUpdate) {
    case "user_message_chunk":
      return Prompt.concat(said, Prompt.make([{ role: "user", content: toPart(update.content) }]))
    case "agent_message_chunk":
      return update.content.type === "text"
        ? Prompt.concat(said, Prompt.make([{ role: "assistant", content: update.content.text }]))
        : said
    default:
      return said
  }
}

const toPart = (block: ContentBlock): Array<Prompt.UserMessagePart> => {
  switch (block.type) {
    case "text":
      return [Prompt.textPart({ text: block.text })]
    case "image":
    case "audio":
      return [Prompt.filePart({ mediaType: block.mimeType, data: block.data })]
    case "resource_link":
      return [Prompt.textPart({ text: `[${block.name}](${block.uri})` })]
    case "resource":
      return "text" in block.resource
        ? [Prompt.textPart({ text: `${block.resource.uri}:\n${block.resource.text}` })]
        : [
          Prompt.filePart({
            mediaType: block.resource.mimeType ?? "application/octet-stream",
            data: block.resource.blob
          })
        ]
    default:
      return []
  }
}
