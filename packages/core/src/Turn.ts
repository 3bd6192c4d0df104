/**
 * A turn as its agent works on it: what a prompt handler is given.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as AcpError from "./AcpError.ts"
import type { AgentSession } from "./AgentSession.ts"
import * as Content from "./schema/Content.ts"
import * as Permission from "./schema/Permission.ts"
import type { Plan } from "./schema/Plan.ts"
import type { PromptRequest } from "./schema/Prompt.ts"
import * as SessionUpdate from "./schema/SessionUpdate.ts"
import type { ToolCall, ToolCallUpdate } from "./schema/ToolCall.ts"
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
  /** The text blocks of the prompt, joined by line breaks. */
  readonly text: string
  /** Sends an update. A message chunk with empty text is not sent, with a diagnostic. */
  readonly update: (update: SessionUpdate.SessionUpdate) => Effect.Effect<void, AcpError.NotifyError | AcpError.TurnOver>
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
  /** Asks the user, and waits as long as it takes. */
  readonly requestPermission: (
    toolCall: ToolCallUpdate,
    options: ReadonlyArray<Permission.PermissionOption>
  ) => Effect.Effect<PermissionOutcome, AcpError.CallError>
  /**
   * Runs an effect as a tool call: reported as pending, in progress once `body` runs, and completed or failed at its end.
   *
   * With `permission` the user is asked first, and without an allowing answer `body` does not run: the call fails and so
   * does the effect, with `PermissionDenied`. A call never stays open, not on interruption either.
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
  readonly isOver: () => boolean
  readonly onUpdate: () => void
  readonly onEmptyChunk: () => void
  readonly onLateUpdate: () => void
  readonly newToolCallId: () => string
  readonly fork: Turn["fork"]
}): Turn => {
  const { request, session } = options
  const { client, sessionId } = session

  const update: Turn["update"] = (update) =>
    Effect.suspend((): Effect.Effect<void, AcpError.NotifyError | AcpError.TurnOver> => {
      if (options.isOver()) {
        options.onLateUpdate()
        return Effect.fail(new AcpError.TurnOver({ sessionId }))
      }
      if (isEmptyChunk(update)) {
        options.onEmptyChunk()
        return Effect.void
      }
      options.onUpdate()
      return session.update(update)
    })

  const requestPermission: Turn["requestPermission"] = (toolCall, permissionOptions) =>
    Effect.map(
      client.requestPermission({ sessionId, toolCall, options: permissionOptions }),
      ({ outcome }) => permissionOutcome(permissionOptions, outcome)
    )

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

  const toolCall: Turn["toolCall"] = (toolCallOptions, body) => {
    const { permission = false, toolCallId = options.newToolCallId(), ...described } = toolCallOptions
    const handle: ToolCallHandle = {
      toolCallId,
      update: (fields) => update(SessionUpdate.toolCallUpdate({ ...fields, toolCallId }))
    }
    return update(SessionUpdate.toolCall({ ...described, toolCallId, status: "pending" })).pipe(
      Effect.andThen(ask({ ...described, toolCallId }, permission)),
      Effect.andThen(handle.update({ status: "in_progress" })),
      Effect.andThen(body(handle)),
      Effect.onExit((exit) => Effect.ignore(handle.update({ status: Exit.isSuccess(exit) ? "completed" : "failed" })))
    )
  }

  return {
    session,
    request,
    text: request.prompt.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n"),
    update,
    say: (content) => update(SessionUpdate.agentMessageChunk(content)),
    think: (content) => update(SessionUpdate.agentThoughtChunk(content)),
    plan: (entries) => update(SessionUpdate.plan(entries)),
    requestPermission,
    toolCall,
    readTextFile: (path, window) =>
      Effect.map(client.readTextFile({ sessionId, path, ...window }), ({ content }) => content),
    writeTextFile: (path, content) => Effect.asVoid(client.writeTextFile({ sessionId, path, content })),
    terminal: (command) => Terminal.make(session, { cwd: session.cwd, ...command }),
    fork: options.fork
  }
}
