/**
 * Content blocks: what prompts, messages and tool calls are made of.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { nullishList, orOmit } from "../internal/leniency.ts"
import { Double, Int64, meta } from "./Common.ts"
import * as Unknown from "./Unknown.ts"
import * as Variant from "./Variant.ts"

/**
 * Whose message it is, or for whom.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Role = Unknown.knownLiterals(["assistant", "user"]).annotate({ identifier: "Role" })

/**
 * @category models
 * @since 0.1.0
 */
export type Role = typeof Role.Type

/**
 * Hints for the client on how to use or show a piece of content.
 *
 * **Details**
 *
 * `lastModified` is an ISO 8601 timestamp; `priority` runs from 0 (least) to 1 (most important).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Annotations = Schema.Struct({
  audience: nullishList(Role),
  lastModified: orOmit(Schema.String),
  priority: orOmit(Double),
  ...meta
}).annotate({ identifier: "Annotations" })

/**
 * @category models
 * @since 0.1.0
 */
export interface Annotations extends Schema.Schema.Type<typeof Annotations> {}

const annotations = { annotations: orOmit(Annotations) }

/**
 * Text from or for a language model; Markdown, unless the client knows better.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TextContent = Schema.Struct({
  ...annotations,
  text: Schema.String,
  ...meta
}).annotate({ identifier: "TextContent" })

/**
 * @category models
 * @since 0.1.0
 */
export interface TextContent extends Schema.Schema.Type<typeof TextContent> {}

/**
 * An image, as base64.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ImageContent = Schema.Struct({
  ...annotations,
  data: Schema.String,
  mimeType: Schema.String,
  uri: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "ImageContent" })

/**
 * @category models
 * @since 0.1.0
 */
export interface ImageContent extends Schema.Schema.Type<typeof ImageContent> {}

/**
 * Sound, as base64.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AudioContent = Schema.Struct({
  ...annotations,
  data: Schema.String,
  mimeType: Schema.String,
  ...meta
}).annotate({ identifier: "AudioContent" })

/**
 * @category models
 * @since 0.1.0
 */
export interface AudioContent extends Schema.Schema.Type<typeof AudioContent> {}

/**
 * A reference to something that the agent can read by itself.
 *
 * **Details**
 *
 * `size` is in bytes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ResourceLink = Schema.Struct({
  ...annotations,
  description: orOmit(Schema.String),
  mimeType: orOmit(Schema.String),
  name: Schema.String,
  size: orOmit(Int64),
  title: orOmit(Schema.String),
  uri: Schema.String,
  ...meta
}).annotate({ identifier: "ResourceLink" })

/**
 * @category models
 * @since 0.1.0
 */
export interface ResourceLink extends Schema.Schema.Type<typeof ResourceLink> {}

/**
 * The text of an embedded resource.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TextResourceContents = Schema.Struct({
  mimeType: orOmit(Schema.String),
  text: Schema.String,
  uri: Schema.String,
  ...meta
}).annotate({ identifier: "TextResourceContents" })

/**
 * @category models
 * @since 0.1.0
 */
export interface TextResourceContents extends Schema.Schema.Type<typeof TextResourceContents> {}

/**
 * The bytes of an embedded resource, as base64.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BlobResourceContents = Schema.Struct({
  blob: Schema.String,
  mimeType: orOmit(Schema.String),
  uri: Schema.String,
  ...meta
}).annotate({ identifier: "BlobResourceContents" })

/**
 * @category models
 * @since 0.1.0
 */
export interface BlobResourceContents extends Schema.Schema.Type<typeof BlobResourceContents> {}

/**
 * What an embedded resource holds: text or bytes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EmbeddedResourceResource = Schema.Union([TextResourceContents, BlobResourceContents])
  .annotate({ identifier: "EmbeddedResourceResource" })

/**
 * @category models
 * @since 0.1.0
 */
export type EmbeddedResourceResource = typeof EmbeddedResourceResource.Type

/**
 * The contents of a resource, carried along.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EmbeddedResource = Schema.Struct({
  ...annotations,
  resource: EmbeddedResourceResource,
  ...meta
}).annotate({ identifier: "EmbeddedResource" })

/**
 * @category models
 * @since 0.1.0
 */
export interface EmbeddedResource extends Schema.Schema.Type<typeof EmbeddedResource> {}

/**
 * A content block of a type that the schema does not know.
 *
 * @category models
 * @since 0.1.0
 */
export class UnknownContentBlock extends Unknown.variant("type") {}

/**
 * A piece of content.
 *
 * **Details**
 *
 * Every agent takes `text` and `resource_link` in prompts; `image`, `audio` and `resource` need the agent's
 * `promptCapabilities`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ContentBlock = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), ...TextContent.fields }),
  Schema.Struct({ type: Schema.Literal("image"), ...ImageContent.fields }),
  Schema.Struct({ type: Schema.Literal("audio"), ...AudioContent.fields }),
  Schema.Struct({ type: Schema.Literal("resource_link"), ...ResourceLink.fields }),
  Schema.Struct({ type: Schema.Literal("resource"), ...EmbeddedResource.fields }),
  Unknown.member(UnknownContentBlock, { discriminator: "type" })
]).annotate({ identifier: "ContentBlock" })

/**
 * @category models
 * @since 0.1.0
 */
export type ContentBlock = typeof ContentBlock.Type

/**
 * Handles every type of content, unknown ones included.
 *
 * **Example**
 *
 * ```ts
 * import * as Content from "@effect-acp/core/schema/Content"
 *
 * export const plain = Content.match({
 *   text: ({ text }) => text,
 *   image: () => "[image]",
 *   audio: () => "[audio]",
 *   resource_link: ({ uri }) => uri,
 *   resource: ({ resource }) => resource.uri,
 *   unknown: ({ raw }) => `[${String(raw["type"])}]`
 * })
 * ```
 *
 * @category matching
 * @since 0.1.0
 */
export const match: Variant.Match<Variant.ByTag<ContentBlock, "type">> = Variant.byTag<ContentBlock>()("type")

/**
 * Handles some types of content, and the others together.
 *
 * @category matching
 * @since 0.1.0
 */
export const matchOrElse: Variant.MatchOrElse<Variant.ByTag<ContentBlock, "type">> = Variant.byTagOrElse<
  ContentBlock
>()("type")

/**
 * Handles both kinds of embedded resource.
 *
 * @category matching
 * @since 0.1.0
 */
export const matchResource: Variant.Match<{
  readonly text: TextResourceContents
  readonly blob: BlobResourceContents
}> = Variant.matcher((resource) => "text" in resource ? "text" : "blob")

/**
 * A text block.
 *
 * @category constructors
 * @since 0.1.0
 */
export const text = (text: string, options?: Omit<TextContent, "text">): Block<"text"> => ({
  ...options,
  type: "text",
  text
})

/**
 * An image block; `data` is base64.
 *
 * @category constructors
 * @since 0.1.0
 */
export const image = (image: ImageContent): Block<"image"> => ({ ...image, type: "image" })

/**
 * An audio block; `data` is base64.
 *
 * @category constructors
 * @since 0.1.0
 */
export const audio = (audio: AudioContent): Block<"audio"> => ({ ...audio, type: "audio" })

/**
 * A link to a resource.
 *
 * @category constructors
 * @since 0.1.0
 */
export const resourceLink = (link: ResourceLink): Block<"resource_link"> => ({ ...link, type: "resource_link" })

/**
 * A resource that is carried along.
 *
 * @category constructors
 * @since 0.1.0
 */
export const resource = (
  resource: EmbeddedResourceResource,
  options?: Omit<EmbeddedResource, "resource">
): Block<"resource"> => ({ ...options, type: "resource", resource })

/**
 * The content block of one type.
 *
 * @category models
 * @since 0.1.0
 */
export type Block<Type extends ContentBlock["type"]> = Extract<ContentBlock, { readonly type: Type }>
