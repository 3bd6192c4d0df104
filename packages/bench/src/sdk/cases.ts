/**
 * The cases with the official SDK.
 */
import * as acp from "@agentclientprotocol/sdk"
import { spawn } from "node:child_process"
import { Readable, Writable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { check, makePeak, scaled, type Side, spread } from "../Measurement.ts"
import * as Sizes from "../Sizes.ts"
import * as Workload from "../Workload.ts"
import { connectWith, inProcess } from "./Peers.ts"

const newSession = (agent: acp.ClientContext): Promise<acp.ActiveSession> => agent.buildSession(Workload.cwd).start()

/** Reads updates up to the end of the turn, doing something for each. */
const consume = async (session: acp.ActiveSession, onUpdate?: () => Promise<void>): Promise<number> => {
  let delivered = 0
  for (;;) {
    const message = await session.nextUpdate()
    if (message.kind === "stop") return delivered
    delivered++
    if (onUpdate !== undefined) await onUpdate()
  }
}

const updatesOf = ({ count, work }: Workload.Order) => work === "sequential" || work === "concurrent" ? 0 : count

const runTurn = async (session: acp.ActiveSession, order: Workload.Order): Promise<void> => {
  const response = session.prompt(Workload.write(order))
  check("updates", await consume(session), updatesOf(order))
  await response
}

const millis = async (run: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const timed = (order: Workload.Order) => async (agent: acp.ClientContext): Promise<number> => {
  const session = await newSession(agent)
  await runTurn(session, Sizes.warmUp(order))
  return millis(() => runTurn(session, order))
}

const turn = (work: Workload.Work, count: number): Side[string] => async (scale) => ({
  millis: await inProcess(timed(Sizes.order(work, scaled(scale, count))))
})

const concurrent: Side[string] = (scale) => {
  const order = Sizes.order("concurrent", scaled(scale, Sizes.concurrentCalls))
  return inProcess(async (agent) => {
    const session = await newSession(agent)
    await runTurn(session, order)
    const total = await millis(async () => {
      for (let round = 0; round < Sizes.rounds; round++) await runTurn(session, order)
    })
    return { millis: total / Sizes.rounds }
  })
}

const line: Side[string] = async () => {
  const order = Sizes.order("line", Sizes.lines)
  const [large, small] = Sizes.chunkBytes
  return {
    large: await inProcess(timed(order), large) / Sizes.lines,
    small: await inProcess(timed(order), small) / Sizes.lines
  }
}

const agentFile = fileURLToPath(new URL("agent.ts", import.meta.url))

const child: Side[string] = async (scale) => {
  const process_ = spawn(process.execPath, [agentFile], { stdio: ["pipe", "pipe", "inherit"] })
  const stream = acp.ndJsonStream(
    Writable.toWeb(process_.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(process_.stdout) as ReadableStream<Uint8Array>
  )
  const measured = await connectWith(stream, async (agent) => ({
    updates: await timed(Sizes.order("messages", scaled(scale, Sizes.updates)))(agent),
    calls: await timed(Sizes.order("sequential", scaled(scale, Sizes.sequentialCalls)))(agent)
  }))
  process_.kill()
  return measured
}

const slowConsumer: Side[string] = (scale) =>
  inProcess(async (agent) => {
    const session = await newSession(agent)
    await runTurn(session, Sizes.order("messages", scaled(scale, Sizes.updates)))
    const peak = makePeak()
    const response = session.prompt(
      Workload.write(Sizes.order("messages", scaled(scale, Sizes.slowUpdates)))
    )
    response.catch(() => {})
    for (let left = scaled(scale, Sizes.slowSteps); left > 0; left--) {
      await session.nextUpdate()
      await setTimeout(1)
      peak.sample()
    }
    return { mebibytes: peak.mebibytes() }
  })

const late: Side[string] = (scale) => {
  const order = Sizes.order("messages", scaled(scale, Sizes.lateUpdates))
  return inProcess(async (agent) => {
    const session = await newSession(agent)
    await runTurn(session, Sizes.warmUp(order))
    return {
      millis: await millis(async () => {
        await session.prompt(Workload.write(order))
        check("updates", await consume(session), order.count)
      })
    }
  })
}

const manySessions: Side[string] = (scale) =>
  inProcess(async (agent) => {
    const order = Sizes.order("messages", Sizes.updatesOfSession)
    const sessions: Array<acp.ActiveSession> = []
    for (let index = scaled(scale, Sizes.sessions); index > 0; index--) sessions.push(await newSession(agent))
    await Promise.all(sessions.map((session) => runTurn(session, Sizes.warmUp(order))))
    const ends = await Promise.all(sessions.map((session) => millis(() => runTurn(session, order))))
    return { millis: Math.max(...ends), spread: spread(ends) }
  })

export const side: Side = {
  a: turn("messages", Sizes.updates),
  b: turn("mixed", Sizes.updates),
  c: turn("sequential", Sizes.sequentialCalls),
  d: concurrent,
  e: line,
  f: child,
  g: slowConsumer,
  h: late,
  i: manySessions
}
