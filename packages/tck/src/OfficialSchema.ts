/**
 * The official JSON schema of version 1, and whether a message is valid by it.
 *
 * @since 0.1.0
 */
import formats from "ajv-formats"
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js"
import { createRequire } from "node:module"
import { at, isObject, items, type JsonObject } from "./Json.ts"
import { type Entry, kindOf } from "./Transcript.ts"

/**
 * The side that wrote a message.
 *
 * @category models
 * @since 0.1.0
 */
export type Side = "agent" | "client"

/** The package that the protocol's organisation publishes carries the schema; it is not copied here. */
const document: JsonObject = createRequire(import.meta.url)("@agentclientprotocol/sdk/schema/v1/schema.json")

const definitions = at(document, "$defs") as Readonly<Record<string, JsonObject>>

const between = (minimum: number, maximum: number) => ({
  type: "number" as const,
  validate: (value: number) => Number.isInteger(value) && value >= minimum && value <= maximum
})

const makeAjv = (): Ajv2020 => {
  const ajv = new Ajv2020({ strict: false, discriminator: true })
  formats.default(ajv)
  ajv.addFormat("uint16", between(0, 65_535))
  ajv.addFormat("uint32", between(0, 4_294_967_295))
  ajv.addFormat("uint64", between(0, Infinity))
  ajv.addSchema(document, "acp")
  return ajv
}

const ajv = makeAjv()

const compiled = (definition: string): ValidateFunction => {
  const validate = ajv.getSchema(`acp#/$defs/${definition}`)
  if (validate === undefined) throw new Error(`The official schema has no definition ${definition}`)
  return validate
}

/**
 * Says why a value is not valid by a definition of the official schema; `undefined` when it is.
 *
 * @category validation
 * @since 0.1.0
 */
export const problem = (definition: string, value: unknown): string | undefined => {
  const validate = compiled(definition)
  return validate(value) === true ? undefined : explain(validate.errors ?? [])
}

/** Of the branches that a value did not match, the error that lies deepest says most. */
const explain = (errors: ReadonlyArray<ErrorObject>): string => {
  const depth = ({ instancePath, keyword }: ErrorObject) =>
    instancePath.split("/").length * 2 - (keyword === "const" || keyword === "anyOf" || keyword === "oneOf" ? 1 : 0)
  const [first, ...others] = errors
  const { instancePath, message, params } = others.reduce(
    (best, error) => depth(error) > depth(best) ? error : best,
    first
  )
  const detail = items(params["allowedValues"]).length > 0 ? `: ${items(params["allowedValues"]).join(", ")}` : ""
  return `${instancePath === "" ? "the value" : instancePath} ${message}${detail}`
}

interface Method {
  readonly request?: string
  readonly response?: string
  readonly notification?: string
}

/** The definitions of each method, by the side that handles it and by its name. */
const methods: ReadonlyMap<string, Method> = (() => {
  const found = new Map<string, Method>()
  for (const [name, definition] of Object.entries(definitions)) {
    const part = /(Request|Response|Notification)$/.exec(name)?.[1].toLowerCase()
    if (part === undefined || typeof definition["x-method"] !== "string") continue
    for (const side of definition["x-side"] === "protocol" ? ["agent", "client"] : [definition["x-side"]]) {
      const key = `${side} ${definition["x-method"]}`
      found.set(key, { ...found.get(key), [part]: name })
    }
  }
  return found
})()

const methodOf = (handler: Side, method: string): Method | undefined => methods.get(`${handler} ${method}`)

const other = (side: Side): Side => side === "agent" ? "client" : "agent"

/**
 * Says why a message that `from` wrote is not valid; `undefined` when it is.
 *
 * A line that holds no message is not judged here. A response is judged by the request that it answers, which
 * `methodOfId` names. Extension methods, whose names start
 * with an underscore, and answers to them are judged by JSON-RPC alone.
 *
 * @category validation
 * @since 0.1.0
 */
export const messageProblem = (
  from: Side,
  entry: Entry,
  methodOfId: (id: unknown) => string | undefined
): string | undefined => {
  const { message } = entry
  if (message === undefined) return undefined
  if (message["jsonrpc"] !== "2.0") return "jsonrpc is not \"2.0\""
  switch (kindOf(entry)) {
    case "request":
      return problem("RequestId", message["id"]) ?? payloadProblem(from, message, "request")
    case "notification":
      return payloadProblem(from, message, "notification")
    case "response":
      return responseProblem(from, message, methodOfId(message["id"]))
    case "noise":
      return "is neither a request, nor a notification, nor a response"
  }
}

const payloadProblem = (from: Side, message: JsonObject, part: "request" | "notification"): string | undefined => {
  const method = message["method"]
  if (typeof method !== "string") return "method is not a string"
  if (method.startsWith("_")) return undefined
  const definition = methodOf(other(from), method)?.[part]
  if (definition === undefined) return `${method} is no ${part} that the ${from} may send`
  return inside("params", problem(definition, message["params"] ?? {}))
}

const responseProblem = (from: Side, message: JsonObject, method: string | undefined): string | undefined => {
  const failed = Object.hasOwn(message, "error")
  if (failed === Object.hasOwn(message, "result")) return "must have either a result or an error"
  if (failed) return inside("error", problem("Error", message["error"]))
  const definition = method === undefined ? undefined : methodOf(from, method)?.response
  if (definition === undefined || isEmptyAnswer(definition, message["result"])) return undefined
  return inside("result", problem(definition, message["result"]))
}

/** Answers without a required member were null in older versions; ACP-LOAD-003 speaks of that one. */
const isEmptyAnswer = (definition: string, result: unknown): boolean =>
  result === null && definition === "LoadSessionResponse"

const inside = (member: string, found: string | undefined): string | undefined =>
  found === undefined ? undefined : found.startsWith("/") ? `${member}${found}` : `${member}: ${found}`

/**
 * The members of a message and of its payload that the protocol does not know, `_meta` excepted.
 *
 * @category validation
 * @since 0.1.0
 */
export const unknownMembers = (
  from: Side,
  entry: Entry,
  methodOfId: (id: unknown) => string | undefined
): ReadonlyArray<string> => {
  const { message } = entry
  if (message === undefined) return []
  const kind = kindOf(entry)
  const outer = Object.keys(message).filter((key) => !envelope.has(key))
  if (kind === "response") {
    const method = methodOfId(message["id"])
    const definition = method === undefined ? undefined : methodOf(from, method)?.response
    return [...outer, ...unknownIn("result", definition, message["result"])]
  }
  const method = methodOf(other(from), String(message["method"]))
  return [...outer, ...unknownIn("params", method?.request ?? method?.notification, message["params"])]
}

const envelope = new Set(["jsonrpc", "id", "method", "params", "result", "error"])

const unknownIn = (member: string, definition: string | undefined, value: unknown): ReadonlyArray<string> => {
  if (definition === undefined || !isObject(value)) return []
  const known = membersOf(definitions[definition])
  return Object.keys(value).filter((key) => key !== "_meta" && !known.has(key)).map((key) => `${member}.${key}`)
}

/** The members that a definition names, its variants included. */
const membersOf = (definition: JsonObject): ReadonlySet<string> => {
  const known = new Set(Object.keys(isObject(definition["properties"]) ? definition["properties"] : {}))
  for (const part of [definition, ...alternatives(definition)]) {
    for (const key of Object.keys(isObject(part["properties"]) ? part["properties"] : {})) known.add(key)
    if (typeof part["$ref"] === "string") membersOf(referred(part["$ref"])).forEach((key) => known.add(key))
    for (const inner of alternatives(part)) membersOf(inner).forEach((key) => known.add(key))
  }
  return known
}

const alternatives = (definition: JsonObject): ReadonlyArray<JsonObject> =>
  ["allOf", "anyOf", "oneOf"].flatMap((keyword) => items(definition[keyword]).filter(isObject))

const referred = (ref: string): JsonObject => definitions[ref.replace("#/$defs/", "")]

/**
 * The constants that a definition allows, such as the stop reasons.
 *
 * @category accessors
 * @since 0.1.0
 */
export const constantsOf = (definition: string): ReadonlyArray<string> =>
  alternatives(definitions[definition]).map((part) => part["const"]).filter((value) => typeof value === "string")
