/**
 * A client that talks to an agent and shows what happens: the example agent, or any other with `--agent "COMMAND"`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import { resolve } from "node:path"
import type { Prompt } from "./demo/Conversation.ts"
import * as Demo from "./demo/Demo.ts"
import * as Display from "./demo/Display.ts"
import * as Words from "./Words.ts"

const repository = resolve(import.meta.dirname, "../../..")

const exampleAgent = {
  command: process.execPath,
  args: [resolve(import.meta.dirname, "agent.ts")],
  allowed: ["read", "execute"],
  prompts: [
    { text: "echo Whatever the agent says arrives piece by piece, in order, and all of it." },
    { text: "plan 3" },
    { text: "read README.md" },
    { text: "run node packages/examples/src/demo/count.ts" },
    { text: "slow 1000", cancelAfter: 8 }
  ] satisfies ReadonlyArray<Prompt>
}

const ordinaryPrompts: ReadonlyArray<Prompt> = [
  { text: "Say hello in one short sentence." },
  { text: "Read README.md in this folder and say in one sentence what it is about." }
]

const toCommand = (line: string) => {
  const words = Words.split(line)
  return Result.isSuccess(words) && words.success.length > 0
    ? Option.some({ command: words.success[0], args: words.success.slice(1) })
    : Option.none()
}

const demo = Command.make("demo", {
  agent: Flag.String("agent").pipe(
    Flag.withDescription("The command line of an ACP agent to talk to, instead of the example agent"),
    Flag.withMetavar("COMMAND"),
    Flag.filterMap(toCommand, () => "a command line in which every quote is closed"),
    Flag.optional
  ),
  prompt: Flag.String("prompt").pipe(
    Flag.withDescription("What to say to the agent, instead of the usual; can be given more than once"),
    Flag.withMetavar("TEXT"),
    Flag.atLeast(0)
  ),
  timeout: Flag.Finite("timeout").pipe(
    Flag.withDescription("How many seconds the agent may take to answer the handshake"),
    Flag.withMetavar("SECONDS"),
    Flag.filter((seconds) => seconds > 0, () => "a number above 0"),
    Flag.withDefault(30)
  )
}, ({ agent, prompt, timeout }) => {
  const chosen = Option.match(agent, {
    onNone: () => ({ ...exampleAgent, cwd: repository }),
    onSome: (command) => ({ ...command, allowed: ["read", "search"], prompts: ordinaryPrompts, cwd: process.cwd() })
  })
  const prompts = prompt.length === 0 ? chosen.prompts : prompt.map((text) => ({ text }))
  return Demo.run({ ...chosen, prompts, handshakeTimeout: `${timeout} seconds` })
})

/** A wrong flag is one line on stderr; help is for who asks for it. */
const layerPresenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Demo.complain(`${event.errors.map(({ message }) => message).join("; ")} (see --help)`)
      : CliOutput.defaultPresenter.present(event)
})

/** What nobody expected is one line as well. */
const complainOfDefects = (cause: Cause.Cause<unknown>) =>
  Cause.hasDies(cause) ? Demo.complain(`this is a bug: ${Cause.prettyErrors(cause)[0].message}`) : Effect.void

// The reader of a pipe may go away (`| head`); the conversation goes on to its end.
process.stdout.on("error", () => {})

Effect.gen(function*() {
  const { args } = yield* Stdio.Stdio
  const given = yield* args
  // `pnpm demo -- --agent …` hands the two dashes on.
  yield* Command.runWith(demo, { version: "0.1.0" })(given[0] === "--" ? given.slice(1) : given)
}).pipe(
  Effect.provide(Layer.merge(Display.layer, layerPresenter).pipe(Layer.provideMerge(NodeServices.layer))),
  Effect.tapCause(complainOfDefects),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
