/**
 * Decisions that are remembered: rules by kind of tool, by path and by session, which answer in place of the user.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Glob from "effect/Glob"
import * as Ref from "effect/Ref"
import * as Permission from "./Permission.ts"
import type { RequestPermissionRequest } from "./schema/Permission.ts"

/**
 * A decision for the requests that it is about. What is not given is about all of them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Rule {
  readonly decision: "allow" | "reject"
  /** Kinds of tools, such as `edit`; a tool call of which no kind was told is of kind `other`. */
  readonly kinds?: ReadonlyArray<string> | undefined
  /**
   * A glob for absolute paths, such as `/project/src/**`.
   *
   * To be allowed, every path that the tool call names must match, and it must name one. To be rejected, one is enough.
   */
  readonly paths?: string | undefined
  readonly sessionId?: string | undefined
}

/**
 * Rules that can be added to while they are used.
 *
 * @category models
 * @since 0.1.0
 */
export interface PermissionRules {
  /** Rejects what a rule rejects, else allows once what a rule allows, else passes on. */
  readonly policy: Permission.Policy
  readonly remember: (rule: Rule) => Effect.Effect<void>
  /** Forgets the rules of a session, or all that pass a test. */
  readonly forget: (which: (rule: Rule) => boolean) => Effect.Effect<void>
  readonly rules: Effect.Effect<ReadonlyArray<Rule>>
}

/**
 * Rules to begin with, and room for more.
 *
 * **Details**
 *
 * A rule that rejects wins over every one that allows. A rule never answers more than the request: what it allows is
 * allowed once, with an option of that kind, and where none is offered it passes on. The paths are those that the agent
 * names, in the locations and the diffs of the tool call; a rule for paths never allows one that is relative or has `..` in it,
 * and rejects it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (initial: ReadonlyArray<Rule> = []): Effect.Effect<PermissionRules> =>
  Effect.map(Ref.make(initial), (rules) => ({
    policy: (request) => Effect.flatMap(Ref.get(rules), (rules) => policyOf(rules)(request)),
    remember: (rule) => Ref.update(rules, (rules) => [...rules, rule]),
    forget: (which) => Ref.update(rules, (rules) => rules.filter((rule) => !which(rule))),
    rules: Ref.get(rules)
  }))

/**
 * The policy of rules that do not change.
 *
 * @category policies
 * @since 0.1.0
 */
export const policyOf = (rules: ReadonlyArray<Rule>): Permission.Policy => {
  const isAbout = (decision: Rule["decision"]) => (request: RequestPermissionRequest) =>
    rules.some((rule) => rule.decision === decision && matches(rule, request))
  return Permission.firstOf(Permission.rejectIf(isAbout("reject")), Permission.allowIf(isAbout("allow")))
}

/**
 * Tells whether a rule is about a request.
 *
 * @category guards
 * @since 0.1.0
 */
export const matches = (rule: Rule, request: RequestPermissionRequest): boolean => {
  if (rule.sessionId !== undefined && rule.sessionId !== request.sessionId) return false
  if (rule.kinds !== undefined && !rule.kinds.includes(request.toolCall.kind ?? "other")) return false
  return rule.paths === undefined || matchesPaths(rule.paths, rule.decision, pathsOf(request))
}

const matchesPaths = (pattern: string, decision: Rule["decision"], paths: ReadonlyArray<string>): boolean => {
  const glob = Glob.make(pattern, { dot: true })
  return decision === "reject"
    ? paths.some((path) => isUncertain(path) || Glob.match(glob, path))
    : paths.length > 0 && paths.every((path) => !isUncertain(path) && Glob.match(glob, path))
}

const absolute = /^(?:\/|[A-Za-z]:\/)/

/** Where such a path leads cannot be told by its letters. */
const isUncertain = (path: string): boolean => !absolute.test(path) || path.split("/").includes("..")

const pathsOf = ({ toolCall: { content, locations } }: RequestPermissionRequest): ReadonlyArray<string> =>
  [
    ...(locations ?? []).map(({ path }) => path),
    ...(content ?? []).flatMap((item) => item.type === "diff" ? [item.path] : [])
  ].map((path) => path.replaceAll("\\", "/"))
