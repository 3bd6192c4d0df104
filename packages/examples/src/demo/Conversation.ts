/**
 * What the demo says to an agent, and how it listens.
 */
import * as Client from "@effect-acp/core/Client"
import type * as ClientSession from "@effect-acp/core/ClientSession"
import * as Permission from "@effect-acp/core/Permission"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import * as Effect from "effect/Effect"
import { Display } from "./Display.ts"
import * as TurnView from "./TurnView.ts"

/** One turn: what is prompted, and after how many updates it is cancelled. */
export interface Prompt {
  readonly text: string
  readonly cancelAfter?: number
}

const messageLines = 12

/** Opens a session in a folder and runs the turns one after the other. */
export const run = Effect.fnUntraced(function*(cwd: string, prompts: ReadonlyArray<Prompt>) {
  const display = yield* Display
  const client = yield* Client.Client
  const { agentInfo, protocolVersion } = client.agent
  const name = agentInfo === undefined || agentInfo === null
    ? "unnamed"
    : `${agentInfo.title ?? agentInfo.name} ${agentInfo.version}`
  yield* display.line(["bold", "agent"], `   ${name}, protocol version ${protocolVersion}`)
  const session = yield* client.newSession({ cwd })
  yield* display.line(["bold", "session"], ` ${session.sessionId} in ${cwd}`)
  for (const prompt of prompts) yield* turn(session, prompt)
}, Effect.scoped)

const turn = Effect.fnUntraced(function*(session: ClientSession.ClientSession, { cancelAfter, text }: Prompt) {
  const display = yield* Display
  const view = yield* TurnView.make({ messageLines })
  yield* display.line("")
  yield* display.line(["cyan", `> ${text}`])
  let updates = 0
  const { stopReason } = yield* TurnEvent.runForEachUpdate(session.prompt(text), (update) =>
    Effect.gen(function*() {
      yield* view.update(update)
      if (++updates !== cancelAfter) return
      yield* display.line(["yellow", `cancelling after ${updates} updates`])
      yield* session.cancel
    }))
  yield* view.end
  yield* display.line(["dim", `stop reason: ${stopReason}`])
}, Effect.scoped)

/**
 * A policy that answers the agent's questions and shows its answers: allows the given kinds of tool call, once, and
 * rejects the others.
 */
export const layerPolicy = (allowed: ReadonlyArray<string>) =>
  Permission.layer(Effect.fnUntraced(function*(request) {
    const display = yield* Display
    const { kind, title, toolCallId } = request.toolCall
    const isAllowed = allowed.includes(String(kind ?? "other"))
    const decision = (isAllowed ? Permission.allowOnce : Permission.reject)(request)
    const answer = decision === "cancelled" ? "no answer" : decision.name
    yield* display.line(
      ["yellow", "asked"],
      ` ${title ?? toolCallId}? `,
      [isAllowed ? "green" : "red", answer],
      ["dim", ` (policy: ${allowed.join(" and ")} once, nothing else)`]
    )
    return decision
  }))
