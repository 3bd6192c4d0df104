/**
 * The client's half of the handshake: building a client is running it.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AcpError from "../AcpError.ts"
import * as AgentMethods from "../AgentMethods.ts"
import type * as Connection from "../Connection.ts"
import * as Protocol from "../Protocol.ts"
import type { ClientCapabilities } from "../schema/ClientCapabilities.ts"
import type { Implementation } from "../schema/Common.ts"
import type { InitializeResponse } from "../schema/Initialize.ts"
import * as Transport from "../Transport.ts"

export const run = Effect.fnUntraced(function*(
  connection: Connection.Connection,
  options: {
    readonly clientInfo: Implementation
    readonly clientCapabilities: ClientCapabilities
    readonly handshakeTimeout?: Duration.Input | undefined
  }
): Effect.fn.Return<InitializeResponse, AcpError.ConnectError, Scope.Scope | Transport.Transport> {
  const { clientCapabilities, clientInfo, handshakeTimeout } = options
  const { aside = Effect.succeed("") } = yield* Transport.Transport
  const lastNoise = yield* watchNoise(connection)
  // The agent may speak right behind its answer: what was agreed on must stand by then.
  const initialized = connection.callInReader(
    AgentMethods.initialize,
    { protocolVersion: Protocol.version, clientCapabilities, clientInfo },
    (response) => agree(connection, clientCapabilities, response)
  ).pipe(
    Effect.catchTag(
      "ConnectionClosed",
      ({ reason }) => Effect.fail(new AcpError.ConnectionClosed({ reason, ...lastNoise() }))
    )
  )
  if (handshakeTimeout === undefined) return yield* initialized
  const millis = Duration.toMillis(handshakeTimeout)
  return yield* Effect.timeoutOrElse(initialized, {
    duration: millis,
    orElse: () =>
      Effect.flatMap(aside, (aside) =>
        Effect.fail(
          new AcpError.HandshakeTimeout({ millis, ...lastNoise(), ...(aside === "" ? {} : { aside }) })
        ))
  })
})

const agree = (
  connection: Connection.Connection,
  client: ClientCapabilities,
  response: InitializeResponse
): Exit.Exit<InitializeResponse, AcpError.UnsupportedProtocolVersion> => {
  const { agentCapabilities, protocolVersion } = response
  if (protocolVersion !== Protocol.version) {
    return Exit.fail(
      new AcpError.UnsupportedProtocolVersion({ requested: Protocol.version, offered: protocolVersion })
    )
  }
  connection.capabilities.commitUnsafe({ protocolVersion, client: { ...client }, agent: { ...agentCapabilities } })
  return Exit.succeed(response)
}

/** What the agent wrote last that was no message: it tells a person what was started instead of an agent. */
const watchNoise = Effect.fnUntraced(function*(connection: Connection.Connection) {
  let last: { readonly noise?: string } = {}
  yield* Effect.forkScoped(
    Stream.runForEach(connection.diagnostics, (diagnostic) =>
      Effect.sync(() => {
        if (diagnostic._tag === "Noise") last = { noise: diagnostic.preview }
      })),
    { startImmediately: true }
  )
  return () => last
})
