/** The kinds of difference that the oracle tells apart. */
export type Kind =
  | "missing-definition"
  | "extra-definition"
  | "duplicate-definition"
  | "stale-reference"
  | "missing-field"
  | "extra-field"
  | "required"
  | "nullable"
  | "type"
  | "missing-value"
  | "extra-value"
  | "missing-variant"
  | "extra-variant"
  | "format"
  | "bound"
  | "default"
  | "on-error"
  | "skip-invalid-items"
  | "on-null"
  | "unreadable"

/** One difference between the official schema and ours, with both sides in words. */
export interface Difference {
  readonly definition: string
  readonly path: string
  readonly kind: Kind
  readonly official: string
  readonly ours: string
}

const explanations: { readonly [K in Kind]: string } = {
  "missing-definition": "the official schema defines it, ours does not",
  "extra-definition": "ours defines it, the official schema does not",
  "duplicate-definition": "two different schemas of ours carry this name",
  "stale-reference": "a schema of ours holds another version of a definition than the one we export",
  "missing-field": "the official schema has this field, ours does not",
  "extra-field": "ours has this field, the official schema does not",
  required: "the two disagree on whether the field must be there",
  nullable: "the two disagree on whether null is allowed",
  type: "the types differ",
  "missing-value": "the official schema lists this value, ours does not",
  "extra-value": "ours lists this value, the official schema does not",
  "missing-variant": "the official schema has this alternative, ours does not",
  "extra-variant": "ours has this alternative, the official schema does not",
  format: "the formats differ",
  bound: "the bounds differ",
  default: "the defaults differ",
  "on-error": "the two disagree on what replaces a value that does not decode",
  "skip-invalid-items": "the two disagree on whether items that do not decode are skipped",
  "on-null": "the two disagree on what replaces null",
  unreadable: "the oracle cannot read this, so it cannot vouch for it"
}

/** All kinds. */
export const kinds: ReadonlyArray<string> = Object.keys(explanations)

/** The difference as a sentence. */
export const sentence = (difference: Difference): string =>
  `${difference.definition}${difference.path}: ${explanations[difference.kind]} ` +
  `(official: ${difference.official}; ours: ${difference.ours}).`

/** All differences as one text, a line each. */
export const report = (differences: ReadonlyArray<Difference>): string =>
  differences.length === 0 ? "nothing has drifted" : differences.map(sentence).join("\n")
