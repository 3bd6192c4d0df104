import type { Difference, Kind } from "./oracleDifference.ts"
import { acceptsOf, demandOf, describeKeeper, describeOpenEnd, isOpenEnd } from "./oracleOpen.ts"
import * as Shape from "./oracleShape.ts"

/** Everything in which the two sets of definitions differ, in both directions. */
export const compare = (official: Shape.Definitions, ours: Shape.Definitions): ReadonlyArray<Difference> => {
  const names = [...new Set([...Object.keys(official), ...Object.keys(ours)])]
  return names.flatMap((name) => compareDefinition(name, official[name], ours[name]))
}

const compareDefinition = (
  definition: string,
  official: Shape.Shape | undefined,
  ours: Shape.Shape | undefined
): ReadonlyArray<Difference> => {
  const at: Place = { definition, path: "" }
  if (ours === undefined) return [difference(at, "missing-definition", text(official), "nothing")]
  if (official === undefined) return [difference(at, "extra-definition", "nothing", text(ours))]
  return compareShapes(at, official, ours)
}

interface Place {
  readonly definition: string
  readonly path: string
}

const below = (place: Place, step: string): Place => ({ ...place, path: place.path + step })

const difference = (place: Place, kind: Kind, official: string, ours: string): Difference => ({
  ...place,
  kind,
  official,
  ours
})

const text = (shape: Shape.Shape | undefined): string => shape === undefined ? "nothing" : Shape.describe(shape)

const compareShapes = (at: Place, official: Shape.Shape, ours: Shape.Shape): ReadonlyArray<Difference> => {
  if (Shape.isNullable(official) === Shape.isNullable(ours)) {
    return compareMembers(at, Shape.withoutNull(official), Shape.withoutNull(ours))
  }
  const [says, not] = ["null allowed", "null not allowed"]
  const found = Shape.isNullable(official)
    ? difference(at, "nullable", says, not)
    : difference(at, "nullable", not, says)
  return [found, ...compareMembers(at, Shape.withoutNull(official), Shape.withoutNull(ours))]
}

const compareMembers = (at: Place, official: Shape.Shape, ours: Shape.Shape): ReadonlyArray<Difference> => {
  const keepers = Shape.membersOf(ours).filter((member) => member.kind === "unknown")
  const isKept = (member: Shape.Shape) => isOpenEnd(member) && keepers.some(({ tag }) => tag === member.open.tag)
  const left = Shape.membersOf(official).filter((member) => !isKept(member))
  const right = Shape.membersOf(ours).filter((member) => member.kind !== "unknown")
  const ends = keepers.flatMap((keeper) => compareOpenEnds(at, official, ours, keeper))
  if (left.length === 1 && right.length === 1) return [...ends, ...compareOne(at, left[0], right[0])]
  const variants = compareVariants(at, left.filter(notLiteral), right.filter(notLiteral))
  return [...ends, ...compareValues(at, left, right), ...variants]
}

/** Keeping unknown variants is ours to decide where the official schema is closed, and has to agree with it where it is open. */
const compareOpenEnds = (
  at: Place,
  official: Shape.Shape,
  ours: Shape.Shape,
  keeper: Shape.UnknownShape
): ReadonlyArray<Difference> => {
  const ends = Shape.membersOf(official).filter(isOpenEnd).filter(({ open }) => open.tag === keeper.tag)
  if (ends.length === 0) return []
  const kept = describeKeeper(keeper, ours)
  const texts = [...new Set(ends.map(describeOpenEnd))]
  const differing = texts.filter((open) => open !== kept).map((open) => difference(at, "type", open, kept))
  const demand = Shape.union(ends.map(demandOf))
  return [...differing, ...compareShapes(below(at, `[any ${keeper.tag}]`), demand, acceptsOf(keeper))]
}

const notLiteral = (shape: Shape.Shape): boolean => shape.kind !== "literal"

const compareValues = (
  at: Place,
  official: ReadonlyArray<Shape.Shape>,
  ours: ReadonlyArray<Shape.Shape>
): ReadonlyArray<Difference> => {
  const [left, right] = [literals(official), literals(ours)]
  return [
    ...left.filter((value) => !right.includes(value)).map((value) => difference(at, "missing-value", value, "nothing")),
    ...right.filter((value) => !left.includes(value)).map((value) => difference(at, "extra-value", "nothing", value))
  ]
}

const literals = (shapes: ReadonlyArray<Shape.Shape>): ReadonlyArray<string> =>
  shapes.filter((shape) => shape.kind === "literal").map(Shape.describe)

/** Alternatives are paired by their tag, their name or their type; what finds no partner is missing or extra. */
const compareVariants = (
  at: Place,
  official: ReadonlyArray<Shape.Shape>,
  ours: ReadonlyArray<Shape.Shape>
): ReadonlyArray<Difference> => {
  const keys = [...new Set([...official, ...ours].map(keyOf))]
  return keys.flatMap((key) => {
    const [left, right] = [official, ours].map((members) => members.filter((member) => keyOf(member) === key))
    return comparePairs(at, key, left, right)
  })
}

/** Pairs the most alike first, so that one changed alternative is one difference. */
const comparePairs = (
  at: Place,
  key: string,
  official: ReadonlyArray<Shape.Shape>,
  ours: ReadonlyArray<Shape.Shape>
): ReadonlyArray<Difference> => {
  const pairs = official.flatMap((left) =>
    ours.map((right) => ({ left, right, found: compareOne(below(at, key), left, right) }))
  )
  const taken = new Set<Shape.Shape>()
  const differences: Array<Difference> = []
  for (const { found, left, right } of pairs.toSorted((a, b) => a.found.length - b.found.length)) {
    if (taken.has(left) || taken.has(right)) continue
    taken.add(left).add(right)
    differences.push(...found)
  }
  const missing = official.filter((member) => !taken.has(member))
  const extra = ours.filter((member) => !taken.has(member))
  return [
    ...differences,
    ...missing.map((member) => difference(below(at, key), "missing-variant", text(member), "nothing")),
    ...extra.map((member) => difference(below(at, key), "extra-variant", "nothing", text(member)))
  ]
}

const keyOf = (shape: Shape.Shape): string => {
  if (shape.kind === "ref") return `[${shape.name}]`
  if (shape.kind !== "object") return `[${shape.kind}]`
  const tags = Object.entries(shape.fields).filter(([, field]) => field.required && field.shape.kind === "literal")
  const texts = tags.map(([name, field]) => `${name}=${Shape.describe(field.shape)}`).toSorted()
  return texts.length === 0 ? "[object]" : `[${texts.join(", ")}]`
}

const compareOne = (at: Place, official: Shape.Shape, ours: Shape.Shape): ReadonlyArray<Difference> => {
  if (official.kind === "object" && ours.kind === "object") return compareObjects(at, official, ours)
  if (official.kind === "array" && ours.kind === "array") {
    return compareShapes(below(at, "[]"), official.items, ours.items)
  }
  if (official.kind === "string" && ours.kind === "string") return compareStrings(at, official, ours)
  if (isNumber(official) && isNumber(ours) && official.kind === ours.kind) return compareNumbers(at, official, ours)
  if (official.kind === "literal" && ours.kind === "literal") return compareValues(at, [official], [ours])
  return Shape.canonical(official) === Shape.canonical(ours)
    ? []
    : [difference(at, "type", text(official), text(ours))]
}

const isNumber = (shape: Shape.Shape): shape is Shape.NumberShape => shape.kind === "integer" || shape.kind === "number"

const compareNumbers = (at: Place, official: Shape.NumberShape, ours: Shape.NumberShape): ReadonlyArray<Difference> => {
  const bothNamed = official.format !== undefined && ours.format !== undefined
  if (bothNamed && official.format !== ours.format) return [difference(at, "format", text(official), text(ours))]
  const sameBounds = official.minimum === ours.minimum && official.maximum === ours.maximum
  if (!sameBounds) return [difference(at, "bound", text(official), text(ours))]
  return official.format === ours.format ? [] : [difference(at, "format", text(official), text(ours))]
}

const compareStrings = (at: Place, official: Shape.StringShape, ours: Shape.StringShape): ReadonlyArray<Difference> => {
  const found: Array<Difference> = []
  if (official.format !== ours.format) found.push(difference(at, "format", text(official), text(ours)))
  const bounds: ReadonlyArray<keyof Shape.StringShape> = ["minLength", "maxLength", "pattern"]
  const sameBounds = bounds.every((bound) => official[bound] === ours[bound])
  return sameBounds ? found : [...found, difference(at, "bound", text(official), text(ours))]
}

const compareObjects = (at: Place, official: Shape.ObjectShape, ours: Shape.ObjectShape): ReadonlyArray<Difference> => {
  const names = [...new Set([...Object.keys(official.fields), ...Object.keys(ours.fields)])]
  const fields = names.flatMap((name) => compareFields(below(at, `.${name}`), official.fields[name], ours.fields[name]))
  return [...fields, ...compareRest(at, official, ours)]
}

const compareRest = (at: Place, official: Shape.ObjectShape, ours: Shape.ObjectShape): ReadonlyArray<Difference> => {
  if (official.rest !== undefined && ours.rest !== undefined) {
    return compareShapes(below(at, "[name]"), official.rest, ours.rest)
  }
  return official.rest === ours.rest
    ? []
    : [difference(below(at, "[name]"), "type", text(official.rest), text(ours.rest))]
}

const compareFields = (
  at: Place,
  official: Shape.Field | undefined,
  ours: Shape.Field | undefined
): ReadonlyArray<Difference> => {
  if (ours === undefined) return [difference(at, "missing-field", text(official?.shape), "nothing")]
  if (official === undefined) return [difference(at, "extra-field", "nothing", text(ours.shape))]
  const words = (field: Shape.Field) => field.required ? "required" : "optional"
  const required = official.required === ours.required ? [] : [difference(at, "required", words(official), words(ours))]
  return [
    ...required,
    ...compareShapes(at, official.shape, ours.shape),
    ...compareMarks(at, official.marks, ours.marks)
  ]
}

const markKinds: ReadonlyArray<readonly [keyof Shape.Marks, Kind]> = [
  ["default", "default"],
  ["onError", "on-error"],
  ["skipInvalidItems", "skip-invalid-items"],
  ["onNull", "on-null"]
]

const compareMarks = (at: Place, official: Shape.Marks, ours: Shape.Marks): ReadonlyArray<Difference> =>
  markKinds.flatMap(([mark, kind]) =>
    Shape.canonical(official[mark] ?? null) === Shape.canonical(ours[mark] ?? null)
      ? []
      : [difference(at, kind, describeMark(official[mark]), describeMark(ours[mark]))]
  )

const describeMark = (mark: Shape.Marks[keyof Shape.Marks]): string => {
  if (mark === undefined) return "no mark"
  if (mark === true) return "skipped"
  return mark === "omit" ? "the field is left out" : JSON.stringify(mark.value)
}
