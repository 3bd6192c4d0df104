/**
 * The floor of the cases: the same frames over the same pipe, and nothing else.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { makeLink } from "../BytePipe.ts"
import { check, scaled, type Side } from "../Measurement.ts"
import * as Sizes from "../Sizes.ts"
import type { Order, Work } from "../Workload.ts"
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

const timed = async (client: Client, order: Order, rounds = 1): Promise<number> => {
  await client.prompt(Sizes.warmUp(order))
  const before = client.delivered()
  const start = performance.now()
  for (let round = 0; round < rounds; round++) await client.prompt(order)
  const millis = (performance.now() - start) / rounds
  const calls = order.work === "sequential" || order.work === "concurrent"
  check("updates", client.delivered() - before, calls ? 0 : rounds * order.count)
  return millis
}

const turn = (work: Work, count: number): Side[string] => async (scale) => ({
  millis: await timed(inProcess(), Sizes.order(work, scaled(scale, count)))
})

const concurrent: Side[string] = async (scale) => ({
  millis: await timed(inProcess(), Sizes.order("concurrent", scaled(scale, Sizes.concurrentCalls)), Sizes.rounds)
})

const line: Side[string] = async () => {
  const order = Sizes.order("line", Sizes.lines)
  const [large, small] = Sizes.chunkBytes
  return {
    large: await timed(inProcess(large), order) / Sizes.lines,
    small: await timed(inProcess(small), order) / Sizes.lines
  }
}

const agentFile = fileURLToPath(new URL("agent.ts", import.meta.url))

const child: Side[string] = async (scale) => {
  const { stdin, stdout } = spawn(process.execPath, [agentFile], { stdio: ["pipe", "pipe", "inherit"] })
  const client = connect(
    { write: (bytes) => stdin.write(bytes), onDrain: (run) => stdin.once("drain", run) },
    (onMessage) => stdout.on("data", Wire.makeReader(onMessage))
  )
  const measured = {
    updates: await timed(client, Sizes.order("messages", scaled(scale, Sizes.updates))),
    calls: await timed(client, Sizes.order("sequential", scaled(scale, Sizes.sequentialCalls)))
  }
  stdin.end()
  return measured
}

const manySessions: Side[string] = (scale) =>
  turn("messages", scaled(scale, Sizes.sessions) * Sizes.updatesOfSession)("full")

export const side: Side = {
  a: turn("messages", Sizes.updates),
  b: turn("mixed", Sizes.updates),
  c: turn("sequential", Sizes.sequentialCalls),
  d: concurrent,
  e: line,
  f: child,
  h: turn("messages", Sizes.lateUpdates),
  i: manySessions
}
