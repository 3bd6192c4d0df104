/**
 * The command line of the kit.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { agent } from "./internal/cli/agent.ts"
import { client } from "./internal/cli/client.ts"

/**
 * The command of the kit, with everything that it understands.
 *
 * @category commands
 * @since 0.1.0
 */
export const command = Command.withSubcommands(agent, [client])

/**
 * Runs the command line and gives the exit code: 0 for conformant, 1 for not, 2 for what could not be judged.
 *
 * @category running
 * @since 0.1.0
 */
export const run = Command.run(command, { version: "0.1.0" }).pipe(
  Effect.as(0),
  Effect.catchTag("NotConformant", () => Effect.succeed(1)),
  Effect.catchCause((cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
    const error = Cause.squash(cause)
    // What is wrong with the command line has been said with the help.
    if (CliError.isCliError(error)) {
      return Effect.succeed(error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : 2)
    }
    return Effect.as(Console.error(error instanceof Error ? error.message : String(error)), 2)
  })
)
