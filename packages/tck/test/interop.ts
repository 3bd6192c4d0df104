/**
 * What the tests with foreign peers share: a place to work in, a record of the wire, and the corpus.
 */
import { Effect, FileSystem, Path } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fixture } from "./support.ts"

/** One line of a transcript. */
export interface Line {
  readonly from: "client" | "agent"
  readonly line: string
}

export const exampleAgent = [
  process.execPath,
  join(import.meta.dirname, "..", "..", "examples", "src", "agent.ts")
] as const

export const corpus = join(import.meta.dirname, "corpus")

/** Folders that are gone after the test. */
export const makePlace = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "acp-tck-interop-" }))
  const [home, work, store] = ["home", "work", "store"].map((name) => path.join(root, name))
  yield* Effect.forEach([home, work, store], (folder) => fs.makeDirectory(folder))
  yield* fs.writeFileString(path.join(work, "README.md"), "# A file of the acpx tests\n")
  return { home, work, store, record: path.join(root, "record.jsonl") }
})

export type Place = Effect.Success<typeof makePlace>

/** The words of a command that runs an agent with a tap before it. */
export const tapped = ({ record }: Place, agent: ReadonlyArray<string>): ReadonlyArray<string> => [
  process.execPath,
  fixture("tap.ts"),
  record,
  ...agent
]

const parts = ({ record }: Place): ReadonlyArray<Line & { readonly pid?: number }> =>
  existsSync(record) ? readFileSync(record, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line)) : []

/** What went over the wire so far. */
export const transcript = (place: Place): ReadonlyArray<Line> => parts(place).filter(({ line }) => line !== undefined)

/** The process ids of the agents that were started. */
export const agentPids = (place: Place): ReadonlyArray<number> =>
  parts(place).flatMap(({ pid }) => pid === undefined ? [] : [pid])

/** Keeps a transcript for the corpus when ACP_TCK_RECORD is set. */
export const keep = (name: string, place: Place): void => {
  if (process.env["ACP_TCK_RECORD"] === undefined) return
  const lines = transcript(place).map(({ from, line }) =>
    JSON.stringify({ from, message: JSON.parse(line.replaceAll(place.work, "/home/user/project")) })
  )
  writeFileSync(join(corpus, `${name}.jsonl`), `${lines.join("\n")}\n`)
}
