/**
 * Compaction: the agent replaces old context by a summary.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { nullishList, orOmit } from "../internal/leniency.ts"
import { meta } from "./Common.ts"
import { ContentBlock } from "./Content.ts"
import * as Unknown from "./Unknown.ts"

/**
 * The name of a compaction, unique within its session.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CompactionId = Schema.String.annotate({ identifier: "CompactionId" })

/**
 * The name of a compaction, unique within its session.
 *
 * @category models
 * @since 0.1.0
 */
export type CompactionId = typeof CompactionId.Type

/**
 * How far a compaction has come; other values are allowed.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CompactionStatus = Unknown.openLiterals(["in_progress", "completed", "failed", "cancelled"]).annotate({
  identifier: "CompactionStatus"
})

/**
 * How far a compaction has come; other values are allowed.
 *
 * @category models
 * @since 0.1.0
 */
export type CompactionStatus = typeof CompactionStatus.Type

/**
 * The state of a compaction.
 *
 * **Details**
 *
 * The first one fixes its place in the timeline, later ones with the same id patch it: an absent `summary` or `error` is
 * unchanged, null clears it, a value replaces it. Sent only if the client advertised `session.compaction`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CompactionUpdate = Schema.Struct({
  compactionId: CompactionId,
  status: CompactionStatus,
  summary: nullishList(ContentBlock),
  error: orOmit(Schema.String),
  ...meta
}).annotate({ identifier: "CompactionUpdate" })

/**
 * The state of a compaction.
 *
 * @category models
 * @since 0.1.0
 */
export interface CompactionUpdate extends Schema.Schema.Type<typeof CompactionUpdate> {}

/**
 * A piece of a compaction's summary, to be appended.
 *
 * **Details**
 *
 * An id that was not seen before starts a compaction that is in progress.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CompactionSummaryChunk = Schema.Struct({
  compactionId: CompactionId,
  content: ContentBlock,
  ...meta
}).annotate({ identifier: "CompactionSummaryChunk" })

/**
 * A piece of a compaction's summary, to be appended.
 *
 * @category models
 * @since 0.1.0
 */
export interface CompactionSummaryChunk extends Schema.Schema.Type<typeof CompactionSummaryChunk> {}
