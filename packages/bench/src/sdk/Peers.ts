/**
 * An agent and a client, written as the SDK's README says.
 */
/* oxlint-disable no-await-in-loop -- one thing after the other is what is measured */
import * as acp from "@agentclientprotocol/sdk"
import { makeLink } from "../BytePipe.ts"
import * as Workload from "../Workload.ts"
import * as Link from "./Link.ts"

const perform = async (context: acp.AgentContext, sessionId: string, order: Workload.Order): Promise<void> => {
  if (order.work === "calls") return readFiles(context, sessionId, order)
  for (const update of Workload.updates(order)) {
    await context.notify(acp.methods.client.session.update, { sessionId, update } as acp.SessionNotification)
  }
}

const readFiles = async (
  context: acp.AgentContext,
  sessionId: string,
  { count, width = 1 }: Workload.Order
): Promise<void> => {
  let left = count
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      await context.request(acp.methods.client.fs.readTextFile, { sessionId, path: Workload.path })
    }
  }
  await Promise.all(Array.from({ length: width }, work))
}

export const makeAgent = (): acp.AgentApp => {
  let sessions = 0
  return acp.agent({ name: "bench-agent" })
    .onRequest(acp.methods.agent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }))
    .onRequest(acp.methods.agent.session.new, () => ({ sessionId: `session_${++sessions}` }))
    .onRequest(acp.methods.agent.session.prompt, async ({ client, params }) => {
      const [block] = params.prompt
      await perform(client, params.sessionId, Workload.read(block.type === "text" ? block.text : ""))
      return { stopReason: "end_turn" as const }
    })
}

const makeClient = (): acp.ClientApp =>
  acp.client({ name: "bench-client" })
    .onRequest(acp.methods.client.fs.readTextFile, () => ({ content: Workload.fileContent }))

/** Runs a workflow with an agent that was initialized. */
export const connectWith = <A>(stream: acp.Stream, run: (agent: acp.ClientContext) => Promise<A>): Promise<A> =>
  makeClient().connectWith(stream, async (agent) => {
    await agent.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true } }
    })
    return run(agent)
  })

/** Runs a workflow with an agent at the other end of an in-process byte pipe. */
export const inProcess = <A>(run: (agent: acp.ClientContext) => Promise<A>, chunkBytes?: number): Promise<A> => {
  const link = makeLink(chunkBytes)
  makeAgent().connect(Link.agent(link))
  return connectWith(Link.client(link), run)
}
