import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { compare } from "./oracleCompare.ts"
import type { Difference } from "./oracleDifference.ts"
import * as Ours from "./oracleEffect.ts"
import * as Modules from "./oracleModules.ts"
import * as Official from "./oracleOfficial.ts"

/** Where the installed SDK keeps the official documents of version 1. */
export const installed = fileURLToPath(
  new URL("../../../../node_modules/@agentclientprotocol/sdk/schema/v1", import.meta.url)
)

/** The two official documents, as parsed. */
export interface Documents {
  readonly stable: Official.Document
  readonly unstable: Official.Document
}

/** Reads `schema.json` and `schema.unstable.json` from a directory. */
export const documents = (directory: string): Documents => {
  const parse = (file: string): Official.Document => JSON.parse(readFileSync(join(directory, file), "utf8"))
  return { stable: parse("schema.json"), unstable: parse("schema.unstable.json") }
}

/** Everything in which an official document differs from our schemas of that universe. */
export const differences = (document: Official.Document, universe: Modules.Universe): ReadonlyArray<Difference> => {
  const official = Official.read(document)
  const ours = Ours.read(universe.named)
  return [
    ...universe.findings,
    ...official.findings,
    ...ours.findings,
    ...compare(official.definitions, ours.definitions)
  ]
}

/** The drift of both universes from the documents in a directory. */
export const drift = Effect.fnUntraced(function*(directory: string = installed) {
  const official = documents(directory)
  const ours = yield* Modules.load
  return {
    stable: differences(official.stable, ours.stable),
    unstable: differences(official.unstable, ours.unstable)
  }
})
