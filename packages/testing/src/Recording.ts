/**
 * What went over a transport, kept to be looked at, or to be played again as the peer (V3).
 *
 * @since 0.1.0
 */
import * as Frame from "@effect-acp/core/Frame"
import * as Transport from "@effect-acp/core/Transport"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"

// =============================================================================
// Models
// =============================================================================

/**
 * Frames of both directions in the order in which they passed.
 *
 * @category models
 * @since 0.1.0
 */
export type Recording = ReadonlyArray<Transport.Tapped>

/**
 * A transport that is being recorded.
 *
 * @category models
 * @since 0.1.0
 */
export interface Recorder {
  readonly transport: Transport.Transport
  readonly layer: Layer.Layer<Transport.Transport>
  /** What has passed so far. */
  readonly recording: Effect.Effect<Recording>
}

/**
 * A text that is no recording.
 *
 * @category errors
 * @since 0.1.0
 */
export class RecordingError extends Data.TaggedError("RecordingError")<{ readonly line: number }> {
  override get message(): string {
    return `Line ${this.line} is no frame of a recording`
  }
}

// =============================================================================
// Recording
// =============================================================================

/**
 * Records a transport from now on.
 *
 * @category constructors
 * @since 0.1.0
 */
export const record = (transport: Transport.Transport): Effect.Effect<Recorder> =>
  Effect.sync(() => {
    const frames: Array<Transport.Tapped> = []
    const recorded = Transport.tap(transport, (frame) =>
      Effect.sync(() => {
        frames.push(frame)
      }))
    return {
      transport: recorded,
      layer: Layer.succeed(Transport.Transport, recorded),
      recording: Effect.sync(() => [...frames])
    }
  })

/**
 * Writes a recording as text, a frame a line.
 *
 * @category encoding
 * @since 0.1.0
 */
export const stringify = (recording: Recording): string =>
  recording.map((frame) => `${JSON.stringify(frame)}\n`).join("")

/**
 * Reads a recording from its text.
 *
 * @category parsing
 * @since 0.1.0
 */
export const parse = (text: string): Effect.Effect<Recording, RecordingError> =>
  Effect.forEach(
    text.split("\n").filter((line) => line !== ""),
    (line, index) =>
      Effect.try({
        try: () => JSON.parse(line) as Transport.Tapped,
        catch: () => new RecordingError({ line: index + 1 })
      })
  )

// =============================================================================
// Replaying
// =============================================================================

/**
 * A peer that says again what it said in a recording.
 *
 * **Details**
 *
 * Each incoming frame comes once as many frames were written as had been before it in the recording, without waiting for
 * time to pass; `paced` waits as long as it took then as well. After the last one the peer closes its side. What the side
 * under test writes is not compared: record it, and compare the recordings.
 *
 * Ids are the recorded ones, so a side that makes the same calls in the same order finds its answers.
 *
 * @category constructors
 * @since 0.1.0
 */
export const replay = (
  recording: Recording,
  options?: { readonly paced?: boolean | undefined }
): Transport.Transport => {
  const wrote = Latch.makeUnsafe(true)
  let written = 0

  const waitFor = (count: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (written >= count) return Effect.void
      wrote.closeUnsafe()
      return Effect.flatMap(wrote.await, () => waitFor(count))
    })

  const steps = incomingOf(recording)
  return {
    incoming: Stream.mapEffect(Stream.fromIterable(steps), ({ after, frame, millis }) => {
      const ready = options?.paced ? Effect.andThen(waitFor(after), Effect.sleep(millis)) : waitFor(after)
      return Effect.as(ready, frame)
    }),
    outgoing: Sink.forEachArray((frames: ReadonlyArray<string>) =>
      Effect.sync(() => {
        written += frames.length
        wrote.openUnsafe()
      })
    )
  }
}

/**
 * A layer of a peer that says again what it said in a recording; see {@link replay}.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerReplay = (
  recording: Recording,
  options?: { readonly paced?: boolean | undefined }
): Layer.Layer<Transport.Transport> => Layer.sync(Transport.Transport)(() => replay(recording, options))

interface Step {
  /** How many frames had been written before it. */
  readonly after: number
  /** How long it took since the frame before it, of either direction. */
  readonly millis: number
  readonly frame: Frame.Incoming
}

const incomingOf = (recording: Recording): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  let after = 0
  let last = recording[0]?.at ?? 0
  for (const { at, direction, noise, text } of recording) {
    if (direction === "out") after++
    else {
      const frame = noise === undefined ? Frame.parse(text, text.length) : new Frame.Noise(noise, text.length, text)
      steps.push({ after, millis: at - last, frame })
    }
    last = at
  }
  return steps
}
