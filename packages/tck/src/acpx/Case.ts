/**
 * A case of the acpx profile: what is done, one step after the other, and what is then checked, all as data.
 *
 * @since 0.1.0
 */
import type { JsonObject } from "../Json.ts"

/**
 * A step. What it gives is saved under a name.
 *
 * In the text of a prompt, `{busy}` stands for the prompt that keeps the agent busy.
 *
 * @category models
 * @since 0.1.0
 */
export type Step =
  | { readonly step: "new_session"; readonly save: string; readonly params?: JsonObject }
  | { readonly step: "prompt" | "prompt_background"; readonly save: string; readonly params: JsonObject }
  | { readonly step: "await_background"; readonly of: string }
  | { readonly step: "cancel" }
  | { readonly step: "sleep"; readonly millis: number }

/**
 * What must be true after the steps.
 *
 * @category models
 * @since 0.1.0
 */
export type Check =
  | { readonly check: "version_is_number" }
  | { readonly check: "session_id"; readonly of: string }
  | { readonly check: "error"; readonly of: string; readonly code?: number }
  | { readonly check: "stop_reason"; readonly of: string; readonly in: ReadonlyArray<string> }
  | { readonly check: "updates"; readonly atLeast: number; readonly after?: string }
  | { readonly check: "one_session" }
  | { readonly check: "text"; readonly contains: string }
  | { readonly check: "kinds"; readonly include: ReadonlyArray<string> }
  | { readonly check: "file"; readonly operation: "read" | "write" }

/**
 * A case.
 *
 * `command` is the command of acpx's mock agent that it needs; without one it is for every agent.
 *
 * @category models
 * @since 0.1.0
 */
export interface Case {
  readonly id: string
  readonly title: string
  readonly command?: string
  readonly permission: "approve" | "deny"
  readonly steps: ReadonlyArray<Step>
  readonly checks: ReadonlyArray<Check>
}
