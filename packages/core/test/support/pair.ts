/**
 * Two connections that are joined in memory, with everything negotiated, and what went over the link.
 */
import * as Capabilities from "@effect-acp/core/Capabilities"
import * as Connection from "@effect-acp/core/Connection"
import type * as Diagnostic from "@effect-acp/core/Diagnostic"
import * as Protocol from "@effect-acp/core/Protocol"
import * as Transport from "@effect-acp/core/Transport"
import { type Context, Effect, Layer, Sink, Stream } from "effect"

export interface PairOptions {
  readonly agent?: Layer.Layer<any> | undefined
  readonly client?: Layer.Layer<any> | undefined
  readonly agentCapabilities?: Record<string, unknown> | undefined
  readonly clientCapabilities?: Record<string, unknown> | undefined
  readonly agentProtocol?: Protocol.Protocol | undefined
  readonly clientProtocol?: Protocol.Protocol | undefined
}

const noHandlers = Layer.empty as Layer.Layer<any>

export const make = Effect.fnUntraced(function*(options: PairOptions) {
  const [clientEnd, agentEnd] = yield* Transport.makeMemory
  const frames: Array<unknown> = []
  const side = Effect.fnUntraced(function*(
    side: "agent" | "client",
    transport: Transport.Transport,
    handlers: Layer.Layer<any> | undefined,
    { handshake, table }: Protocol.Protocol
  ) {
    const negotiation = Capabilities.makeUnsafe()
    negotiation.commitUnsafe({
      protocolVersion: 1,
      agent: options.agentCapabilities ?? {},
      client: options.clientCapabilities ?? {}
    })
    const services = yield* Layer.build(handlers ?? noHandlers)
    const connection = yield* Connection.make({
      side,
      table,
      handshake,
      negotiation,
      handlers: services as Context.Context<never>
    }).pipe(
      Effect.provideService(Transport.Transport, recorded(transport, frames))
    )
    const diagnostics: Array<Diagnostic.Diagnostic> = []
    yield* Effect.forkScoped(
      Stream.runForEach(connection.diagnostics, (diagnostic) => Effect.sync(() => diagnostics.push(diagnostic))),
      { startImmediately: true }
    )
    return { connection, diagnostics }
  })
  return {
    client: yield* side("client", clientEnd, options.client, options.clientProtocol ?? Protocol.v1),
    agent: yield* side("agent", agentEnd, options.agent, options.agentProtocol ?? Protocol.v1),
    /** What either side wrote, parsed. */
    frames
  }
})

const recorded = (transport: Transport.Transport, frames: Array<unknown>): Transport.Transport => ({
  ...transport,
  outgoing: Sink.mapInput(transport.outgoing, (frame: string) => {
    frames.push(JSON.parse(frame))
    return frame
  })
})
