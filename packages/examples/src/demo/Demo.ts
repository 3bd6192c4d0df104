/**
 * The demo: starts an agent, talks to it, and leaves nothing behind.
 */
import * as Client from "@effect-acp/core/Client"
import * as Frame from "@effect-acp/core/Frame"
import * as Transport from "@effect-acp/core/Transport"
import * as AgentProcess from "@effect-acp/host/AgentProcess"
import * as Files from "@effect-acp/host/Files"
import * as Terminals from "@effect-acp/host/Terminals"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Conversation from "./Conversation.ts"
import { Display } from "./Display.ts"
import * as Failure from "./Failure.ts"

/** The demo ended early, and has said why. */
export class DemoFailed extends Data.TaggedError("DemoFailed") {}

/** Says on stderr, in one line, why the demo ends here. */
export const complain = (message: string) =>
  Effect.sync(() => {
    process.stderr.write(`demo: ${Failure.oneLine(message)}\n`)
  })

export interface Options {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly prompts: ReadonlyArray<Conversation.Prompt>
  /** The kinds of tool call that the policy allows. */
  readonly allowed: ReadonlyArray<string>
  readonly handshakeTimeout: Duration.Input
}

/** Starts the agent, talks to it, and ends when its process has ended. */
export const run = (options: Options) =>
  Effect.gen(function*() {
    const display = yield* Display
    const started = yield* Layer.build(AgentProcess.layer(options.command, options.args, agentOptions(options)))
    const agent = Context.get(started, AgentProcess.AgentProcess)
    const { lastNoise, transport } = noticeNoise(Context.get(started, Transport.Transport))
    yield* display.line(["bold", "command"], ` ${agent.command} (process ${agent.pid})`)
    yield* Conversation.run(options.cwd, options.prompts).pipe(
      Effect.provide(Layer.provide(layerClient(options), Layer.succeed(Transport.Transport, transport))),
      Effect.catch((failure) =>
        Effect.flatMap(agent.stderrTail, (stderrTail) =>
          fail(Failure.describe(failure, { command: agent.command, stderrTail, noise: lastNoise() })))
      )
    )
    yield* agent.close
    const { code, signal } = yield* agent.exit
    yield* display.line("")
    yield* display.line(["bold", "agent"], signal === null ? ` exited with code ${code}` : ` was ended by ${signal}`)
  }).pipe(
    Effect.scoped,
    Effect.catchTag("AgentProcessError", ({ message }) =>
      fail(message))
  )

const fail = (message: string) => Effect.andThen(complain(message), new DemoFailed())

/** When the demo closes an agent, no turn is left that the agent should have time for. */
const agentOptions = ({ cwd }: Options): AgentProcess.Options => ({ cwd, stdinGrace: "2 seconds" })

/** A client that lets the agent work in the session's folder, and the terminals that it has. */
const layerClient = ({ allowed, handshakeTimeout }: Options) =>
  Client.layer({
    clientInfo: { name: "effect-acp-demo", title: "Demo", version: "0.1.0" },
    handshakeTimeout,
    maxNoise: 1_000
  }).pipe(
    Layer.provideMerge(Terminals.layer()),
    Layer.provide([Conversation.layerPolicy(allowed), Files.layer()])
  )

/** Keeps the last line that was no message, for the case that it explains what went wrong. */
const noticeNoise = (transport: Transport.Transport) => {
  let last: string | undefined
  const incoming = Stream.tap(transport.incoming, (item) =>
    Effect.sync(() => {
      if (item instanceof Frame.Noise) last = item.preview
    }))
  return { transport: { ...transport, incoming }, lastNoise: () => last }
}
