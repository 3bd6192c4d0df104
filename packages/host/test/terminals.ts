import * as Terminals from "@effect-acp/host/Terminals"
import { it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { callAs, makeSession } from "./handlers.ts"
import { platform, tempDirectory } from "./support.ts"

export const invalid = -32602
export const missing = -32002

type Platform = Layer.Success<typeof platform>

export interface Setting {
  readonly root: string
  readonly call: ReturnType<typeof callAs>
  readonly other: ReturnType<typeof callAs>
  readonly view: Terminals.Terminals["Service"]
  readonly closeSession: Effect.Effect<void>
  readonly closeLayer: Effect.Effect<void>
  readonly create: (
    command: string,
    args?: ReadonlyArray<string>,
    options?: {
      readonly outputByteLimit?: number
      readonly cwd?: string
      readonly env?: ReadonlyArray<{ name: string; value: string }>
    }
  ) => Effect.Effect<string, any>
  readonly wait: (
    terminalId: string
  ) => Effect.Effect<{ readonly exitCode?: number | null; readonly signal?: string | null }, any>
  readonly output: (terminalId: string) => Effect.Effect<
    { readonly output: string; readonly truncated: boolean; readonly exitStatus?: unknown },
    any
  >
}

const setting = (options?: Terminals.Options) =>
  Effect.gen(function*() {
    const root = yield* tempDirectory
    const session = yield* makeSession(root)
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const layer = yield* Layer.buildWithScope(Terminals.layer({ killGrace: 300, ...options }), scope)
    const call = callAs(layer, session)
    return {
      root,
      call,
      other: callAs(layer, yield* makeSession(root, { sessionId: "s2" })),
      view: Context.get(layer, Terminals.Terminals),
      closeSession: Scope.close(session.scope, Exit.void),
      closeLayer: Scope.close(scope, Exit.void),
      create: (command, args = [], rest = {}) =>
        Effect.map(call("createTerminal", { command, args, ...rest }), ({ terminalId }) => terminalId),
      wait: (terminalId) => call("waitForTerminalExit", { terminalId }),
      output: (terminalId) => call("terminalOutput", { terminalId })
    } satisfies Setting as Setting
  })

export const live = <A, E>(
  name: string,
  body: (setting: Setting) => Effect.Effect<A, E, Platform | Scope.Scope>,
  options?: Terminals.Options
) => it.live(name, () => Effect.provide(Effect.flatMap(setting(options), body), platform), 60_000)
