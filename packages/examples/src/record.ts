/**
 * Records what a client and an agent say to one another, and plays the agent's part again without the agent:
 *
 *     node packages/examples/src/record.ts session.jsonl
 *     node packages/examples/src/record.ts --replay session.jsonl
 *
 * The client is the same program both times: only the layer of its transport differs.
 */
import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import * as Transport from "@effect-acp/core/Transport"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import * as AgentProcess from "@effect-acp/host/AgentProcess"
import * as Recording from "@effect-acp/testing/Recording"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { positionals: [file = "session.jsonl"], values: { replay } } = parseArgs({
  allowPositionals: true,
  options: { replay: { type: "boolean", default: false } }
})

const agent = fileURLToPath(new URL("agent.ts", import.meta.url))

/** The agent's transport, whose recording is written to the file at the end. */
const recorded = Layer.effect(Transport.Transport)(Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const recorder = yield* Effect.flatMap(Transport.Transport, Recording.record)
  const write = Effect.flatMap(recorder.recording, (frames) => fs.writeFileString(file, Recording.stringify(frames)))
  yield* Effect.addFinalizer(() => Effect.orDie(write))
  return recorder.transport
})).pipe(Layer.provide(AgentProcess.layer(process.execPath, [agent])))

const replayed = Layer.effect(Transport.Transport)(Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  return Recording.replay(yield* Recording.parse(yield* fs.readFileString(file)))
}))

const client = Client.layer({ clientInfo: { name: "record", version: "1.0.0" } }).pipe(
  Layer.provide([Permission.layerDeny, replay ? replayed : recorded]),
  Layer.provide(NodeServices.layer)
)

const program = Effect.gen(function*() {
  const { newSession } = yield* Client.Client
  const session = yield* newSession({ cwd: "/" })
  const { text } = yield* TurnEvent.runText(session.prompt("echo What was said once can be said again."))
  yield* Console.log(text)
})

program.pipe(Effect.scoped, Effect.provide(client), NodeRuntime.runMain)
