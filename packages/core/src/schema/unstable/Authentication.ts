/**
 * Whether and as whom the user is authenticated.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { optionalList, orOmit } from "../../internal/leniency.ts"
import { meta } from "../Common.ts"
import * as Unknown from "../Unknown.ts"

export * from "../Authentication.ts"

/**
 * Whether the user is authenticated; other values are allowed.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthState = Unknown.openLiterals(["authenticated", "unauthenticated", "not_required", "unknown"]).annotate(
  { identifier: "AuthState" }
)

/**
 * Whether the user is authenticated; other values are allowed.
 *
 * @category models
 * @since 0.1.0
 */
export type AuthState = typeof AuthState.Type

/**
 * An account that the agent has been set up with.
 *
 * **Details**
 *
 * For showing only: nothing in it identifies an account, and nothing of it belongs in a log.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthAccount = Schema.Struct({
  label: Schema.String,
  active: orOmit(Schema.Boolean),
  name: orOmit(Schema.String),
  email: orOmit(Schema.String),
  organization: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "AuthAccount" })

/**
 * An account that the agent has been set up with.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthAccount extends Schema.Schema.Type<typeof AuthAccount> {}

/**
 * Asks whether the user is authenticated; changes nothing.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthStatusRequest = Schema.Struct({
  ...meta
}).annotate({ identifier: "AuthStatusRequest" })

/**
 * Asks whether the user is authenticated; changes nothing.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthStatusRequest extends Schema.Schema.Type<typeof AuthStatusRequest> {}

const status = { state: AuthState, accounts: optionalList(AuthAccount), ...meta }

/**
 * Whether and as whom the user is authenticated.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthStatusResponse = Schema.Struct({
  ...status
}).annotate({ identifier: "AuthStatusResponse" })

/**
 * Whether and as whom the user is authenticated.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthStatusResponse extends Schema.Schema.Type<typeof AuthStatusResponse> {}

/**
 * The user's authentication has changed.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthStatusUpdateNotification = Schema.Struct({
  ...status
}).annotate({ identifier: "AuthStatusUpdateNotification" })

/**
 * The user's authentication has changed.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthStatusUpdateNotification extends Schema.Schema.Type<typeof AuthStatusUpdateNotification> {}
