/**
 * What an agent takes within a method: only what it advertised (G1).
 */
import * as Effect from "effect/Effect"
import * as AcpError from "../AcpError.ts"
import * as Capabilities from "../Capabilities.ts"
import type * as JsonRpc from "../JsonRpc.ts"
import type { ContentBlock } from "../schema/Content.ts"
import type { Opening } from "./agentSessions.ts"

const contentGates: Readonly<Record<string, string>> = {
  image: "promptCapabilities.image",
  audio: "promptCapabilities.audio",
  resource: "promptCapabilities.embeddedContext"
}

const refuse = (message: string, data: unknown) => Effect.fail(new AcpError.InvalidParams({ message, data }))

const isOn = (advertised: JsonRpc.JsonObject, capability: string) =>
  Capabilities.isOn(advertised, capability.split("."))

export const checkPrompt = (
  advertised: JsonRpc.JsonObject,
  prompt: ReadonlyArray<ContentBlock>
): Effect.Effect<void, AcpError.InvalidParams> => {
  const missing = prompt.map(({ type }) => contentGates[type]).find((capability) =>
    capability !== undefined && !isOn(advertised, capability)
  )
  return missing === undefined
    ? Effect.void
    : refuse("The prompt has content that this agent does not take", { capability: missing })
}

const absolute = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/

export const checkOpening = (
  advertised: JsonRpc.JsonObject,
  { additionalDirectories = [], cwd, mcpServers = [] }: Opening
): Effect.Effect<void, AcpError.InvalidParams> => {
  if (!absolute.test(cwd)) return refuse("cwd must be an absolute path", { cwd })
  const relative = additionalDirectories.find((path) => !absolute.test(path))
  if (relative !== undefined) return refuse("additionalDirectories must be absolute paths", { path: relative })
  const server = mcpServers.find((server) => "type" in server && !isOn(advertised, `mcpCapabilities.${server.type}`))
  if (server !== undefined && "type" in server) {
    return refuse("The agent does not connect to this kind of MCP server", { name: server.name, type: server.type })
  }
  return additionalDirectories.length > 0 && !isOn(advertised, "sessionCapabilities.additionalDirectories")
    ? refuse("The agent does not take additional directories", {
      capability: "sessionCapabilities.additionalDirectories"
    })
    : Effect.void
}
