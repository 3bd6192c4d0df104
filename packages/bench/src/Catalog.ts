/**
 * What is measured, how it is validated on either side, and what is asked of it.
 */
import * as Sizes from "./Sizes.ts"

/** One figure of a case. Lower is better; `target` is how many times lower than the SDK's it is to be. */
export interface Figure {
  readonly name: string
  readonly label: string
  readonly unit: "ms" | "MiB" | "×"
  readonly target?: number | undefined
}

export interface Case {
  readonly id: string
  readonly title: string
  readonly validation: string
  readonly figures: ReadonlyArray<Figure>
  readonly hasFloor: boolean
}

const millis = (target: number): Figure => ({ name: "millis", label: "time", unit: "ms", target })

const cold: Figure = { name: "cold", label: "first in the process", unit: "ms" }

const updatesValidated =
  "Ours: each update is checked and stripped by the sender and decoded by the receiver. SDK: parsed by the receiver with zod; the sender checks nothing."

const callsValidated =
  "Ours: params and result are checked by the sender and decoded by the receiver. SDK: params are parsed by the receiver with zod; results are not checked on either side."

const thousands = (count: number) => count.toLocaleString("en-US")

export const cases: ReadonlyArray<Case> = [
  {
    id: "a",
    title: `${thousands(Sizes.orders.messages.count)} message chunks in one turn`,
    validation: updatesValidated,
    figures: [millis(6), cold],
    hasFloor: true
  },
  {
    id: "b",
    title: `${
      thousands(Sizes.orders.messages.count)
    } tool calls, tool call updates, plans and usage updates in one turn`,
    validation: updatesValidated,
    figures: [millis(10), cold],
    hasFloor: true
  },
  {
    id: "c",
    title: `${thousands(Sizes.orders.sequential.count)} files of 1 KiB read one after the other`,
    validation: callsValidated,
    figures: [millis(2.5), cold],
    hasFloor: true
  },
  {
    id: "d",
    title: `${thousands(Sizes.orders.concurrent.count)} files of 1 KiB read at once`,
    validation: callsValidated,
    figures: [millis(6), cold],
    hasFloor: true
  },
  {
    id: "e",
    title: "A message chunk of 8 MiB",
    validation: updatesValidated,
    figures: [
      { name: "large", label: "in 64 KiB chunks", unit: "ms", target: 1 },
      { name: "small", label: "in 1 KiB chunks", unit: "ms" }
    ],
    hasFloor: true
  },
  {
    id: "f",
    title: "Cases a and c with a child process",
    validation: `${updatesValidated} ${callsValidated}`,
    figures: [
      { name: "updates", label: "message chunks", unit: "ms", target: 2 },
      { name: "calls", label: "file reads", unit: "ms", target: 2 }
    ],
    hasFloor: true
  },
  {
    id: "g",
    title: `A consumer that takes 1 ms for each of ${thousands(Sizes.orders.many.count)} updates`,
    validation: updatesValidated,
    figures: [{ name: "mebibytes", label: "peak memory, beyond before the turn", unit: "MiB", target: 4 }],
    hasFloor: false
  },
  {
    id: "h",
    title: `${thousands(Sizes.orders.many.count)} updates read after the turn`,
    validation: updatesValidated,
    figures: [millis(20)],
    hasFloor: true
  },
  {
    id: "i",
    title: `${Sizes.sessions} sessions of ${Sizes.orders.session.count} updates at once`,
    validation: updatesValidated,
    figures: [
      millis(5),
      { name: "spread", label: "slowest ÷ fastest session", unit: "×" }
    ],
    hasFloor: true
  },
  {
    id: "j",
    title: "Cold import, beyond the dependencies that are needed",
    validation: "Ours beyond the modules of effect that it loads, the SDK beyond those of zod.",
    figures: [
      { name: "clientMillis", label: "client, own time", unit: "ms" },
      { name: "clientTotalMillis", label: "client, with dependencies", unit: "ms" },
      { name: "clientBundledMillis", label: "client, bundled into one file", unit: "ms" },
      { name: "clientMebibytes", label: "client, own memory", unit: "MiB" },
      { name: "agentMillis", label: "agent, own time", unit: "ms" },
      { name: "agentTotalMillis", label: "agent, with dependencies", unit: "ms" },
      { name: "agentBundledMillis", label: "agent, bundled into one file", unit: "ms" },
      { name: "agentMebibytes", label: "agent, own memory", unit: "MiB" }
    ],
    hasFloor: false
  }
]
