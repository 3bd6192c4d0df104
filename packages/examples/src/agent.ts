/**
 * Serves the example agent over stdin and stdout.
 */
import * as Agent from "@effect-acp/core/Agent"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ExampleAgent from "./ExampleAgent.ts"

Agent.runStdio(ExampleAgent.layer).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    // Being told to stop and stopping in order is success.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
)
