/**
 * A language model as an agent: provide any `LanguageModel` of `effect/ai`, and serve it with `Agent.runStdio`.
 */
import * as AcpError from "@effect-acp/core/AcpError"
import * as Agent from "@effect-acp/core/Agent"
import * as Model from "@effect-acp/core/Model"
import * as Terminal from "@effect-acp/core/Terminal"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const ReadFile = Tool.make("ReadFile", {
  description: "Reads a text file as the user sees it in the editor. The path is absolute.",
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  failure: Schema.String,
  failureMode: "return",
  dependencies: [Model.CurrentTurn]
})

const RunCommand = Tool.make("RunCommand", {
  description: "Runs a line in the user's shell and gives its output. The user is asked first.",
  parameters: Schema.Struct({ line: Schema.String }),
  success: Schema.String,
  failure: Schema.String,
  failureMode: "return",
  needsApproval: true,
  dependencies: [Model.CurrentTurn]
})

const toolkit = Toolkit.make(ReadFile, RunCommand)

const handlers = toolkit.toLayer({
  ReadFile: ({ path }) =>
    Model.CurrentTurn.use((turn) => turn.readTextFile(path)).pipe(Effect.mapError(AcpError.format)),
  RunCommand: ({ line }) =>
    Model.CurrentTurn.use((turn) => turn.run(Terminal.shell(line), { timeout: "5 minutes" })).pipe(
      Effect.map(({ exitStatus, output }) => `${output}\nexit code ${exitStatus.exitCode}`),
      Effect.mapError(AcpError.format)
    )
})

const kinds: Readonly<Record<string, string>> = { ReadFile: "read", RunCommand: "execute" }

export const layer = Agent.layer({
  agentInfo: { name: "effect-acp-model", title: "A language model", version: "0.1.0" },
  prompt: Model.prompt({
    toolkit,
    system: "You are a coding agent in the user's editor.",
    contextSize: 200_000,
    describe: (name, params) => ({
      title: `${name} ${Object.values(params as object).join(" ")}`,
      kind: kinds[name] ?? "other"
    })
  })
}).pipe(Layer.provide(handlers))
