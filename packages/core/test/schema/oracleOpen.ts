import * as Shape from "./oracleShape.ts"

/** An alternative of the official schema that takes every tag but the listed ones. */
export interface OpenEnd extends Shape.ObjectShape {
  readonly open: NonNullable<Shape.ObjectShape["open"]>
}

export const isOpenEnd = (shape: Shape.Shape): shape is OpenEnd => shape.kind === "object" && shape.open !== undefined

/** What our keeper of unknown variants stands for, in words. */
export const describeKeeper = (keeper: Shape.UnknownShape, ours: Shape.Shape): string =>
  `any ${keeper.tag} except ${tags(ours, keeper.tag).join(", ")}`

/** What an open end stands for, in words. */
export const describeOpenEnd = ({ open }: OpenEnd): string =>
  `any ${open.tag} except ${open.except.toSorted().join(", ")}`

/** What an open end asks of a value beside its tag. */
export const demandOf = (end: OpenEnd): Shape.Shape => demands(end, end.open.tag)

/** What our keeper asks of a value beside its tag. */
export const acceptsOf = ({ accepts, tag }: Shape.UnknownShape): Shape.Shape => {
  const members = Shape.membersOf(accepts ?? Shape.any)
  return Shape.union(members.map((member) => member.kind === "object" ? demands(member, tag) : member))
}

/** A field that is left out when it does not decode cannot make a value unacceptable, so it is no demand. */
const demands = ({ fields }: Shape.ObjectShape, tag: string | undefined): Shape.Shape => {
  const demanding = Object.entries(fields).filter(([name, field]) =>
    name !== tag && (field.required || field.marks.onError === undefined)
  )
  return demanding.length === 0 ? Shape.any : Shape.object(Object.fromEntries(demanding))
}

const tags = (shape: Shape.Shape, tag: string | undefined): ReadonlyArray<string> => {
  const found = Shape.membersOf(shape).flatMap((member) => {
    const field = member.kind === "object" && tag !== undefined ? member.fields[tag] : undefined
    return field?.shape.kind === "literal" ? [String(field.shape.value)] : []
  })
  return [...new Set(found)].toSorted()
}
