/**
 * A turn as its agent works on it: what a prompt handler is given.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as AcpError from "./AcpError.ts"
import type { AgentSession } from "./AgentSession.ts"
import type * as Content from "./schema/Content.ts"
import * as Permission from "./schema/Permission.ts"
import type { Plan } from "./schema/Plan.ts"
import type { PromptRequest } from "./schema/Prompt.ts"
import * as SessionUpdate from "./schema/SessionUpdate.ts"
import type { ToolCall, ToolCallContent, ToolCallUpdate } from "./schema/ToolCall.ts"
import type { UsageUpdate } from "./schema/Usage.ts"
import * as Terminal from "./Terminal.ts"

/**
 * How the client answered a permission request.
 *
 * Only `Allowed` lets work go on; whatever is not a decoded choice of an offered option that allows is something else (P1).
 *
 * @category models
 * @since 0.1.0
 */
export type PermissionOutcome =
  | { readonly _tag: "Allowed"; readonly option: Permission.PermissionOption }
  | { readonly _tag: "Rejected"; readonly option: Permission.PermissionOption }
  | { readonly _tag: "Cancelled" }

/**
 * A running turn.
 *
 * **Details**
 *
 * When the client cancels, the handler and everything forked with `fork` is interrupted; what its finalizers send still
 * reaches the client before the turn ends. After the end of the turn nothing of it can be sent: `TurnOver` (O8).
 *
 * @category models
 * @since 0.1.0
 */
export interface Turn {
  readonly session: AgentSession
  readonly request: PromptRequest
  /** What is steered into the turn while it runs, by `AgentSession.steer`; it ends with the turn. */
  readonly steered: Queue.Dequeue<ReadonlyArray<Content.ContentBlock>, Cause.Done>
  /** Tells whether the turn was cancelled, for work that is not interrupted at once. */
  readonly isCancelled: Effect.Effect<boolean>
  /** The text blocks of the prompt, joined by line breaks. */
  readonly text: string
  /** Sends an update. A message chunk with empty text is not sent, with a diagnostic. */
  readonly update: (
    update: SessionUpdate.SessionUpdate
  ) => Effect.Effect<void, AcpError.NotifyError | AcpError.TurnOver>
  /** Sends a chunk of the agent's message. */
  readonly say: (
    content: string | Content.ContentBlock
  ) => Effect.Effect<void, AcpError.NotifyError | AcpError.TurnOver>
  /** Sends a chunk of the agent's reasoning. */
  readonly think: (
    content: string | Content.ContentBlock
  ) => Effect.Effect<void, AcpError.NotifyError | AcpError.TurnOver>
  /** Sends the whole plan, in place of the one before. */
  readonly plan: (entries: Plan["entries"]) => Effect.Effect<void, AcpError.NotifyError | AcpError.TurnOver>
  /** Sends how much of the model's context is in use, and what the session has cost so far. */
  readonly usage: (usage: UsageUpdate) => Effect.Effect<void, AcpError.NotifyError | AcpError.TurnOver>
  /**
   * Asks the user, and waits as long as it takes.
   *
   * A cancel of the turn ends the request at once, with the fiber or, where that is uninterruptible, as `Cancelled` (X7).
   */
  readonly requestPermission: (
    toolCall: ToolCallUpdate,
    options: ReadonlyArray<Permission.PermissionOption>
  ) => Effect.Effect<PermissionOutcome, AcpError.CallError>
  /**
   * Runs an effect as a tool call: reported as pending, in progress once `body` runs, and completed or failed at its end
   * unless `body` reported either itself. A call never stays open, not on interruption either.
   *
   * With `permission` the user is asked first, and without an allowing answer `body` does not run: the call fails and so
   * does the effect, with `PermissionDenied`. A turn that fails with it ends as `end_turn` when the user rejected, and as
   * `cancelled` when the client answered that it cancels.
   */
  readonly toolCall: <A, E, R>(
    options: ToolCallOptions,
    body: (call: ToolCallHandle) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | AcpError.AgentError, R>
  /** Reads a text file through the client, which sees unsaved changes. `line` is 1-based. */
  readonly readTextFile: (
    path: string,
    window?: { readonly line?: number; readonly limit?: number }
  ) => Effect.Effect<string, AcpError.CallError>
  /** Writes a text file through the client. */
  readonly writeTextFile: (path: string, content: string) => Effect.Effect<void, AcpError.CallError>
  /** Starts a command in a terminal of the client, released with the scope; `Terminal.finish` waits for its end. */
  readonly terminal: (command: Terminal.Command) => Effect.Effect<Terminal.Terminal, AcpError.CallError, Scope.Scope>
  /** Runs a command in a terminal of the client to its end; one that takes longer than `timeout` is killed. */
  readonly run: (
    command: Terminal.Command,
    options?: { readonly timeout?: Duration.Input | undefined }
  ) => Effect.Effect<Terminal.Finished, AcpError.CallError>
  /** Runs an effect that belongs to the turn: the turn ends after it, and cancelling the turn interrupts it (U3). */
  readonly fork: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<Fiber.Fiber<A, E>, never, R>
}

/**
 * What a tool call is reported as.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolCallOptions extends Omit<ToolCall, "toolCallId" | "status"> {
  readonly toolCallId?: string | undefined
  /** Ask the user before running; `true` offers to allow or reject once. Default: do not ask. */
  readonly permission?: boolean | ReadonlyArray<Permission.PermissionOption> | undefined
}

/**
 * A tool call that is running.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolCallHandle {
  readonly toolCallId: string
  /** Reports changed fields; `content` and `locations` replace what was reported before. */
  readonly update: (
    fields: Omit<ToolCallUpdate, "toolCallId">
  ) => Effect.Effect<void, AcpError.NotifyError | AcpError.TurnOver>
  /** Adds to the content that was reported before: text, diffs, terminals. */
  readonly attach: (
    ...content: ReadonlyArray<ToolCallContent>
  ) => Effect.Effect<void, AcpError.NotifyError | AcpError.TurnOver>
}

/**
 * The options that are offered when nothing else is said.
 *
 * @category constants
 * @since 0.1.0
 */
export const defaultPermissionOptions: ReadonlyArray<Permission.PermissionOption> = [
  Permission.allowOnce("allow_once", "Allow"),
  Permission.rejectOnce("reject_once", "Reject")
]

/**
 * Reads the client's answer against what was offered (P1).
 *
 * @category parsing
 * @since 0.1.0
 */
export const permissionOutcome = (
  options: ReadonlyArray<Permission.PermissionOption>,
  outcome: Permission.RequestPermissionOutcome
): PermissionOutcome => {
  if (outcome.outcome !== "selected") return { _tag: "Cancelled" }
  const option = options.find(({ optionId }) => optionId === outcome.optionId)
  if (option === undefined) return { _tag: "Cancelled" }
  const allows = option.kind === "allow_once" || option.kind === "allow_always"
  return { _tag: allows ? "Allowed" : "Rejected", option }
}

const isEmptyChunk = (update: SessionUpdate.SessionUpdate): boolean =>
  (update.sessionUpdate === "agent_message_chunk" || update.sessionUpdate === "agent_thought_chunk") &&
  update.content.type === "text" && update.content.text === ""

/**
 * @internal
 */
export const make = (options: {
  readonly session: AgentSession
  readonly request: PromptRequest
  readonly steered: Turn["steered"]
  readonly isCancelled: () => boolean
  readonly interrupted: Effect.Effect<void>
  readonly send: Turn["update"]
  readonly onEmptyChunk: () => void
  readonly newToolCallId: () => string
  readonly fork: Turn["fork"]
}): Turn => {
  const { request, session } = options
  const { client, sessionId } = session

  const update: Turn["update"] = (update) =>
    Effect.suspend(() => {
      if (!isEmptyChunk(update)) return options.send(update)
      options.onEmptyChunk()
      return Effect.void
    })

  const requestPermission: Turn["requestPermission"] = (toolCall, permissionOptions) =>
    Effect.suspend(() => {
      if (options.isCancelled()) return Effect.succeed(cancelled)
      const answer = Effect.map(
        client.requestPermission({ sessionId, toolCall, options: permissionOptions }),
        ({ outcome }) => permissionOutcome(permissionOptions, outcome)
      )
      return Effect.raceFirst(answer, Effect.as(options.interrupted, cancelled)) // X7
    })

  const ask = Effect.fnUntraced(function*(
    toolCall: ToolCallUpdate,
    permission: NonNullable<ToolCallOptions["permission"]>
  ) {
    if (permission === false) return
    const offered = permission === true ? defaultPermissionOptions : permission
    const outcome = yield* requestPermission(toolCall, offered)
    if (outcome._tag === "Allowed") return
    const { toolCallId } = toolCall
    return yield* new AcpError.PermissionDenied({
      toolCallId,
      outcome: outcome._tag === "Rejected" ? "rejected" : "cancelled"
    })
  })

  const toolCall: Turn["toolCall"] = (toolCallOptions, body) =>
    Effect.uninterruptibleMask((restore) => {
      const { permission = false, toolCallId = options.newToolCallId(), ...described } = toolCallOptions
      const { handle, settle } = makeToolCall(toolCallId, described.content ?? [], update)
      const work = ask({ ...described, toolCallId }, permission).pipe(
        Effect.andThen(handle.update({ status: "in_progress" })),
        Effect.andThen(Effect.suspend(() => body(handle)))
      )
      return restore(update(SessionUpdate.toolCall({ ...described, toolCallId, status: "pending" }))).pipe(
        Effect.andThen(Effect.onExit(restore(work), settle))
      )
    })

  return {
    session,
    request,
    steered: options.steered,
    isCancelled: Effect.sync(options.isCancelled),
    text: request.prompt.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n"),
    update,
    say: (content) => update(SessionUpdate.agentMessageChunk(content)),
    think: (content) => update(SessionUpdate.agentThoughtChunk(content)),
    plan: (entries) => update(SessionUpdate.plan(entries)),
    usage: (usage) => update(SessionUpdate.usage(usage)),
    requestPermission,
    toolCall,
    readTextFile: (path, window) =>
      Effect.map(client.readTextFile({ sessionId, path, ...window }), ({ content }) => content),
    writeTextFile: (path, content) => Effect.asVoid(client.writeTextFile({ sessionId, path, content })),
    terminal: (command) => Terminal.make(session, { cwd: session.cwd, ...command }),
    run: (command, options) => Terminal.run(session, { cwd: session.cwd, ...command }, options),
    fork: options.fork
  }
}

const cancelled: PermissionOutcome = { _tag: "Cancelled" }

/** A tool call that knows what was last reported of it. */
const makeToolCall = (
  toolCallId: string,
  described: ReadonlyArray<ToolCallContent>,
  update: Turn["update"]
): { readonly handle: ToolCallHandle; readonly settle: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void> } => {
  let content = described
  let status: ToolCallUpdate["status"] = "pending"
  const report: ToolCallHandle["update"] = (fields) =>
    Effect.suspend(() => {
      status = fields.status ?? status
      content = fields.content ?? content
      return update(SessionUpdate.toolCallUpdate({ ...fields, toolCallId }))
    })
  return {
    handle: {
      toolCallId,
      update: report,
      attach: (...added) => Effect.suspend(() => report({ content: [...content, ...added] }))
    },
    settle: (exit) =>
      Effect.suspend(() =>
        status === "completed" || status === "failed"
          ? Effect.void
          : Effect.ignore(report({ status: Exit.isSuccess(exit) ? "completed" : "failed" }))
      )
  }
}
