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
  return [headline(failure, evidence), stdout(failure, evidence), stderr(evidence)].map(oneLine).join("")
}

const headline = (failure: AcpError.AcpError, { command }: Evidence): string => {
  if (failure._tag !== "ConnectionClosed") return `${command}: ${AcpError.format(failure)}`
  const { reason } = failure
  if (reason._tag !== "ProcessExited") return `${command}: ${AcpError.describeCloseReason(reason)}`
  return `${command} ${reason.signal === null ? `exited with code ${reason.code}` : `was killed by ${reason.signal}`}`
}

/** A timeout tells of it already. */
const stdout = (failure: AcpError.AcpError, { noise }: Evidence): string =>
  noise === undefined || failure._tag === "HandshakeTimeout" ? "" : `; it wrote to stdout what is no message: ${noise}`

const stderr = ({ stderrTail }: Evidence): string => {
  // Where the agent's code failed is for its author; what it said is for everyone.
  const lines = stderrTail.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !isFrame(line))
  return lines.length === 0 ? "; its stderr is empty" : `; its stderr ends with: ${lines.slice(-5).join(" | ")}`
}

const isFrame = (line: string) => /^at .*[(:]\S*:\d+|^node:internal|^Node\.js v/u.test(line)

const oneLine = (text: string) => printable(text).replace(/\s*\n\s*/gu, " | ").trimEnd()
