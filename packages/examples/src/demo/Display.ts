/**
 * Where the demo writes: in colour and in place on a terminal, plain lines anywhere else.
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { stripVTControlCharacters } from "node:util"

export type Style = "plain" | "bold" | "dim" | "green" | "yellow" | "red" | "cyan"

/** Text with a style of its own for each part. */
export type Line = ReadonlyArray<string | readonly [Style, string]>

/** Something that changes while it is shown. */
export interface Block {
  readonly key: string
  /** How it looks on a terminal, where it is drawn again in place as long as nothing was written below. */
  readonly lines: ReadonlyArray<Line>
  /** What is written for each change anywhere else. */
  readonly plain: string
}

export class Display extends Context.Service<Display, {
  /** Writes a whole line. */
  readonly line: (...parts: Line) => Effect.Effect<void>
  /** Goes on writing a text that comes in pieces. */
  readonly text: (piece: string, style?: Style) => Effect.Effect<void>
  readonly block: (block: Block) => Effect.Effect<void>
}>()("@effect-acp/examples/demo/Display") {}

const codes: Record<Style, string> = {
  plain: "0",
  bold: "1",
  dim: "2",
  green: "32",
  yellow: "33",
  red: "31",
  cyan: "36"
}

/** What others wrote, without what would move the cursor or change colours. */
export const printable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what it takes out
  stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu, "")

interface Options {
  readonly live: boolean
  readonly colour: boolean
  readonly columns: Effect.Effect<number>
  readonly write: (text: string) => Effect.Effect<void>
}

export const make = ({ colour, columns, live, write }: Options): Display["Service"] => {
  let lineIsOpen = false
  let drawn: { readonly key: string; readonly height: number } | undefined

  const paint = (style: Style, text: string) =>
    colour && style !== "plain" && text !== "" ? `\u001b[${codes[style]}m${text}\u001b[0m` : text
  const render = (parts: Line) =>
    parts.map((part) => typeof part === "string" ? printable(part) : paint(part[0], printable(part[1]))).join("")

  /** Ends what is on the current line, so that something else can be written. */
  const begin = () => {
    const end = lineIsOpen ? "\n" : ""
    lineIsOpen = false
    drawn = undefined
    return end
  }

  const redraw = ({ key, lines }: Block, width: number) => {
    const back = drawn?.key === key ? `\u001b[${drawn.height}A\u001b[J` : begin()
    drawn = { key, height: lines.length }
    return back + lines.map((line) => `${render(clip(line, width))}\n`).join("")
  }

  return Display.of({
    line: (...parts) => Effect.suspend(() => write(`${begin()}${render(parts)}\n`)),
    text: (piece, style = "plain") =>
      Effect.suspend(() => {
        const text = printable(piece)
        if (text === "") return Effect.void
        drawn = undefined
        lineIsOpen = !text.endsWith("\n")
        return write(paint(style, text))
      }),
    block: (block) =>
      live
        ? Effect.flatMap(columns, (width) => write(redraw(block, width > 0 ? width - 1 : 79)))
        : Effect.suspend(() => write(`${begin()}${printable(block.plain)}\n`))
  })
}

/** A line that does not wrap: the cursor could not find the way back. */
const clip = (line: Line, width: number): Line => {
  let room = width
  return line.map((part) => {
    const [style, text] = typeof part === "string" ? ["plain", part] as const : part
    const clipped = Array.from(text).slice(0, room).join("")
    room -= Array.from(clipped).length
    return [style, clipped] as const
  })
}

const isSet = (name: string) =>
  Effect.map(
    Effect.orElseSucceed(Config.option(Config.String(name)), () => Option.none<string>()),
    Option.getOrElse(() => "")
  )

/** Colour and live drawing on a terminal, unless `NO_COLOR` or `TERM=dumb` say otherwise; plain lines when piped. */
export const layer: Layer.Layer<Display, never, Stdio.Stdio | Terminal.Terminal> = Layer.effect(Display)(
  Effect.gen(function*() {
    const stdio = yield* Stdio.Stdio
    const terminal = yield* Terminal.Terminal
    const live = (yield* stdio.stdoutIsTerminal) && (yield* isSet("TERM")) !== "dumb"
    return make({
      live,
      colour: live && (yield* isSet("NO_COLOR")) === "",
      columns: terminal.columns,
      // A reader that has gone away (`| head`) is no reason to stop in the middle of a conversation.
      write: (text) => Effect.ignore(terminal.display(text))
    })
  })
)
