import { AgentProcess, AgentRegistry } from "@effect-acp/host"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect } from "effect"

const program = Effect.gen(function*() {
  const { agents } = yield* AgentRegistry.fromFile(process.argv[2])
  const plan = yield* Effect.fromResult(AgentRegistry.plan(agents[0], { os: "linux", arch: "x86_64" }))
  if (plan._tag === "Binary") return yield* Console.log(`Fetch ${plan.archive} first`)
  yield* Console.log(`${plan.command} ${plan.args.join(" ")}`)
  return AgentProcess.layer(plan.command, plan.args, { env: plan.env })
})

NodeRuntime.runMain(Effect.provide(program, NodeServices.layer))
