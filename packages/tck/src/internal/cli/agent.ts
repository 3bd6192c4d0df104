/**
 * The command that judges agents.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as AcpxProfile from "../../acpx/Profile.ts"
import * as Launcher from "../../Launcher.ts"
import * as Text from "../../report/text.ts"
import type { Requirement } from "../../Requirement.ts"
import { version1 } from "../../Requirements.ts"
import * as Runner from "../../Runner.ts"
import * as Settings from "../../Settings.ts"
import { canColor, commandOf, conclude, printList, seconds, select, shared, UsageError } from "./shared.ts"

const profiles: Readonly<Record<"v1" | "acpx" | "acpx-core", ReadonlyArray<Requirement>>> = {
  "v1": version1,
  "acpx": AcpxProfile.all,
  "acpx-core": AcpxProfile.core
}

const flags = {
  protocolVersion: Flag.Literals("protocol-version", ["1"]).pipe(
    Flag.withDefault("1"),
    Flag.withDescription("The version of the protocol to ask for")
  ),
  profile: Flag.Literals("profile", ["v1", "acpx", "acpx-core"]).pipe(
    Flag.withDefault("v1"),
    Flag.withDescription("The official requirements (v1), or the cases of acpx: all, or those for every agent")
  ),
  ...shared,
  agentCwd: Flag.Directory("agent-cwd", { mustExist: true }).pipe(
    Flag.optional,
    Flag.withDescription("The folder that the agent runs in and creates its sessions in")
  ),
  agentEnv: Flag.KeyValuePair("agent-env").pipe(
    Flag.withDefault({}),
    Flag.withDescription("A variable for the environment of the agent")
  ),
  timeout: seconds("timeout", 30, "How long an answer may take"),
  startupTimeout: seconds("startup-timeout", 30, "How long the answer to initialize may take"),
  testTimeout: seconds("test-timeout", 120, "How long one row may take"),
  closeGrace: seconds("close-grace", 2, "How long the agent may take to exit after the end of its input"),
  busyPrompt: Flag.String("busy-prompt").pipe(
    Flag.withDefault(Settings.busyPrompt),
    Flag.withMetavar("TEXT"),
    Flag.withDescription("The prompt that keeps the agent busy while it is cancelled")
  ),
  authMethod: Flag.String("auth-method").pipe(
    Flag.optional,
    Flag.withMetavar("ID"),
    Flag.withDescription("The authentication method to use before a session is created, and to judge")
  ),
  allowLogout: Flag.Boolean("allow-logout").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Lets the kit call logout")
  ),
  command: commandOf("The command that starts the agent, after --")
}

type Input = Command.Command.Config.Infer<typeof flags>

/** Folders for sessions; they are gone when the run is over. */
const makeSettings = Effect.fnUntraced(function*(input: Input) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "acp-tck-" }))
  const [session, unused, extra] = ["session", "unused", "extra"].map((name) => path.join(root, name))
  yield* Effect.forEach([session, unused, extra], (folder) => fs.makeDirectory(folder))
  return Settings.make({
    sessionCwd: Option.match(input.agentCwd, { onNone: () => session, onSome: (cwd) => path.resolve(cwd) }),
    unusedCwd: unused,
    extraDirectory: extra,
    timeout: input.timeout,
    startupTimeout: input.startupTimeout,
    testTimeout: input.testTimeout,
    closeGrace: input.closeGrace,
    busyPrompt: input.busyPrompt,
    authMethod: Option.getOrUndefined(input.authMethod),
    allowLogout: input.allowLogout
  })
})

const judge = Effect.fnUntraced(
  function*(input: Input) {
    const requirements = yield* select(profiles[input.profile], input)
    if (input.list) return yield* printList(requirements)
    const [command, ...args] = input.command
    if (command === undefined) return yield* new UsageError({ message: "Name the command of the agent after --" })
    const profile = input.profile === "v1" ? "version 1" : input.profile
    const paint = Text.painter(yield* canColor)
    const settings = yield* makeSettings(input)
    yield* Console.log(Text.heading(input.command.join(" "), requirements.length, profile))
    const report = yield* Runner.run({
      profile,
      requirements,
      settings,
      jobs: input.jobs,
      onResult: (result) => Console.log(Text.line(paint, result))
    }).pipe(
      Effect.provide(Launcher.layerProcess({
        command,
        args,
        cwd: Option.getOrUndefined(input.agentCwd),
        env: input.agentEnv,
        closeGrace: input.closeGrace
      }))
    )
    yield* conclude(report, input)
  },
  Effect.scoped
)

export const agent = Command.make("acp-tck", flags, judge).pipe(
  Command.withDescription("Judges an agent of the Agent Client Protocol by what it writes")
)
