/**
 * The sessions that an agent remembers, page by page and only as far as they are taken.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as AcpError from "../AcpError.ts"
import * as AgentMethods from "../AgentMethods.ts"
import type * as Connection from "../Connection.ts"
import type { ListSessionsRequest, SessionInfo } from "../schema/Session.ts"

export const make = (
  connection: Connection.Connection,
  filter: Omit<ListSessionsRequest, "cursor">
): Stream.Stream<SessionInfo, AcpError.CallError> =>
  Stream.paginate(undefined as string | undefined, (cursor) =>
    Effect.map(
      connection.call(AgentMethods.listSessions, cursor === undefined ? filter : { ...filter, cursor }),
      // An agent that answers with the cursor it was asked with would be asked for ever.
      ({ nextCursor, sessions }) => [sessions, Option.fromNullishOr(nextCursor === cursor ? undefined : nextCursor)]
    ))
