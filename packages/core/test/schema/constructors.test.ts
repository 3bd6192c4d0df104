import * as Authentication from "@effect-acp/core/schema/Authentication"
import * as Content from "@effect-acp/core/schema/Content"
import * as Elicitation from "@effect-acp/core/schema/Elicitation"
import * as Form from "@effect-acp/core/schema/ElicitationSchema"
import * as McpServer from "@effect-acp/core/schema/McpServer"
import * as Permission from "@effect-acp/core/schema/Permission"
import * as Plan from "@effect-acp/core/schema/Plan"
import * as SessionConfig from "@effect-acp/core/schema/SessionConfig"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import * as ToolCall from "@effect-acp/core/schema/ToolCall"
import * as UnstableMcpServer from "@effect-acp/core/schema/unstable/McpServer"
import * as UnstablePlan from "@effect-acp/core/schema/unstable/Plan"
import * as UnstableUpdate from "@effect-acp/core/schema/unstable/SessionUpdate"
import { assert, describe, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import { decode, encode } from "./schemaTools.ts"

/** A constructed value is what is on the wire, and decodes to itself without fallbacks. */
const isWire = <S extends Schema.Constraint>(schema: S, value: S["Type"], wire: unknown): void => {
  assert.deepStrictEqual(JSON.parse(JSON.stringify(encode(schema, value))), wire)
  const decoded = decode(schema, wire)
  assert.deepStrictEqual(decoded.value, value)
  assert.deepStrictEqual(decoded.fallbacks, [])
}

describe("constructors", () => {
  it("of content", () => {
    isWire(Content.ContentBlock, Content.text("hi"), { type: "text", text: "hi" })
    isWire(Content.ContentBlock, Content.text("hi", { annotations: { priority: 1 } }), {
      type: "text",
      text: "hi",
      annotations: { priority: 1 }
    })
    const data = { data: "aGk=", mimeType: "image/png" }
    isWire(Content.ContentBlock, Content.image(data), { type: "image", ...data })
    isWire(Content.ContentBlock, Content.audio(data), { type: "audio", ...data })
    const link = { uri: "file:///a", name: "a", size: 3 }
    isWire(Content.ContentBlock, Content.resourceLink(link), { type: "resource_link", ...link })
    const resource = { uri: "file:///a", text: "a" }
    isWire(Content.ContentBlock, Content.resource(resource), { type: "resource", resource })
  })

  it("of updates", () => {
    const text = { type: "text", text: "a" }
    isWire(SessionUpdate.SessionUpdate, SessionUpdate.agentMessageChunk("a"), {
      sessionUpdate: "agent_message_chunk",
      content: text
    })
    isWire(SessionUpdate.SessionUpdate, SessionUpdate.userMessageChunk(Content.text("a"), { messageId: "m" }), {
      sessionUpdate: "user_message_chunk",
      content: text,
      messageId: "m"
    })
    const call = ToolCall.make({ toolCallId: "1", title: "t", kind: "edit", content: [ToolCall.content("a")] })
    isWire(SessionUpdate.SessionUpdate, SessionUpdate.toolCall(call), {
      sessionUpdate: "tool_call",
      toolCallId: "1",
      title: "t",
      kind: "edit",
      content: [{ type: "content", content: text }]
    })
    const changes = [ToolCall.diff({ path: "/a", newText: "a" }), ToolCall.terminal("t1")]
    isWire(SessionUpdate.SessionUpdate, SessionUpdate.toolCallUpdate({ toolCallId: "1", content: changes }), {
      sessionUpdate: "tool_call_update",
      toolCallId: "1",
      content: [{ type: "diff", path: "/a", newText: "a" }, { type: "terminal", terminalId: "t1" }]
    })
    isWire(SessionUpdate.SessionUpdate, SessionUpdate.plan([Plan.entry("a", { priority: "high" })]), {
      sessionUpdate: "plan",
      entries: [{ content: "a", priority: "high", status: "pending" }]
    })
    isWire(SessionUpdate.SessionNotification, SessionUpdate.notification("s", SessionUpdate.currentMode("code")), {
      sessionId: "s",
      update: { sessionUpdate: "current_mode_update", currentModeId: "code" }
    })
    isWire(UnstableUpdate.SessionUpdate, UnstableUpdate.planRemoved({ planId: "p" }), {
      sessionUpdate: "plan_removed",
      planId: "p"
    })
  })

  it("of permission requests", () => {
    const options = [Permission.allowOnce("y", "Yes"), Permission.rejectAlways("n", "Never")]
    isWire(Permission.RequestPermissionRequest, { sessionId: "s", toolCall: { toolCallId: "1" }, options }, {
      sessionId: "s",
      toolCall: { toolCallId: "1" },
      options: [
        { optionId: "y", name: "Yes", kind: "allow_once" },
        { optionId: "n", name: "Never", kind: "reject_always" }
      ]
    })
    isWire(Permission.RequestPermissionOutcome, Permission.selected("y"), { outcome: "selected", optionId: "y" })
    isWire(Permission.RequestPermissionOutcome, Permission.cancelled, { outcome: "cancelled" })
  })

  it("of forms", () => {
    const form = Form.object({
      name: Form.string({ minLength: 1, format: "email" }),
      colours: Form.multiSelect(["red", "blue"]),
      sizes: Form.multiSelect([{ const: "s", title: "Small" }])
    }, { required: ["name"] })
    isWire(Elicitation.CreateElicitationRequest, Elicitation.form({ sessionId: "s" }, "Who?", form), {
      mode: "form",
      sessionId: "s",
      message: "Who?",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string", minLength: 1, format: "email" },
          colours: { type: "array", items: { type: "string", enum: ["red", "blue"] } },
          sizes: { type: "array", items: { anyOf: [{ const: "s", title: "Small" }] } }
        },
        required: ["name"]
      }
    })
    const target = { elicitationId: "e", url: "https://example.com/login?a=b" }
    isWire(Elicitation.CreateElicitationRequest, Elicitation.url({ requestId: null }, "Log in", target), {
      mode: "url",
      requestId: null,
      message: "Log in",
      ...target
    })
    isWire(Elicitation.CreateElicitationResponse, Elicitation.accept({ name: "a", sizes: ["s"], age: 3.5 }), {
      action: "accept",
      content: { name: "a", sizes: ["s"], age: 3.5 }
    })
    isWire(Elicitation.CreateElicitationResponse, Elicitation.decline, { action: "decline" })
  })
})

describe("matchers", () => {
  it("handle every case of a union", () => {
    const kindOf = McpServer.match({ http: () => "http", sse: () => "sse", stdio: ({ command }) => command })
    assert.strictEqual(kindOf(McpServer.stdio({ name: "x", command: "/bin/x" })), "/bin/x")
    assert.strictEqual(kindOf(McpServer.sse({ name: "x", url: "http://x" })), "sse")
    const server = UnstableMcpServer.acp({ name: "x", serverId: "1" })
    const id = { http: () => "", sse: () => "", stdio: () => "", acp: (s: { serverId: string }) => s.serverId }
    assert.strictEqual(UnstableMcpServer.match(server, id), "1")
  })

  it("take the data first or last", () => {
    const cases = {
      text: ({ text }: { readonly text: string }) => text,
      image: () => "image",
      audio: () => "audio",
      resource_link: () => "link",
      resource: () => "resource",
      unknown: () => "unknown"
    }
    assert.strictEqual(Content.match(Content.text("a"), cases), "a")
    assert.strictEqual(Content.match(cases)(new Content.UnknownContentBlock({ type: "next" })), "unknown")
  })

  it("handle some cases and the others together", () => {
    const textOf = SessionUpdate.matchOrElse({
      agent_message_chunk: ({ content }) => content.type === "text" ? content.text : ""
    }, ({ sessionUpdate }) => sessionUpdate)
    assert.strictEqual(textOf(SessionUpdate.agentMessageChunk("a")), "a")
    assert.strictEqual(textOf(SessionUpdate.plan([])), "plan")
    const odd = new SessionUpdate.UnknownSessionUpdate({ sessionUpdate: "toString" })
    assert.strictEqual(textOf(odd), "unknown")
  })

  it("tell untagged cases apart", () => {
    const auth = Authentication.match({ terminal: () => "terminal", agent: () => "agent" })
    assert.strictEqual(auth(Authentication.agent({ id: "a", name: "A" })), "agent")
    assert.strictEqual(auth(Authentication.terminal({ id: "a", name: "A" })), "terminal")
    const option = { value: "a", name: "A" }
    assert.deepStrictEqual(SessionConfig.flatten([option]), [option])
    assert.deepStrictEqual(SessionConfig.flatten([{ group: "g", name: "G", options: [option] }]), [option])
    assert.deepStrictEqual(SessionConfig.flatten([]), [])
    assert.strictEqual(
      Content.matchResource({ uri: "u", blob: "" }, { text: () => "text", blob: () => "blob" }),
      "blob"
    )
    const scope = Elicitation.matchScope({ session: () => "session", request: () => "request" })
    assert.strictEqual(scope({ requestId: null }), "request")
    const items = { untitled: () => "untitled", titled: () => "titled", unknown: () => "unknown" }
    assert.strictEqual(Form.matchItems({ anyOf: [] }, items), "titled")
    assert.strictEqual(Form.matchItems(new Form.UnknownMultiSelectItems({ type: "number" }), items), "unknown")
    const plan = { items: () => 1, file: () => 2, markdown: () => 3, unknown: () => 4 }
    assert.strictEqual(UnstablePlan.match({ type: "file", planId: "p", uri: "u" }, plan), 2)
  })
})
