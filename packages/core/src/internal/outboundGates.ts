/**
 * What a client may send to an agent within a method: content, MCP servers and fields (G4).
 */
import * as AcpError from "../AcpError.ts"
import * as Capabilities from "../Capabilities.ts"
import type { ContentBlock } from "../schema/Content.ts"
import type { McpServer } from "../schema/McpServer.ts"

type Agent = Capabilities.Capabilities["Service"]

const contentGates: Readonly<Record<string, string>> = {
  image: "promptCapabilities.image",
  audio: "promptCapabilities.audio",
  resource: "promptCapabilities.embeddedContext"
}

const firstMissing = (
  capabilities: Agent,
  method: string,
  needed: Iterable<string>
): AcpError.CapabilityMissing | undefined => {
  for (const capability of needed) {
    if (!capabilities.allows(Capabilities.gate("agent", capability))) {
      return new AcpError.CapabilityMissing({ method, side: "agent", capability })
    }
  }
  return undefined
}

/** The capability that a prompt needs and the agent did not advertise. */
export const missingForPrompt = (
  capabilities: Agent,
  method: string,
  prompt: ReadonlyArray<ContentBlock>
): AcpError.CapabilityMissing | undefined =>
  firstMissing(capabilities, method, prompt.flatMap((block) => contentGates[block.type] ?? []))

/** The capability that setting up a session needs and the agent did not advertise. */
export const missingForSetup = (
  capabilities: Agent,
  method: string,
  setup: {
    readonly mcpServers?: ReadonlyArray<McpServer> | undefined
    readonly additionalDirectories?: ReadonlyArray<string> | undefined
  }
): AcpError.CapabilityMissing | undefined =>
  firstMissing(capabilities, method, [
    ...(setup.mcpServers ?? []).flatMap((server) => "type" in server ? [`mcpCapabilities.${server.type}`] : []),
    ...((setup.additionalDirectories ?? []).length > 0 ? ["sessionCapabilities.additionalDirectories"] : [])
  ])
