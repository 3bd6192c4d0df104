import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import { AgentProcess, Files, Terminals } from "@effect-acp/host"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer, Stream } from "effect"

const [command, ...args] = process.argv.slice(2)

const ClientLive = Client.layer({ clientInfo: { name: "example", version: "1.0.0" } }).pipe(
  Layer.provideMerge(Terminals.layer()),
  Layer.provide([Files.layer(), Permission.layerAllowReads]),
  Layer.provideMerge(AgentProcess.layer(command, args)),
  Layer.provide(NodeServices.layer)
)

const program = Effect.gen(function*() {
  const client = yield* Client.Client
  const terminals = yield* Terminals.Terminals
  yield* terminals.created.pipe(
    Stream.flatMap((terminal) => terminal.output, { concurrency: "unbounded" }),
    Stream.runForEach((text) => Console.log(`terminal: ${text.trimEnd()}`)),
    Effect.forkScoped
  )
  const session = yield* client.newSession({ cwd: process.cwd() })
  yield* Stream.runForEach(session.prompt("Hello"), (event) => Console.log(`turn: ${event._tag}`))
})

NodeRuntime.runMain(program.pipe(Effect.scoped, Effect.provide(ClientLive)))
