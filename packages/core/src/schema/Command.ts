/**
 * Slash commands that a session offers.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { list, orOmit } from "../internal/leniency.ts"
import { meta } from "./Common.ts"

/**
 * Input that is all the text after the command's name.
 *
 * **Details**
 *
 * `hint` is shown while there is no input yet.
 *
 * @category schemas
 * @since 0.1.0
 */
export const UnstructuredCommandInput = Schema.Struct({
  hint: Schema.String,
  ...meta
}).annotate({ identifier: "UnstructuredCommandInput" })

/**
 * Input that is all the text after the command's name.
 *
 * @category models
 * @since 0.1.0
 */
export interface UnstructuredCommandInput extends Schema.Schema.Type<typeof UnstructuredCommandInput> {}

/**
 * What a command takes as input.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AvailableCommandInput = Schema.Union([UnstructuredCommandInput]).annotate({
  identifier: "AvailableCommandInput"
})

/**
 * What a command takes as input.
 *
 * @category models
 * @since 0.1.0
 */
export type AvailableCommandInput = typeof AvailableCommandInput.Type

/**
 * A command that the user may send at the start of a prompt, as `/name`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AvailableCommand = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  input: orOmit(AvailableCommandInput),
  ...meta
}).annotate({ identifier: "AvailableCommand" })

/**
 * A command that the user may send at the start of a prompt, as `/name`.
 *
 * @category models
 * @since 0.1.0
 */
export interface AvailableCommand extends Schema.Schema.Type<typeof AvailableCommand> {}

/**
 * The commands that a session offers from now on.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AvailableCommandsUpdate = Schema.Struct({
  availableCommands: list(AvailableCommand),
  ...meta
}).annotate({ identifier: "AvailableCommandsUpdate" })

/**
 * The commands that a session offers from now on.
 *
 * @category models
 * @since 0.1.0
 */
export interface AvailableCommandsUpdate extends Schema.Schema.Type<typeof AvailableCommandsUpdate> {}
