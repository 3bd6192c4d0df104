import * as Files from "@effect-acp/host/Files"
import { it } from "@effect/vitest"
import { Effect, type FileSystem, Layer, type Scope } from "effect"
import * as fs from "node:fs"
import { callAs, makeSession } from "./handlers.ts"
import { platform, tempDirectory } from "./support.ts"

export const invalid = -32602
export const missing = -32002

export interface Setting {
  /** The folder of the session. */
  readonly root: string
  /** The folder that `root` is in. */
  readonly base: string
  readonly call: ReturnType<typeof callAs>
  readonly read: (path: string, line?: number | null, limit?: number | null) => Effect.Effect<string, any>
  readonly write: (path: string, content: string) => Effect.Effect<unknown, any>
}

const setting = (options?: {
  readonly files?: Files.Options
  readonly layers?: Layer.Layer<FileSystem.FileSystem, never, FileSystem.FileSystem> | Layer.Layer<never>
  readonly also?: ReadonlyArray<string>
}) =>
  Effect.gen(function*() {
    const base = yield* tempDirectory
    const root = `${base}/root`
    fs.mkdirSync(root)
    const session = yield* makeSession(root, {
      additionalDirectories: (options?.also ?? []).map((name) => `${base}/${name}`)
    })
    const layer = Files.layer(options?.files).pipe(Layer.provide(options?.layers ?? Layer.empty))
    const call = callAs(yield* Layer.build(layer), session)
    return {
      base,
      root,
      call,
      read: (path, line = null, limit = null) =>
        Effect.map(call("readTextFile", { path, line, limit }), ({ content }) => content),
      write: (path, content) => call("writeTextFile", { path, content })
    } satisfies Setting as Setting
  })

export const live = <A, E>(
  name: string,
  body: (setting: Setting) => Effect.Effect<A, E, Layer.Success<typeof platform> | Scope.Scope>,
  options?: Parameters<typeof setting>[0]
) => it.live(name, () => Effect.provide(Effect.flatMap(setting(options), body), platform), 30_000)

export const marker = "outside marker"

/** What is below a folder, with the content of files. */
export const snapshot = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs.readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((
        entry
      ) => [`${entry.parentPath}/${entry.name}`, fs.readFileSync(`${entry.parentPath}/${entry.name}`, "utf8")])
  )
