/**
 * The folders of the session that a request names.
 */
import * as AcpError from "@effect-acp/core/AcpError"
import type { Session } from "@effect-acp/core/InboundRequest"
import * as Effect from "effect/Effect"

/** The folders of a session, or those that were given in their place; a session that is not known has none. */
export const rootsOf = (
  session: Session | undefined,
  roots: ReadonlyArray<string> | undefined
): Effect.Effect<ReadonlyArray<string>, AcpError.ResourceNotFound> => {
  if (session === undefined) return unknownSession
  return Effect.succeed(roots ?? [session.cwd, ...session.additionalDirectories])
}

/** The answer to a request for a session that this client does not have. */
export const unknownSession = Effect.fail(
  new AcpError.ResourceNotFound({ message: "There is no such session", data: { reason: "unknown_session" } })
)
