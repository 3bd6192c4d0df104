/**
 * Modes and configuration options of a session.
 */
import * as Effect from "effect/Effect"
import { at, isObject, items, type JsonObject, preview } from "../Json.ts"
import * as Probe from "../Probe.ts"
import { Failed, type Requirement, Skipped } from "../Requirement.ts"

/** A session whose result has a member; else the requirement is skipped. */
const sessionThatHas = Effect.fnUntraced(function*(probe: Probe.Probe, member: "modes" | "configOptions") {
  const session = yield* Probe.startSession(probe)
  const value = session.created[member]
  const isThere = member === "modes" ? isObject(value) : items(value).length > 0
  if (!isThere) return yield* new Skipped({ reason: `the session has no ${member}` })
  return session
})

const created = "session/new"

const idOf = (value: unknown): unknown => at(value, "id")

const modes: ReadonlyArray<Requirement> = [
  {
    id: "ACP-MODES-001",
    tier: "capability",
    title: "The current mode is one of the available modes",
    check: Effect.fnUntraced(function*(probe) {
      const session = yield* sessionThatHas(probe, "modes")
      const { modes } = session.created
      const available = items(at(modes, "availableModes")).map(idOf)
      if (available.includes(at(modes, "currentModeId"))) return
      return yield* new Failed({
        sent: created,
        received: preview(modes),
        expected: "currentModeId among availableModes"
      })
    })
  },
  {
    id: "ACP-MODES-002",
    tier: "capability",
    title: "A mode can be set",
    check: Effect.fnUntraced(function*(probe) {
      const session = yield* sessionThatHas(probe, "modes")
      const current = at(session.created, "modes", "currentModeId")
      const available = items(at(session.created, "modes", "availableModes")).map(idOf)
      const modeId = available.find((id) => id !== current) ?? current
      const reply = yield* Probe.call(session.agent, "session/set_mode", { sessionId: session.sessionId, modeId })
      yield* Probe.resultOf(reply, "SetSessionModeResponse")
      yield* Probe.settle(session.agent)
      const announced = Probe.updates(session.agent.peer, reply.call.sent.index).map(({ message }) =>
        at(message, "params", "update")
      ).find((update) => at(update, "sessionUpdate") === "current_mode_update")
      if (announced === undefined || typeof at(announced, "currentModeId") === "string") return
      return yield* new Failed({
        sent: preview(reply.call.sent.line),
        received: preview(announced),
        expected: "a current_mode_update that names currentModeId"
      })
    })
  }
]

/** The values of a select option, grouped or not. */
const valuesOf = (option: unknown): ReadonlyArray<unknown> =>
  items(at(option, "options")).flatMap((choice) =>
    Array.isArray(at(choice, "options")) ? items(at(choice, "options")) : [choice]
  ).map((choice) => at(choice, "value"))

const isBoolean = (option: unknown): boolean => at(option, "type") === "boolean"

const isCurrentValid = (option: unknown): boolean =>
  isBoolean(option)
    ? typeof at(option, "currentValue") === "boolean"
    : valuesOf(option).includes(at(option, "currentValue"))

/** A change that an option takes: the first select option that has another value than its current one. */
const changeOf = (options: ReadonlyArray<unknown>): JsonObject | undefined => {
  for (const option of options.filter((_) => !isBoolean(_))) {
    const value = valuesOf(option).find((_) => _ !== at(option, "currentValue"))
    if (value !== undefined) return { configId: idOf(option), value }
  }
  return undefined
}

const config: ReadonlyArray<Requirement> = [
  {
    id: "ACP-CONFIG-001",
    tier: "capability",
    title: "The current value of an option is one of its values",
    check: Effect.fnUntraced(function*(probe) {
      const { created: { configOptions } } = yield* sessionThatHas(probe, "configOptions")
      const wrong = items(configOptions).find((option) => !isCurrentValid(option))
      if (wrong === undefined) return
      return yield* new Failed({
        sent: created,
        received: preview(wrong),
        expected: "currentValue among the option's values"
      })
    })
  },
  {
    id: "ACP-CONFIG-002",
    tier: "capability",
    title: "An option can be set, and the answer holds all options with the change",
    check: Effect.fnUntraced(function*(probe) {
      const { agent, created: { configOptions }, sessionId } = yield* sessionThatHas(probe, "configOptions")
      const change = changeOf(items(configOptions))
      if (change === undefined) return yield* new Skipped({ reason: "no option has a second value" })
      const reply = yield* Probe.call(agent, "session/set_config_option", { sessionId, ...change })
      const result = yield* Probe.resultOf(reply, "SetSessionConfigOptionResponse")
      const after = items(result["configOptions"])
      const changed = after.find((option) => idOf(option) === change["configId"])
      if (at(changed, "currentValue") !== change["value"]) {
        return yield* Probe.unexpected(
          reply,
          `${preview(change["configId"])} with the value ${preview(change["value"])}`
        )
      }
      const missing = items(configOptions).map(idOf).filter((id) => !after.some((option) => idOf(option) === id))
      if (missing.length > 0) {
        return yield* Probe.unexpected(reply, `the complete list of options; missing: ${missing.join(", ")}`)
      }
    })
  },
  {
    id: "ACP-CONFIG-003",
    tier: "mandatory",
    title: "No boolean option is given to a client that does not know them",
    check: Effect.fnUntraced(function*(probe) {
      const { created: { configOptions } } = yield* Probe.startSession(probe)
      const boolean = items(configOptions).find(isBoolean)
      if (boolean === undefined) return
      return yield* new Failed({
        sent: "initialize without session.configOptions.boolean, then session/new",
        received: preview(boolean),
        expected: "no option of type boolean"
      })
    })
  }
]

export const state: ReadonlyArray<Requirement> = [...modes, ...config]
