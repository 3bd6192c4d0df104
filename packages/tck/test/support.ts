import * as Launcher from "@effect-acp/tck/Launcher"
import type { Report } from "@effect-acp/tck/Report"
import { version1 } from "@effect-acp/tck/Requirements"
import * as Runner from "@effect-acp/tck/Runner"
import * as Settings from "@effect-acp/tck/Settings"
import { NodeServices } from "@effect/platform-node"
import { Duration, Effect, Layer } from "effect"
import { join } from "node:path"
import { Agent, type Fault } from "./fixtures/agent.ts"

export const fixture = (name: string): string => join(import.meta.dirname, "fixtures", name)

const directories = { sessionCwd: "/tmp", unusedCwd: "/var", extraDirectory: "/usr" }

/** Settings for agents that answer at once: silence is short. */
export const settings = (options: Partial<Settings.Settings> = {}) =>
  Settings.make({
    ...directories,
    busyPrompt: "busy",
    timeout: Duration.millis(400),
    closeGrace: Duration.millis(200),
    silence: Duration.millis(100),
    ...options
  })

/** The settings that a fault asks for. */
export const settingsOf = ({ authentication }: Fault, options: Partial<Settings.Settings> = {}) =>
  settings(authentication === true ? { authMethod: "token", allowLogout: true, ...options } : options)

/** Runs rows against the agent inside this process. */
export const runInProcess = (fault: Fault, requirements = version1) =>
  Runner.run({ requirements, settings: settingsOf(fault), jobs: requirements.length }).pipe(
    Effect.provide(Launcher.layerInProcess((streams) => new Agent(streams, fault)))
  )

/** Runs rows against a command. */
export const runCommand = (
  args: ReadonlyArray<string>,
  options: { readonly settings: Settings.Settings; readonly requirements?: typeof version1; readonly jobs?: number }
) =>
  Runner.run({ requirements: version1, ...options }).pipe(
    Effect.provide(Layer.provide(
      Launcher.layerProcess({ command: process.execPath, args, closeGrace: options.settings.closeGrace }),
      NodeServices.layer
    ))
  )

export const idsIn = (report: Report, state: Report["results"][number]["state"]): ReadonlyArray<string> =>
  report.results.filter((result) => result.state === state).map(({ id }) => id)
