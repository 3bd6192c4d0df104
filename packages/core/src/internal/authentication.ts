/**
 * Authentication on one connection: by hand, or once when setting up a session asks for it.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as AcpError from "../AcpError.ts"
import * as AgentMethods from "../AgentMethods.ts"
import type { Authentication } from "../Authentication.ts"
import type * as Connection from "../Connection.ts"
import type { AuthMethod } from "../schema/Authentication.ts"

export interface Authenticator {
  readonly authenticate: (methodId: string) => Effect.Effect<void, AcpError.CallError | AcpError.NotOffered>
  /** Sets up, and once more after authenticating when the agent asks for that. Never to be used for a prompt. */
  readonly settingUp: <A, R>(
    setUp: Effect.Effect<A, AcpError.SetupError, R>
  ) => Effect.Effect<A, AcpError.SetupError, R>
}

const isTerminal = (method: AuthMethod) => "type" in method

export const make = (options: {
  readonly connection: Connection.Connection
  readonly methods: ReadonlyArray<AuthMethod>
  readonly service: Authentication["Service"] | undefined
}): Authenticator => {
  const { connection, methods, service } = options
  const oneAtATime = Semaphore.makeUnsafe(1)
  let lastMethod: string | undefined
  let successes = 0

  const authenticate = (methodId: string) => Effect.asVoid(connection.call(AgentMethods.authenticate, { methodId }))

  const login = (method: AuthMethod, service: Authentication["Service"]) =>
    Effect.flatMap(
      service.login === undefined || !("type" in method)
        ? Effect.succeed(false)
        : service.login({ method, args: method.args ?? [], env: method.env ?? {} }),
      (succeeded) =>
        Effect.fail(
          new AcpError.AuthenticationFailed({ methodId: method.id, reason: succeeded ? "Reconnect" : "LoginFailed" })
        )
    )

  const recover = Effect.fnUntraced(function*(
    required: AcpError.AuthRequired
  ): Effect.fn.Return<void, AcpError.SetupError> {
    if (service === undefined) return yield* required
    const offered = methods.filter((method) => !isTerminal(method) || service.login !== undefined)
    const method = yield* service.choose(offered)
    if (method === undefined || !offered.some(({ id }) => id === method.id)) return yield* required
    if (isTerminal(method)) return yield* login(method, service)
    yield* authenticate(method.id)
    lastMethod = method.id
    successes++
  })

  return {
    authenticate: (methodId) => {
      const offered = methods.filter((method) => !isTerminal(method)).map(({ id }) => id)
      return offered.includes(methodId)
        ? authenticate(methodId)
        : Effect.fail(new AcpError.NotOffered({ what: "authentication method", chosen: methodId, offered }))
    },
    settingUp: (setUp) =>
      Effect.suspend(() => {
        const before = successes
        const recoverOnce = (required: AcpError.AuthRequired) =>
          oneAtATime.withPermit(
            // Another session may have authenticated while this one was refused.
            Effect.suspend(() => successes === before ? recover(required) : Effect.void)
          )
        const stillRequired = () =>
          Effect.fail(new AcpError.AuthenticationFailed({ methodId: lastMethod ?? "", reason: "StillRequired" }))
        return Effect.catchTag(setUp, "AuthRequired", (required) =>
          Effect.andThen(recoverOnce(required), Effect.catchTag(setUp, "AuthRequired", stillRequired)))
      })
  }
}
