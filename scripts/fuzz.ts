/**
 * The long run: random peers, leaks and load, far more of them than the tests do.
 *
 * `node scripts/fuzz.ts [--seeds 100000] [--from 1]` runs seeds until one fails, and says how to run that one again; then
 * 10,000 connections that end in every way, a million updates through one turn, a thousand sessions at once and a million
 * lines of noise. `--seed n` runs one seed, `--only load` no seeds at all.
 */
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { parseArgs } from "node:util"
import * as Fuzz from "../packages/core/test/support/fuzz.ts"
import * as Load from "../packages/core/test/support/load.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    only: { type: "string" }
  }
})

const write = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

const expect = (holds: boolean, problem: string) => holds ? Effect.void : Effect.die(new Error(problem))

const seeds = Effect.fnUntraced(function*(first: number, count: number) {
  const start = performance.now()
  for (let seed = first; seed < first + count; seed++) {
    yield* Fuzz.runSeed(seed)
    yield* Fuzz.runFaulty(seed)
    const done = seed - first + 1
    if (done % 5_000 === 0) {
      const seconds = Math.round((performance.now() - start) / 1_000)
      yield* write(`${done} seeds, ${seconds} s, heap ${megabytes(process.memoryUsage().heapUsed)}`)
    }
  }
  yield* write(`${count} random peers and as many bad links: no crash, no hang, no leak, no wrong answer`)
})

const load = Effect.gen(function*() {
  const { entries, grown, handles, held } = yield* Load.leaks(10_000)
  yield* write(
    `10000 connections: ${entries} entries, ${handles} handles, ${held} held, memory grew by ${megabytes(grown)}`
  )
  yield* expect(entries === 0 && handles <= 1 && held <= 2 && grown < 8e6, "connections leak")

  const updates = yield* Load.manyUpdates(1_000_000)
  yield* write(`1000000 updates: ${updates.received} received in order, memory grew by ${megabytes(updates.grown)}`)
  yield* expect(updates.received === 1_000_000 && updates.grown < 16e6, "updates are lost or kept")

  const sessions = yield* Load.manySessions(1_000, 100)
  yield* write(`1000 sessions at once: ${sessions} had all their updates in order`)
  yield* expect(sessions === 1_000, "sessions disturb one another")

  const noise = yield* Load.muchNoise(1_000_000)
  yield* write(`1000000 lines of noise: memory grew by ${megabytes(noise)}`)
  yield* expect(noise < 8e6, "noise is kept")
}).pipe(Effect.scoped)

const program = Effect.gen(function*() {
  if (values.seed !== undefined) return yield* seeds(Number(values.seed), 1)
  if (values.only !== "load") yield* seeds(Number(values.from), Number(values.seeds))
  yield* load
}).pipe(
  Effect.catchCause((cause) =>
    Effect.flatMap(write(String(cause)), () =>
      Effect.sync(() => {
        process.exitCode = 1
      }))
  ),
  Effect.provideService(References.MinimumLogLevel, "None")
)

Effect.runPromise(program)
