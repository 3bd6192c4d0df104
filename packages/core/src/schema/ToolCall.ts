/**
 * Tool calls: what the agent does, as the client shows it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { nullishList, optionalList, optionalOrOmit, orOmit } from "../internal/leniency.ts"
import { meta, UInt32 } from "./Common.ts"
import * as ContentBlocks from "./Content.ts"
import { TerminalId } from "./Terminal.ts"
import * as Unknown from "./Unknown.ts"
import * as Variant from "./Variant.ts"

/**
 * The name of a tool call, unique within its session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolCallId = Schema.String.annotate({ identifier: "ToolCallId" })

/**
 * The name of a tool call, unique within its session.
 *
 * @category models
 * @since 0.1.0
 */
export type ToolCallId = typeof ToolCallId.Type

/**
 * What a tool does, so that a client can pick an icon.
 *
 * **Details**
 *
 * An absent kind means `other`. A kind that this version does not know is kept as it is.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolKind = Unknown.knownLiterals([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other"
]).annotate({ identifier: "ToolKind" })

/**
 * What a tool does, so that a client can pick an icon.
 *
 * @category models
 * @since 0.1.0
 */
export type ToolKind = typeof ToolKind.Type

/**
 * How far a tool call has come.
 *
 * **Details**
 *
 * An absent status means `pending`: the input is still streaming, or the user has not approved yet.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolCallStatus = Unknown.knownLiterals(["pending", "in_progress", "completed", "failed"]).annotate({
  identifier: "ToolCallStatus"
})

/**
 * How far a tool call has come.
 *
 * @category models
 * @since 0.1.0
 */
export type ToolCallStatus = typeof ToolCallStatus.Type

/**
 * A file that a tool call touches, so that a client can follow along.
 *
 * **Details**
 *
 * `path` is absolute; `line` is a line number within it.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolCallLocation = Schema.Struct({
  path: Schema.String,
  line: orOmit(UInt32),
  ...meta
}).annotate({ identifier: "ToolCallLocation" })

/**
 * A file that a tool call touches, so that a client can follow along.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolCallLocation extends Schema.Schema.Type<typeof ToolCallLocation> {}

/**
 * A content block that a tool call has produced.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Content = Schema.Struct({
  content: ContentBlocks.ContentBlock,
  ...meta
}).annotate({ identifier: "Content" })

/**
 * A content block that a tool call has produced.
 *
 * @category models
 * @since 0.1.0
 */
export interface Content extends Schema.Schema.Type<typeof Content> {}

/**
 * A change to a file.
 *
 * **Details**
 *
 * `path` is absolute; a new file has no `oldText`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Diff = Schema.Struct({
  path: Schema.String,
  oldText: orOmit(Schema.String),
  newText: Schema.String,
  ...meta
}).annotate({ identifier: "Diff" })

/**
 * A change to a file.
 *
 * @category models
 * @since 0.1.0
 */
export interface Diff extends Schema.Schema.Type<typeof Diff> {}

/**
 * A terminal that was created with `terminal/create`, shown live.
 *
 * **Details**
 *
 * It must be added before it is released; the client goes on showing its output afterwards.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Terminal = Schema.Struct({
  terminalId: TerminalId,
  ...meta
}).annotate({ identifier: "Terminal" })

/**
 * A terminal that was created with `terminal/create`, shown live.
 *
 * @category models
 * @since 0.1.0
 */
export interface Terminal extends Schema.Schema.Type<typeof Terminal> {}

/**
 * Tool call content of a type that the schema does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class UnknownToolCallContent extends Unknown.variant("type") {}

/**
 * What a tool call has produced: content, a diff or a terminal.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolCallContent = Schema.Union([
  Schema.Struct({ type: Schema.Literal("content"), ...Content.fields }),
  Schema.Struct({ type: Schema.Literal("diff"), ...Diff.fields }),
  Schema.Struct({ type: Schema.Literal("terminal"), ...Terminal.fields }),
  Unknown.member(UnknownToolCallContent, { discriminator: "type" })
]).annotate({ identifier: "ToolCallContent" })

/**
 * What a tool call has produced: content, a diff or a terminal.
 *
 * @category models
 * @since 0.1.0
 */
export type ToolCallContent = typeof ToolCallContent.Type

/**
 * A tool call that the model has asked for.
 *
 * **Details**
 *
 * `title` is for people, `name` for programs; `rawInput` and `rawOutput` are the tool's own JSON.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolCall = Schema.Struct({
  toolCallId: ToolCallId,
  title: Schema.String,
  name: orOmit(Schema.String),
  kind: optionalOrOmit(ToolKind),
  status: optionalOrOmit(ToolCallStatus),
  content: optionalList(ToolCallContent),
  locations: optionalList(ToolCallLocation),
  rawInput: optionalOrOmit(Schema.Unknown),
  rawOutput: optionalOrOmit(Schema.Unknown),
  ...meta
}).annotate({ identifier: "ToolCall" })

/**
 * A tool call that the model has asked for.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolCall extends Schema.Schema.Type<typeof ToolCall> {}

/**
 * What has changed in a tool call.
 *
 * **Details**
 *
 * Absent and null both mean unchanged. `content` and `locations` replace the whole list.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ToolCallUpdate = Schema.Struct({
  toolCallId: ToolCallId,
  kind: orOmit(ToolKind),
  status: orOmit(ToolCallStatus),
  title: orOmit(Schema.String),
  name: orOmit(Schema.String),
  content: nullishList(ToolCallContent),
  locations: nullishList(ToolCallLocation),
  rawInput: optionalOrOmit(Schema.Unknown),
  rawOutput: optionalOrOmit(Schema.Unknown),
  ...meta
}).annotate({ identifier: "ToolCallUpdate" })

/**
 * What has changed in a tool call.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolCallUpdate extends Schema.Schema.Type<typeof ToolCallUpdate> {}

/**
 * The tool call content of one type.
 *
 * @category models
 * @since 0.1.0
 */
export type Item<Type extends ToolCallContent["type"]> = Extract<ToolCallContent, { readonly type: Type }>

/**
 * A tool call.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (toolCall: ToolCall): ToolCall => toolCall

/**
 * An update of a tool call.
 *
 * @category constructors
 * @since 0.1.0
 */
export const update = (update: ToolCallUpdate): ToolCallUpdate => update

/**
 * Content that a tool call has produced; a string becomes a text block.
 *
 * @category constructors
 * @since 0.1.0
 */
export const content = (content: string | ContentBlocks.ContentBlock): Item<"content"> => ({
  type: "content",
  content: typeof content === "string" ? ContentBlocks.text(content) : content
})

/**
 * A change to a file.
 *
 * @category constructors
 * @since 0.1.0
 */
export const diff = (diff: Diff): Item<"diff"> => ({ ...diff, type: "diff" })

/**
 * A terminal to show within the tool call.
 *
 * @category constructors
 * @since 0.1.0
 */
export const terminal = (terminalId: TerminalId): Item<"terminal"> => ({ type: "terminal", terminalId })

/**
 * Handles every type of tool call content, unknown ones included.
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<Variant.ByTag<ToolCallContent, "type">> = Variant.byTag<ToolCallContent>()("type")
