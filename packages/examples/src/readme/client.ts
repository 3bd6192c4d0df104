import { Client, Permission, TurnEvent } from "@effect-acp/core"
import { AgentProcess, Files } from "@effect-acp/host"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer, Stream } from "effect"

const client = Client.layer({ clientInfo: { name: "readme-client", version: "1.0.0" } }).pipe(
  Layer.provide([Permission.layerAllowReads, Files.layer()]),
  Layer.provide(AgentProcess.layer("node", ["packages/examples/src/readme/agent.ts"])),
  Layer.provide(NodeServices.layer)
)

const program = Effect.gen(function*() {
  const { newSession } = yield* Client.Client
  const session = yield* newSession({ cwd: process.cwd() })
  yield* Stream.runForEach(session.prompt("README.md"), (event) =>
    event._tag === "Update"
      ? Console.log(event.update.sessionUpdate, TurnEvent.messageText(event.update) ?? "")
      : Console.log("stop reason:", event.response.stopReason))
})

program.pipe(Effect.scoped, Effect.provide(client), NodeRuntime.runMain)
