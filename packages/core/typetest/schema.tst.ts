import type * as Common from "@effect-acp/core/schema/Common"
import * as Content from "@effect-acp/core/schema/Content"
import * as McpServer from "@effect-acp/core/schema/McpServer"
import type * as Permission from "@effect-acp/core/schema/Permission"
import type * as Prompt from "@effect-acp/core/schema/Prompt"
import type * as Session from "@effect-acp/core/schema/Session"
import type * as SessionConfig from "@effect-acp/core/schema/SessionConfig"
import * as SessionUpdate from "@effect-acp/core/schema/SessionUpdate"
import * as ToolCall from "@effect-acp/core/schema/ToolCall"
import * as Unknown from "@effect-acp/core/schema/Unknown"
import type * as UnstableUpdate from "@effect-acp/core/schema/unstable/SessionUpdate"
import { describe, expect, test } from "tstyche"

declare const update: SessionUpdate.SessionUpdate
declare const block: Content.ContentBlock

describe("schemas", () => {
  test("have the same type and encoding", () => {
    type Encoded = typeof SessionUpdate.SessionNotification.Encoded
    expect<Encoded>().type.toBeAssignableTo<SessionUpdate.SessionNotification>()
    expect<Encoded>().type.toBeAssignableFrom<SessionUpdate.SessionNotification>()
  })

  test("tell optional from nullable", () => {
    expect<Session.SessionInfoUpdate>().type.toBeAssignableFrom<{ readonly title: null }>()
    expect<Session.SessionInfoUpdate>().type.not.toBeAssignableFrom<{ readonly title: undefined }>()
    expect<Session.NewSessionRequest>().type.not.toBeAssignableFrom<{ readonly cwd: string }>()
    expect<Common.SessionId>().type.toBe<string>()
  })

  test("do not let a mandatory list be left out", () => {
    expect<SessionConfig.SetSessionConfigOptionResponse>().type.not.toBeAssignableFrom<{}>()
  })

  test("keep closed lists closed and open ones open", () => {
    expect<Prompt.StopReason>().type.toBe<
      "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled"
    >()
    expect<Permission.PermissionOptionKind>().type.not.toBeAssignableFrom<string>()
    expect<ToolCall.ToolKind>().type.toBeAssignableFrom<string>()
  })

  test("of the unstable protocol take what the stable ones take", () => {
    expect<UnstableUpdate.SessionUpdate>().type.toBeAssignableFrom<SessionUpdate.SessionUpdate>()
    expect<SessionUpdate.SessionUpdate>().type.not.toBeAssignableFrom<UnstableUpdate.SessionUpdate>()
  })
})

describe("narrowing", () => {
  test("by the discriminator reaches the body", () => {
    if (update.sessionUpdate === "tool_call") expect(update.title).type.toBe<string>()
    if (update.sessionUpdate === "agent_message_chunk") expect(update.content).type.toBe<Content.ContentBlock>()
    if (block.type === "text") expect(block.text).type.toBe<string>()
  })

  test("by unknown reaches the raw JSON", () => {
    if (update.sessionUpdate === "unknown") {
      expect(update).type.toBe<SessionUpdate.UnknownSessionUpdate>()
      expect(update.raw).type.toBe<Unknown.RawObject>()
    }
  })

  test("of an open name leaves the known ones", () => {
    const status = "any" as ToolCall.ToolCallStatus
    if (Unknown.isKnown(ToolCall.ToolCallStatus, status)) {
      expect(status).type.toBe<"pending" | "in_progress" | "completed" | "failed">()
    }
  })
})

describe("matching", () => {
  const cases = {
    text: () => 1,
    image: () => 2,
    audio: () => 3,
    resource_link: () => 4,
    resource: () => 5
  } as const

  test("of every case gives the union of the results", () => {
    const result = Content.match(block, { ...cases, unknown: ({ raw }) => raw })
    expect(result).type.toBe<number | Unknown.RawObject>()
  })

  test("makes the unknown case be handled", () => {
    expect(Content.match).type.not.toBeCallableWith(block, cases)
    expect(Content.match).type.toBeCallableWith(block, { ...cases, unknown: () => 6 })
  })

  test("knows no other cases", () => {
    expect(Content.match).type.not.toBeCallableWith(block, { ...cases, unknown: () => 6, video: () => 7 })
    expect(SessionUpdate.matchOrElse).type.not.toBeCallableWith(update, { tool_cal: () => 1 }, () => 2)
  })

  test("of some cases leaves the others to the last function", () => {
    SessionUpdate.matchOrElse(update, {
      plan: ({ entries }) => entries.length
    }, (rest) => {
      expect(rest).type.toBe<Exclude<SessionUpdate.SessionUpdate, { readonly sessionUpdate: "plan" }>>()
      return "other"
    })
  })

  test("infers the value of each case", () => {
    McpServer.match({
      http: ({ url }) => expect(url).type.toBe<string>(),
      sse: ({ headers }) => expect(headers).type.toBe<ReadonlyArray<McpServer.HttpHeader>>(),
      stdio: ({ command }) => expect(command).type.toBe<string>()
    })
  })
})

describe("constructors", () => {
  test("give the variant that they name", () => {
    expect(Content.text("a").type).type.toBe<"text">()
    expect(SessionUpdate.agentMessageChunk("a").sessionUpdate).type.toBe<"agent_message_chunk">()
    expect(SessionUpdate.toolCall).type.not.toBeCallableWith({ toolCallId: "1" })
    expect(McpServer.stdio).type.toBeCallableWith({ name: "x", command: "/bin/x" })
  })
})
