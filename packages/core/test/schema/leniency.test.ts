import * as AgentCapabilities from "@effect-acp/core/schema/AgentCapabilities"
import * as Codec from "@effect-acp/core/schema/Codec"
import * as Content from "@effect-acp/core/schema/Content"
import * as Initialize from "@effect-acp/core/schema/Initialize"
import * as Plan from "@effect-acp/core/schema/Plan"
import * as Session from "@effect-acp/core/schema/Session"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import * as Terminal from "@effect-acp/core/schema/Terminal"
import * as ToolCall from "@effect-acp/core/schema/ToolCall"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import { brief, decode, encode, failure } from "./schemaTools.ts"

const moduleUrl = (name: string): string => new URL(`../../src/schema/${name}.ts`, import.meta.url).href

describe("a value that the schema accepts", () => {
  it("decodes to itself and reports nothing", () => {
    const update: ToolCall.ToolCallUpdate = {
      toolCallId: "1",
      status: null,
      content: [ToolCall.diff({ path: "/a", newText: "" })]
    }
    const { fallbacks, value } = decode(ToolCall.ToolCallUpdate, update)
    assert.deepStrictEqual(value, update)
    assert.deepStrictEqual(fallbacks, [])
  })

  it("loses the members that the schema does not name", () => {
    assert.deepStrictEqual(decode(Content.TextContent, { text: "a", other: 1 }).value, { text: "a" })
    const widened: Content.TextContent & { readonly other: number } = { text: "a", other: 1 }
    assert.deepStrictEqual(encode(Content.TextContent, widened), { text: "a" })
  })

  it("keeps absent absent and null null", () => {
    const info = decode(Session.SessionInfoUpdate, { title: null }).value
    assert.isTrue(info.title === null && !("updatedAt" in info))
  })
})

describe("default on error", () => {
  it("drops an optional member", () => {
    const { fallbacks, value } = decode(ToolCall.ToolCallUpdate, { toolCallId: "1", title: 5, locations: "none" })
    assert.deepStrictEqual(value, { toolCallId: "1" })
    assert.deepStrictEqual(fallbacks, [
      { path: ["title"], kind: "default-on-error", received: 5, used: undefined },
      { path: ["locations"], kind: "default-on-error", received: "none", used: undefined }
    ])
  })

  it("uses the official default", () => {
    const { fallbacks, value } = decode(AgentCapabilities.AgentCapabilities, {
      loadSession: "yes",
      promptCapabilities: null,
      mcpCapabilities: { http: 1, sse: true }
    })
    assert.deepStrictEqual(value, {
      loadSession: false,
      promptCapabilities: { image: false, audio: false, embeddedContext: false },
      mcpCapabilities: { http: false, sse: true }
    })
    assert.deepStrictEqual(brief(fallbacks), [
      "default-on-error loadSession",
      "default-on-error promptCapabilities",
      "default-on-error mcpCapabilities.http"
    ])
  })

  it("does not fill in what is absent", () => {
    assert.deepStrictEqual(decode(Initialize.InitializeResponse, { protocolVersion: 1 }).value, { protocolVersion: 1 })
  })

  it("reports the outer replacement only, where an inner one was not enough", () => {
    const { fallbacks, value } = decode(Content.TextContent, {
      text: "a",
      annotations: { _meta: 1, priority: 1 },
      _meta: []
    })
    assert.deepStrictEqual(value, { text: "a", annotations: { priority: 1 } })
    assert.deepStrictEqual(brief(fallbacks), ["default-on-error annotations._meta", "default-on-error _meta"])
    const chunk = decode(SessionUpdate.SessionUpdate, {
      sessionUpdate: "usage_update",
      used: 1,
      size: 2,
      cost: { amount: "much", currency: "EUR", _meta: 1 }
    })
    assert.deepStrictEqual(chunk.value, { sessionUpdate: "usage_update", used: 1, size: 2 })
    assert.deepStrictEqual(brief(chunk.fallbacks), ["default-on-error cost"])
  })

  it("makes an empty list of what is no list, but asks for the member", () => {
    const { fallbacks, value } = decode(Plan.Plan, { entries: {} })
    assert.deepStrictEqual(value, { entries: [] })
    assert.deepStrictEqual(fallbacks, [{ path: ["entries"], kind: "default-on-error", received: {}, used: [] }])
    assert.include(failure(Plan.Plan, {}), "entries")
  })
})

describe("skip invalid items", () => {
  it("leaves them out, with their received index", () => {
    const good = { content: "a", priority: "high", status: "pending" }
    const { fallbacks, value } = decode(Plan.Plan, { entries: [5, good, { content: "b" }, good] })
    assert.deepStrictEqual(value, { entries: [good, good] })
    assert.deepStrictEqual(brief(fallbacks), ["skipped-item entries.0", "skipped-item entries.2"])
  })

  it("repairs an item before giving it up", () => {
    const { fallbacks, value } = decode(Initialize.InitializeResponse, {
      protocolVersion: 1,
      authMethods: [{ id: "a", name: "A", description: 1 }, { id: "b" }]
    })
    assert.deepStrictEqual(value, { protocolVersion: 1, authMethods: [{ id: "a", name: "A" }] })
    assert.deepStrictEqual(brief(fallbacks), [
      "default-on-error authMethods.0.description",
      "skipped-item authMethods.1"
    ])
  })

  it("does not touch lists without the mark", () => {
    assert.include(failure(Session.NewSessionRequest, { cwd: "/", mcpServers: [5] }), "mcpServers")
  })
})

describe("default on null", () => {
  it("makes an empty list of null", () => {
    const { fallbacks, value } = decode(Terminal.CreateTerminalRequest, { sessionId: "s", command: "ls", args: null })
    assert.deepStrictEqual(value, { sessionId: "s", command: "ls", args: [] })
    assert.deepStrictEqual(fallbacks, [{ path: ["args"], kind: "default-on-null", received: null, used: [] }])
  })

  it("does not replace anything else", () => {
    assert.include(failure(Terminal.CreateTerminalRequest, { sessionId: "s", command: "ls", args: {} }), "args")
  })
})

describe("what cannot be repaired", () => {
  it("is the error, whatever else could be", () => {
    const message = failure(SessionUpdate.SessionNotification, {
      sessionId: "s",
      update: { sessionUpdate: "tool_call", toolCallId: 7, title: "t", kind: 5 },
      _meta: 1
    })
    assert.include(message, "toolCallId")
    assert.notInclude(message, "_meta")
  })

  it("does not throw, whatever the input", () => {
    const cyclic: Record<string, unknown> = {}
    cyclic["_meta"] = cyclic
    for (const input of [undefined, null, 1n, Symbol.iterator, () => 1, [], "x", new Map(), cyclic]) {
      for (const schema of [Session.NewSessionRequest, SessionUpdate.SessionNotification]) {
        assert.isTrue(Result.isFailure(Codec.make(schema).decode(input, () => {})))
        assert.isTrue(Result.isFailure(Codec.make(schema).encode(input)))
      }
    }
  })
})

describe("integers", () => {
  it("keep their bounds", () => {
    const version = (protocolVersion: unknown) => ({ protocolVersion })
    assert.deepStrictEqual(decode(Initialize.InitializeRequest, version(65535)).value, version(65535))
    for (const bad of [65536, -1, 1.5, "1", null]) failure(Initialize.InitializeRequest, version(bad))
    const usage = { used: Number.MAX_SAFE_INTEGER, size: 0 }
    assert.deepStrictEqual(
      decode(SessionUpdate.SessionUpdate, { sessionUpdate: "usage_update", ...usage }).fallbacks,
      []
    )
    failure(SessionUpdate.SessionUpdate, { sessionUpdate: "usage_update", used: -1, size: 0 })
    failure(SessionUpdate.SessionUpdate, { sessionUpdate: "usage_update", used: 2 ** 53, size: 0 })
  })
})

it("a codec is made once for a schema", () => {
  assert.strictEqual(Codec.make(Plan.Plan), Codec.make(Plan.Plan))
  assert.notStrictEqual(Codec.make(Plan.Plan), Codec.make(Plan.Plan, { compile: false }))
})

describe("without code generation", () => {
  it("decoders are interpreted, with the same results", () => {
    const program = `
      import * as Codec from ${JSON.stringify(moduleUrl("Codec"))}
      import * as SessionUpdate from ${JSON.stringify(moduleUrl("SessionUpdate"))}
      const report = ({ kind }) => console.log(kind)
      const { decode } = Codec.make(SessionUpdate.SessionUpdate)
      console.log(JSON.stringify(decode({ sessionUpdate: "plan", entries: [1] }, report).success))
      console.log(JSON.stringify(decode({ sessionUpdate: "next" }, report).success))
    `
    const output = execFileSync(
      process.execPath,
      ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", program],
      { encoding: "utf8" }
    )
    assert.deepStrictEqual(output.trim().split("\n"), [
      "skipped-item",
      `{"sessionUpdate":"plan","entries":[]}`,
      "unknown-variant",
      `{"sessionUpdate":"next"}`
    ])
  })
})
