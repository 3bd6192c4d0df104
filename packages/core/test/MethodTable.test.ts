import * as AgentMethods from "@effect-acp/core/AgentMethods"
import * as Capabilities from "@effect-acp/core/Capabilities"
import * as Raxol from "@effect-acp/core/extension/Raxol"
import * as MethodTable from "@effect-acp/core/MethodTable"
import * as Protocol from "@effect-acp/core/Protocol"
import * as UnstableAgentMethods from "@effect-acp/core/unstable/AgentMethods"
import * as Unstable from "@effect-acp/core/unstable/Protocol"
import { ProxyMethods } from "@effect-acp/core/unstable/ProxyMethods"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, SchemaAST } from "effect"
import type * as Rpc from "effect/rpc/Rpc"
import * as Drift from "./schema/drift.ts"
import * as Modules from "./schema/oracleModules.ts"

const official = Drift.documents(Drift.installed)

/** What the official schema's marks say of its methods, one line a definition. */
const marks = (universe: "stable" | "unstable"): ReadonlyArray<string> =>
  Object.entries(official[universe].$defs).flatMap(([name, definition]) =>
    "x-method" in definition ? [`${definition["x-side"]} ${definition["x-method"]} ${name}`] : []
  ).toSorted()

const proxyRows = new Set<Rpc.Any>(ProxyMethods.requests.values())

const officialSide = (row: Rpc.AnyWithProps): string => {
  if (proxyRows.has(row)) return "proxy"
  const { direction } = MethodTable.describe(row)
  return direction === "both" ? "protocol" : direction === "client_to_agent" ? "agent" : "client"
}

/** The same lines, from the rows. */
const rowLines = (table: MethodTable.MethodTable): ReadonlyArray<string> =>
  table.rows.flatMap((row) => {
    const { kind, wire } = MethodTable.describe(row)
    const schemas = kind === "request" ? [row.payloadSchema, row.successSchema] : [row.payloadSchema]
    return schemas.map(({ ast }) => `${officialSide(row)} ${wire} ${SchemaAST.resolveIdentifier(ast)}`)
  }).toSorted()

const wires = (rows: ReadonlyArray<Rpc.Any>) => rows.map(({ _tag }) => _tag)

const agentWires = [
  "initialize",
  "authenticate",
  "logout",
  "session/new",
  "session/load",
  "session/list",
  "session/delete",
  "session/resume",
  "session/close",
  "session/set_mode",
  "session/set_config_option",
  "session/prompt",
  "session/cancel"
]

const clientWires = [
  "session/request_permission",
  "session/update",
  "fs/read_text_file",
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/release",
  "terminal/wait_for_exit",
  "terminal/kill",
  "elicitation/create",
  "elicitation/complete"
]

describe("the rows", () => {
  it("are the methods of the official schema, stable and unstable", () => {
    assert.deepStrictEqual(rowLines(Protocol.table), marks("stable"))
    assert.deepStrictEqual(rowLines(Unstable.table), marks("unstable"))
  })

  it.effect("carry the schemas of their universe, unstable ones in the place of stable ones", () =>
    Effect.gen(function*() {
      const universes = yield* Modules.load
      const tables = { stable: Protocol.table, unstable: Unstable.table }
      for (const name of ["stable", "unstable"] as const) {
        for (const row of tables[name].rows) {
          for (const { ast } of [row.payloadSchema, row.successSchema].filter(({ ast }) => ast._tag !== "Void")) {
            assert.strictEqual(ast, universes[name].named.get(SchemaAST.resolveIdentifier(ast)!), `${name} ${row._tag}`)
          }
        }
      }
    }))

  it("are 25 stable ones, in the order agent, client, protocol", () => {
    assert.deepStrictEqual(wires(Protocol.table.rows), [...agentWires, ...clientWires, "$/cancel_request"])
    assert.strictEqual(Protocol.table.rows.length, 25)
  })

  it("have 13 unstable names on top, two of them as request and as notification", () => {
    const stable = new Set(wires(Protocol.table.rows))
    const added = wires(Unstable.table.rows).filter((wire) => !stable.has(wire))
    assert.strictEqual(new Set(added).size, 13)
    assert.deepStrictEqual(added.filter((wire, index) => added.indexOf(wire) !== index), [
      "mcp/message",
      "proxy/successor"
    ])
  })

  it("are gated as the protocol says", () => {
    const gates = Protocol.table.rows.flatMap((row) => {
      const { gate, wire } = MethodTable.describe(row)
      return gate === undefined ? [] : [`${wire}: ${gate.side} ${Capabilities.describeGate(gate)}`]
    })
    assert.deepStrictEqual(gates, [
      "logout: agent auth.logout",
      "session/load: agent loadSession",
      "session/list: agent sessionCapabilities.list",
      "session/delete: agent sessionCapabilities.delete",
      "session/resume: agent sessionCapabilities.resume",
      "session/close: agent sessionCapabilities.close",
      "fs/read_text_file: client fs.readTextFile",
      "fs/write_text_file: client fs.writeTextFile",
      "terminal/create: client terminal",
      "terminal/output: client terminal",
      "terminal/release: client terminal",
      "terminal/wait_for_exit: client terminal",
      "terminal/kill: client terminal",
      "elicitation/create: client elicitation.form or elicitation.url",
      "elicitation/complete: client elicitation.url"
    ])
  })

  it("are for handlers but for the two that the library acts on", () => {
    const others = Protocol.table.rows.map(MethodTable.describe).filter(({ layer }) => layer !== "app")
    assert.deepStrictEqual(others.map(({ layer, wire }) => `${wire} ${layer}`), [
      "session/cancel session_control",
      "$/cancel_request protocol"
    ])
  })

  it("have a handler key each, though they share their wire name", () => {
    const keys = Unstable.table.rows.map((row) => row.key)
    assert.strictEqual(new Set(keys).size, keys.length)
  })
})

describe("the queries", () => {
  it("give the rows of exactly one direction", () => {
    assert.deepStrictEqual(wires(Protocol.table.withDirection("client_to_agent")), agentWires)
    assert.deepStrictEqual(wires(Protocol.table.withDirection("agent_to_client")), clientWires)
    assert.deepStrictEqual(wires(Protocol.table.withDirection("both")), ["$/cancel_request"])
  })

  it("give the rows that a side handles, those of both directions included", () => {
    assert.deepStrictEqual(wires(Protocol.table.handledBy("agent")), [...agentWires, "$/cancel_request"])
    assert.deepStrictEqual(wires(Protocol.table.handledBy("client")), [...clientWires, "$/cancel_request"])
  })

  it("G3 tell an unknown method from one without a gate and from one that nothing opens", () => {
    const shut = MethodTable.request("acme/shut", {
      direction: "client_to_agent",
      callback: "shut",
      gate: Capabilities.never("agent"),
      params: Schema.Struct({}),
      result: Schema.Struct({})
    })
    const table = MethodTable.extend(Protocol.table, MethodTable.group(shut))
    assert.strictEqual(table.gateOf("session/new"), "none")
    assert.strictEqual(table.gateOf("session/nwe"), "unknown method")
    assert.strictEqual(table.gateOf("acme/shut"), "never")
    assert.deepStrictEqual(table.gateOf("session/load"), { side: "agent", paths: [["loadSession"]] })
    assert.deepStrictEqual(table.gateOf("elicitation/create"), {
      side: "client",
      paths: [["elicitation", "form"], ["elicitation", "url"]]
    })
  })

  it("give the callbacks of a side with their wire names", () => {
    const agent = Protocol.table.callbacks("agent")
    assert.deepStrictEqual(agent.map(({ wire }) => wire), agentWires.filter((wire) => wire !== "session/cancel"))
    assert.deepStrictEqual(agent[3], { callback: "newSession", wire: "session/new" })
    assert.deepStrictEqual(Protocol.table.callbacks("client").map(({ callback }) => callback), [
      "requestPermission",
      "sessionUpdate",
      "readTextFile",
      "writeTextFile",
      "createTerminal",
      "terminalOutput",
      "releaseTerminal",
      "waitForTerminalExit",
      "killTerminal",
      "createElicitation",
      "completeElicitation"
    ])
  })

  it("give the capabilities that gates may begin with, from the schemas", () => {
    assert.deepStrictEqual(Capabilities.fields.agent.toSorted(), [
      "_meta",
      "auth",
      "loadSession",
      "mcpCapabilities",
      "promptCapabilities",
      "providers",
      "sessionCapabilities"
    ])
    assert.deepStrictEqual(Capabilities.fields.client.toSorted(), [
      "_meta",
      "auth",
      "elicitation",
      "fs",
      "plan",
      "session",
      "subagents",
      "terminal"
    ])
  })

  it("give the row that refines another one", () => {
    const rowOf = (table: MethodTable.MethodTable, row: Rpc.Any): Rpc.Any => table.rowOf(row)
    assert.strictEqual(rowOf(Unstable.table, AgentMethods.newSession), UnstableAgentMethods.newSession)
    assert.strictEqual(rowOf(Unstable.table, AgentMethods.logout), AgentMethods.logout)
    assert.strictEqual(rowOf(Protocol.table, UnstableAgentMethods.newSession), UnstableAgentMethods.newSession)
    assert.strictEqual(rowOf(Protocol.table, Raxol.steerSession), Raxol.steerSession)
  })
})

describe("extended tables", () => {
  it("have the rows of a vendor behind those of the protocol", () => {
    const table = MethodTable.extend(Protocol.table, Raxol.AgentMethods, Raxol.ClientMethods)
    assert.deepStrictEqual(wires(table.rows).slice(25), [
      "_raxol/session.load",
      "_raxol/session.steer",
      "_raxol/session.record"
    ])
    assert.strictEqual(table.callbacks("agent").length, 12 + 2)
    assert.strictEqual(table.callbacks("client").length, 11 + 1)
  })

  it("keep a request and a notification of one name in one group", () => {
    assert.deepStrictEqual([...ProxyMethods.requests.values()].map((row) => MethodTable.describe(row).kind), [
      "request",
      "request",
      "notification"
    ])
  })
})
