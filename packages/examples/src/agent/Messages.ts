/**
 * The commands of the example agent that only talk: text, plans, and what came in the prompt.
 */
import * as Plan from "@effect-acp/core/schema/Plan"
import type { Turn } from "@effect-acp/core/Turn"
import * as Effect from "effect/Effect"
import * as Choices from "./Choices.ts"

const helpText = `This agent has no model. It knows these commands:

  echo TEXT         says TEXT, in several pieces
  read PATH         reads a file through the client, after asking
  write PATH TEXT   writes a file through the client, after asking
  run COMMAND ...   runs a command in a terminal of the client, after asking
  plan N            works through a plan of N steps
  slow N            says N pieces, one every 50 ms
  flood N           says N pieces as fast as they go
  ask               asks for permission with all four kinds of option
  inspect           lists the kinds of the prompt's content blocks
  fail, die         ends the turn with an error, or with a defect
`

export const help = (turn: Turn) => turn.say(helpText)

/** Runs `use` with the number that the argument is; anything else is answered with a word about it. */
const withNumber = <A, E, R>(
  turn: Turn,
  argument: string,
  most: number,
  use: (n: number) => Effect.Effect<A, E, R>
) => {
  const text = argument.trim()
  const n = /^\d+$/u.test(text) ? Number(text) : NaN
  return n <= most ? use(n) : turn.say(`"${text}" is not a whole number from 0 to ${most}\n\n${helpText}`)
}

/** Whole characters in at most so many pieces of about one length. */
const cut = (text: string, pieces: number): ReadonlyArray<string> => {
  const characters = Array.from(text)
  const size = Math.ceil(characters.length / pieces)
  return Array.from(
    { length: size === 0 ? 0 : Math.ceil(characters.length / size) },
    (_, index) => characters.slice(index * size, (index + 1) * size).join("")
  )
}

export const echo = (turn: Turn, text: string) =>
  Effect.flatMap(
    Choices.pieces(turn.session),
    (pieces) => Effect.forEach(cut(text, pieces), turn.say, { discard: true })
  )

export const slow = (turn: Turn, argument: string) =>
  withNumber(
    turn,
    argument,
    Number.MAX_SAFE_INTEGER,
    (n) => count(n, (i) => Effect.delay(turn.say(`${i} `), "50 millis"))
  )

export const flood = (turn: Turn, argument: string) =>
  withNumber(turn, argument, Number.MAX_SAFE_INTEGER, (n) => count(n, (i) => turn.say(`${i} `)))

const count = <E, R>(n: number, step: (i: number) => Effect.Effect<void, E, R>) =>
  Effect.gen(function*() {
    for (let i = 1; i <= n; i++) yield* step(i)
  })

export const plan = (turn: Turn, argument: string) =>
  withNumber(turn, argument, 100, (n) =>
    Effect.gen(function*() {
      const steps = Array.from({ length: n }, (_, index) => `Step ${index + 1} of ${n}`)
      const show = (done: number, current?: "in_progress") =>
        turn.plan(
          steps.map((step, index) =>
            Plan.entry(step, { status: index < done ? "completed" : index === done ? current ?? "pending" : "pending" })
          )
        )
      yield* show(0)
      for (let done = 0; done < n; done++) {
        yield* show(done, "in_progress")
        yield* Effect.sleep("50 millis")
      }
      yield* show(n)
    }))

export const inspect = (turn: Turn) =>
  turn.say(
    turn.request.prompt.map((block) => block.type === "unknown" ? String(block.raw["type"]) : block.type).join(", ")
  )
