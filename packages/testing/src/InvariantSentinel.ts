/**
 * Fails a test in which a connection noticed something that should never happen and that the test did not declare.
 *
 * @since 0.1.0
 */
import type * as Connection from "@effect-acp/core/Connection"
import type * as Diagnostic from "@effect-acp/core/Diagnostic"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { settle } from "./ScriptedPeer.ts"

/**
 * What a connection reports.
 *
 * @category models
 * @since 0.1.0
 */
export type Tag = Diagnostic.Diagnostic["_tag"]

/**
 * The diagnostics that no connection of two correct peers ever gives.
 *
 * @category constants
 * @since 0.1.0
 */
export const invariants: ReadonlyArray<Tag> = [
  "DeliveryGap",
  "DuplicateRequest",
  "HandlerFailed",
  "InvalidNotification",
  "LateUpdate",
  "Malformed",
  "Noise",
  "ShedNotification",
  "ShedRequest",
  "UnknownSession"
]

/**
 * A watch over one connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface Sentinel {
  /** Everything that was reported so far, in order. */
  readonly seen: Effect.Effect<ReadonlyArray<Diagnostic.Diagnostic>>
  /** What was reported of one kind. */
  readonly of: <T extends Tag>(
    tag: T
  ) => Effect.Effect<ReadonlyArray<Extract<Diagnostic.Diagnostic, { readonly _tag: T }>>>
  /** Declares that these may be reported. */
  readonly allow: (...tags: ReadonlyArray<Tag>) => Effect.Effect<void>
  /** Dies when an invariant was broken that was not declared. Runs by itself when the scope closes. */
  readonly verify: Effect.Effect<void>
}

/**
 * Watches a connection from now on, until the scope closes.
 *
 * **Details**
 *
 * `allow` names the diagnostics that the test provokes; `invariants` replaces the list of those that fail it. At most the
 * newest 1,000 reports are kept.
 *
 * @category constructors
 * @since 0.1.0
 */
export const watch: (
  connection: Pick<Connection.Connection, "diagnostics">,
  options?: {
    readonly allow?: ReadonlyArray<Tag> | undefined
    readonly invariants?: ReadonlyArray<Tag> | undefined
  }
) => Effect.Effect<Sentinel, never, Scope.Scope> = Effect.fnUntraced(function*(connection, options) {
  const forbidden = new Set(options?.invariants ?? invariants)
  const seen: Array<Diagnostic.Diagnostic> = []
  for (const tag of options?.allow ?? []) forbidden.delete(tag)

  const noticed = Effect.andThen(settle, Effect.sync(() => [...seen]))
  const verify = Effect.flatMap(noticed, (diagnostics) => {
    const broken = diagnostics.filter(({ _tag }) => forbidden.has(_tag))
    return broken.length === 0
      ? Effect.void
      : Effect.die(
        new Error(`Invariants were broken:\n${broken.map((item) => `  ${JSON.stringify(item)}`).join("\n")}`)
      )
  })

  yield* Effect.forkScoped(
    Stream.runForEach(connection.diagnostics, (diagnostic) =>
      Effect.sync(() => {
        seen.push(diagnostic)
        if (seen.length > keptReports) seen.shift()
      })),
    { startImmediately: true }
  )
  yield* Effect.addFinalizer(() => verify)

  return {
    seen: noticed,
    of: (tag) =>
      Effect.map(
        noticed,
        (diagnostics) =>
          diagnostics.filter((item): item is Extract<Diagnostic.Diagnostic, { readonly _tag: typeof tag }> =>
            item._tag === tag
          )
      ),
    allow: (...tags) =>
      Effect.sync(() => {
        for (const tag of tags) forbidden.delete(tag)
      }),
    verify
  }
})

const keptReports = 1_000
