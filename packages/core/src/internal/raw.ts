/**
 * Methods without a row: they are served by the raw handlers, as if by two rows that fit every name.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import * as AcpError from "../AcpError.ts"
import { RawHandlers } from "../Extension.ts"
import { InboundRequest } from "../InboundRequest.ts"

/** The row of requests without a row. */
export const row: Rpc.AnyWithProps = Rpc.make("", {
  payload: Schema.Unknown,
  success: Schema.Unknown,
  error: AcpError.RequestError
})

export interface Raw {
  /** Tells whether a name is for the raw handlers; `known` are the names of rows. */
  readonly accepts: (method: string) => boolean
  /** The handler of {@link row}. */
  readonly request: Rpc.Handler<string>
  readonly notification: ((method: string, params: unknown) => Effect.Effect<void>) | undefined
}

/** The raw handlers among the services of a side; names that have a row are never theirs. */
export const make = (rows: ReadonlyArray<Rpc.AnyWithProps>, services: Context.Context<never>): Raw | undefined => {
  const handlers = Option.getOrUndefined(Context.getOption(services, RawHandlers))
  if (handlers === undefined) return undefined
  const known = new Set(rows.map((row) => row._tag))
  return {
    accepts: (method) => !known.has(method) && handlers.accepts(method),
    request: {
      tag: row._tag,
      handler: () => Effect.flatMap(InboundRequest, ({ method, raw }) => handlers.request(method, raw)),
      context: Context.empty()
    } as unknown as Rpc.Handler<string>,
    notification: handlers.notification
  }
}
