/**
 * Sends the spans, metrics and logs of a client and its agent to an OpenTelemetry collector:
 *
 *     node packages/examples/src/observe.ts [http://localhost:4318]
 *
 * The agent runs in this process, so that its spans can be seen below those of the calls that caused them.
 */
import * as Client from "@effect-acp/core/Client"
import * as Permission from "@effect-acp/core/Permission"
import * as Transport from "@effect-acp/core/Transport"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Otlp from "effect/observability/Otlp"
import * as ExampleAgent from "./ExampleAgent.ts"

const baseUrl = process.argv[2] ?? "http://localhost:4318"

const telemetry = Otlp.layerJson({ baseUrl, resource: { serviceName: "acp-observe" } }).pipe(
  Layer.provide(FetchHttpClient.layer)
)

const client = Client.layer({ clientInfo: { name: "observe", version: "1.0.0" } }).pipe(
  Layer.provide([Permission.layerAllowReads, Transport.layerMemory(ExampleAgent.layer)]),
  Layer.provide(NodePath.layer)
)

const program = Effect.gen(function*() {
  const { newSession } = yield* Client.Client
  const session = yield* newSession({ cwd: process.cwd() })
  const { response, text } = yield* TurnEvent.runText(session.prompt("echo hello"))
  yield* Console.log(`${text}: ${response.stopReason}; see the trace "observe" at ${baseUrl}`)
})

program.pipe(
  Effect.scoped,
  Effect.provide(client),
  Effect.withSpan("observe"),
  Effect.provide(telemetry),
  NodeRuntime.runMain
)
