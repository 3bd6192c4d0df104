/**
 * One session of an agent: its emitter, its state and its record.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as AcpError from "../AcpError.ts"
import { type AgentSession, TypeId } from "../AgentSession.ts"
import * as ClientMethods from "../ClientMethods.ts"
import * as Connection from "../Connection.ts"
import type { McpServer } from "../schema/McpServer.ts"
import * as SessionConfig from "../schema/SessionConfig.ts"
import type { SessionModeState } from "../schema/SessionMode.ts"
import * as SessionUpdate from "../schema/SessionUpdate.ts"
import type { Turns } from "./agentTurns.ts"

/** What an author says of a session when it is set up. */
export interface Setup {
  readonly modes?: SessionModeState | null | undefined
  readonly configOptions?: ReadonlyArray<SessionConfig.SessionConfigOption> | null | undefined
}

export interface LiveSession {
  readonly session: AgentSession
  readonly isOpen: () => boolean
  /** Takes what the author said of the session, and the values that were chosen in an earlier life of it. */
  readonly setUpUnsafe: (setup: Setup, chosen?: Chosen) => void
  /** Lets out what was kept while the session was being created, in one step, and everything later at once (O8). */
  readonly openUnsafe: () => void
  /** Lets nothing out any more (U8). */
  readonly closeUnsafe: () => void
  /** What is wrong with a mode. */
  readonly refuseMode: (modeId: string) => AcpError.InvalidParams | undefined
  /** What is wrong with an option or its value. */
  readonly refuseConfigOption: (configId: string, value: string | boolean) => AcpError.InvalidParams | undefined
  readonly chosenUnsafe: () => Chosen
}

export interface Chosen {
  readonly modeId?: string
  readonly config: Readonly<Record<string, string | boolean>>
}

export const makeUnsafe = (options: {
  readonly connection: Connection.Connection
  readonly sessionId: string
  readonly cwd: string
  readonly additionalDirectories: ReadonlyArray<string>
  readonly mcpServers: ReadonlyArray<McpServer>
  readonly scope: Scope.Scope
  readonly fork: (effect: Effect.Effect<void>) => void
  /** The client does not know the session before the answer that names it: until then, updates are kept. */
  readonly isNew: boolean
  /** Learns of every update that is told, in order, and whether it replays an earlier life of the session. */
  readonly record: (update: SessionUpdate.SessionUpdate, isReplay: boolean) => void
  readonly turns: () => Pick<Turns, "turnId" | "steerUnsafe">
}): LiveSession => {
  const { connection, record, sessionId } = options
  const opened = Deferred.makeUnsafe<void>()
  let kept: Array<SessionUpdate.SessionUpdate> | undefined = options.isNew ? [] : undefined
  let isReplaying = !options.isNew
  let isClosed = false
  let modes: SessionModeState | undefined
  let configOptions: ReadonlyArray<SessionConfig.SessionConfigOption> = []
  let chosenBefore: Chosen["config"] = {}

  const update: AgentSession["update"] = (update) =>
    Effect.suspend(() => {
      if (isClosed) {
        connection.report({ _tag: "LateUpdate", sessionId })
        return Effect.void
      }
      record(update, isReplaying)
      if (kept === undefined) return connection.notify(ClientMethods.sessionUpdate, { sessionId, update })
      kept.push(update)
      return Effect.void
    })

  const refuseMode: LiveSession["refuseMode"] = (modeId) => {
    const available = (modes?.availableModes ?? []).map(({ id }) => id)
    return available.includes(modeId)
      ? undefined
      : new AcpError.InvalidParams({ message: "Unknown mode", data: { modeId, available } })
  }

  const refuseConfigOption: LiveSession["refuseConfigOption"] = (configId, value) => {
    const option = configOptions.find(({ id }) => id === configId)
    if (option === undefined) {
      const available = configOptions.map(({ id }) => id)
      return new AcpError.InvalidParams({ message: "Unknown config option", data: { configId, available } })
    }
    const available = valuesOf(option)
    return available.includes(value)
      ? undefined
      : new AcpError.InvalidParams({ message: "Unknown value", data: { configId, value, available } })
  }

  const choose = (configId: string, value: string | boolean): void => {
    configOptions = configOptions.map((option) =>
      option.id === configId ? { ...option, currentValue: value } as SessionConfig.SessionConfigOption : option
    )
  }

  const isMode = (modeId: string | boolean) => modes?.availableModes.some(({ id }) => id === modeId) === true

  const announceMode = Effect.suspend(() => update(SessionUpdate.currentMode(modes!.currentModeId)))
  const announceConfig = Effect.suspend(() => update(SessionUpdate.configOptions(configOptions)))

  // Where an agent has its mode as a config option too, a change of one is a change of the other.
  const setMode: AgentSession["setMode"] = (modeId) =>
    Effect.suspend((): Effect.Effect<void, AcpError.InvalidParams | AcpError.NotifyError> => {
      const refused = refuseMode(modeId)
      if (refused !== undefined) return Effect.fail(refused)
      modes = { ...modes!, currentModeId: modeId }
      const option = configOptions.find((option) => option.category === "mode" && valuesOf(option).includes(modeId))
      if (option === undefined) return announceMode
      choose(option.id, modeId)
      return Effect.andThen(announceMode, announceConfig)
    })

  const setConfigOption: AgentSession["setConfigOption"] = (configId, value) =>
    Effect.suspend((): Effect.Effect<void, AcpError.InvalidParams | AcpError.NotifyError> => {
      const refused = refuseConfigOption(configId, value)
      if (refused !== undefined) return Effect.fail(refused)
      choose(configId, value)
      const option = configOptions.find(({ id }) => id === configId)
      if (option?.category !== "mode" || !isMode(value)) return announceConfig
      modes = { ...modes!, currentModeId: String(value) }
      return Effect.andThen(announceConfig, announceMode)
    })

  return {
    session: {
      [TypeId]: TypeId,
      sessionId,
      cwd: options.cwd,
      additionalDirectories: options.additionalDirectories,
      mcpServers: options.mcpServers,
      scope: options.scope,
      clientCapabilities: connection.capabilities.negotiatedUnsafe()?.client ?? {},
      client: Connection.peer(connection, ClientMethods.ClientMethods),
      update,
      opened: Deferred.await(opened),
      modes: Effect.sync(() => modes),
      setMode,
      configOptions: Effect.sync(() => configOptions),
      setConfigOption,
      setCommands: (commands) => update(SessionUpdate.availableCommands(commands)),
      setInfo: (info) => update(SessionUpdate.sessionInfo(info)),
      setUsage: (usage) => update(SessionUpdate.usage(usage)),
      turnId: Effect.sync(() => options.turns().turnId()),
      steer: (expectedTurnId, content) => Effect.sync(() => options.turns().steerUnsafe(expectedTurnId, content))
    },
    isOpen: () => kept === undefined && !isReplaying && !isClosed,
    refuseMode,
    refuseConfigOption,
    setUpUnsafe(setup, chosen) {
      modes = setup.modes ?? undefined
      configOptions = setup.configOptions ?? []
      if (chosen === undefined) return
      chosenBefore = chosen.config
      if (chosen.modeId !== undefined && isMode(chosen.modeId)) modes = { ...modes!, currentModeId: chosen.modeId }
      for (const [configId, value] of Object.entries(chosen.config)) {
        if (refuseConfigOption(configId, value) === undefined) choose(configId, value)
      }
    },
    openUnsafe() {
      if (isClosed) return
      const told = kept ?? []
      kept = undefined
      isReplaying = false
      // Each in a fiber of its own, which ends at once: nothing that is told later comes between them.
      for (const update of told) {
        options.fork(
          Effect.ignore(connection.signal(ClientMethods.sessionUpdate, { sessionId, update }), { log: true })
        )
      }
      Deferred.doneUnsafe(opened, Exit.void)
    },
    closeUnsafe() {
      isClosed = true
    },
    chosenUnsafe: () => ({
      ...(modes === undefined ? {} : { modeId: modes.currentModeId }),
      // What this client cannot show stays as it was.
      config: {
        ...chosenBefore,
        ...Object.fromEntries(configOptions.map(({ currentValue, id }) => [id, currentValue]))
      }
    })
  }
}

const valuesOf = (option: SessionConfig.SessionConfigOption): ReadonlyArray<string | boolean> =>
  option.type === "boolean" ? [true, false] : SessionConfig.flatten(option.options).map(({ value }) => value)
