/**
 * A chat in the terminal with any agent: `node chat.ts --agent "COMMAND"`, or the example agent without it.
 *
 * What is typed is sent as a prompt; text, tool calls, plans and diffs appear as they come. `/help` lists the commands.
 * Ctrl-C cancels what the agent is doing, and ends the chat when it is doing nothing.
 */
import * as AcpError from "@effect-acp/core/AcpError"
import * as Client from "@effect-acp/core/Client"
import type { ClientSession } from "@effect-acp/core/ClientSession"
import * as Permission from "@effect-acp/core/Permission"
import * as Content from "@effect-acp/core/schema/Content"
import * as SessionConfig from "@effect-acp/core/schema/SessionConfig"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import * as ToolCall from "@effect-acp/core/schema/ToolCall"
import * as SessionState from "@effect-acp/core/SessionState"
import type * as TurnEvent from "@effect-acp/core/TurnEvent"
import * as AgentProcess from "@effect-acp/host/AgentProcess"
import * as Files from "@effect-acp/host/Files"
import * as Terminals from "@effect-acp/host/Terminals"
import { NodeServices } from "@effect/platform-node"
import type * as Cause from "effect/Cause"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { resolve } from "node:path"
import * as Words from "./Words.ts"

// =============================================================================
// The terminal
// =============================================================================

const colours = { plain: "0", bold: "1", dim: "2", red: "31", green: "32", yellow: "33" } as const

const write = (text: string) =>
  Effect.sync(() => {
    process.stdout.write(text)
  })

const paint = (colour: keyof typeof colours, text: string) =>
  process.stdout.isTTY ? `\u001b[${colours[colour]}m${text}\u001b[0m` : text

const line = (colour: keyof typeof colours, text: string) => write(`${paint(colour, text)}\n`)

/** The lines that are typed. It ends with them. */
const readLines = Effect.gen(function*() {
  const lines = yield* Queue.unbounded<string, Cause.Done>()
  const { stdin } = yield* Stdio.Stdio
  yield* stdin.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((text) => Queue.offer(lines, text)),
    Effect.ensuring(Queue.end(lines)),
    Effect.forkScoped
  )
  return lines
})

/** Every Ctrl-C. */
const watchInterrupts = Effect.gen(function*() {
  const interrupts = yield* Queue.unbounded<void>()
  const notice = () => Queue.offerUnsafe(interrupts, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGINT", notice)),
    () => Effect.sync(() => process.off("SIGINT", notice))
  )
  return interrupts
})

// =============================================================================
// What the agent tells
// =============================================================================

const plainText = Content.match({
  text: ({ text }) => text,
  image: () => "[image]",
  audio: () => "[audio]",
  resource_link: ({ uri }) => uri,
  resource: ({ resource }) => resource.uri,
  unknown: ({ raw }) => `[${String(raw["type"])}]`
})

const planMarks: Record<string, string> = { pending: "[ ]", in_progress: "[~]", completed: "[x]" }

const showPlan = ({ entries }: SessionUpdate.Kind<"plan">) =>
  Effect.forEach(
    entries,
    ({ content, status }) => line("dim", `  ${planMarks[status] ?? "[?]"} ${content}`),
    { discard: true }
  )

const showContent = ToolCall.match({
  content: ({ content }) => line("dim", indent("    ", plainText(content))),
  diff: ({ newText, oldText, path }) =>
    Effect.andThen(
      line("dim", `    ${path}`),
      Effect.andThen(
        oldText === undefined || oldText === null ? Effect.void : line("red", indent("    - ", oldText)),
        line("green", indent("    + ", newText))
      )
    ),
  terminal: ({ terminalId }) => line("dim", `    terminal ${terminalId}`),
  unknown: () => Effect.void
})

const indent = (prefix: string, text: string) =>
  text.replace(/\n$/u, "").split("\n").map((line) => prefix + line).join("\n")

/** Shows a session's updates; of a tool call its states, from what the session knows of it by now. */
const makeView = (session: ClientSession) => {
  const shown = new Map<string, SessionState.ToolCall["status"]>()
  let isInText = false

  const say = (
    colour: keyof typeof colours,
    { content }: SessionUpdate.Kind<"agent_message_chunk" | "agent_thought_chunk">
  ) => {
    isInText = true
    return write(paint(colour, plainText(content)))
  }

  /** Anything but text begins on a line of its own. */
  const block = (show: Effect.Effect<unknown>) =>
    Effect.suspend(() => {
      const begin = isInText ? write("\n") : Effect.void
      isInText = false
      return Effect.andThen(begin, show)
    })

  const showToolCall = ({ toolCallId }: { readonly toolCallId: string }) =>
    Effect.flatMap(SubscriptionRef.get(session.state), (state) => {
      const call = SessionState.toolCall(state, toolCallId)
      if (call === undefined || shown.get(toolCallId) === call.status) return Effect.void
      shown.set(toolCallId, call.status)
      const content = SessionState.isOpen(call) ? [] : call.content
      return block(Effect.andThen(
        line("yellow", `  ${call.title} (${call.kind}): ${call.status}`),
        Effect.forEach(content, showContent, { discard: true })
      ))
    })

  return {
    update: SessionUpdate.matchOrElse({
      agent_message_chunk: (chunk) => say("plain", chunk),
      agent_thought_chunk: (chunk) => say("dim", chunk),
      user_message_chunk: ({ content }) => block(line("bold", `> ${plainText(content)}`)),
      tool_call: showToolCall,
      tool_call_update: showToolCall,
      plan: (plan) => block(showPlan(plan)),
      current_mode_update: ({ currentModeId }) => block(line("dim", `mode: ${currentModeId}`)),
      notice: ({ severity, title }) => block(line("dim", `${severity}: ${title}`))
    }, () => Effect.void),
    end: (text: string) => block(line("dim", `(${text})`))
  }
}

// =============================================================================
// What the agent asks
// =============================================================================

/** Asks with the options by number, one question at a time; a cancelled turn interrupts it. */
const askUser = (lines: Queue.Dequeue<string, Cause.Done>) => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  const ask: Permission.Policy = Effect.fnUntraced(function*(request) {
    const { options, toolCall } = request
    yield* line("bold", `\n  May it: ${toolCall.title} (${toolCall.kind})?`)
    yield* Effect.forEach(toolCall.content ?? [], showContent, { discard: true })
    yield* write(`${options.map(({ name }, index) => `  ${index + 1} ${name}`).join("\n")}\n? `)
    const answer = yield* Queue.take(lines)
    return options[Number(answer) - 1] ?? Permission.reject(request)
  }, Effect.catchCause(() => Effect.succeed("cancelled" as const)))
  return Permission.layer((request) => oneAtATime.withPermit(ask(request)))
}

// =============================================================================
// The conversation
// =============================================================================

interface Chat {
  readonly client: Client.Client["Service"]
  readonly cwd: string
  readonly lines: Queue.Dequeue<string, Cause.Done>
  readonly interrupts: Queue.Dequeue<void>
  /** The session of the conversation, and the scope that it is open in. */
  current: { readonly session: ClientSession; readonly scope: Scope.Closeable } | undefined
}

/** Takes a session in place of the one before, and shows what it already has to tell. */
const enter = Effect.fnUntraced(function*(
  chat: Chat,
  open: Effect.Effect<ClientSession, AcpError.SetupError, Scope.Scope>
) {
  const scope = yield* Scope.make()
  const session = yield* Scope.provide(open, scope)
  if (chat.current !== undefined) yield* Scope.close(chat.current.scope, Exit.void)
  chat.current = { session, scope }
  const view = makeView(session)
  yield* Effect.forEach(session.history, ({ update }) => view.update(update), { discard: true })
  yield* view.end(`session ${session.sessionId}`)
  yield* session.updates.pipe(
    Stream.filter(({ phase }) => phase === "outside"),
    Stream.runForEach(({ update }) => view.update(update)),
    Effect.forkIn(scope)
  )
})

/** Runs a turn to its end; Ctrl-C cancels it. */
const turn = Effect.fnUntraced(function*({ interrupts }: Chat, session: ClientSession, text: string) {
  const view = makeView(session)
  const show = (event: TurnEvent.TurnEvent) =>
    event._tag === "Update" ? view.update(event.update) : view.end(event.response.stopReason)
  const cancels = yield* Effect.forkChild(Effect.forever(Effect.andThen(Queue.take(interrupts), session.cancel)))
  yield* Effect.ensuring(Stream.runForEach(session.prompt(text), show), Fiber.interrupt(cancels))
})

const help = `  /new                start another session
  /sessions           list the sessions that the agent remembers
  /resume ID          open one of them again
  /mode [ID]          show the modes, or switch to one
  /set [OPTION VALUE] show the options, or set one
  /quit               end the chat
`

const showModes = Effect.fnUntraced(function*({ modes }: SessionState.SessionState) {
  for (const { id, name } of modes?.availableModes ?? []) {
    yield* line("plain", `  ${id === modes?.currentModeId ? "*" : " "} ${id}  ${name}`)
  }
})

const valuesOf = (option: SessionConfig.SessionConfigOption) =>
  option.type === "boolean" ? ["true", "false"] : SessionConfig.flatten(option.options).map(({ value }) => value)

const showOptions = Effect.fnUntraced(function*({ configOptions }: SessionState.SessionState) {
  for (const option of configOptions) {
    yield* line("plain", `  ${option.id} = ${option.currentValue} (${valuesOf(option).join(", ")})`)
  }
})

const setOption = ({ configOptions }: SessionState.SessionState, session: ClientSession, id: string, value: string) =>
  session.setConfigOption(
    id,
    configOptions.find((option) => option.id === id)?.type === "boolean" ? value === "true" : value
  )

/** Does what a line says; `false` ends the chat. */
const obey = Effect.fnUntraced(function*(
  chat: Chat,
  session: ClientSession,
  text: string
): Effect.fn.Return<boolean, AcpError.AcpError> {
  const { client, cwd } = chat
  const [command, ...args] = text.trim().split(/\s+/u)
  const state = yield* SubscriptionRef.get(session.state)
  switch (command) {
    case "":
      return true
    case "/quit":
      return false
    case "/new":
      yield* enter(chat, client.newSession({ cwd }))
      return true
    case "/resume": {
      const canLoad = client.agent.agentCapabilities?.loadSession === true
      const options = { cwd, sessionId: args[0] ?? "" }
      yield* enter(chat, canLoad ? client.loadSession(options) : client.resumeSession(options))
      return true
    }
    case "/sessions":
      yield* Stream.runForEach(
        client.listSessions({ cwd }),
        ({ sessionId, title }) => line("plain", `  ${sessionId}  ${title ?? ""}`)
      )
      return true
    case "/mode":
      yield* args.length === 0 ? showModes(state) : session.setMode(args[0])
      return true
    case "/set":
      yield* args.length === 0 ? showOptions(state) : setOption(state, session, args[0], args[1] ?? "")
      return true
    case "/help":
      yield* write(help)
      return true
    default:
      yield* turn(chat, session, text)
      return true
  }
})

/** Talks until there is nothing more to say, or nobody to say it to. */
const converse = Effect.fnUntraced(function*(chat: Chat, sessionId: string | undefined) {
  const { client, cwd, interrupts, lines } = chat
  yield* Effect.addFinalizer(() =>
    chat.current === undefined ? Effect.void : Scope.close(chat.current.scope, Exit.void)
  )
  yield* enter(
    chat,
    sessionId === undefined ? client.newSession({ cwd }) : client.loadSession({ cwd, sessionId })
  )
  const interrupted = Effect.as(Queue.take(interrupts), Option.none<string>())
  const typed = Effect.catch(Effect.asSome(Queue.take(lines)), () => Effect.succeedNone)
  while (chat.current !== undefined) {
    yield* write("> ")
    const next = yield* Effect.raceFirst(typed, interrupted)
    if (Option.isNone(next)) return yield* write("\n")
    const goesOn = yield* obey(chat, chat.current.session, next.value).pipe(
      Effect.catch((error) =>
        error._tag === "ConnectionClosed"
          ? Effect.fail(error)
          : Effect.as(line("red", AcpError.format(error)), true)
      )
    )
    if (!goesOn) return
  }
})

// =============================================================================
// The program
// =============================================================================

const exampleAgent = `"${process.execPath}" "${resolve(import.meta.dirname, "agent.ts")}"`

const chat = Command.make("chat", {
  agent: Flag.String("agent").pipe(
    Flag.withDescription("The command line of the agent; the example agent without it"),
    Flag.withMetavar("COMMAND"),
    Flag.withDefault(exampleAgent)
  ),
  resume: Flag.String("resume").pipe(
    Flag.withDescription("The id of a session to open again"),
    Flag.withMetavar("ID"),
    Flag.optional
  )
}, ({ agent, resume }) =>
  Effect.gen(function*() {
    const words = Words.split(agent)
    if (Result.isFailure(words)) return yield* line("red", `--agent: ${words.failure}`)
    const [command, ...args] = words.success
    const cwd = process.cwd()
    const lines = yield* readLines
    const interrupts = yield* watchInterrupts
    const client = Client.layer({
      clientInfo: { name: "effect-acp-chat", title: "Chat", version: "0.1.0" },
      capabilities: { session: { notices: {}, configOptions: { boolean: {} } } }
    }).pipe(
      Layer.provide([askUser(lines), Files.layer(), Terminals.layer(), AgentProcess.layer(command, args, { cwd })])
    )
    yield* Effect.flatMap(
      Client.Client,
      (client) => converse({ client, cwd, lines, interrupts, current: undefined }, Option.getOrUndefined(resume))
    ).pipe(Effect.scoped, Effect.provide(client))
  }).pipe(
    Effect.scoped,
    Effect.tapError((error) => line("red", error.message))
  ))

const given = process.argv.slice(2)

// `pnpm chat -- --agent …` hands the two dashes on.
Effect.runPromiseExit(
  Command.runWith(chat, { version: "0.1.0" })(given[0] === "--" ? given.slice(1) : given).pipe(
    Effect.provide(NodeServices.layer)
  )
).then((exit) => process.exit(Exit.isSuccess(exit) ? 0 : 1))
