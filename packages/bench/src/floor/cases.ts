/**
 * The floor of the cases: the same frames over the same pipe, and nothing else.
 */
/* oxlint-disable no-await-in-loop -- one thing after the other is what is measured */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { makeLink } from "../BytePipe.ts"
import { check, type Side } from "../Measurement.ts"
import * as Sizes from "../Sizes.ts"
import { type Order, updatesOf } from "../Workload.ts"
import { makeAgent, makeClient } from "./Peers.ts"
import * as Wire from "./Wire.ts"

interface Client {
  readonly prompt: (order: Order) => Promise<void>
  readonly delivered: () => number
}

const connect = (target: Wire.Target, listen: (onMessage: (message: any) => void) => void): Client => {
  let delivered = 0
  const client = makeClient(target, () => delivered++)
  listen(client.onMessage)
  return { prompt: client.prompt, delivered: () => delivered }
}

const inProcess = (chunkBytes?: number): Client => {
  const { toAgent, toClient } = makeLink(chunkBytes)
  Wire.receive(toAgent, makeAgent(toClient))
  return connect(toAgent, (onMessage) => Wire.receive(toClient, onMessage))
}

const timed = async (client: Client, order: Order, rounds = 1) => {
  const run = async (count: number, order: Order): Promise<number> => {
    const before = client.delivered()
    const start = performance.now()
    for (let round = 0; round < count; round++) await client.prompt(order)
    const millis = performance.now() - start
    check("updates", client.delivered() - before, count * updatesOf(order))
    return millis / count
  }
  const cold = await run(1, Sizes.warmUp(order))
  if (rounds > 1) await run(rounds, order)
  return { cold, millis: await run(rounds, order) }
}

const turn = (order: Order, rounds?: number): Side[string] => (scale) =>
  timed(inProcess(), Sizes.scale(scale, order), rounds)

const line: Side[string] = async (scale) => {
  const [large, small] = Sizes.chunkBytes
  const order = Sizes.scale(scale, Sizes.orders.lines)
  return {
    large: (await timed(inProcess(large), order)).millis / order.count,
    small: (await timed(inProcess(small), order)).millis / order.count
  }
}

const agentFile = fileURLToPath(new URL("agent.ts", import.meta.url))

const child: Side[string] = async (scale) => {
  const { stdin, stdout } = spawn(process.execPath, [agentFile], { stdio: ["pipe", "pipe", "inherit"] })
  const client = connect(
    { write: (bytes) => stdin.write(bytes), onDrain: (run) => stdin.once("drain", run) },
    (onMessage) => stdout.on("data", Wire.makeReader(onMessage))
  )
  const updates = await timed(client, Sizes.scale(scale, Sizes.orders.messages))
  const calls = await timed(client, Sizes.scale(scale, Sizes.orders.sequential))
  stdin.end()
  return { updates: updates.millis, calls: calls.millis }
}

const { session } = Sizes.orders

export const side: Side = {
  a: turn(Sizes.orders.messages),
  b: turn(Sizes.orders.mixed),
  c: turn(Sizes.orders.sequential),
  d: turn(Sizes.orders.concurrent, Sizes.rounds),
  e: line,
  f: child,
  h: turn(Sizes.orders.many),
  i: turn({ ...session, count: Sizes.sessions * session.count })
}
