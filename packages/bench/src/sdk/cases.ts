/**
 * The cases with the official SDK.
 */
/* oxlint-disable no-await-in-loop -- one thing after the other is what is measured */
import * as acp from "@agentclientprotocol/sdk"
import { spawn } from "node:child_process"
import { Readable, Writable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { check, makePeak, type Side, spread } from "../Measurement.ts"
import * as Sizes from "../Sizes.ts"
import * as Workload from "../Workload.ts"
import { connectWith, inProcess } from "./Peers.ts"

const newSession = (agent: acp.ClientContext): Promise<acp.ActiveSession> => agent.buildSession(Workload.cwd).start()

/** Reads updates up to the end of the turn. */
const consume = async (session: acp.ActiveSession): Promise<number> => {
  for (let delivered = 0;; delivered++) {
    const message = await session.nextUpdate()
    if (message.kind === "stop") return delivered
  }
}

const runTurn = async (session: acp.ActiveSession, order: Workload.Order): Promise<void> => {
  const response = session.prompt(Workload.write(order))
  check("updates", await consume(session), Workload.updatesOf(order))
  await response
}

const millis = async (run: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const timed = (order: Workload.Order) => async (agent: acp.ClientContext) => {
  const session = await newSession(agent)
  const cold = await millis(() => runTurn(session, Sizes.warmUp(order)))
  return { cold, millis: await millis(() => runTurn(session, order)) }
}

const turn = (order: Workload.Order): Side[string] => (scale) => inProcess(timed(Sizes.scale(scale, order)))

const rounds: Side[string] = (scale) => {
  const order = Sizes.scale(scale, Sizes.orders.concurrent)
  return inProcess(async (agent) => {
    const session = await newSession(agent)
    const run = async () => {
      for (let round = 0; round < Sizes.rounds; round++) await runTurn(session, order)
    }
    const cold = await millis(() => runTurn(session, order))
    await run()
    return { cold, millis: await millis(run) / Sizes.rounds }
  })
}

const line: Side[string] = async (scale) => {
  const [large, small] = Sizes.chunkBytes
  const order = Sizes.scale(scale, Sizes.orders.lines)
  return {
    large: (await inProcess(timed(order), large)).millis / order.count,
    small: (await inProcess(timed(order), small)).millis / order.count
  }
}

const agentFile = fileURLToPath(new URL("agent.ts", import.meta.url))

const child: Side[string] = async (scale) => {
  const { stdin, stdout } = spawn(process.execPath, [agentFile], { stdio: ["pipe", "pipe", "inherit"] })
  const stream = acp.ndJsonStream(
    Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(stdout) as ReadableStream<Uint8Array>
  )
  return connectWith(stream, async (agent) => {
    const updates = await timed(Sizes.scale(scale, Sizes.orders.messages))(agent)
    const calls = await timed(Sizes.scale(scale, Sizes.orders.sequential))(agent)
    return { updates: updates.millis, calls: calls.millis }
  })
}

const slowConsumer: Side[string] = (scale) =>
  inProcess(async (agent) => {
    const session = await newSession(agent)
    await runTurn(session, Sizes.scale(scale, Sizes.orders.messages))
    const peak = makePeak()
    session.prompt(Workload.write(Sizes.scale(scale, Sizes.orders.many))).catch(() => {})
    for (let left = Sizes.scaled(scale, Sizes.slowSteps); left > 0; left--) {
      await session.nextUpdate()
      await setTimeout(1)
      peak.sample()
    }
    return { mebibytes: peak.mebibytes() }
  })

const late: Side[string] = (scale) => {
  const order = Sizes.scale(scale, Sizes.orders.many)
  return inProcess(async (agent) => {
    const session = await newSession(agent)
    await runTurn(session, Sizes.warmUp(order))
    const run = async () => {
      await session.prompt(Workload.write(order))
      check("updates", await consume(session), order.count)
    }
    return { millis: await millis(run) }
  })
}

const manySessions: Side[string] = (scale) =>
  inProcess(async (agent) => {
    const order = Sizes.orders.session
    const sessions: Array<acp.ActiveSession> = []
    for (let left = Sizes.scaled(scale, Sizes.sessions); left > 0; left--) sessions.push(await newSession(agent))
    await Promise.all(sessions.map((session) => runTurn(session, order)))
    const ends = await Promise.all(sessions.map((session) => millis(() => runTurn(session, order))))
    return { millis: Math.max(...ends), spread: spread(ends) }
  })

export const side: Side = {
  a: turn(Sizes.orders.messages),
  b: turn(Sizes.orders.mixed),
  c: turn(Sizes.orders.sequential),
  d: rounds,
  e: line,
  f: child,
  g: slowConsumer,
  h: late,
  i: manySessions
}
