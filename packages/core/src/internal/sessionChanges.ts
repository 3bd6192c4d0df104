/**
 * Changes of a session's mode and config options: checked against what the agent offers, and standing with its answer.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as SubscriptionRef from "effect/SubscriptionRef"
import * as AcpError from "../AcpError.ts"
import * as AgentMethods from "../AgentMethods.ts"
import type * as ClientSession from "../ClientSession.ts"
import type * as Connection from "../Connection.ts"
import * as SessionConfig from "../schema/SessionConfig.ts"
import * as SessionUpdate from "../schema/SessionUpdate.ts"
import type * as SessionState from "../SessionState.ts"

export const make = (options: {
  readonly connection: Connection.Connection
  readonly sessionId: string
  readonly state: SubscriptionRef.SubscriptionRef<SessionState.SessionState>
  readonly foldUnsafe: (event: SessionState.Event) => void
  readonly isDetachedUnsafe: () => boolean
}): Pick<ClientSession.ClientSession, "setMode" | "setConfigOption"> => {
  const { connection, foldUnsafe, sessionId, state } = options

  /** A notification that comes later still wins, since the answer is acted on in the reader. */
  const reflect = (update: SessionUpdate.SessionUpdate) => {
    foldUnsafe({ _tag: "Update", update })
    return Exit.void
  }

  const attached = <A, E>(change: () => Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | AcpError.SessionDetached> =>
      options.isDetachedUnsafe() ? Effect.fail(new AcpError.SessionDetached({ sessionId })) : change()
    )

  return {
    setMode: (modeId) =>
      attached((): Effect.Effect<void, AcpError.ChangeError> => {
        const offered = (state.value.modes?.availableModes ?? []).map(({ id }) => id)
        if (!offered.includes(modeId)) return notOffered("mode", modeId, offered)
        return connection.callInReader(AgentMethods.setSessionMode, { sessionId, modeId }, () =>
          reflect(SessionUpdate.currentMode(modeId)))
      }),
    setConfigOption: (configId, value) =>
      attached((): Effect.Effect<void, AcpError.ChangeError> => {
        const known = state.value.configOptions
        const option = known.find(({ id }) => id === configId)
        if (option === undefined) return notOffered("config option", configId, known.map(({ id }) => id))
        const offered = valuesOf(option)
        if (!offered.includes(value)) return notOffered("config value", String(value), offered.map(String))
        const params: SessionConfig.SetSessionConfigOptionRequest = typeof value === "boolean"
          ? { sessionId, configId, type: "boolean", value }
          : { sessionId, configId, value }
        return connection.callInReader(AgentMethods.setSessionConfigOption, params, ({ configOptions }) =>
          reflect(SessionUpdate.configOptions(configOptions)))
      })
  }
}

const valuesOf = (option: SessionConfig.SessionConfigOption): ReadonlyArray<string | boolean> =>
  option.type === "boolean" ? [true, false] : SessionConfig.flatten(option.options).map(({ value }) => value)

const notOffered = (what: AcpError.NotOffered["what"], chosen: string, offered: ReadonlyArray<string>) =>
  Effect.fail(new AcpError.NotOffered({ what, chosen, offered }))
