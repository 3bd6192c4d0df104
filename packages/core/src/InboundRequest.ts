/**
 * The request that a handler is serving.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as AcpError from "./AcpError.ts"
import type * as JsonRpc from "./JsonRpc.ts"

/**
 * A session as its handlers see it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Session {
  readonly sessionId: string
  readonly cwd: string
  readonly additionalDirectories: ReadonlyArray<string>
  /** Closes with the session: what belongs to it, such as its terminals, ends with it. */
  readonly scope: Scope.Scope
}

/**
 * What a handler can know of its request beyond its params.
 *
 * @category services
 * @since 0.1.0
 */
export class InboundRequest extends Context.Service<InboundRequest, {
  readonly id: JsonRpc.Id
  readonly method: string
  /** The params as they came, unknown members included. */
  readonly raw: unknown
  /** The session that the params name, if this side knows it. */
  readonly session: Session | undefined
  /** The place of the request in the order of everything that was read on this connection. */
  readonly sequence: number
  /** Runs right after the response was accepted for writing, before anything else can be; it must not throw or wait. */
  readonly afterResponse: (run: () => void) => void
}>()("@effect-acp/core/InboundRequest") {}

/**
 * An answer for later: a handler that returns it ends, and the request is answered when it is completed (C9).
 *
 * **Details**
 *
 * It belongs to a scope, which is not that of the request but of whoever will answer. When the scope closes first, the
 * answer is given up and the request is answered with -32603. Until then the request counts as in flight and can be
 * cancelled.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeDeferred = <A>(
  scope: Scope.Scope
): Effect.Effect<Deferred.Deferred<A, AcpError.RequestError>> =>
  Effect.gen(function*() {
    const deferred = yield* Deferred.make<A, AcpError.RequestError>()
    const giveUp = Deferred.fail(deferred, new AcpError.InternalError({}))
    yield* Scope.addFinalizer(scope, giveUp)
    return deferred
  })
