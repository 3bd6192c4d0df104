import * as AcpError from "@effect-acp/core/AcpError"
import * as ClientMethods from "@effect-acp/core/ClientMethods"
import { InboundRequest, type Session } from "@effect-acp/core/InboundRequest"
import * as MethodTable from "@effect-acp/core/MethodTable"
import { type Context, Effect, Scope } from "effect"
import type { Rpc } from "effect/rpc"
import assert from "node:assert/strict"

/** A session with a scope of its own. */
export const makeSession = (
  cwd: string,
  options?: { readonly sessionId?: string; readonly additionalDirectories?: ReadonlyArray<string> }
) =>
  Effect.map(Scope.make(), (scope): Session & { readonly scope: Scope.Closeable } => ({
    sessionId: options?.sessionId ?? "s1",
    cwd,
    additionalDirectories: options?.additionalDirectories ?? [],
    scope
  }))

type Rows = ClientMethods.ClientMethods

/** Calls the handlers of a built layer as a connection does. */
export const callAs =
  (handlers: Context.Context<any>, session: Session | undefined) =>
  <C extends MethodTable.Callbacks<Rows>>(
    callback: C,
    params: Omit<MethodTable.Params<MethodTable.RowOf<Rows, C>>, "sessionId">
  ) =>
    Effect.suspend(() => {
      const row = [...ClientMethods.ClientMethods.requests.values()].find((row) =>
        MethodTable.describe(row).callback === callback
      )
      assert(row !== undefined)
      const entry = handlers.mapUnsafe.get(row.key) as Rpc.Handler<string> | undefined
      assert(entry !== undefined, `${callback} is served`)
      const run = entry.handler as unknown as (
        params: unknown
      ) => Effect.Effect<
        MethodTable.Result<MethodTable.RowOf<Rows, C>>,
        AcpError.RequestError,
        InboundRequest | Scope.Scope
      >
      return Effect.scoped(run({ sessionId: session?.sessionId ?? "unknown", ...params })).pipe(
        Effect.provideService(InboundRequest, {
          id: 1,
          method: row._tag,
          raw: params,
          session,
          sequence: 1,
          afterResponse: () => {}
        }),
        Effect.provideContext(entry.context as Context.Context<never>)
      )
    })

/** Fails the test unless the effect is answered with an error of a code and a reason. */
export const refused = <A, R>(effect: Effect.Effect<A, AcpError.RequestError, R>, code: number, reason?: string) =>
  Effect.gen(function*() {
    const error = yield* Effect.flip(effect)
    assert(AcpError.isRequestError(error))
    const data = error.data as { readonly reason?: string } | undefined
    assert.deepStrictEqual({ code: error.code, reason: data?.reason }, { code, reason })
    return error
  })
