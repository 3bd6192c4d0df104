import * as Shape from "./oracleShape.ts"

/**
 * The shape of a value that satisfies both: objects join their fields, alternatives are multiplied out.
 *
 * `undefined` when the two have no common form that the model can express.
 */
export const merge = (left: Shape.Shape, right: Shape.Shape): Shape.Shape | undefined => {
  if (left.kind === "any") return right
  if (right.kind === "any") return left
  if (Shape.canonical(left) === Shape.canonical(right)) return left
  if (left.kind === "union" || right.kind === "union") return mergeMembers(left, right)
  if (left.kind === "object" && right.kind === "object") return mergeObjects(left, right)
  return narrower(left, right) ?? narrower(right, left)
}

const mergeMembers = (left: Shape.Shape, right: Shape.Shape): Shape.Shape | undefined => {
  const members = Shape.membersOf(left).flatMap((a) =>
    Shape.membersOf(right).flatMap((b) => {
      const both = merge(a, b)
      return both === undefined ? [] : [both]
    })
  )
  return members.length === 0 ? undefined : Shape.union(members)
}

const mergeObjects = (left: Shape.ObjectShape, right: Shape.ObjectShape): Shape.Shape | undefined => {
  const fields: Record<string, Shape.Field> = { ...left.fields }
  for (const [name, field] of Object.entries(right.fields)) {
    const merged = name in fields ? mergeFields(fields[name], field) : field
    if (merged === undefined) return undefined
    fields[name] = merged
  }
  const rest = mergeRest(left, right)
  const open = left.open ?? right.open
  return Shape.object(fields, { ...(rest !== undefined && { rest }), ...(open !== undefined && { open }) })
}

const mergeFields = (left: Shape.Field, right: Shape.Field): Shape.Field | undefined => {
  const shape = merge(left.shape, right.shape)
  if (shape === undefined) return undefined
  return { shape, required: left.required || right.required, marks: { ...left.marks, ...right.marks } }
}

/** `rest` of an object without fields may be implied only, so it does not survive a merge with one that has fields. */
const mergeRest = (left: Shape.ObjectShape, right: Shape.ObjectShape): Shape.Shape | undefined => {
  const declared = [left, right].filter((shape) => Object.keys(shape.fields).length > 0 || shape.rest?.kind !== "any")
  return declared.find((shape) => shape.rest !== undefined)?.rest
}

const narrower = (wide: Shape.Shape, narrow: Shape.Shape): Shape.Shape | undefined => {
  if (narrow.kind !== "literal") return undefined
  if (wide.kind === "string" && typeof narrow.value === "string") return narrow
  if (wide.kind === "boolean" && typeof narrow.value === "boolean") return narrow
  if ((wide.kind === "integer" || wide.kind === "number") && typeof narrow.value === "number") return narrow
  return undefined
}
