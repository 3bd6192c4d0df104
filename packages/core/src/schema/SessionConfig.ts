/**
 * Config options: what a user may choose for a session, such as its model.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { list, orOmit } from "../internal/leniency.ts"
import { meta, SessionId } from "./Common.ts"
import * as Unknown from "./Unknown.ts"
import * as Variant from "./Variant.ts"

/**
 * The name of a config option.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigId = Schema.String.annotate({ identifier: "SessionConfigId" })

/**
 * The name of a config option.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionConfigId = typeof SessionConfigId.Type

/**
 * The name of a value of a config option.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigValueId = Schema.String.annotate({ identifier: "SessionConfigValueId" })

/**
 * The name of a value of a config option.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionConfigValueId = typeof SessionConfigValueId.Type

/**
 * The name of a group of values.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigGroupId = Schema.String.annotate({ identifier: "SessionConfigGroupId" })

/**
 * The name of a group of values.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionConfigGroupId = typeof SessionConfigGroupId.Type

/**
 * What an option is about, so that a client can place it; other values are allowed.
 *
 * **Details**
 *
 * Names that begin with `_` are free for own use. It never takes part in what the option means.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigOptionCategory = Unknown.openLiterals(["mode", "model", "model_config", "thought_level"])
  .annotate({ identifier: "SessionConfigOptionCategory" })

/**
 * What an option is about, so that a client can place it; other values are allowed.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionConfigOptionCategory = typeof SessionConfigOptionCategory.Type

/**
 * A value that may be selected.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigSelectOption = Schema.Struct({
  value: SessionConfigValueId,
  name: Schema.String,
  description: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "SessionConfigSelectOption" })

/**
 * A value that may be selected.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionConfigSelectOption extends Schema.Schema.Type<typeof SessionConfigSelectOption> {}

/**
 * Values under a common heading.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigSelectGroup = Schema.Struct({
  group: SessionConfigGroupId,
  name: Schema.String,
  options: list(SessionConfigSelectOption),
  ...meta
}).annotate({ identifier: "SessionConfigSelectGroup" })

/**
 * Values under a common heading.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionConfigSelectGroup extends Schema.Schema.Type<typeof SessionConfigSelectGroup> {}

/**
 * The values to select from: a flat list, or groups.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigSelectOptions = Schema.Union([
  Schema.Array(SessionConfigSelectOption),
  Schema.Array(SessionConfigSelectGroup)
]).annotate({ identifier: "SessionConfigSelectOptions" })

/**
 * The values to select from: a flat list, or groups.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionConfigSelectOptions = typeof SessionConfigSelectOptions.Type

/**
 * What makes an option a selection.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigSelect = Schema.Struct({
  currentValue: SessionConfigValueId,
  options: SessionConfigSelectOptions
}).annotate({ identifier: "SessionConfigSelect" })

/**
 * What makes an option a selection.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionConfigSelect extends Schema.Schema.Type<typeof SessionConfigSelect> {}

/**
 * What makes an option a switch.
 *
 * **Details**
 *
 * Sent only if the client advertised `session.configOptions.boolean`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigBoolean = Schema.Struct({
  currentValue: Schema.Boolean
}).annotate({ identifier: "SessionConfigBoolean" })

/**
 * What makes an option a switch.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionConfigBoolean extends Schema.Schema.Type<typeof SessionConfigBoolean> {}

const option = {
  id: SessionConfigId,
  name: Schema.String,
  description: orOmit(Schema.String),
  category: orOmit(SessionConfigOptionCategory),
  ...meta
}

/**
 * A config option and its current value.
 *
 * **Details**
 *
 * An option of an unknown type is left out of its list, with a report: without its type nothing can be done with it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigOption = Schema.Union([
  Schema.Struct({ type: Schema.Literal("select"), ...option, ...SessionConfigSelect.fields }),
  Schema.Struct({ type: Schema.Literal("boolean"), ...option, ...SessionConfigBoolean.fields })
]).annotate({ identifier: "SessionConfigOption" })

/**
 * A config option and its current value.
 *
 * @category models
 * @since 0.1.0
 */
export type SessionConfigOption = typeof SessionConfigOption.Type

/**
 * The config options of a session from now on; replaces all of them.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ConfigOptionUpdate = Schema.Struct({
  configOptions: list(SessionConfigOption),
  ...meta
}).annotate({ identifier: "ConfigOptionUpdate" })

/**
 * The config options of a session from now on; replaces all of them.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConfigOptionUpdate extends Schema.Schema.Type<typeof ConfigOptionUpdate> {}

const setOption = { sessionId: SessionId, configId: SessionConfigId, ...meta }

/**
 * Sets a config option: a switch with `type: "boolean"`, a selection without a `type`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SetSessionConfigOptionRequest = Schema.Union([
  Schema.Struct({ ...setOption, type: Schema.Literal("boolean"), value: Schema.Boolean }),
  Schema.Struct({ ...setOption, value: SessionConfigValueId })
]).annotate({ identifier: "SetSessionConfigOptionRequest" })

/**
 * Sets a config option: a switch with `type: "boolean"`, a selection without a `type`.
 *
 * @category models
 * @since 0.1.0
 */
export type SetSessionConfigOptionRequest = typeof SetSessionConfigOptionRequest.Type

/**
 * All config options after the change; one change may have caused others.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SetSessionConfigOptionResponse = Schema.Struct({
  configOptions: list(SessionConfigOption),
  ...meta
}).annotate({ identifier: "SetSessionConfigOptionResponse" })

/**
 * All config options after the change; one change may have caused others.
 *
 * @category models
 * @since 0.1.0
 */
export interface SetSessionConfigOptionResponse extends Schema.Schema.Type<typeof SetSessionConfigOptionResponse> {}

/**
 * The config option of one type.
 *
 * @category models
 * @since 0.1.0
 */
export type Typed<Type extends SessionConfigOption["type"]> = Extract<SessionConfigOption, { readonly type: Type }>

/**
 * An option with values to select from.
 *
 * @category constructors
 * @since 0.1.0
 */
export const select = (option: Omit<Typed<"select">, "type">): Typed<"select"> => ({ ...option, type: "select" })

/**
 * An option that is on or off.
 *
 * @category constructors
 * @since 0.1.0
 */
export const boolean = (option: Omit<Typed<"boolean">, "type">): Typed<"boolean"> => ({ ...option, type: "boolean" })

/**
 * Handles both types of option.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<Variant.ByTag<SessionConfigOption, "type">> = Variant.byTag<SessionConfigOption>()(
  "type"
)

const isGrouped = (options: SessionConfigSelectOptions): options is ReadonlyArray<SessionConfigSelectGroup> =>
  options.length > 0 && "group" in options[0]

/**
 * Handles both shapes of a list of values.
 *
 * @category matching
 * @since 0.1.0
 */
export const matchOptions: Variant.Match<{
  readonly ungrouped: ReadonlyArray<SessionConfigSelectOption>
  readonly grouped: ReadonlyArray<SessionConfigSelectGroup>
}> = Variant.matcher((options) => isGrouped(options) ? "grouped" : "ungrouped")

/**
 * All values of a selection, in order, without their groups.
 *
 * @category combinators
 * @since 0.1.0
 */
export const flatten = (options: SessionConfigSelectOptions): ReadonlyArray<SessionConfigSelectOption> =>
  matchOptions(options, {
    ungrouped: (options) => options,
    grouped: (groups) => groups.flatMap((group) => group.options)
  })
