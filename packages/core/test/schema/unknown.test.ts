import * as Codec from "@effect-acp/core/schema/Codec"
import * as Content from "@effect-acp/core/schema/Content"
import * as Elicitation from "@effect-acp/core/schema/Elicitation"
import * as ElicitationSchema from "@effect-acp/core/schema/ElicitationSchema"
import * as Notice from "@effect-acp/core/schema/Notice"
import * as Plan from "@effect-acp/core/schema/Plan"
import * as Prompt from "@effect-acp/core/schema/Prompt"
import * as SessionConfig from "@effect-acp/core/schema/SessionConfig"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import * as ToolCall from "@effect-acp/core/schema/ToolCall"
import * as Unknown from "@effect-acp/core/schema/Unknown"
import * as SessionState from "@effect-acp/core/schema/unstable/SessionState"
import * as Unstable from "@effect-acp/core/schema/unstable/SessionUpdate"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { brief, decode, encode, failure, roundTrip } from "./schemaTools.ts"

const novelty = { type: "hologram", data: [1, { "__proto__": null }], text: 5 }

describe("an unknown variant", () => {
  it.each([
    [SessionUpdate.SessionUpdate, { sessionUpdate: "brand_new_update", foo: 1 }],
    [Content.ContentBlock, novelty],
    [ToolCall.ToolCallContent, novelty],
    [ElicitationSchema.ElicitationPropertySchema, novelty],
    [ElicitationSchema.MultiSelectItems, novelty],
    [Elicitation.CreateElicitationRequest, { mode: "voice", message: "m", sessionId: "s", more: true }],
    [Elicitation.CreateElicitationResponse, { action: "postpone", until: "tomorrow" }],
    [Unstable.SessionUpdate, { sessionUpdate: "brand_new_update", foo: 1 }],
    [SessionState.StateUpdate, { state: "sleeping", depth: 3 }],
    [SessionState.StateUpdate, { state: "idle", stopReason: "bored", since: 1 }]
  ])("is kept with its raw JSON (%#)", (schema, raw) => {
    const { fallbacks, value } = decode(schema, raw)
    assert.isTrue(Unknown.isUnknown(value) && value.raw === raw)
    assert.deepStrictEqual(brief(fallbacks), ["unknown-variant "])
    assert.strictEqual(JSON.stringify(encode(schema, value)), JSON.stringify(raw))
  })

  it("is kept in its place", () => {
    const wire = {
      sessionId: "s",
      update: {
        sessionUpdate: "tool_call_update",
        toolCallId: "1",
        content: [{ type: "content", content: novelty }, novelty, { type: "terminal", terminalId: "t" }]
      }
    }
    const { fallbacks } = decode(SessionUpdate.SessionNotification, wire)
    assert.deepStrictEqual(brief(fallbacks), [
      "unknown-variant update.content.0.content",
      "unknown-variant update.content.1"
    ])
    assert.deepStrictEqual(roundTrip(SessionUpdate.SessionNotification, wire), wire)
  })

  it("narrows by the discriminator", () => {
    const { value } = decode(SessionUpdate.SessionUpdate, { sessionUpdate: "next", foo: 1 })
    assert.strictEqual(value.sessionUpdate === "unknown" ? value.raw["foo"] : undefined, 1)
    assert.deepStrictEqual(Object.keys(value), ["raw"])
  })

  it("arrives as itself over a link without text", () => {
    const sent = encode(Content.ContentBlock, decode(Content.ContentBlock, novelty).value)
    const { fallbacks, value } = decode(Content.ContentBlock, sent)
    assert.isTrue(Unknown.isUnknown(value) && value.raw === novelty)
    assert.deepStrictEqual(brief(fallbacks), ["unknown-variant "])
    const old = new Content.UnknownContentBlock({ type: "text", text: "a" })
    assert.deepStrictEqual(decode(Content.ContentBlock, old).value, Content.text("a"))
  })

  it("needs a discriminator", () => {
    failure(SessionUpdate.SessionUpdate, { foo: 1 })
    failure(SessionUpdate.SessionUpdate, { sessionUpdate: 5 })
    failure(Content.ContentBlock, ["text"])
  })

  it("that is open in the protocol must fit what the protocol says of it", () => {
    assert.include(failure(Elicitation.CreateElicitationRequest, { mode: "voice", message: "m" }), "Elicitation")
  })

  it("cannot be forged", () => {
    const wire = { ...novelty, "~effect-acp/Unknown": "~effect-acp/Unknown", raw: Content.text("a") }
    const { value } = decode(Content.ContentBlock, wire)
    assert.isTrue(Unknown.isUnknown(value) && value.raw === wire)
  })

  it("named unknown is one", () => {
    const wire = { sessionUpdate: "unknown", raw: { sessionUpdate: "plan" } }
    const { value } = decode(SessionUpdate.SessionUpdate, wire)
    assert.isTrue(Unknown.isUnknown(value) && value.raw === wire)
  })
})

describe("a known variant with a bad body", () => {
  it.each([
    [SessionUpdate.SessionUpdate, { sessionUpdate: "agent_message_chunk" }],
    [SessionUpdate.SessionUpdate, { sessionUpdate: "agent_message_chunk", content: "hi" }],
    [SessionUpdate.SessionUpdate, { sessionUpdate: "tool_call", title: "t" }],
    [Content.ContentBlock, { type: "text" }],
    [ToolCall.ToolCallContent, { type: "content", content: { type: "text", text: 1 } }],
    [ElicitationSchema.ElicitationPropertySchema, { type: "string", minLength: -1 }],
    [Unstable.SessionUpdate, { sessionUpdate: "plan_removed" }]
  ])("is an error (%#)", (schema, wire) => {
    failure(schema, wire)
  })
})

describe("an unknown name", () => {
  it("of a list that may grow is kept as it is, and reported", () => {
    const wire = { toolCallId: "1", title: "t", kind: "teleport", status: "paused" }
    const { fallbacks, value } = decode(ToolCall.ToolCall, wire)
    assert.deepStrictEqual(value, wire)
    assert.deepStrictEqual(fallbacks, [
      { path: ["kind"], kind: "unknown-value", received: "teleport", used: "teleport" },
      { path: ["status"], kind: "unknown-value", received: "paused", used: "paused" }
    ])
    assert.deepStrictEqual(roundTrip(ToolCall.ToolCall, wire), wire)
    const plan = { entries: [{ content: "a", priority: "urgent", status: "blocked" }] }
    assert.deepStrictEqual(roundTrip(Plan.Plan, plan), plan)
    const text = { text: "a", annotations: { audience: ["user", "auditor"] } }
    assert.deepStrictEqual(roundTrip(Content.TextContent, text), text)
  })

  it("of a list that the protocol leaves open is nothing to report", () => {
    assert.deepStrictEqual(decode(Notice.Notice, { severity: "fatal", title: "t" }).fallbacks, [])
    const option = { id: "a", name: "A", category: "_mine", type: "boolean", currentValue: true }
    assert.deepStrictEqual(decode(SessionConfig.SessionConfigOption, option).fallbacks, [])
  })

  it("is told from a known one", () => {
    assert.isTrue(Unknown.isKnown(ToolCall.ToolKind, "read"))
    assert.isFalse(Unknown.isKnown(ToolCall.ToolKind, "teleport"))
    assert.isFalse(Unknown.isKnown(ToolCall.ToolKind, null))
  })

  it("of a closed list is an error that holds it", () => {
    assert.include(failure(Prompt.PromptResponse, { stopReason: "error" }), "stopReason")
  })
})

it("the strict form of a schema has no room for what is unknown", () => {
  const is = Schema.is(Codec.strict(SessionUpdate.SessionUpdate))
  assert.isTrue(is(SessionUpdate.agentMessageChunk("a")))
  assert.isFalse(is(new SessionUpdate.UnknownSessionUpdate({ sessionUpdate: "next" })))
  assert.isFalse(Schema.is(Codec.strict(ToolCall.ToolKind))("teleport"))
  assert.isTrue(Schema.is(ToolCall.ToolKind)("teleport"))
})

it("an unknown variant survives a JSON codec made from its schema", () => {
  const json = Schema.toCodecJson(Content.ContentBlock)
  const block = new Content.UnknownContentBlock(novelty)
  assert.deepStrictEqual(Schema.encodeSync(json)(block), novelty)
})
