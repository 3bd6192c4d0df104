/**
 * How a client authenticates when an agent asks for it while a session is being set up.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AuthMethod, AuthMethodTerminal } from "./schema/Authentication.ts"

/**
 * A login that the client runs: the agent's own program in a terminal, for the user to log in there.
 *
 * The command is the one that the agent was started with; `args` are appended to its arguments, `env` goes on top of its
 * environment.
 *
 * @category models
 * @since 0.1.0
 */
export interface TerminalLogin {
  readonly method: AuthMethodTerminal
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string }
}

/**
 * Decides how to authenticate. Without it a client fails with `AuthRequired` when the agent asks for it.
 *
 * **Details**
 *
 * When setting up a session fails with `AuthRequired`, `choose` picks one of the agent's methods, the client authenticates
 * by it and tries the set-up once more; no more than once, and never for a prompt. An agent that then still asks fails the
 * set-up with `AuthenticationFailed`.
 *
 * With `login` the client advertises `auth.terminal`, and terminal methods are among those to choose from. It gives whether
 * the program ended with code 0. The agent knows of the login only once it is started again, so that the set-up fails with
 * `AuthenticationFailed` and the reason `Reconnect`.
 *
 * @category services
 * @since 0.1.0
 */
export class Authentication extends Context.Service<Authentication, {
  /** Picks a method, or none: then the set-up fails with what the agent answered. */
  readonly choose: (methods: ReadonlyArray<AuthMethod>) => Effect.Effect<AuthMethod | undefined>
  readonly login: ((request: TerminalLogin) => Effect.Effect<boolean>) | undefined
}>()("@effect-acp/core/Authentication") {}

/**
 * Authenticates as functions say, which may need services and may ask the user.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R1 = never, R2 = never>(options: {
  readonly choose: (methods: ReadonlyArray<AuthMethod>) => Effect.Effect<AuthMethod | undefined, never, R1>
  readonly login?: ((request: TerminalLogin) => Effect.Effect<boolean, never, R2>) | undefined
}): Layer.Layer<Authentication, never, R1 | R2> =>
  Layer.effect(Authentication)(Effect.map(Effect.context<R1 | R2>(), (context) => {
    const { choose, login } = options
    return Authentication.of({
      choose: (methods) => Effect.provideContext(choose(methods), context),
      login: login && ((request) => Effect.provideContext(login(request), context))
    })
  }))

/**
 * Authenticates by one method, if the agent offers it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMethod = (methodId: string): Layer.Layer<Authentication> =>
  layer({ choose: (methods) => Effect.succeed(methods.find(({ id }) => id === methodId)) })
