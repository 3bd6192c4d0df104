/**
 * An agent and a client, written as users write them.
 */
import * as Agent from "@effect-acp/core/Agent"
import * as Client from "@effect-acp/core/Client"
import * as ClientMethods from "@effect-acp/core/ClientMethods"
import * as Permission from "@effect-acp/core/Permission"
import * as Transport from "@effect-acp/core/Transport"
import type { Turn } from "@effect-acp/core/Turn"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeLink } from "../BytePipe.ts"
import * as Workload from "../Workload.ts"
import * as Link from "./Link.ts"

const perform = (turn: Turn) => {
  const order = Workload.read(turn.text)
  if (order.work !== "calls") return Effect.forEach(Workload.updates(order), turn.update, { discard: true })
  return Effect.forEach(Array.from({ length: order.count }), () => turn.readTextFile(Workload.path), {
    discard: true,
    concurrency: order.width
  })
}

export const agent = Agent.layer({ agentInfo: { name: "bench-agent", version: "1.0.0" }, prompt: perform })

/** The bounds are off: how the cost grows beyond them is one of the questions. */
export const client = Client.layer({
  clientInfo: { name: "bench-client", version: "1.0.0" },
  maxInFlight: Infinity,
  backlogUpdates: Infinity,
  backlogBytes: Infinity
}).pipe(
  Layer.provide(Permission.layerAllowOnce),
  Layer.provide(ClientMethods.handlers({ readTextFile: () => Effect.succeed({ content: Workload.fileContent }) })),
  Layer.orDie
)

/** A client that is joined to an agent by an in-process byte pipe. */
export const layer = (chunkBytes?: number) =>
  Layer.unwrap(Effect.sync(() => {
    const link = makeLink(chunkBytes)
    return Layer.merge(
      Layer.provide(client, Layer.succeed(Transport.Transport, Link.client(link))),
      Layer.provide(agent, Layer.succeed(Transport.Transport, Link.agent(link)))
    )
  }))
