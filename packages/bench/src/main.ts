/**
 * `pnpm bench`: this library beside the official SDK and the floor.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Catalog from "./Catalog.ts"
import * as Decode from "./Decode.ts"
import * as Growth from "./Growth.ts"
import * as Report from "./Report.ts"
import * as Runner from "./Runner.ts"

const known = [...Catalog.cases.map(({ id }) => id), "growth", "decode"]

const bench = Command.make(
  "bench",
  {
    names: Argument.Literals("case", known).pipe(
      Argument.withDescription("Which cases to run: a to j, growth, decode. All of a to j when none is given"),
      Argument.variadic()
    ),
    pairs: Flag.Int("pairs").pipe(
      Flag.withDescription("How often each side runs"),
      Flag.withDefault(5)
    ),
    json: Flag.String("json").pipe(
      Flag.withDescription("Where to write everything that was measured"),
      Flag.withMetavar("FILE"),
      Flag.optional
    ),
    smoke: Flag.Boolean("smoke").pipe(
      Flag.withDescription("Run everything once and tiny, to see that it works; the figures mean nothing"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function*({ json, names, pairs, smoke }) {
    const scale = smoke ? "smoke" : "full"
    const wants = (name: string) => names.includes(name) || (names.length === 0 && (smoke || name.length === 1))
    const samples: Array<Runner.Samples> = []
    for (const case_ of Catalog.cases.filter(({ id }) => wants(id))) {
      const sample = yield* Runner.runCase(case_, {
        pairs: smoke ? 1 : pairs,
        scale,
        onRun: (side, pair) => Console.error(`${case_.id}  ${side}  ${pair + 1}`)
      })
      samples.push(sample)
      yield* Console.log(`\n${case_.id}. ${case_.title}\n   ${case_.validation}\n`)
      yield* Console.log(Report.table(Report.rowsOf(sample)))
    }
    if (samples.length > 1) yield* Console.log(`\n${Report.table(samples.flatMap(Report.rowsOf))}`)
    if (wants("growth")) yield* Console.log(yield* Growth.run(scale))
    if (wants("decode")) yield* Console.log(yield* Decode.run(scale))
    if (Option.isSome(json)) {
      const files = yield* FileSystem.FileSystem
      yield* files.writeFileString(json.value, Report.json(samples, { pairs }))
    }
  })
)

Command.run(bench, { version: "0.0.0" }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
