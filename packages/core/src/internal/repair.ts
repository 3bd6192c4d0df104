/**
 * The repair pass: what a value becomes when the leniency of its schema is applied wherever it does not fit.
 *
 * Runs only after a strict decode has failed. Best effort: a part that cannot be repaired is left as it is, so that the
 * strict decode that follows names it. The input is never changed; what changes is copied.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import * as Unknown from "../schema/Unknown.ts"
import { leniencyOf } from "./leniency.ts"

export type FallbackKind =
  /** A value that does not decode was replaced by its default, or left out. */
  | "default-on-error"
  /** A null, or a required member that is missing, was replaced by its default. */
  | "default-on-null"
  /** An item that does not decode was left out of its list. */
  | "skipped-item"
  /** A variant from outside the schema was kept as an `Unknown`. */
  | "unknown-variant"
  /** A name from outside an enumeration was kept as it is. */
  | "unknown-value"

export interface Fallback {
  /** Where, from the root of the decoded value. Indices of lists are those of the received list. */
  readonly path: ReadonlyArray<PropertyKey>
  readonly kind: FallbackKind
  /** What the peer sent; undefined for a missing member. */
  readonly received: unknown
  /** What was used in its place; undefined for what was left out. */
  readonly used: unknown
}

interface State {
  readonly path: Array<PropertyKey>
  readonly fallbacks: Array<Fallback>
}

interface Repaired {
  readonly ok: boolean
  readonly value: unknown
}

const absent: unique symbol = Symbol.for("~effect-acp/absent")

export const repair = (
  ast: SchemaAST.AST,
  input: unknown
): { readonly value: unknown; readonly fallbacks: ReadonlyArray<Fallback> } => {
  const state: State = { path: [], fallbacks: [] }
  const { value } = repairValue(ast, input, false, state)
  return { value, fallbacks: state.fallbacks }
}

const fallback = (state: State, kind: FallbackKind, received: unknown, used: unknown): Repaired => {
  state.fallbacks.push({ path: state.path.slice(), kind, received, used: used === absent ? undefined : used })
  return { ok: true, value: used }
}

const repairValue = (ast: SchemaAST.AST, value: unknown, skipItems: boolean, state: State): Repaired => {
  switch (ast._tag) {
    case "Objects":
      return checked(ast, repairObject(ast, value, state))
    case "Arrays":
      return checked(ast, repairArray(ast, value, skipItems, state))
    case "Union":
      return checked(ast, repairUnion(ast, value, skipItems, state))
    default:
      return { ok: accepts(ast, value), value }
  }
}

const checked = (ast: SchemaAST.AST, repaired: Repaired): Repaired =>
  ast.checks === undefined || !repaired.ok || accepts(ast, repaired.value)
    ? repaired
    : { ok: false, value: repaired.value }

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  Predicate.isObjectKeyword(value) && !Array.isArray(value) && typeof value !== "function"

const repairObject = (ast: SchemaAST.Objects, value: unknown, state: State): Repaired => {
  if (!isPlainObject(value)) return { ok: false, value }
  const draft: Draft = { source: value, copy: undefined, ok: true }
  for (const property of ast.propertySignatures) {
    const key = String(property.name)
    const member = key in value ? value[key] : absent
    state.path.push(key)
    settle(draft, key, member, repairMember(property.type, member, state))
    state.path.pop()
  }
  for (const signature of ast.indexSignatures) {
    for (const key of Object.keys(value)) {
      state.path.push(key)
      settle(draft, key, value[key], repairValue(signature.type, value[key], false, state))
      state.path.pop()
    }
  }
  return { ok: draft.ok, value: draft.copy ?? value }
}

interface Draft {
  readonly source: Record<string, unknown>
  copy: Record<string, unknown> | undefined
  ok: boolean
}

const settle = (draft: Draft, key: string, before: unknown, after: Repaired): void => {
  if (!after.ok) draft.ok = false
  if (after.value === before) return
  const copy = draft.copy ??= { ...draft.source }
  if (after.value === absent) {
    delete copy[key]
    return
  }
  Object.defineProperty(copy, key, { value: after.value, writable: true, enumerable: true, configurable: true })
}

const repairMember = (ast: SchemaAST.AST, value: unknown, state: State): Repaired => {
  const leniency = leniencyOf(ast)
  if (value === absent && ast.context?.isOptional === true) return { ok: true, value }
  if ((value === absent || value === null) && leniency?.onNull !== undefined) {
    return fallback(state, "default-on-null", value === absent ? undefined : value, leniency.onNull.value)
  }
  if (value === absent) return { ok: false, value }
  const mark = state.fallbacks.length
  const repaired = repairValue(ast, value, leniency?.skipInvalidItems === true, state)
  if (repaired.ok || leniency?.onError === undefined) return repaired
  state.fallbacks.length = mark
  const used = leniency.onError === "omit" ? absent : leniency.onError.value
  return fallback(state, "default-on-error", value, used)
}

const repairArray = (ast: SchemaAST.Arrays, value: unknown, skipItems: boolean, state: State): Repaired => {
  if (!Array.isArray(value)) return { ok: false, value }
  const out: Array<unknown> = []
  let ok = true
  value.forEach((item: unknown, index) => {
    state.path.push(index)
    const mark = state.fallbacks.length
    const repaired = repairValue(ast.rest[0], item, false, state)
    if (repaired.ok || !skipItems) {
      ok = ok && repaired.ok
      out.push(repaired.value)
    } else {
      state.fallbacks.length = mark
      fallback(state, "skipped-item", item, absent)
    }
    state.path.pop()
  })
  const same = out.length === value.length && out.every((item, index) => item === value[index])
  return { ok, value: same ? value : out }
}

const repairUnion = (ast: SchemaAST.Union, input: unknown, skipItems: boolean, state: State): Repaired => {
  const { isOpen, members, unknowns } = membersOf(ast)
  // In memory, without text in between, an unknown variant arrives as the other side holds it.
  const value = unknowns.length > 0 && Unknown.isUnknown(input) ? input.raw : input
  const attempts = members.filter((member) => mayMatch(member, value))
    .map((member) => attempt(state, () => repairValue(member.ast, value, skipItems, state)))
  const fitting = attempts.find(({ fallbacks, ok }) => ok && fallbacks.length === 0)
  if (fitting !== undefined) return fitting
  if (isOpen && typeof value === "string") return fallback(state, "unknown-value", value, value)
  const unknown = unknowns.find((unknown) => isUnknownVariant(members, unknown, value))
  if (unknown !== undefined) return fallback(state, "unknown-variant", value, unknown.wrap(value as Unknown.RawObject))
  const repaired = attempts.find(({ ok }) => ok)
  if (repaired !== undefined) state.fallbacks.push(...repaired.fallbacks)
  return repaired ?? { ok: false, value: attempts.length === 1 ? attempts[0].value : value }
}

interface Attempt extends Repaired {
  readonly fallbacks: ReadonlyArray<Fallback>
}

/** Runs a repair whose fallbacks count only if it is chosen. */
const attempt = (state: State, run: () => Repaired): Attempt => {
  const mark = state.fallbacks.length
  const { ok, value } = run()
  return { ok, value, fallbacks: state.fallbacks.splice(mark) }
}

const isUnknownVariant = (members: ReadonlyArray<Member>, unknown: UnknownVariant, value: unknown): boolean => {
  if (!isPlainObject(value)) return false
  const tag = value[unknown.discriminator]
  return typeof tag === "string" &&
    !members.some(({ tags }) => tags.some(({ literal, name }) => name === unknown.discriminator && literal === tag)) &&
    (unknown.accepts === undefined || accepts(unknown.accepts.ast, value))
}

type UnknownVariant = Extract<Unknown.UnknownMember, { readonly _tag: "Variant" }>

interface Member {
  readonly ast: SchemaAST.AST
  /** The required literals of a struct. */
  readonly tags: ReadonlyArray<Tag>
}

interface Tag {
  readonly name: string
  readonly literal: unknown
}

interface Members {
  readonly members: ReadonlyArray<Member>
  readonly unknowns: ReadonlyArray<UnknownVariant>
  /** Whether unknown names are kept. */
  readonly isOpen: boolean
}

const membersCache = new WeakMap<SchemaAST.Union, Members>()

const membersOf = (ast: SchemaAST.Union): Members => {
  const cached = membersCache.get(ast)
  if (cached !== undefined) return cached
  const flat = flatten(ast)
  const marks = flat.map(Unknown.memberOf).filter((mark) => mark !== undefined)
  const members = flat.filter((member) => Unknown.memberOf(member) === undefined)
    .map((member) => ({ ast: member, tags: tagsOf(member) }))
  const result: Members = {
    members,
    unknowns: marks.filter((mark) => mark._tag === "Variant"),
    isOpen: marks.some((mark) => mark._tag === "Value")
  }
  membersCache.set(ast, result)
  return result
}

const flatten = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union" && ast.checks === undefined ? ast.types.flatMap(flatten) : [ast]

const tagsOf = (ast: SchemaAST.AST): ReadonlyArray<Tag> =>
  ast._tag !== "Objects" ?
    [] :
    ast.propertySignatures.flatMap(({ name, type }) =>
      type._tag === "Literal" && type.context?.isOptional !== true
        ? [{ name: String(name), literal: type.literal }]
        : []
    )

const mayMatch = ({ ast, tags }: Member, value: unknown): boolean => {
  switch (ast._tag) {
    case "Null":
      return value === null
    case "Literal":
      return value === ast.literal
    case "Arrays":
      return Array.isArray(value)
    case "Objects":
      return isPlainObject(value) && tags.every(({ literal, name }) => value[name] === literal)
    default:
      return true
  }
}

const guards = new WeakMap<SchemaAST.AST, (value: unknown) => boolean>()

const accepts = (ast: SchemaAST.AST, value: unknown): boolean => {
  let guard = guards.get(ast)
  if (guard === undefined) {
    guard = SchemaParser.is(Schema.make(ast))
    guards.set(ast, guard)
  }
  return guard(value)
}
