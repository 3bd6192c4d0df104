import * as Capabilities from "@effect-acp/core/Capabilities"
import * as MethodTable from "@effect-acp/core/MethodTable"
import * as Protocol from "@effect-acp/core/Protocol"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"

const nothing = Schema.Struct({})

const good: MethodTable.Descriptor = {
  wire: "thing/do",
  kind: "request",
  direction: "client_to_agent",
  layer: "app",
  callback: "doThing",
  gate: undefined,
  owner: undefined,
  unprefixed: false,
  refines: undefined
}

/** A row as types would not let it be declared. */
const row = (changes: Partial<MethodTable.Descriptor>, result: Schema.Top = nothing) => {
  const descriptor = { ...good, ...changes }
  const rpc = Rpc.make(descriptor.wire, { payload: nothing, success: result }).annotate(
    MethodTable.Descriptor,
    descriptor
  )
  return Object.assign(rpc, { key: `${descriptor.direction} ${descriptor.kind} ${descriptor.wire}` })
}

const table = (...rows: ReadonlyArray<Rpc.Any>) => MethodTable.make(...rows.map((row) => RpcGroup.make(row)))

describe("a table loads only if", () => {
  it("its rows are rows", () => {
    assert.doesNotThrow(() => table(row({})))
    assert.throws(() => table(Rpc.make("thing/do")), /"thing\/do" is no row/)
  })

  it("1: a name is declared once for each side and kind", () => {
    const twice = /"thing\/do" is declared twice as a request that the agent handles/
    assert.throws(() => table(row({}), row({ callback: "other" })), twice)
    assert.throws(() => table(row({}), row({ direction: "both", callback: "other" })), twice)
    assert.doesNotThrow(() => table(row({}), row({ direction: "agent_to_client" })))
    assert.doesNotThrow(() => table(row({}), row({ kind: "notification", callback: "other" }, Schema.Void)))
    const [initialize] = Protocol.table.rows
    assert.throws(() => MethodTable.extend(Protocol.table, RpcGroup.make(initialize)), /"initialize" is declared twice/)
    const method = MethodTable.notification("thing/told", { direction: "both", callback: "told", params: nothing })
    assert.throws(() => MethodTable.group(method, method), /"thing\/told" is declared twice/)
  })

  it("2: requests alone have a result", () => {
    assert.throws(() => table(row({}, Schema.Void)), /"thing\/do" is a request and needs a result/)
    assert.throws(() => table(row({ kind: "notification" })), /"thing\/do" is a notification and has no result/)
  })

  it("3: a callback belongs to one row of a side", () => {
    const other = row({ wire: "thing/undo" })
    assert.throws(() => table(row({}), other), /"thing\/undo" has the callback doThing, which is that of "thing\/do"/)
    assert.doesNotThrow(() => table(row({}), row({ wire: "thing/undo", direction: "agent_to_client" })))
  })

  it("4: rows of layer app have a callback and no others", () => {
    assert.throws(() => table(row({ callback: undefined })), /"thing\/do" is of layer app and needs a callback/)
    assert.throws(
      () => table(row({ layer: "session_control" })),
      /"thing\/do" is of layer session_control and takes no/
    )
    assert.throws(() => table(row({ layer: "protocol" })), /"thing\/do" is of layer protocol and takes no callback/)
  })

  it("5: a name is within the space of its owner", () => {
    assert.throws(() => table(row({ wire: "_acme/do" })), /"_acme\/do" has the prefix _ of extensions but no owner/)
    assert.throws(() => table(row({ wire: "_acme/do", owner: "other" })), /"_acme\/do" belongs to other and must start/)
    assert.throws(() => table(row({ owner: "acme" })), /"thing\/do" belongs to acme and must start with _acme\//)
    assert.throws(() => table(row({ wire: "_do", owner: "acme", unprefixed: true })), /"_do" belongs to acme/)
    assert.throws(() => table(row({ wire: "$/do" })), /"\$\/do" has the prefix \$\/ of the protocol layer/)
    assert.throws(() => table(row({ wire: "$/do", owner: "acme", unprefixed: true })), /"\$\/do" has the prefix \$\//)
    assert.throws(() => table(row({ wire: "" })), /"" is no name/)
    assert.doesNotThrow(() => table(row({ wire: "_acme.dev/a/b.c", owner: "acme.dev" })))
    assert.doesNotThrow(() => table(row({ owner: "acme", unprefixed: true })))
  })

  it("7: gates are capabilities, to the end of their path", () => {
    const gated = (...paths: ReadonlyArray<string | ReadonlyArray<string>>) => () =>
      table(row({ gate: Capabilities.gate("agent", ...paths) }))
    assert.throws(gated([]), /"thing\/do" has an empty path in its gate/)
    assert.throws(
      gated("loadSessoin"),
      /"thing\/do" is gated by loadSessoin, but the capabilities of the agent have no/
    )
    assert.throws(gated("fs.readTextFile"), /"thing\/do" is gated by fs\.readTextFile/)
    assert.throws(gated("sessionCapabilities.list", "sessionCapabilities.lsit"), /have no lsit; they have .*list/)
    assert.throws(
      gated("loadSession.really"),
      /the capabilities\.loadSession of the agent have no really; they have none/
    )
    assert.doesNotThrow(gated("sessionCapabilities.fork"))
    assert.doesNotThrow(gated("providers"))
    assert.doesNotThrow(gated(["_meta", "acme.dev/tools", "ask"]))
  })

  it("says nothing of gates that nothing opens", () => {
    assert.doesNotThrow(() => table(row({ gate: Capabilities.never("agent") })))
  })
})
