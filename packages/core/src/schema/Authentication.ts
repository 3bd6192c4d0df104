/**
 * Authentication: how the user proves to the agent who he is.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { lenient, optionalListOrNull, orOmit } from "../internal/leniency.ts"
import { meta } from "./Common.ts"
import * as Variant from "./Variant.ts"

/**
 * The name of an authentication method.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthMethodId = Schema.String.annotate({ identifier: "AuthMethodId" })

/**
 * The name of an authentication method.
 *
 * @category models
 * @since 0.1.0
 */
export type AuthMethodId = typeof AuthMethodId.Type

/**
 * A method that the agent carries out by itself, when told to with `authenticate`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthMethodAgent = Schema.Struct({
  id: AuthMethodId,
  name: Schema.String,
  description: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "AuthMethodAgent" })

/**
 * A method that the agent carries out by itself, when told to with `authenticate`.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthMethodAgent extends Schema.Schema.Type<typeof AuthMethodAgent> {}

/**
 * A method for which the client runs the agent's program in a terminal, for the user to log in there.
 *
 * **Details**
 *
 * `args` are appended to the agent's usual arguments, `env` is added to its environment. An agent offers it only if the
 * client advertised `auth.terminal`; it is never a method for `authenticate`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthMethodTerminal = Schema.Struct({
  id: AuthMethodId,
  name: Schema.String,
  description: orOmit(Schema.String),
  args: optionalListOrNull(Schema.String),
  env: lenient(Schema.optionalKey(Schema.Record(Schema.String, Schema.String)), { onNull: { value: {} } }),
  ...meta
}).annotate({ identifier: "AuthMethodTerminal" })

/**
 * A method for which the client runs the agent's program in a terminal, for the user to log in there.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthMethodTerminal extends Schema.Schema.Type<typeof AuthMethodTerminal> {}

/**
 * A way to authenticate; without a `type` that is known, the agent does it by itself.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthMethod = Schema.Union([
  Schema.Struct({ type: Schema.Literal("terminal"), ...AuthMethodTerminal.fields }),
  AuthMethodAgent
]).annotate({ identifier: "AuthMethod" })

/**
 * A way to authenticate; without a `type` that is known, the agent does it by itself.
 *
 * @category models
 * @since 0.1.0
 */
export type AuthMethod = typeof AuthMethod.Type

/**
 * Asks the agent to authenticate by one of its methods.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthenticateRequest = Schema.Struct({
  methodId: AuthMethodId,
  ...meta
}).annotate({ identifier: "AuthenticateRequest" })

/**
 * Asks the agent to authenticate by one of its methods.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthenticateRequest extends Schema.Schema.Type<typeof AuthenticateRequest> {}

/**
 * The user is authenticated.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthenticateResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "AuthenticateResponse" })

/**
 * The user is authenticated.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthenticateResponse extends Schema.Schema.Type<typeof AuthenticateResponse> {}

/**
 * Ends the authenticated session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LogoutRequest = Schema.Struct({
  ...meta
}).annotate({ identifier: "LogoutRequest" })

/**
 * Ends the authenticated session.
 *
 * @category models
 * @since 0.1.0
 */
export interface LogoutRequest extends Schema.Schema.Type<typeof LogoutRequest> {}

/**
 * The user is logged out.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LogoutResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "LogoutResponse" })

/**
 * The user is logged out.
 *
 * @category models
 * @since 0.1.0
 */
export interface LogoutResponse extends Schema.Schema.Type<typeof LogoutResponse> {}

/**
 * A method that the agent carries out by itself.
 *
 * @category constructors
 * @since 0.1.0
 */
export const agent = (method: AuthMethodAgent): AuthMethodAgent => method

/**
 * A method for which the client runs the agent's program in a terminal.
 *
 * @category constructors
 * @since 0.1.0
 */
export const terminal = (
  method: AuthMethodTerminal
): Extract<AuthMethod, { readonly type: "terminal" }> => ({ ...method, type: "terminal" })

/**
 * Handles both kinds of method.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<{
  readonly terminal: Extract<AuthMethod, { readonly type: "terminal" }>
  readonly agent: AuthMethodAgent
}> = Variant.matcher((method) => "type" in method ? "terminal" : "agent")
