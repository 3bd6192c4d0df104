import formats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { Document } from "./oracleOfficial.ts"

/** Says why a value is not valid by the official definition of that name; `undefined` when it is. */
export type Validator = (name: string, value: unknown) => string | undefined

const between = (minimum: number, maximum: number) => ({
  type: "number" as const,
  validate: (value: number) => Number.isInteger(value) && value >= minimum && value <= maximum
})

/** A validator of the official document by an independent implementation of JSON schema. */
export const validator = (document: Document): Validator => {
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  formats.default(ajv)
  ajv.addFormat("uint16", between(0, 65_535))
  ajv.addFormat("uint32", between(0, 4_294_967_295))
  ajv.addFormat("uint64", between(0, Infinity))
  ajv.addSchema(document, "acp")
  return (name, value) => {
    const validate = ajv.getSchema(`acp#/$defs/${name}`)
    if (validate === undefined) return `there is no definition ${name}`
    return validate(value) === true ? undefined : ajv.errorsText(validate.errors)
  }
}
