/**
 * An agent without a model: each prompt is a command, and every command shows a part of the protocol.
 */
import * as AcpError from "@effect-acp/core/AcpError"
import * as Agent from "@effect-acp/core/Agent"
import type * as Content from "@effect-acp/core/schema/Content"
import type { StopReason } from "@effect-acp/core/schema/Prompt"
import * as SessionStore from "@effect-acp/core/SessionStore"
import type { Transport } from "@effect-acp/core/Transport"
import type { Turn } from "@effect-acp/core/Turn"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Choices from "./agent/Choices.ts"
import * as Messages from "./agent/Messages.ts"
import * as Tools from "./agent/Tools.ts"

type Command = (turn: Turn, argument: string) => Effect.Effect<StopReason | void, AcpError.AcpError, Path.Path>

const commands: Readonly<Record<string, Command>> = {
  echo: Messages.echo,
  read: Tools.read,
  write: Tools.write,
  run: Tools.run,
  plan: Messages.plan,
  slow: Messages.slow,
  flood: Messages.flood,
  ask: Tools.ask,
  inspect: Messages.inspect,
  fail: () => Effect.fail(new AcpError.OtherError({ code: 1, message: "This turn failed, as the prompt asked" })),
  die: () => Effect.die(new Error("This turn died, as the prompt asked"))
}

const isText = (block: Content.ContentBlock): block is Content.Block<"text"> => block.type === "text"

/** The first text block of the prompt: a command, white space, and the argument as it is. */
const parse = (turn: Turn) => {
  const text = turn.request.prompt.find(isText)?.text ?? ""
  const [, name, argument] = /^\s*(\S*)\s?([^]*)$/u.exec(text)!
  return { name, argument }
}

const capabilities = {
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  sessionCapabilities: { additionalDirectories: {} }
}

/**
 * Serves one client over the transport. It remembers its sessions, so that they can be listed, loaded and deleted, for as
 * long as it lives.
 */
export const layer: Layer.Layer<Agent.Agent, never, Transport | Path.Path> = Agent.layer({
  agentInfo: { name: "effect-acp-example", title: "Example agent", version: "0.1.0" },
  capabilities,
  openSession: Choices.open,
  prompt: (turn) => {
    const { argument, name } = parse(turn)
    const command = Object.hasOwn(commands, name) ? commands[name] : Messages.help
    return command(turn, argument)
  }
}).pipe(Layer.provide(SessionStore.layerMemory))
