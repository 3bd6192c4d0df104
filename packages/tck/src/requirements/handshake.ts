/**
 * Versions, what the agent says of itself, and authentication.
 */
import * as Effect from "effect/Effect"
import { at, isObject, items, preview } from "../Json.ts"
import * as Probe from "../Probe.ts"
import { Failed, type Requirement, Skipped } from "../Requirement.ts"

/** More than any version that there is; the members are those of version 1 and of version 2. */
const futureParams = {
  ...Probe.initializeParams,
  protocolVersion: 65_535,
  capabilities: {},
  info: Probe.initializeParams["clientInfo"]
}

const versions: ReadonlyArray<Requirement> = [
  {
    id: "ACP-INIT-001",
    tier: "mandatory",
    title: "initialize is answered with a valid result",
    check: Effect.fnUntraced(function*(probe) {
      const { reply } = yield* Probe.initialize(probe)
      const { protocolVersion } = yield* Probe.resultOf(reply, "InitializeResponse")
      if (!Number.isInteger(protocolVersion)) return yield* Probe.unexpected(reply, "an integer protocolVersion")
    })
  },
  {
    id: "ACP-INIT-002",
    tier: "mandatory",
    title: "A supported version is answered with that version",
    check: Effect.fnUntraced(function*(probe) {
      const { reply } = yield* Probe.initialize(probe)
      const { protocolVersion } = yield* Probe.resultOf(reply)
      if (protocolVersion !== 1) return yield* Probe.unexpected(reply, "protocolVersion 1")
    })
  },
  {
    id: "ACP-INIT-003",
    tier: "mandatory",
    title: "An unsupported version is answered with one that the agent supports",
    check: Effect.fnUntraced(function*(probe) {
      const { facts } = yield* Probe.start(probe)
      const { reply } = yield* Probe.initialize(probe, futureParams)
      const { protocolVersion } = yield* Probe.resultOf(reply)
      const lowest = facts["protocolVersion"]
      const isSupported = typeof protocolVersion === "number" && protocolVersion !== 65_535 &&
        (typeof lowest !== "number" || protocolVersion >= lowest)
      if (!isSupported) {
        return yield* Probe.unexpected(reply, `a version that is not 65535 and not lower than ${preview(lowest)}`)
      }
    })
  },
  {
    id: "ACP-INIT-004",
    tier: "advisory",
    title: "The agent tells its name and version",
    check: Effect.fnUntraced(function*(probe) {
      const { reply } = yield* Probe.initialize(probe)
      const { agentInfo } = yield* Probe.resultOf(reply)
      const isNamed = [at(agentInfo, "name"), at(agentInfo, "version")].every((_) => typeof _ === "string" && _ !== "")
      if (!isNamed) return yield* Probe.unexpected(reply, "agentInfo with a name and a version")
    })
  }
]

const methodsOf = ({ facts }: Probe.Agent) => items(facts["authMethods"]).filter(isObject)

const authentication: ReadonlyArray<Requirement> = [
  {
    id: "ACP-AUTH-001",
    tier: "advisory",
    title: "The ids of authentication methods are unique",
    check: Effect.fnUntraced(function*(probe) {
      const { reply } = yield* Probe.initialize(probe)
      const result = yield* Probe.resultOf(reply)
      const ids = items(result["authMethods"]).map((method) => at(method, "id"))
      if (ids.length === 0) return yield* new Skipped({ reason: "the agent has no authentication methods" })
      if (new Set(ids).size !== ids.length) return yield* Probe.unexpected(reply, "each method with an id of its own")
    })
  },
  {
    id: "ACP-AUTH-002",
    tier: "mandatory",
    title: "No terminal authentication is offered to a client without a terminal for it",
    check: Effect.fnUntraced(function*(probe) {
      const agent = yield* Probe.start(probe)
      const terminal = methodsOf(agent).find(({ type }) => type === "terminal")
      if (terminal === undefined) return
      return yield* new Failed({
        sent: "initialize without auth.terminal",
        received: preview(terminal),
        expected: "no method of type terminal"
      })
    })
  },
  {
    id: "ACP-AUTH-003",
    tier: "capability",
    title: "authenticate succeeds, and a session can be created after it",
    check: Effect.fnUntraced(function*(probe) {
      const { authMethod } = probe.settings
      if (authMethod === undefined) return yield* new Skipped({ reason: "no --auth-method was given" })
      const agent = yield* Probe.start(probe)
      yield* Effect.flatMap(
        Probe.call(agent, "authenticate", { methodId: authMethod }),
        (reply) => Probe.resultOf(reply, "AuthenticateResponse")
      )
      const reply = yield* Probe.call(agent, "session/new", { cwd: probe.settings.sessionCwd, mcpServers: [] })
      if (Probe.isAuthRequired(reply)) return yield* Probe.unexpected(reply, "no demand for authentication after it")
    })
  },
  {
    id: "ACP-AUTH-004",
    tier: "capability",
    title: "logout succeeds",
    check: Effect.fnUntraced(function*(probe) {
      if (!probe.settings.allowLogout) return yield* new Skipped({ reason: "no --allow-logout was given" })
      const agent = yield* Probe.startWith(probe, "auth", "logout")
      yield* Effect.flatMap(Probe.call(agent, "logout", {}), (reply) => Probe.resultOf(reply, "LogoutResponse"))
    })
  },
  {
    id: "ACP-AUTH-005",
    tier: "advisory",
    title: "An agent without authentication methods does not ask for authentication",
    check: Effect.fnUntraced(function*(probe) {
      const agent = yield* Probe.start(probe)
      if (methodsOf(agent).length > 0) return yield* new Skipped({ reason: "the agent has authentication methods" })
      const reply = yield* Probe.call(agent, "session/new", { cwd: probe.settings.sessionCwd, mcpServers: [] })
      if (Probe.isAuthRequired(reply)) {
        return yield* Probe.unexpected(reply, "a session, as there is no way to authenticate")
      }
    })
  }
]

export const handshake: ReadonlyArray<Requirement> = [...versions, ...authentication]
