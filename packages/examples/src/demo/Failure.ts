/**
 * Says in one line what went wrong.
 */
import * as AcpError from "@effect-acp/core/AcpError"
import { AgentProcessError } from "@effect-acp/host/AgentProcess"
import { printable } from "./Display.ts"

export type Failure = AcpError.AcpError | AgentProcessError

/** What is known of the agent beside the error. */
export interface Evidence {
  readonly command: string
  readonly stderrTail: string
  /** The last line on stdout that was no message. */
  readonly noise: string | undefined
}

export const describe = (failure: Failure, evidence: Evidence): string => {
  if (failure instanceof AgentProcessError) return oneLine(failure.message)
  const sentences = [headline(failure, evidence), ...stdout(failure, evidence), ...stderr(failure, evidence)]
  return sentences.map(oneLine).map((text) => /[.?!]$/u.test(text) ? text : `${text}.`).join(" ")
}

const headline = (failure: AcpError.AcpError, { command }: Evidence): string => {
  if (failure._tag !== "ConnectionClosed") return `${command}: ${AcpError.format(failure)}`
  const { reason } = failure
  if (reason._tag !== "ProcessExited") return `${command}: ${AcpError.describeCloseReason(reason)}`
  return `${command} ${reason.signal === null ? `exited with code ${reason.code}` : `was killed by ${reason.signal}`}`
}

/** The line of noise, where the error does not tell of it itself. */
const stdout = (failure: AcpError.AcpError, { noise }: Evidence) =>
  noise !== undefined && failure._tag === "ConnectionClosed" && failure.reason._tag !== "ProtocolViolated"
    ? [`It wrote to stdout what is no message: ${noise}`]
    : []

const stderr = (failure: AcpError.AcpError, { stderrTail }: Evidence) => {
  const lines = stderrTail.split("\n").map((line) => line.trim()).filter(isTelling)
  if (lines.length > 0) return [`Its stderr ends with: ${lines.slice(-5).join(" | ")}`]
  return failure._tag === "ConnectionClosed" || failure._tag === "HandshakeTimeout" ? ["Its stderr is empty"] : []
}

/** Where the agent's code failed is for its author; what it said is for everyone. */
const isTelling = (line: string) => /\w/u.test(line) && !/^at .*[(:]\S*:\d+|^node:internal|^Node\.js v/u.test(line)

export const oneLine = (text: string) => printable(text).trim().replace(/\s*\n\s*/gu, " | ")
