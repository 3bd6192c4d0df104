import * as ProtocolError from "@effect-acp/core/schema/Error"
import * as McpServer from "@effect-acp/core/schema/McpServer"
import * as Permission from "@effect-acp/core/schema/Permission"
import * as Prompt from "@effect-acp/core/schema/Prompt"
import * as Session from "@effect-acp/core/schema/Session"
import * as SessionConfig from "@effect-acp/core/schema/SessionConfig"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import { assert, describe, it } from "@effect/vitest"
import { brief, decode, encode, failure, roundTrip } from "./schemaTools.ts"

describe("schema drift", () => {
  it("F035 an unknown update is delivered with its raw object", () => {
    const update = { sessionUpdate: "brand_new_update", foo: 1 }
    const { fallbacks, value } = decode(SessionUpdate.SessionNotification, { sessionId: "s1", update })
    assert.deepStrictEqual(
      SessionUpdate.matchOrElse(value.update, { unknown: ({ raw }) => raw }, () => undefined),
      update
    )
    assert.deepStrictEqual(brief(fallbacks), ["unknown-variant update"])
  })

  it("F037 F038 a stop reason from outside the schema is an error with the raw string, never a success", () => {
    assert.include(failure(Prompt.PromptResponse, { stopReason: "error", transcriptPath: "/x" }), "stopReason")
    for (const stopReason of Prompt.StopReason.literals) {
      assert.deepStrictEqual(decode(Prompt.PromptResponse, { stopReason }).value, { stopReason })
    }
  })

  it("F039 mcpServers may be missing or null, with a report", () => {
    for (const wire of [{ cwd: "/w" }, { cwd: "/w", mcpServers: null }]) {
      const { fallbacks, value } = decode(Session.NewSessionRequest, wire)
      assert.deepStrictEqual(value, { cwd: "/w", mcpServers: [] })
      assert.deepStrictEqual(brief(fallbacks), ["default-on-null mcpServers"])
      decode(Session.LoadSessionRequest, { ...wire, sessionId: "s" })
    }
    assert.deepStrictEqual(decode(Session.ResumeSessionRequest, { sessionId: "s", cwd: "/w" }).fallbacks, [])
  })

  it("F040 constructors write every list, and no type for stdio", () => {
    assert.deepStrictEqual(McpServer.stdio({ name: "x", command: "/bin/x" }), {
      name: "x",
      command: "/bin/x",
      args: [],
      env: []
    })
    assert.deepStrictEqual(McpServer.stdio({ name: "x", command: "/bin/x", env: { A: "1" } }).env, [
      { name: "A", value: "1" }
    ])
    assert.deepStrictEqual(McpServer.http({ name: "x", url: "http://x" }), {
      type: "http",
      name: "x",
      url: "http://x",
      headers: []
    })
    const header = { name: "A", value: "1", _meta: { a: 1 } }
    assert.deepStrictEqual(McpServer.sse({ name: "x", url: "http://x", headers: [header] }).headers, [header])
  })

  it("F040 an object in place of a list is named by its path; a list left out is empty", () => {
    const server = { name: "x", command: "/bin/x", args: [] }
    const message = failure(Session.NewSessionRequest, { cwd: "/w", mcpServers: [{ ...server, env: {} }] })
    assert.include(message, `["mcpServers"][0]["env"]`)
    const { fallbacks, value } = decode(Session.NewSessionRequest, { cwd: "/w", mcpServers: [server] })
    assert.deepStrictEqual(value.mcpServers, [{ ...server, env: [] }])
    assert.deepStrictEqual(brief(fallbacks), ["default-on-null mcpServers.0.env"])
  })

  it("F040 a server of an unknown type is a stdio server, as the official schema says", () => {
    const server = { name: "x", command: "/bin/x", args: [], env: [] }
    const wire = { cwd: "/w", mcpServers: [{ type: "stdio", ...server }] }
    assert.deepStrictEqual(decode(Session.NewSessionRequest, wire).value.mcpServers, [server])
    failure(Session.NewSessionRequest, { cwd: "/w", mcpServers: [{ type: "http", name: "x" }] })
  })

  it("F045 an empty result is an error that names what is missing", () => {
    assert.include(failure(SessionConfig.SetSessionConfigOptionResponse, {}), "configOptions")
    assert.include(failure(SessionUpdate.SessionUpdate, { sessionUpdate: "config_option_update" }), "configOptions")
  })

  it("F046 a bad entry costs itself only, a bad field of one itself only", () => {
    const { fallbacks, value } = decode(Session.ListSessionsResponse, {
      sessions: [
        { sessionId: "a", cwd: "/w" },
        { id: "b", cwd: "/w" },
        { sessionId: "c", cwd: "/w", updatedAt: 1712000000 }
      ],
      nextCursor: null
    })
    assert.deepStrictEqual(value, {
      sessions: [{ sessionId: "a", cwd: "/w" }, { sessionId: "c", cwd: "/w" }],
      nextCursor: null
    })
    assert.deepStrictEqual(brief(fallbacks), ["skipped-item sessions.1", "default-on-error sessions.2.updatedAt"])
  })

  it("F164 a config option of an unknown type is left out of its list", () => {
    const known = SessionConfig.boolean({ id: "a", name: "A", currentValue: true })
    const { fallbacks, value } = decode(SessionConfig.ConfigOptionUpdate, {
      configOptions: [known, { id: "b", name: "B", type: "slider", currentValue: 3 }]
    })
    assert.deepStrictEqual(value, { configOptions: [known] })
    assert.deepStrictEqual(brief(fallbacks), ["skipped-item configOptions.1"])
  })
})

describe("silent loss", () => {
  it("F047 the data of an error is kept as it is, any integer is a code", () => {
    const error = {
      code: -32602,
      message: "Invalid params",
      data: { protocolVersion: { _errors: ["expected number"] } }
    }
    assert.strictEqual(decode(ProtocolError.Error, error).value.data, error.data)
    assert.deepStrictEqual(decode(ProtocolError.Error, { code: 7, message: "m" }).fallbacks, [])
  })

  it("F051 metadata is never merged and comes back as it was", () => {
    const wire = {
      sessionId: "other",
      toolCall: { toolCallId: "t" },
      options: [{ optionId: "a", name: "A", kind: "allow_once", _meta: { kind: "reject_once" } }],
      _meta: { sessionId: "s1", session_id: "s1" }
    }
    const { value } = decode(Permission.RequestPermissionRequest, wire)
    assert.strictEqual(value.sessionId, "other")
    assert.strictEqual(value.options[0].kind, "allow_once")
    assert.strictEqual(value._meta, wire._meta)
    assert.deepStrictEqual(roundTrip(Permission.RequestPermissionRequest, wire), wire)
  })

  it("F051 keys such as __proto__ are plain data", () => {
    const text =
      `{"cwd":"/w","mcpServers":[],"_meta":{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toJSON":0}}`
    const { value } = decode(Session.NewSessionRequest, JSON.parse(text))
    assert.strictEqual(JSON.stringify(value._meta), JSON.stringify(JSON.parse(text)._meta))
    assert.isUndefined(Reflect.get({}, "polluted"))
    const repaired = decode(Session.NewSessionRequest, { ...JSON.parse(text), mcpServers: null }).value
    assert.strictEqual(JSON.stringify(repaired._meta), JSON.stringify(value._meta))
  })

  it("F052 the metadata of session/new reaches the agent, unknown members do no harm", () => {
    const _meta = { systemPrompt: { append: "be brief" } }
    const { fallbacks, value } = decode(Session.NewSessionRequest, { cwd: "/w", mcpServers: [], _meta, extra: 1 })
    assert.deepStrictEqual([value, fallbacks], [{ cwd: "/w", mcpServers: [], _meta }, []])
  })

  it("F053 every kind of update arrives", () => {
    const chunk = { content: { type: "text", text: "a" } }
    const bodies: { readonly [kind: string]: object } = {
      user_message_chunk: chunk,
      agent_message_chunk: chunk,
      agent_thought_chunk: chunk,
      tool_call: { toolCallId: "1", title: "t" },
      tool_call_update: { toolCallId: "1" },
      plan: { entries: [] },
      available_commands_update: { availableCommands: [{ name: "a", description: "A", input: { hint: "h" } }] },
      current_mode_update: { currentModeId: "code" },
      config_option_update: { configOptions: [] },
      session_info_update: { title: "New title", updatedAt: null },
      usage_update: { used: 1, size: 2 },
      notice: { severity: "info", title: "t" },
      compaction_update: { compactionId: "c", status: "completed", summary: null },
      compaction_summary_chunk: { compactionId: "c", ...chunk }
    }
    for (const [sessionUpdate, body] of Object.entries(bodies)) {
      const wire = { sessionId: "s", update: { sessionUpdate, ...body } }
      const { fallbacks, value } = decode(SessionUpdate.SessionNotification, wire)
      assert.deepStrictEqual([value, fallbacks], [wire, []])
      assert.deepStrictEqual(encode(SessionUpdate.SessionNotification, value), wire)
    }
    assert.deepStrictEqual(
      Object.keys(bodies),
      SessionUpdate.variants.map(({ fields }) => fields.sessionUpdate.literal)
    )
  })
})
