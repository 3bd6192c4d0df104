/**
 * What a client may not do with an agent that advertises nothing.
 */
import { at, items } from "../Json.ts"

/** Methods that an agent has to advertise, or that its sessions have to name. */
const methods = new Map([
  ["session/load", "loadSession"],
  ["session/list", "sessionCapabilities.list"],
  ["session/delete", "sessionCapabilities.delete"],
  ["session/resume", "sessionCapabilities.resume"],
  ["session/close", "sessionCapabilities.close"],
  ["session/set_mode", "modes of the session"],
  ["session/set_config_option", "configOptions of the session"],
  ["logout", "auth.logout"],
  ["authenticate", "an authentication method"]
])

const blocks = new Map<unknown, string>([
  ["image", "promptCapabilities.image"],
  ["audio", "promptCapabilities.audio"],
  ["resource", "promptCapabilities.embeddedContext"]
])

/** Names the capability that a message needs; nothing where it needs none. G4 */
export const gated = (message: unknown): string | undefined => {
  const params = at(message, "params")
  const method = String(at(message, "method"))
  const capability = methods.get(method) ?? (method === "session/prompt"
    ? items(at(params, "prompt")).map((block) => blocks.get(at(block, "type"))).find((_) => _ !== undefined)
    : method === "session/new"
    ? ofNewSession(params)
    : undefined)
  return capability === undefined ? undefined : `needs ${capability}`
}

const ofNewSession = (params: unknown): string | undefined => {
  if (items(at(params, "additionalDirectories")).length > 0) return "sessionCapabilities.additionalDirectories"
  const kind = items(at(params, "mcpServers")).map((server) => at(server, "type")).find((_) =>
    _ === "http" || _ === "sse"
  )
  return kind === undefined ? undefined : `mcpCapabilities.${String(kind)}`
}
