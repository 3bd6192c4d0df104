import type { Difference } from "./oracleDifference.ts"
import type { Document } from "./oracleOfficial.ts"

/** A JSON value that may be changed in place. */
interface Mutable {
  [keyword: string]: Mutable
}

/** A deliberate change of the official document, and the differences that it must bring to light. */
export interface Mutation {
  readonly name: string
  readonly expected: ReadonlyArray<Difference>
  readonly apply: (document: Document) => Document
}

type Place = readonly [definition: string, path: string]

const found = (kind: Difference["kind"], [definition, path]: Place, official: string, ours: string): Difference => ({
  definition,
  path,
  kind,
  official,
  ours
})

const mutation = (
  name: string,
  change: (definitions: Mutable) => void,
  ...expected: ReadonlyArray<Difference>
): Mutation => ({
  name,
  expected,
  apply: (document) => {
    const copy: { $defs: Mutable } = JSON.parse(JSON.stringify(document))
    change(copy.$defs)
    return JSON.parse(JSON.stringify(copy))
  }
})

const set = (node: Mutable, values: object): void => void Object.assign(node, values)

const add = (list: Mutable, ...items: ReadonlyArray<unknown>): void => {
  if (Array.isArray(list)) list.push(...items)
}

const removeWhere = (list: Mutable, matches: (item: unknown) => boolean): void => {
  if (Array.isArray(list)) list.splice(list.findIndex(matches), 1)
}

const mentions = (text: string) => (item: unknown): boolean => JSON.stringify(item).includes(`"${text}"`)

const onError = "x-deserialize-default-on-error"
const skipItems = "x-deserialize-skip-invalid-items"
const onNull = "x-deserialize-default-on-null"

const definitions: ReadonlyArray<Mutation> = [
  mutation(
    "a definition removed",
    (defs) => delete defs.Cost,
    found("extra-definition", ["Cost", ""], "nothing", "{ amount, currency, _meta? }")
  ),
  mutation(
    "a definition added",
    (defs) => set(defs, { Tariff: { type: "string" } }),
    found("missing-definition", ["Tariff", ""], "string", "nothing")
  ),
  mutation(
    "a keyword that the oracle does not know",
    (defs) => set(defs.PlanEntry.properties.content, { contentEncoding: "base64" }),
    found("unreadable", ["PlanEntry", ".content"], "the keyword contentEncoding", "not compared")
  )
]

const fields: ReadonlyArray<Mutation> = [
  mutation(
    "a field added",
    (defs) => set(defs.PlanEntry.properties, { due: { type: "string" } }),
    found("missing-field", ["PlanEntry", ".due"], "string", "nothing")
  ),
  mutation(
    "a field removed",
    (defs) => delete defs.SessionInfo.properties.title,
    found("extra-field", ["SessionInfo", ".title"], "nothing", "string | null")
  ),
  mutation(
    "an optional field made required",
    (defs) => set(defs.ListSessionsRequest, { required: ["cwd"] }),
    found("required", ["ListSessionsRequest", ".cwd"], "required", "optional")
  ),
  mutation(
    "a required field made optional",
    (defs) => removeWhere(defs.SessionInfo.required, mentions("cwd")),
    found("required", ["SessionInfo", ".cwd"], "optional", "required")
  ),
  mutation(
    "a field made nullable",
    (defs) => set(defs.SessionInfo.properties.cwd, { type: ["string", "null"] }),
    found("nullable", ["SessionInfo", ".cwd"], "null allowed", "null not allowed")
  ),
  mutation(
    "a field that is null no more",
    (defs) => set(defs.SessionInfo.properties.updatedAt, { type: "string" }),
    found("nullable", ["SessionInfo", ".updatedAt"], "null not allowed", "null allowed")
  )
]

const types: ReadonlyArray<Mutation> = [
  mutation(
    "a type changed",
    (defs) => set(defs.PlanEntry.properties.content, { type: "boolean" }),
    found("type", ["PlanEntry", ".content"], "boolean", "string")
  ),
  mutation(
    "a reference turned to another definition",
    (defs) => set(defs.PlanEntry.properties.status, { allOf: [{ $ref: "#/$defs/PlanEntryPriority" }] }),
    found("type", ["PlanEntry", ".status"], "PlanEntryPriority", "PlanEntryStatus")
  ),
  mutation(
    "the items of a list changed",
    (defs) => set(defs.Plan.properties.entries, { items: { type: "string" } }),
    found("type", ["Plan", ".entries[]"], "string", "PlanEntry"),
    found("type", ["SessionUpdate", "[sessionUpdate=\"plan\"].entries[]"], "string", "PlanEntry")
  ),
  mutation(
    "the values of a record changed",
    (defs) => set(defs.AuthMethodTerminal.properties.env, { additionalProperties: { type: "boolean" } }),
    found("type", ["AuthMethodTerminal", ".env[name]"], "boolean", "string"),
    found("type", ["AuthMethod", "[type=\"terminal\"].env[name]"], "boolean", "string")
  )
]

const alternatives: ReadonlyArray<Mutation> = [
  mutation(
    "an enum value added",
    (defs) => add(defs.StopReason.oneOf, { type: "string", const: "bored" }),
    found("missing-value", ["StopReason", ""], "\"bored\"", "nothing")
  ),
  mutation(
    "an enum value removed",
    (defs) => removeWhere(defs.ToolKind.oneOf, mentions("think")),
    found("extra-value", ["ToolKind", ""], "nothing", "\"think\"")
  ),
  mutation(
    "an enum value renamed",
    (defs) => set(defs.Role.oneOf[0], { const: "agent" }),
    found("missing-value", ["Role", ""], "\"agent\"", "nothing"),
    found("extra-value", ["Role", ""], "nothing", "\"assistant\"")
  ),
  mutation(
    "an enum closed",
    (defs) => removeWhere(defs.NoticeSeverity.anyOf, (item) => !mentions("const")(item)),
    found("extra-variant", ["NoticeSeverity", "[string]"], "nothing", "string")
  ),
  mutation(
    "a variant added",
    (defs) =>
      add(defs.SessionUpdate.oneOf, {
        type: "object",
        properties: { sessionUpdate: { type: "string", const: "weather" } },
        required: ["sessionUpdate"]
      }),
    found(
      "missing-variant",
      ["SessionUpdate", "[sessionUpdate=\"weather\"]"],
      "{ sessionUpdate: \"weather\" }",
      "nothing"
    )
  ),
  mutation(
    "a variant removed",
    (defs) => removeWhere(defs.ToolCallContent.oneOf, mentions("terminal")),
    found(
      "extra-variant",
      ["ToolCallContent", "[type=\"terminal\"]"],
      "nothing",
      "{ type: \"terminal\", terminalId, _meta? }"
    )
  )
]

const openEnds: ReadonlyArray<Mutation> = [
  mutation(
    "an open end that takes a known tag, too",
    (defs) => removeWhere(defs.CreateElicitationResponse.anyOf[3].not.anyOf, mentions("cancel")),
    found(
      "type",
      ["CreateElicitationResponse", ""],
      "any action except accept, decline",
      "any action except accept, cancel, decline"
    )
  ),
  mutation(
    "an open end that asks for more",
    (defs) => add(defs.ElicitationPropertySchema.anyOf[5].required, "title"),
    found("type", ["ElicitationPropertySchema", "[any type]"], "{ title }", "any")
  )
]

const limits: ReadonlyArray<Mutation> = [
  mutation(
    "an integer format changed",
    (defs) => set(defs.ReadTextFileRequest.properties.line, { format: "uint64" }),
    found(
      "format",
      ["ReadTextFileRequest", ".line"],
      "integer (uint64, 0 to 9007199254740991)",
      "integer (uint32, 0 to 4294967295)"
    )
  ),
  mutation(
    "a string format removed",
    (defs) => delete defs.ElicitationUrlMode.properties.url.format,
    found("format", ["ElicitationUrlMode", "[object].url"], "string", "string (format uri)"),
    found("format", ["ElicitationUrlMode", "[object].url"], "string", "string (format uri)"),
    found("format", ["CreateElicitationRequest", "[mode=\"url\"].url"], "string", "string (format uri)"),
    found("format", ["CreateElicitationRequest", "[mode=\"url\"].url"], "string", "string (format uri)")
  ),
  mutation(
    "a lower bound changed",
    (defs) => set(defs.ReadTextFileRequest.properties.line, { minimum: 1 }),
    found(
      "bound",
      ["ReadTextFileRequest", ".line"],
      "integer (uint32, 1 to 4294967295)",
      "integer (uint32, 0 to 4294967295)"
    )
  ),
  mutation(
    "an upper bound changed",
    (defs) => set(defs.ProtocolVersion, { maximum: 9 }),
    found("bound", ["ProtocolVersion", ""], "integer (uint16, 0 to 9)", "integer (uint16, 0 to 65535)")
  ),
  mutation(
    "a length changed",
    (defs) => set(defs.Notice.properties.title, { minLength: 2 }),
    found("bound", ["Notice", ".title"], "string (minLength 2)", "string (minLength 1)"),
    found(
      "bound",
      ["SessionUpdate", "[sessionUpdate=\"notice\"].title"],
      "string (minLength 2)",
      "string (minLength 1)"
    )
  )
]

const marks: ReadonlyArray<Mutation> = [
  mutation(
    "a default changed",
    (defs) => set(defs.AuthCapabilities.properties.terminal, { default: true }),
    found("default", ["AuthCapabilities", ".terminal"], "true", "false"),
    found("on-error", ["AuthCapabilities", ".terminal"], "true", "false")
  ),
  mutation(
    "a default added",
    (defs) => set(defs.PlanEntry.properties.content, { default: "" }),
    found("default", ["PlanEntry", ".content"], "\"\"", "no mark")
  ),
  mutation(
    "a default removed",
    (defs) => delete defs.ElicitationSchema.properties.properties.default,
    found("default", ["ElicitationSchema", ".properties"], "no mark", "{}")
  ),
  mutation(
    "leniency on error removed",
    (defs) => delete defs.SessionInfo.properties.title[onError],
    found("on-error", ["SessionInfo", ".title"], "no mark", "the field is left out")
  ),
  mutation(
    "leniency on error added",
    (defs) => set(defs.ListSessionsRequest.properties.cwd, { [onError]: true }),
    found("on-error", ["ListSessionsRequest", ".cwd"], "the field is left out", "no mark")
  ),
  mutation(
    "the skipping of bad items removed",
    (defs) => delete defs.SessionModeState.properties.availableModes[skipItems],
    found("skip-invalid-items", ["SessionModeState", ".availableModes"], "no mark", "skipped")
  ),
  mutation(
    "the skipping of bad items added",
    (defs) => set(defs.PromptRequest.properties.prompt, { [skipItems]: true }),
    found("skip-invalid-items", ["PromptRequest", ".prompt"], "skipped", "no mark")
  ),
  mutation(
    "leniency on null removed",
    (defs) => delete defs.NewSessionRequest.properties.mcpServers[onNull],
    found("on-null", ["NewSessionRequest", ".mcpServers"], "no mark", "[]")
  ),
  mutation(
    "leniency on null added",
    (defs) => set(defs.PromptRequest.properties.prompt, { [onNull]: true }),
    found("on-null", ["PromptRequest", ".prompt"], "[]", "no mark")
  )
]

/** At least one deliberate change for every kind of difference. */
export const mutations: ReadonlyArray<Mutation> = [
  ...definitions,
  ...fields,
  ...types,
  ...alternatives,
  ...openEnds,
  ...limits,
  ...marks
]
