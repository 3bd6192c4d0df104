/**
 * What a user can choose in a session of the example agent: its modes, its config options, and its commands.
 */
import type { SessionSetup } from "@effect-acp/core/Agent"
import type { AgentSession } from "@effect-acp/core/AgentSession"
import type { AvailableCommand } from "@effect-acp/core/schema/Command"
import * as SessionConfig from "@effect-acp/core/schema/SessionConfig"
import * as Effect from "effect/Effect"

const command = (name: string, description: string, hint?: string): AvailableCommand => ({
  name,
  description,
  ...hint === undefined ? {} : { input: { hint } }
})

const commands: ReadonlyArray<AvailableCommand> = [
  command("echo", "Says a text, in several pieces", "TEXT"),
  command("read", "Reads a file through the client", "PATH"),
  command("write", "Writes a file through the client", "PATH TEXT"),
  command("run", "Runs a command in a terminal of the client", "COMMAND ..."),
  command("plan", "Works through a plan", "N"),
  command("slow", "Says pieces, one every 50 ms", "N"),
  command("flood", "Says pieces as fast as they go", "N"),
  command("ask", "Asks for permission with all four kinds of option"),
  command("inspect", "Lists the kinds of the prompt's content blocks")
]

const setup: SessionSetup = {
  modes: {
    currentModeId: "ask",
    availableModes: [
      { id: "ask", name: "Ask", description: "Asks before every tool call" },
      { id: "trust", name: "Trust", description: "Runs tool calls without asking" }
    ]
  },
  configOptions: [
    SessionConfig.select({
      id: "pieces",
      name: "Pieces",
      description: "How many pieces a text is said in",
      currentValue: "8",
      options: [{ value: "1", name: "One" }, { value: "8", name: "Eight" }, { value: "100", name: "A hundred" }]
    })
  ]
}

/** Tells the commands, and gives the modes and config options of a session that is opened. */
export const open = (session: AgentSession) => Effect.as(session.setCommands(commands), setup)

/** Whether tool calls are asked for. */
export const asks = (session: AgentSession): Effect.Effect<boolean> =>
  Effect.map(session.modes, (modes) => modes?.currentModeId !== "trust")

/** In how many pieces a text is said. */
export const pieces = (session: AgentSession): Effect.Effect<number> =>
  Effect.map(session.configOptions, (options) => Number(options.find(({ id }) => id === "pieces")?.currentValue))
