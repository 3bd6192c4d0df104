import { Effect, Layer, Stream } from "effect"
import * as Agent from "../src/Agent.ts"
import * as Client from "../src/Client.ts"
import * as Permission from "../src/Permission.ts"
import * as Transport from "../src/Transport.ts"

const agent = Agent.layer({
  agentInfo: { name: "a", version: "1" },
  prompt: Effect.fnUntraced(function*(turn) {
    yield* turn.say("hello ")
    yield* turn.say(turn.text)
    const r = yield* turn.requestPermission({ toolCallId: "x" }, [{ optionId: "a", name: "A", kind: "allow_once" }])
    yield* turn.say(r._tag)
    if (turn.text === "slow") yield* Effect.sleep("1 hour")
  })
})
const program = Effect.gen(function*() {
  const client = yield* Client.Client
  console.log(client.agent)
  const session = yield* client.newSession({ cwd: "/tmp" })
  yield* Stream.runForEach(session.prompt("world"), (event) => Effect.sync(() => console.log(JSON.stringify(event))))
  const n = yield* session.prompt("slow").pipe(Stream.take(2), Stream.runCollect)
  console.log("interrupted", n.length)
  yield* Stream.runForEach(session.prompt("again"), (event) => Effect.sync(() => console.log(JSON.stringify(event))))
  console.log(yield* client.connection.counts)
}).pipe(Effect.scoped, Effect.provide(Client.layer({ clientInfo: { name: "c", version: "1" } }).pipe(
  Layer.provide(Permission.layerAllowOnce), Layer.provide(Transport.layerMemory(agent)))))
await Effect.runPromise(program)
