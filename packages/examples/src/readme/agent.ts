import { Agent } from "@effect-acp/core"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"

const agent = Agent.layer({
  agentInfo: { name: "line-counter", version: "1.0.0" },
  prompt: Effect.fnUntraced(function*(turn) {
    const text = yield* turn.toolCall(
      { title: `Read ${turn.text}`, kind: "read", permission: true },
      () => turn.readTextFile(`${turn.session.cwd}/${turn.text}`)
    )
    yield* turn.say(`${turn.text} has ${text.length} characters`)
  })
})

Agent.runStdio(agent).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
