/**
 * What an entry point costs to import, for the first time, in a process that has done nothing else.
 *
 * A user imports JavaScript, so this library's modules are stripped of their types before.
 */
/* oxlint-disable no-await-in-loop -- one thing after the other is what is measured */
import { execFile } from "node:child_process"
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { build } from "rolldown"
import type { Measurement, Scale, Side } from "./Measurement.ts"

const source = fileURLToPath(new URL(".", import.meta.resolve("@effect-acp/core/Client")))

/** Inside the package, so that its dependencies are found from there. */
const cache = fileURLToPath(new URL("../node_modules/.cache/bench", import.meta.url))

type SideName = "ours" | "sdk"

interface Entries {
  readonly client: string
  readonly agent: string
}

/** The modules of this library as JavaScript. */
const compile = async (): Promise<string> => {
  const target = join(cache, "core")
  await rm(target, { recursive: true, force: true })
  await cp(source, target, { recursive: true })
  for (const file of await readdir(target, { recursive: true })) {
    if (!file.endsWith(".ts")) continue
    const stripped = stripTypeScriptTypes(await readFile(join(target, file), "utf8"))
    await writeFile(join(target, file.replace(/ts$/, "js")), stripped.replaceAll(/(from "\.[^"]*)\.ts"/g, "$1.js\""))
    await rm(join(target, file))
  }
  return target
}

const entriesOf = async (side: SideName): Promise<Entries> => {
  if (side === "sdk") {
    const url = import.meta.resolve("@agentclientprotocol/sdk")
    return { client: url, agent: url }
  }
  const folder = await compile()
  const url = (module: string): string => pathToFileURL(join(folder, `${module}.js`)).href
  return { client: url("Client"), agent: url("Agent") }
}

/** The modules that count as dependencies, by the folder of their package. */
const dependencies = { ours: /\/node_modules\/effect\//, sdk: /\/node_modules\/zod\// }

const run = async <A>(program: string): Promise<A> => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program])
  return JSON.parse(stdout) as A
}

const loadedBy = (url: string): Promise<ReadonlyArray<string>> =>
  run(`
    import { registerHooks } from "node:module"
    const urls = []
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
    await import(${JSON.stringify(url)})
    console.log(JSON.stringify(urls))
  `)

interface Cost {
  readonly millis: number
  readonly mebibytes: number
}

const costOf = (url: string): Promise<Cost> =>
  run(`
    const memory = process.memoryUsage.rss()
    const start = performance.now()
    await import(${JSON.stringify(url)})
    const millis = performance.now() - start
    console.log(JSON.stringify({ millis, mebibytes: (process.memoryUsage.rss() - memory) / 1048576 }))
  `)

/** A module that imports the dependencies of an entry point and nothing else. */
const writeBaseline = async (side: SideName, url: string): Promise<string> => {
  const needed = (await loadedBy(url)).filter((url) => dependencies[side].test(url))
  const file = join(cache, "baseline.mjs")
  await mkdir(cache, { recursive: true })
  await writeFile(file, needed.map((url) => `import ${JSON.stringify(url)}\n`).join(""))
  return pathToFileURL(file).href
}

/** An entry point in one file with everything that it imports, as applications are shipped. */
const writeBundle = async (side: SideName, url: string): Promise<string> => {
  const file = join(cache, `${side}.bundle.mjs`)
  await build({ input: fileURLToPath(url), output: { file, format: "esm" }, logLevel: "silent", platform: "node" })
  return pathToFileURL(file).href
}

/** The least of several costs: whatever else the machine does only adds to them. */
const least = (costs: ReadonlyArray<Cost>): Cost => ({
  millis: Math.min(...costs.map(({ millis }) => millis)),
  mebibytes: Math.min(...costs.map(({ mebibytes }) => mebibytes))
})

const ownCost = async (side: SideName, url: string, runs: number) => {
  const baselineUrl = await writeBaseline(side, url)
  const bundleUrl = await writeBundle(side, url)
  const baselines: Array<Cost> = []
  const wholes: Array<Cost> = []
  const bundles: Array<Cost> = []
  for (let run = 0; run < runs; run++) {
    baselines.push(await costOf(baselineUrl))
    wholes.push(await costOf(url))
    bundles.push(await costOf(bundleUrl))
  }
  const [baseline, whole, bundle] = [least(baselines), least(wholes), least(bundles)]
  return {
    total: whole.millis,
    bundled: bundle.millis,
    millis: whole.millis - baseline.millis,
    mebibytes: whole.mebibytes - baseline.mebibytes
  }
}

const measure = (side: SideName) => async (scale: Scale): Promise<Measurement> => {
  const runs = scale === "full" ? 3 : 1
  const entries = await entriesOf(side)
  const client = await ownCost(side, entries.client, runs)
  const agent = await ownCost(side, entries.agent, runs)
  return {
    clientMillis: client.millis,
    clientTotalMillis: client.total,
    clientBundledMillis: client.bundled,
    clientMebibytes: client.mebibytes,
    agentMillis: agent.millis,
    agentTotalMillis: agent.total,
    agentBundledMillis: agent.bundled,
    agentMebibytes: agent.mebibytes
  }
}

export const sides: Readonly<Record<SideName, Side>> = {
  ours: { j: measure("ours") },
  sdk: { j: measure("sdk") }
}
