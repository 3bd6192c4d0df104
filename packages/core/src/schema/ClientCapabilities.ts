/**
 * What a client can do, as it says in the handshake.
 *
 * **Details**
 *
 * A switch is on only when it is `true`; a capability object is on when it is an object, `{}` included.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { flag, orDefault, orOmit } from "../internal/leniency.ts"
import { JsonObject, meta } from "./Common.ts"

/**
 * What a client can do with files for the agent.
 *
 * @category schemas
 * @since 0.1.0
 */
export const FileSystemCapabilities = Schema.Struct({
  readTextFile: flag,
  writeTextFile: flag,
  ...meta
}).annotate({ identifier: "FileSystemCapabilities" })

/**
 * What a client can do with files for the agent.
 *
 * @category models
 * @since 0.1.0
 */
export interface FileSystemCapabilities extends Schema.Schema.Type<typeof FileSystemCapabilities> {}

/**
 * The client understands compaction updates.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CompactionCapabilities = JsonObject.annotate({ identifier: "CompactionCapabilities" })

/**
 * The client understands compaction updates.
 *
 * @category models
 * @since 0.1.0
 */
export type CompactionCapabilities = typeof CompactionCapabilities.Type

/**
 * The client can show config options that are switches.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BooleanConfigOptionCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "BooleanConfigOptionCapabilities" })

/**
 * The client can show config options that are switches.
 *
 * @category models
 * @since 0.1.0
 */
export interface BooleanConfigOptionCapabilities extends Schema.Schema.Type<typeof BooleanConfigOptionCapabilities> {}

/**
 * The config options that a client can show, beyond selections.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SessionConfigOptionsCapabilities = Schema.Struct({
  boolean: orOmit(BooleanConfigOptionCapabilities),
  ...meta
}).annotate({ identifier: "SessionConfigOptionsCapabilities" })

/**
 * The config options that a client can show, beyond selections.
 *
 * @category models
 * @since 0.1.0
 */
export interface SessionConfigOptionsCapabilities extends Schema.Schema.Type<typeof SessionConfigOptionsCapabilities> {}

/**
 * The client can show notices.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NoticeCapabilities = JsonObject.annotate({ identifier: "NoticeCapabilities" })

/**
 * The client can show notices.
 *
 * @category models
 * @since 0.1.0
 */
export type NoticeCapabilities = typeof NoticeCapabilities.Type

/**
 * What a client understands of sessions, beyond the basics.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ClientSessionCapabilities = Schema.Struct({
  compaction: orOmit(CompactionCapabilities),
  configOptions: orOmit(SessionConfigOptionsCapabilities),
  notices: orOmit(NoticeCapabilities),
  ...meta
}).annotate({ identifier: "ClientSessionCapabilities" })

/**
 * What a client understands of sessions, beyond the basics.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientSessionCapabilities extends Schema.Schema.Type<typeof ClientSessionCapabilities> {}

/**
 * The kinds of authentication that a client can carry out.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AuthCapabilities = Schema.Struct({
  terminal: flag,
  ...meta
}).annotate({ identifier: "AuthCapabilities" })

/**
 * The kinds of authentication that a client can carry out.
 *
 * @category models
 * @since 0.1.0
 */
export interface AuthCapabilities extends Schema.Schema.Type<typeof AuthCapabilities> {}

/**
 * The client can show forms.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationFormCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "ElicitationFormCapabilities" })

/**
 * The client can show forms.
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitationFormCapabilities extends Schema.Schema.Type<typeof ElicitationFormCapabilities> {}

/**
 * The client can lead the user to a URL.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationUrlCapabilities = Schema.Struct({
  ...meta
}).annotate({ identifier: "ElicitationUrlCapabilities" })

/**
 * The client can lead the user to a URL.
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitationUrlCapabilities extends Schema.Schema.Type<typeof ElicitationUrlCapabilities> {}

/**
 * The ways in which a client can ask the user something.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ElicitationCapabilities = Schema.Struct({
  form: orOmit(ElicitationFormCapabilities),
  url: orOmit(ElicitationUrlCapabilities),
  ...meta
}).annotate({ identifier: "ElicitationCapabilities" })

/**
 * The ways in which a client can ask the user something.
 *
 * @category models
 * @since 0.1.0
 */
export interface ElicitationCapabilities extends Schema.Schema.Type<typeof ElicitationCapabilities> {}

/**
 * What a client can do.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ClientCapabilities = Schema.Struct({
  fs: orDefault(FileSystemCapabilities, { readTextFile: false, writeTextFile: false }),
  terminal: flag,
  session: orOmit(ClientSessionCapabilities),
  auth: orDefault(AuthCapabilities, { terminal: false }),
  elicitation: orOmit(ElicitationCapabilities),
  ...meta
}).annotate({ identifier: "ClientCapabilities" })

/**
 * What a client can do.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientCapabilities extends Schema.Schema.Type<typeof ClientCapabilities> {}
