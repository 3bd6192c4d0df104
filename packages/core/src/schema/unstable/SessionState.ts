/**
 * What a session is doing: running, idle, or waiting for the user.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { lenient, orOmit } from "../../internal/leniency.ts"
import { meta } from "../Common.ts"
import { Error } from "../Error.ts"
import * as Unknown from "../Unknown.ts"
import * as Variant from "../Variant.ts"
import { Usage } from "./Prompt.ts"

/**
 * Work is going on.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RunningStateUpdate = Schema.Struct({
  ...meta
}).annotate({ identifier: "RunningStateUpdate" })

/**
 * Work is going on.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunningStateUpdate extends Schema.Schema.Type<typeof RunningStateUpdate> {}

/**
 * Work waits for the user.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequiresActionStateUpdate = Schema.Struct({
  ...meta
}).annotate({ identifier: "RequiresActionStateUpdate" })

/**
 * Work waits for the user.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequiresActionStateUpdate extends Schema.Schema.Type<typeof RequiresActionStateUpdate> {}

/**
 * The agent cannot tell.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UnknownStateUpdate = Schema.Struct({
  ...meta
}).annotate({ identifier: "UnknownStateUpdate" })

/**
 * The agent cannot tell.
 *
 * @category models
 * @since 0.1.0
 */
export interface UnknownStateUpdate extends Schema.Schema.Type<typeof UnknownStateUpdate> {}

/**
 * The failure that has ended the work.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ErrorStopReason = Schema.Struct({
  error: orOmit(Error)
}).annotate({ identifier: "ErrorStopReason" })

/**
 * The failure that has ended the work.
 *
 * @category models
 * @since 0.1.0
 */
export interface ErrorStopReason extends Schema.Schema.Type<typeof ErrorStopReason> {}

const idle = { usage: orOmit(Usage), ...meta }

// The protocol marks the reason as lenient in every variant; a value that is no string is never one of the tagged ones.
const reported = <const Reason extends string>(reason: Reason) => lenient(Schema.Literal(reason), { onError: "omit" })

const unreported = lenient(Schema.optionalKey(Schema.Null), { onError: "omit" })

/**
 * Idle, for a reason that the schema does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class UnknownIdleStateUpdate extends Unknown.variant("stopReason") {}

/**
 * Ready for the next prompt; the reason why the last work has stopped may be missing.
 *
 * @category schemas
 * @since 0.1.0
 */
export const IdleStateUpdate = Schema.Union([
  Schema.Struct({ stopReason: reported("end_turn"), ...idle }),
  Schema.Struct({ stopReason: reported("max_tokens"), ...idle }),
  Schema.Struct({ stopReason: reported("max_turn_requests"), ...idle }),
  Schema.Struct({ stopReason: reported("refusal"), ...idle }),
  Schema.Struct({ stopReason: reported("cancelled"), ...idle }),
  Schema.Struct({ stopReason: reported("error"), ...ErrorStopReason.fields, ...idle }),
  Schema.Struct({ stopReason: unreported, ...idle }),
  Unknown.member(UnknownIdleStateUpdate, { discriminator: "stopReason" })
]).annotate({ identifier: "IdleStateUpdate" })

/**
 * Ready for the next prompt; the reason why the last work has stopped may be missing.
 *
 * @category models
 * @since 0.1.0
 */
export type IdleStateUpdate = typeof IdleStateUpdate.Type

const state = { state: Schema.Literal("idle"), ...idle }

/**
 * The state `idle`, for a reason that the schema does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class UnknownIdleState extends UnknownIdleStateUpdate {
  get state(): "idle" {
    return "idle"
  }
}

/**
 * A state that the schema does not know.
 *
 * **Details**
 *
 * Its `state` is `unrecognized`: `unknown` is a state of the protocol.
 *
 * @category models
 * @since 0.1.0
 */
export class UnrecognizedState extends Unknown.variant("state", "unrecognized") {}

/**
 * What a session is doing; each one replaces the one before.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StateUpdate = Schema.Union([
  Schema.Struct({ state: Schema.Literal("running"), ...RunningStateUpdate.fields }),
  Schema.Struct({ stopReason: reported("end_turn"), ...state }),
  Schema.Struct({ stopReason: reported("max_tokens"), ...state }),
  Schema.Struct({ stopReason: reported("max_turn_requests"), ...state }),
  Schema.Struct({ stopReason: reported("refusal"), ...state }),
  Schema.Struct({ stopReason: reported("cancelled"), ...state }),
  Schema.Struct({ stopReason: reported("error"), ...ErrorStopReason.fields, ...state }),
  Schema.Struct({ stopReason: unreported, ...state }),
  Schema.Struct({ state: Schema.Literal("requires_action"), ...RequiresActionStateUpdate.fields }),
  Schema.Struct({ state: Schema.Literal("unknown"), ...UnknownStateUpdate.fields }),
  Unknown.member(UnknownIdleState, {
    discriminator: "stopReason",
    accepts: Schema.Struct(state)
  }),
  Unknown.member(UnrecognizedState, { discriminator: "state" })
]).annotate({ identifier: "StateUpdate" })

/**
 * What a session is doing; each one replaces the one before.
 *
 * @category models
 * @since 0.1.0
 */
export type StateUpdate = typeof StateUpdate.Type

/**
 * Handles every state, unrecognized ones included.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<Variant.ByTag<StateUpdate, "state">> = Variant.byTag<StateUpdate>()("state")
