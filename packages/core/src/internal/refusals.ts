/**
 * What is answered at once, from the reader: what is no message, and what cannot be served (F4, E10).
 */
import * as AcpError from "../AcpError.ts"
import type { Side } from "../Capabilities.ts"
import type * as Frame from "../Frame.ts"
import * as JsonRpc from "../JsonRpc.ts"
import type { Routes } from "./reader.ts"
import type { Writer } from "./writer.ts"

export interface Refusals extends Pick<Routes, "noise" | "malformed" | "message"> {
  /** Answers a request with an error. */
  readonly refuse: (id: JsonRpc.Id, error: JsonRpc.ErrorObject) => void
}

export const make = (options: {
  readonly side: Side
  readonly maxNoise: number
  readonly budget: number
  readonly writer: Writer
  readonly end: (reason: AcpError.CloseReason) => void
}): Refusals => {
  const { budget, end, maxNoise, side, writer } = options
  let noises = 0
  let unread = 0

  const refuse: Refusals["refuse"] = (id, error) => {
    const frame = JsonRpc.failure(id, error)
    // Refusals wait for no room, so a peer that sends without reading would fill the memory with them.
    unread = writer.hasRoom() ? 0 : unread + frame.length
    writer.pushUnsafe(frame)
    if (unread > budget) {
      end({ _tag: "ProtocolViolated", problem: "it sends requests and does not read the answers" })
    }
  }

  const refuseNoise = (noise: Frame.Noise): void => {
    if (noise.envelope?.kind === "request") return refuse(noise.envelope.id, tooLong)
    // No one waits for these answers: a peer that does not read them gets no more.
    if (side === "agent" && noise.envelope === undefined && writer.hasRoom()) refuse(null, errorOf(noise))
  }

  return {
    refuse,
    message: () => {
      noises = 0
    },
    noise: (noise) => {
      refuseNoise(noise)
      if (++noises > maxNoise) {
        end({
          _tag: "ProtocolViolated",
          problem: `${noises} lines in a row were no messages; the last: ${noise.preview}`
        })
      }
    },
    malformed: ({ answerable, id, problem }) => {
      if (!answerable) return
      const error = new AcpError.InvalidRequest({ data: { reason: problem } })
      if (id !== null) refuse(id, error)
      else if (side === "agent" && writer.hasRoom()) refuse(null, error)
    }
  }
}

const tooLong = new AcpError.InvalidRequest({ data: { reason: "the line is too long" } })

const errorOf = ({ reason }: Frame.Noise): JsonRpc.ErrorObject => {
  switch (reason) {
    case "Batch":
      return new AcpError.InvalidRequest({ data: { reason: "batches are not supported" } })
    case "NotAnObject":
      return new AcpError.InvalidRequest({ data: { reason: "a message must be an object" } })
    case "TooLarge":
      return tooLong
    default:
      return new AcpError.ParseError({})
  }
}
