/**
 * The two ends of an in-process byte pipe as transports.
 */
import * as Transport from "@effect-acp/core/Transport"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { BytePipe, Link } from "../BytePipe.ts"

const input = (pipe: BytePipe): Stream.Stream<Uint8Array> => {
  const pull: Effect.Effect<Arr.NonEmptyReadonlyArray<Uint8Array>, Cause.Done> = Effect.suspend(() => {
    const chunks = pipe.read()
    if (chunks === undefined) return Effect.andThen(hasData, pull)
    return Arr.isReadonlyArrayNonEmpty(chunks) ? Effect.succeed(chunks) : Cause.done()
  })
  const hasData = Effect.callback<void>((resume) => pipe.onData(() => resume(Effect.void)))
  return Stream.fromPull(Effect.succeed(pull))
}

const output = (pipe: BytePipe): Sink.Sink<void, Uint8Array> => {
  const drained = Effect.callback<void>((resume) => pipe.onDrain(() => resume(Effect.void)))
  return Sink.forEach((bytes: Uint8Array) => Effect.suspend(() => pipe.write(bytes) ? Effect.void : drained)).pipe(
    Sink.ensuring(Effect.sync(() => pipe.end()))
  )
}

export const client = ({ toAgent, toClient }: Link): Transport.Transport =>
  Transport.fromBytes({ input: input(toClient), output: output(toAgent) })

export const agent = ({ toAgent, toClient }: Link): Transport.Transport =>
  Transport.fromBytes({ input: input(toAgent), output: output(toClient) })
