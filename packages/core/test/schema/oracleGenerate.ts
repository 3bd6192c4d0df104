import type { Document, Node } from "./oracleOfficial.ts"

/** A source of reproducible chance: numbers from 0 up to but not including 1. */
export type Chance = () => number

/** The same seed gives the same numbers (mulberry32). */
export const seeded = (seed: number): Chance => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * A JSON value of a definition, as far as a generator that looks at one keyword at a time can promise.
 *
 * It reads the official document itself and not the oracle's model of it, so that it can find the oracle wrong.
 */
export const generate = (document: Document, name: string, chance: Chance): unknown =>
  new Generator(document, chance).value(document.$defs[name])

/** A copy of a value with one thing wrong, or at least odd, somewhere in it. */
export const damage = (value: unknown, chance: Chance): unknown => {
  const entries = Array.isArray(value) || isObject(value) ? Object.keys(value) : []
  if (entries.length === 0 || chance() < 0.15) return pick([null, "", "x", 0, -1, 1.5, true, [], {}, [null]], chance)
  const key = pick(entries, chance)
  if (Array.isArray(value)) return value.map((item, index) => String(index) === key ? damage(item, chance) : item)
  const { [key]: member, ...others } = Object(value)
  return chance() < 0.2 ? others : { ...others, [key]: damage(member, chance) }
}

const pick = <A>(items: ReadonlyArray<A>, chance: Chance): A => items[Math.floor(chance() * items.length)]

class Generator {
  readonly document: Document
  readonly chance: Chance

  constructor(document: Document, chance: Chance) {
    this.document = document
    this.chance = chance
  }

  value(node: Node): unknown {
    if (typeof node.$ref === "string") return this.value(this.document.$defs[node.$ref.replace("#/$defs/", "")])
    if (node.const !== undefined) return node.const
    if (Array.isArray(node.enum)) return this.pick(node.enum)
    const parts = [
      ...(node.type === undefined ? [] : [this.typed(node)]),
      ...nodes(node.allOf).map((part) => this.value(part)),
      ...this.alternative(node)
    ]
    if (parts.length === 0) return this.json(2)
    return parts.every(isObject) ? Object.assign({}, ...parts) : parts[parts.length - 1]
  }

  alternative(node: Node): ReadonlyArray<unknown> {
    const members = nodes(node.anyOf ?? node.oneOf)
    return members.length === 0 ? [] : [this.value(this.pick(members))]
  }

  typed(node: Node): unknown {
    const type = Array.isArray(node.type) ? this.pick(node.type) : node.type
    switch (type) {
      case "null":
        return null
      case "boolean":
        return this.chance() < 0.5
      case "string":
        return this.string(node)
      case "integer":
        return this.integer(node)
      case "number":
        return this.pick([0, -1, 0.5, -2.25, 1e21, this.chance() * 1000])
      case "array":
        return Array.from(
          { length: Math.floor(this.chance() * 3) },
          () => this.value(isObject(node.items) ? node.items : {})
        )
      default:
        return this.object(node)
    }
  }

  string(node: Node): string {
    if (node.format === "uri") return this.pick(["https://example.com/a?b=c#d", "urn:example:1", "file:///tmp/x"])
    const minLength = typeof node.minLength === "number" ? node.minLength : 0
    return this.pick(["", "a", "unknown", "äöü €", "line\nline", "\u0000\"\\", "😀"]).padEnd(minLength, "x")
  }

  integer(node: Node): number {
    const [lowest, highest] = integers[String(node.format)] ?? integers.int64
    const minimum = typeof node.minimum === "number" ? Math.max(node.minimum, lowest) : lowest
    const maximum = typeof node.maximum === "number" ? Math.min(node.maximum, highest) : highest
    const any = Math.floor(this.chance() * 1000)
    return this.pick([minimum, maximum, Math.min(Math.max(any, minimum), maximum)])
  }

  object(node: Node): { [name: string]: unknown } {
    const out: { [name: string]: unknown } = {}
    const required = Array.isArray(node.required) ? node.required : []
    for (const [name, property] of Object.entries(isObject(node.properties) ? node.properties : {})) {
      if (!required.includes(name) && this.chance() < 0.5) continue
      const value = this.value(isObject(property) ? property : {})
      out[name] = isExcluded(node, value) ? "unheard-of" : value
    }
    const rest = node.additionalProperties ?? node.unevaluatedProperties
    if (rest === undefined || this.chance() < 0.5) return out
    return { ...out, [this.pick(["x-extra", "__proto__", "ü"])]: isObject(rest) ? this.value(rest) : this.json(2) }
  }

  json(depth: number): unknown {
    const leaves = [null, true, false, 0, -1.5, "", "text"]
    if (depth === 0 || this.chance() < 0.6) return this.pick(leaves)
    return this.chance() < 0.5 ? [this.json(depth - 1)] : { key: this.json(depth - 1), "": null }
  }

  pick<A>(items: ReadonlyArray<A>): A {
    return pick(items, this.chance)
  }
}

/** A tag that belongs to a sibling of this alternative. */
const isExcluded = (node: Node, value: unknown): boolean =>
  node.not !== undefined && JSON.stringify(node.not).includes(`"const":${JSON.stringify(value)}`)

const integers: { readonly [format: string]: readonly [number, number] } = {
  uint16: [0, 65_535],
  uint32: [0, 4_294_967_295],
  uint64: [0, Number.MAX_SAFE_INTEGER],
  int32: [-2_147_483_648, 2_147_483_647],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
}

const isObject = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

const nodes = (value: unknown): ReadonlyArray<Node> => Array.isArray(value) ? value.filter(isObject) : []
