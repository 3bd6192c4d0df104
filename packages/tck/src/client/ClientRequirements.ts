/**
 * The twenty rules that a client is held to.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { gated } from "../internal/gated.ts"
import { at, isObject, items, preview } from "../Json.ts"
import * as OfficialSchema from "../OfficialSchema.ts"
import { Failed, Skipped } from "../Requirement.ts"
import { type Entry, kindOf } from "../Transcript.ts"
import { askedBy, calls, type ClientRequirement, questions, type Run } from "./ClientRequirement.ts"

type Check = Effect.Effect<string | void, Failed | Skipped>

const fail = (sent: string, received: string, expected: string) => Effect.fail(new Failed({ sent, received, expected }))

const skip = (reason: string) => Effect.fail(new Skipped({ reason }))

const written = ({ entries }: Run): ReadonlyArray<Entry> => entries.filter(({ direction }) => direction === "received")

const isAbsolute = (path: unknown): boolean => typeof path === "string" && /^(\/|[A-Za-z]:[\\/])/u.test(path)

/** Fails with the first line of the client of which `wrong` says something. */
const everyLine = (run: Run, expected: string, wrong: (entry: Entry) => string | undefined): Check => {
  const lines = written(run)
  if (lines.length === 0) return fail("the command of the agent", "the client wrote nothing to it", "initialize")
  for (const entry of lines) {
    const problem = wrong(entry)
    if (problem !== undefined) return fail("the agent's part", `${preview(entry.line)} (${problem})`, expected)
  }
  return Effect.void
}

/** The first answer to each question; fails where there is none, or more than one. */
const answersTo = Effect.fnUntraced(function*(run: Run, method?: string) {
  const asked = questions(run, method)
  if (asked.length === 0) return yield* skip("the turn did not begin")
  for (const { answers, question } of asked) {
    if (answers.length !== 1) {
      const received = answers.length === 0 ? "no answer" : answers.map(({ line }) => preview(line)).join(" ")
      return yield* fail(preview(question.line), received, "exactly one answer with that id")
    }
  }
  return asked.map(({ answers, question }) => ({ question, answer: answers[0] }))
})

const permission = "session/request_permission"

const outcomeOf = ({ message }: Entry): unknown => at(message, "result", "outcome")

/** An outcome that is cancelled, or one of the options that were offered. P1, P2 */
const isOffered = (question: Entry, answer: Entry): boolean => {
  const outcome = outcomeOf(answer)
  const offered = items(at(question.message, "params", "options")).map((option) => at(option, "optionId"))
  if (at(outcome, "outcome") === "cancelled") return true
  return at(outcome, "outcome") === "selected" && offered.includes(at(outcome, "optionId"))
}

const checkPermissions = Effect.fnUntraced(function*(run: Run) {
  for (const { answer, question } of yield* answersTo(run, permission)) {
    if (!isOffered(question, answer)) {
      return yield* fail(preview(question.line), preview(answer.line), "one of the offered options, or cancelled")
    }
  }
})

/** The turn went on: a question after the strange thing was answered. */
const goesOn = (run: Run) => Effect.asVoid(answersTo(run, permission))

const firstOf = (run: Run, method: string): Entry | undefined => calls(run, method)[0]

/** The answer of the agent to the first call with this method. */
const answerTo = (run: Run, method: string): Entry | undefined => {
  const call = firstOf(run, method)
  return run.entries.find((entry) =>
    entry.direction === "sent" && kindOf(entry) === "response" && entry.message!["id"] === call?.message!["id"]
  )
}

const order = ["initialize", "session/new", "session/prompt"]

/** Each step waits for the answer to the step before it. H1, U5 */
const checkOrder = (run: Run): Check => {
  const [first] = written(run)
  if (first?.message?.["method"] !== "initialize") {
    return fail("the command of the agent", first === undefined ? "nothing" : preview(first.line), "initialize first")
  }
  for (const [index, method] of order.slice(1).entries()) {
    const [call, before] = [firstOf(run, method), answerTo(run, order[index])]
    if (call === undefined) return skip(`the client did not call ${method}`)
    if (before === undefined || before.index > call.index) {
      return fail(`the answer to ${order[index]}`, `before it: ${preview(call.line)}`, `${method} after that answer`)
    }
  }
  const sessionId = at(answerTo(run, "session/new")?.message, "result", "sessionId")
  const prompt = firstOf(run, "session/prompt")!
  return at(prompt.message, "params", "sessionId") === sessionId
    ? Effect.void
    : fail(`session ${preview(sessionId)}`, preview(prompt.line), "a prompt for that session")
}

/** No two requests of the client that are unanswered at the same time have one id. E2 */
const checkIds = (run: Run): Check => {
  const open = new Set<unknown>()
  for (const entry of run.entries) {
    const id = entry.message?.["id"]
    const kind = kindOf(entry)
    if (entry.direction === "sent" && kind === "response") open.delete(id)
    if (entry.direction === "received" && kind === "request") {
      if (id === null) return fail("the agent's part", preview(entry.line), "an id that is not null")
      if (open.has(id)) return fail("the agent's part", preview(entry.line), "an id that no open request has")
      open.add(id)
    }
  }
  return Effect.void
}

/** A session is given a folder by its absolute path, and a list of servers. */
const checkSession = (run: Run): Check => {
  const created = firstOf(run, "session/new")
  if (created === undefined) return skip("the client created no session")
  const params = created.message!["params"]
  const isRight = isAbsolute(at(params, "cwd")) && Array.isArray(at(params, "mcpServers"))
  return isRight
    ? Effect.void
    : fail("the answer to initialize", preview(created.line), "an absolute cwd, and mcpServers")
}

const isError = ({ message }: Entry): boolean => isObject(message?.["error"])

const refusals = new Set<unknown>(["cancel", "decline"])

/** An error; a form that was not filled in grants nothing either. */
const isRefusal = (answer: Entry): boolean => isError(answer) || refusals.has(at(answer.message, "result", "action"))

const checkRefusals = Effect.fnUntraced(function*(run: Run, method?: string) {
  for (const { answer, question } of yield* answersTo(run, method)) {
    if (!isRefusal(answer)) return yield* fail(preview(question.line), preview(answer.line), "an error")
    if (at(answer.message, "error", "code") !== -32601) {
      return `refused, though not with -32601: ${preview(answer.line)}`
    }
  }
})

const checkCancel = (run: Run): Check => {
  const cancel = firstOf(run, "session/cancel")
  if (!run.signalled) return skip("the turn did not begin")
  if (cancel === undefined) return fail("an interrupt (SIGINT) during a turn", "no session/cancel", "session/cancel")
  if (Object.hasOwn(cancel.message!, "id")) {
    return fail("an interrupt", preview(cancel.line), "a notification, without id")
  }
  const sessionId = at(firstOf(run, "session/prompt")?.message, "params", "sessionId")
  return at(cancel.message, "params", "sessionId") === sessionId
    ? Effect.void
    : fail("an interrupt", preview(cancel.line), `the session of the turn, ${preview(sessionId)}`)
}

/** What is asked after the cancel is answered cancelled. X7 */
const checkCancelledPermission = Effect.fnUntraced(function*(run: Run) {
  if (firstOf(run, "session/cancel") === undefined) return yield* skip("the client did not cancel the turn")
  const [asked] = questions(run, permission)
  const [answer] = asked?.answers ?? []
  if (answer === undefined) return yield* skip("the client went away before it was asked")
  if (at(outcomeOf(answer), "outcome") !== "cancelled") {
    return yield* fail(
      `after the cancel: ${preview(asked.question.line)}`,
      preview(answer.line),
      "the outcome cancelled"
    )
  }
})

const wire: ReadonlyArray<ClientRequirement> = [
  {
    id: "CLIENT-WIRE-001",
    tier: "mandatory",
    title: "Every line is one JSON-RPC 2.0 object",
    scenario: "permission",
    // F6, E8
    check: (run) =>
      everyLine(run, "one JSON object with jsonrpc \"2.0\" on every line", ({ message, problem }) => {
        if (problem !== undefined) return problem
        return message?.["jsonrpc"] === "2.0" ? undefined : "jsonrpc is not \"2.0\""
      })
  },
  {
    id: "CLIENT-SCHEMA-001",
    tier: "mandatory",
    title: "Every message is valid by the official schema",
    scenario: "permission",
    check: (run) =>
      everyLine(
        run,
        "messages that are valid by the official schema",
        (entry) => OfficialSchema.messageProblem("client", entry, askedBy(run, "agent"))
      )
  },
  {
    id: "CLIENT-ID-001",
    tier: "mandatory",
    title: "Ids of open requests differ",
    scenario: "permission",
    check: checkIds
  },
  {
    id: "CLIENT-ID-002",
    tier: "mandatory",
    title: "Ids of the agent come back with the same value and type, once",
    scenario: "awkward-ids",
    // E2, E4
    check: (run) => Effect.asVoid(answersTo(run, permission))
  }
]

const handshake: ReadonlyArray<ClientRequirement> = [
  {
    id: "CLIENT-ORDER-001",
    tier: "mandatory",
    title: "initialize, session/new and session/prompt each wait for the answer before them",
    scenario: "plain",
    check: checkOrder
  },
  {
    id: "CLIENT-INIT-001",
    tier: "mandatory",
    title: "A version that the client does not know is not accepted",
    scenario: "another-version",
    // H5
    check: (run) => {
      const next = written(run).find(({ message }) => String(message?.["method"]).startsWith("session/"))
      return next === undefined ? Effect.void : fail("protocolVersion 9999", preview(next.line), "no session")
    }
  },
  {
    id: "CLIENT-SESSION-001",
    tier: "mandatory",
    title: "A session has an absolute cwd and a list of MCP servers",
    scenario: "plain",
    check: checkSession
  },
  {
    id: "CLIENT-GATE-001",
    tier: "mandatory",
    title: "Nothing is used that the agent does not advertise",
    scenario: "plain",
    // G4
    check: (run) => everyLine(run, "what the agent advertises, which is nothing", ({ message }) => gated(message))
  }
]

const permissions: ReadonlyArray<ClientRequirement> = [
  {
    id: "CLIENT-PERM-001",
    tier: "mandatory",
    title: "A permission request is answered with an offered option, or cancelled",
    scenario: "permission",
    check: checkPermissions
  },
  {
    id: "CLIENT-PERM-002",
    tier: "mandatory",
    title: "Where only rejections are offered, nothing else is chosen",
    scenario: "rejections-only",
    check: checkPermissions
  },
  {
    id: "CLIENT-PERM-003",
    tier: "mandatory",
    title: "Several permission requests at a time are all answered",
    scenario: "awkward-ids",
    // P3
    check: checkPermissions
  }
]

const strangers: ReadonlyArray<ClientRequirement> = [
  {
    id: "CLIENT-METHOD-001",
    tier: "mandatory",
    title: "An unknown request is answered with an error",
    scenario: "unknown-request",
    // E9
    check: (run) => checkRefusals(run, "_tck/does_not_exist")
  },
  {
    id: "CLIENT-METHOD-002",
    tier: "mandatory",
    title: "An unknown notification and an unknown update change nothing",
    scenario: "unknown-notification",
    // E6
    check: goesOn
  },
  {
    id: "CLIENT-GATE-002",
    tier: "mandatory",
    title: "A request for what the client does not advertise is refused",
    scenario: "gated",
    // G1
    check: (run) =>
      questions(run).length === 0 && firstOf(run, "session/prompt") !== undefined
        ? skip("the client advertises everything")
        : checkRefusals(run)
  },
  {
    id: "CLIENT-FILE-001",
    tier: "capability",
    title: "A file that is not named by an absolute path is not read",
    scenario: "relative-path",
    // FS1
    check: Effect.fnUntraced(function*(run: Run) {
      if (questions(run).length === 0) return yield* skip("the client does not serve files")
      for (const { answer, question } of yield* answersTo(run)) {
        if (!isError(answer)) return yield* fail(preview(question.line), preview(answer.line), "an error")
      }
    })
  },
  {
    id: "CLIENT-NOISE-001",
    tier: "advisory",
    title: "A line that is no message is not answered, and the turn goes on",
    scenario: "noise",
    // F4
    check: Effect.fnUntraced(function*(run: Run) {
      const asked = askedBy(run, "agent")
      const stray = written(run).find((entry) =>
        kindOf(entry) === "response" && asked(entry.message!["id"]) === undefined
      )
      if (stray !== undefined) return yield* fail("a line that is no message", preview(stray.line), "no answer to it")
      yield* goesOn(run)
    })
  }
]

const endings: ReadonlyArray<ClientRequirement> = [
  {
    id: "CLIENT-CANCEL-001",
    tier: "mandatory",
    title: "An interrupted client cancels its turn",
    scenario: "busy",
    // X4
    check: checkCancel
  },
  {
    id: "CLIENT-CANCEL-002",
    tier: "mandatory",
    title: "After a cancel, permission requests are answered as cancelled",
    scenario: "busy",
    check: checkCancelledPermission
  },
  {
    id: "CLIENT-END-001",
    tier: "mandatory",
    title: "A client whose agent dies ends its turn",
    scenario: "dies",
    // C2
    check: (run) => {
      if (firstOf(run, "session/prompt") === undefined) return skip("the turn did not begin")
      const { exit } = run
      if (exit === undefined) return fail("the end of the agent", "the client still runs", "that it ends")
      return Effect.succeed(`ended with ${exit.signal ?? `code ${exit.code}`}`)
    }
  },
  {
    id: "CLIENT-END-002",
    tier: "mandatory",
    title: "A client that exits leaves no agent behind",
    scenario: "plain",
    // R2
    check: (run) => {
      if (run.exit === undefined) return skip("the client does not exit after its turn")
      return run.leftAgent
        ? fail("the end of the turn", "the agent still runs", "that the agent ends with it")
        : Effect.void
    }
  }
]

/**
 * The rules that a client is held to.
 *
 * @category requirements
 * @since 0.1.0
 */
export const version1: ReadonlyArray<ClientRequirement> = [
  ...wire,
  ...handshake,
  ...permissions,
  ...strangers,
  ...endings
]
