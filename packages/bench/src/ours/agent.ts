/**
 * The agent over its own stdin and stdout.
 */
import * as Agent from "@effect-acp/core/Agent"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Peers from "./Peers.ts"

NodeRuntime.runMain(Effect.provide(Agent.runStdio(Peers.agent), NodeServices.layer), { disableErrorReporting: true })
