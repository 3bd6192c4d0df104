/**
 * What the agent asks the user through the client: may this run, and please fill this in.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as AcpError from "../AcpError.ts"
import * as ClientMethods from "../ClientMethods.ts"
import type * as Diagnostic from "../Diagnostic.ts"
import { type Elicitation, isAccepted } from "../Elicitation.ts"
import type { Decision, Permission } from "../Permission.ts"
import { accept, cancel, type CreateElicitationRequest, type CreateElicitationResponse } from "../schema/Elicitation.ts"
import {
  cancelled,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  selected
} from "../schema/Permission.ts"
import * as SessionState from "../SessionState.ts"
import type { Sessions } from "./clientSessions.ts"
import * as SessionFold from "./sessionFold.ts"

type Report = (diagnostic: Diagnostic.Diagnostic) => void

/** Asks with what is known of the tool call, and answers with an option that was offered (P2). */
export const permission = (sessions: Sessions, service: Permission["Service"], report: Report) =>
(
  request: RequestPermissionRequest
): Effect.Effect<RequestPermissionResponse, AcpError.ResourceNotFound> =>
  Effect.suspend(() => {
    const { sessionId, toolCall } = request
    const entry = sessions.get(sessionId)
    if (entry === undefined) return Effect.fail(new AcpError.ResourceNotFound({ data: { sessionId } }))
    const known = SessionState.toolCall(entry.stateUnsafe(), toolCall.toolCallId)
    entry.foldUnsafe({ _tag: "PermissionAsked", toolCall })
    const completed = { ...request, toolCall: SessionFold.asAsked(known, toolCall) }
    return Effect.map(
      entry.ask(service.decide(completed), "cancelled"),
      (decision) => ({ outcome: outcomeOf(request, decision, report) })
    )
  })

const outcomeOf = (
  { options, sessionId }: RequestPermissionRequest,
  decision: Decision,
  report: Report
): RequestPermissionOutcome => {
  if (decision === "cancelled") return cancelled
  const { optionId } = decision
  if (options.some((option) => option.optionId === optionId)) return selected(optionId)
  report({ _tag: "NotOfferedDecision", sessionId, optionId })
  return cancelled
}

/** The handlers of elicitations, and what they advertise (G5). */
export const elicitation = (sessions: Sessions, service: Elicitation["Service"]) => {
  const { completed, form, url } = service
  const outstanding = new Set<string>()

  const ask = (request: CreateElicitationRequest): Effect.Effect<CreateElicitationResponse, AcpError.InvalidParams> => {
    if (request.mode === "form" && form !== undefined) {
      return Effect.map(form(request), (answer) => isAccepted(answer) ? accept(answer.answers) : { action: answer })
    }
    if (request.mode === "url" && url !== undefined) {
      return Effect.map(url(request), (action) => {
        if (action === "accept") outstanding.add(request.elicitationId)
        return { action }
      })
    }
    const mode = request.mode === "unknown" ? request.raw.mode : request.mode
    return Effect.fail(new AcpError.InvalidParams({ data: { mode, reason: "the client did not advertise this mode" } }))
  }

  return {
    advertised: {
      elicitation: { ...(form === undefined ? {} : { form: {} }), ...(url === undefined ? {} : { url: {} }) }
    },
    handlers: ClientMethods.handlers({
      createElicitation: (request) => {
        const sessionId = request.mode !== "unknown" && "sessionId" in request ? request.sessionId : undefined
        if (sessionId === undefined) return ask(request)
        const entry = sessions.get(sessionId)
        return entry === undefined
          ? Effect.fail(new AcpError.ResourceNotFound({ data: { sessionId } }))
          : Effect.flatMap(entry.ask(Effect.result(ask(request)), Result.succeed(cancel)), Effect.fromResult)
      },
      // An unknown id, or one that is done already, is ignored.
      completeElicitation: ({ elicitationId }) =>
        outstanding.delete(elicitationId) ? completed(elicitationId) : Effect.void
    })
  }
}
