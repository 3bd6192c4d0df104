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

/** The demo ended early; the message is one line for a person. */
export class DemoFailed extends Data.TaggedError("DemoFailed")<{ readonly message: string }> {}

export interface Options {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly prompts: ReadonlyArray<Conversation.Prompt>
  /** The kinds of tool call that the policy allows. */
  readonly allowed: ReadonlyArray<string>
  readonly handshakeTimeout: Duration.Input
}

export const run = (options: Options) =>
  Effect.gen(function*() {
    const display = yield* Display
    const started = yield* Effect.mapError(
      Layer.build(AgentProcess.layer(options.command, options.args, { cwd: options.cwd })),
      ({ message }) => new DemoFailed({ message })
    )
    const process = Context.get(started, AgentProcess.AgentProcess)
    const { lastNoise, transport } = noticeNoise(Context.get(started, Transport.Transport))
    yield* display.line(["bold", "command"], ` ${process.command} (process ${process.pid})`)
    yield* Conversation.run(options.cwd, options.prompts).pipe(
      Effect.provide(Layer.provide(layerClient(options), Layer.succeed(Transport.Transport, transport))),
      Effect.catch((failure) =>
        Effect.flatMap(process.stderrTail, (stderrTail) =>
          Effect.fail(
            new DemoFailed({
              message: Failure.describe(failure, { command: process.command, stderrTail, noise: lastNoise() })
            })
          ))
      )
    )
    yield* Effect.mapError(process.close, ({ message }) => new DemoFailed({ message }))
    const { code, signal } = yield* process.exit
    yield* display.line("")
    yield* display.line(["bold", "agent"], signal === null ? ` exited with code ${code}` : ` was ended by ${signal}`)
  }).pipe(Effect.scoped)

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
