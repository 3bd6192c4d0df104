/**
 * The command that judges clients.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { version1 } from "../../client/ClientRequirements.ts"
import * as ClientRunner from "../../client/ClientRunner.ts"
import * as Text from "../../report/text.ts"
import { canColor, commandOf, conclude, printList, seconds, select, shared, UsageError } from "./shared.ts"

const flags = {
  ...shared,
  clientCwd: Flag.Directory("client-cwd", { mustExist: true }).pipe(
    Flag.optional,
    Flag.withDescription("The folder that the client runs in")
  ),
  clientEnv: Flag.KeyValuePair("client-env").pipe(
    Flag.withDefault({}),
    Flag.withDescription("A variable for the environment of the client")
  ),
  timeout: seconds("timeout", 30, "How long the client may take for a turn and its end"),
  closeGrace: seconds("close-grace", 2, "How long the client may take to exit after its turn, and its agent after it"),
  command: commandOf("The command that starts the client, after --; {agent} stands for the command of its agent")
}

type Input = Command.Command.Config.Infer<typeof flags>

const judge = Effect.fnUntraced(function*(input: Input) {
  const requirements = yield* select(version1, input)
  if (input.list) return yield* printList(requirements)
  const [command, ...args] = input.command
  if (command === undefined) return yield* new UsageError({ message: "Name the command of the client after --" })
  const paint = Text.painter(yield* canColor)
  yield* Console.log(Text.heading(input.command.join(" "), requirements.length, "clients"))
  const report = yield* ClientRunner.run({
    requirements,
    command,
    args,
    cwd: Option.getOrUndefined(input.clientCwd),
    env: input.clientEnv,
    timeout: input.timeout,
    closeGrace: input.closeGrace,
    jobs: input.jobs,
    onResult: (result) => Console.log(Text.line(paint, result))
  })
  yield* conclude(report, input)
})

export const client = Command.make("client", flags, judge).pipe(
  Command.withDescription("Judges a client of the Agent Client Protocol by what it writes to a scripted agent")
)
