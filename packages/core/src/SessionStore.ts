/**
 * Where an agent keeps its sessions, so that they can be listed, loaded and resumed after the link, or the process, is gone.
 *
 * Providing a store to `Agent.layer` is serving, and advertising, `session/list`, `session/load`, `session/resume` and
 * `session/delete`, and where its `protocol` has the unstable `session/fork`, that too.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as AcpError from "./AcpError.ts"
import * as Wire from "./internal/wire.ts"
import * as Session from "./schema/Session.ts"
import * as SessionUpdate from "./schema/SessionUpdate.ts"

/**
 * What is kept of a session beside its history.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StoredSession = Schema.Struct({
  info: Session.SessionInfo,
  modeId: Schema.optionalKey(Schema.String),
  config: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Boolean]))
})

/**
 * What is kept of a session beside its history.
 *
 * @category models
 * @since 0.1.0
 */
export interface StoredSession extends Schema.Schema.Type<typeof StoredSession> {}

/**
 * The store could not be read or written.
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionStoreError extends Schema.TaggedError<SessionStoreError>()("SessionStoreError", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `The session store could not ${this.operation}`
  }
}

/**
 * The sessions of an agent.
 *
 * @category services
 * @since 0.1.0
 */
export class SessionStore extends Context.Service<SessionStore, {
  /** Creates a session or replaces what is kept of it, with the time of now; its history stays. */
  readonly put: (session: StoredSession) => Effect.Effect<void, SessionStoreError>
  readonly get: (sessionId: string) => Effect.Effect<StoredSession | undefined, SessionStoreError>
  /** Adds to a session's history; runs of text chunks of one message are kept as one chunk. */
  readonly append: (
    sessionId: string,
    updates: ReadonlyArray<SessionUpdate.SessionUpdate>
  ) => Effect.Effect<void, SessionStoreError>
  /** A session's history, oldest first. */
  readonly history: (sessionId: string) => Stream.Stream<SessionUpdate.SessionUpdate, SessionStoreError>
  /**
   * A page of sessions, the latest first, of one working directory where that is given. A cursor names a place in that
   * order, so it stays good when the session before it is gone; one that was never given fails with `InvalidParams`.
   */
  readonly list: (
    options: { readonly cwd?: string | undefined; readonly cursor?: string | undefined }
  ) => Effect.Effect<Session.ListSessionsResponse, SessionStoreError | AcpError.InvalidParams>
  /** Forgets a session; an unknown one is forgotten already. */
  readonly remove: (sessionId: string) => Effect.Effect<void, SessionStoreError>
}>()("@effect-acp/core/SessionStore") {}

const pageSize = 100

/** What is kept under a session's key; its history is under further keys, a part for each time that it was added to. */
const Kept = Schema.Struct({ ...StoredSession.fields, parts: Schema.Int })

interface Kept extends Schema.Schema.Type<typeof Kept> {}

const infoPrefix = "session:"
const infoKey = (sessionId: string) => `${infoPrefix}${sessionId}`
const partKey = (sessionId: string, part: number) => `history:${sessionId}:${part}`

const kept = Wire.make(Kept)
const sessionUpdate = Wire.make(SessionUpdate.SessionUpdate)
const ignoreFallback = () => {}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const parseKept = (text: string | undefined): Kept | undefined =>
  text === undefined ? undefined : Result.getOrUndefined(kept.decode(parse(text), ignoreFallback))

const parseUpdates = (text: string | undefined): ReadonlyArray<SessionUpdate.SessionUpdate> => {
  const items = text === undefined ? [] : parse(text)
  return Array.isArray(items)
    ? items.flatMap((item) => Result.getOrUndefined(sessionUpdate.decode(item, ignoreFallback)) ?? [])
    : []
}

/**
 * Joins runs of text chunks of one message into one chunk each.
 *
 * @category combinators
 * @since 0.1.0
 */
export const coalesce = (
  updates: ReadonlyArray<SessionUpdate.SessionUpdate>
): ReadonlyArray<SessionUpdate.SessionUpdate> => {
  const joined: Array<SessionUpdate.SessionUpdate> = []
  let texts: Array<string> = []
  const flush = () => {
    const last = joined[joined.length - 1]
    if (texts.length > 1 && isTextChunk(last)) {
      joined[joined.length - 1] = { ...last, content: { ...last.content, text: texts.join("") } }
    }
    texts = []
  }
  for (const update of updates) {
    const last = joined[joined.length - 1]
    if (isTextChunk(update) && isTextChunk(last) && continues(last, update)) {
      texts.push(update.content.text)
      continue
    }
    flush()
    joined.push(update)
    if (isTextChunk(update)) texts = [update.content.text]
  }
  flush()
  return joined
}

type TextChunk = Extract<SessionUpdate.SessionUpdate, { readonly messageId?: unknown }> & {
  readonly content: { readonly type: "text"; readonly text: string }
}

const isTextChunk = (update: SessionUpdate.SessionUpdate | undefined): update is TextChunk =>
  update !== undefined && update.sessionUpdate.endsWith("_message_chunk") && "content" in update &&
  !Array.isArray(update.content) && (update as TextChunk).content?.type === "text"

const isPlain = (chunk: TextChunk): boolean =>
  chunk._meta === undefined && chunk.content._meta === undefined && chunk.content.annotations === undefined

const continues = (last: TextChunk, next: TextChunk): boolean =>
  last.sessionUpdate === next.sessionUpdate && last.messageId === next.messageId && isPlain(last) && isPlain(next)

/** A place in the order of a list: the latest first. */
type Place = readonly [updatedAt: string, sessionId: string]

const placeOf = ({ sessionId, updatedAt }: Session.SessionInfo): Place => [updatedAt ?? "", sessionId]

const byLatest = (left: Place, right: Place): number =>
  left[0] === right[0] ? compare(left[1], right[1]) : compare(right[0], left[0])

const compare = (left: string, right: string): number => left < right ? -1 : left > right ? 1 : 0

const parseCursor = (cursor: string): Place | undefined => {
  const place = parse(Result.getOrElse(Base64Url.decodeString(cursor), () => ""))
  return isPlace(place) ? place : undefined
}

const isPlace = Schema.is(Schema.Tuple([Schema.String, Schema.String]))

const formatCursor = (place: Place): string => Base64Url.encode(JSON.stringify(place))

const paginate = (
  sessions: ReadonlyArray<Session.SessionInfo>,
  after: Place | undefined
): Session.ListSessionsResponse => {
  const ordered = sessions
    .filter((info) => after === undefined || byLatest(after, placeOf(info)) < 0)
    .toSorted((left, right) => byLatest(placeOf(left), placeOf(right)))
  const page = ordered.slice(0, pageSize)
  return page.length === ordered.length
    ? { sessions: page }
    : { sessions: page, nextCursor: formatCursor(placeOf(page[page.length - 1])) }
}

const make = Effect.gen(function*() {
  const store = yield* KeyValueStore.KeyValueStore
  // What is written is read before: one at a time, so that nothing is lost between.
  const alone = Semaphore.withPermit(Semaphore.makeUnsafe(1))

  const run = <A>(operation: string, effect: Effect.Effect<A, KeyValueStore.KeyValueStoreError>) =>
    Effect.mapError(effect, (cause) => new SessionStoreError({ operation, cause }))

  const read = (sessionId: string) =>
    Effect.map(run(`read session ${sessionId}`, store.get(infoKey(sessionId))), parseKept)

  const write = Effect.fnUntraced(function*(session: StoredSession, parts: number) {
    const { config, info, modeId } = session
    const updatedAt = new Date(yield* Clock.currentTimeMillis).toISOString()
    const text = JSON.stringify({ info: { ...info, updatedAt }, modeId, config, parts })
    yield* run(`write session ${info.sessionId}`, store.set(infoKey(info.sessionId), text))
  })

  const put = Effect.fnUntraced(function*(session: StoredSession) {
    const known = yield* read(session.info.sessionId)
    yield* write(session, known?.parts ?? 0)
  }, alone)

  // The part comes first: what is not counted is not read, and is written over by the next.
  const append = Effect.fnUntraced(function*(sessionId: string, updates: ReadonlyArray<SessionUpdate.SessionUpdate>) {
    const known = yield* read(sessionId)
    if (known === undefined || updates.length === 0) return
    yield* run(
      `write the history of session ${sessionId}`,
      store.set(partKey(sessionId, known.parts), JSON.stringify(coalesce(updates)))
    )
    yield* write(known, known.parts + 1)
  }, alone)

  // The session goes first: what is left of one that could not be removed whole is not found any more.
  const remove = Effect.fnUntraced(function*(sessionId: string) {
    const parts = (yield* read(sessionId))?.parts ?? 0
    const keys = Array.from({ length: parts }, (_, part) => partKey(sessionId, part))
    yield* run(
      `remove session ${sessionId}`,
      Effect.forEach([infoKey(sessionId), ...keys], (key) => store.remove(key), { discard: true })
    )
  }, alone)

  const list = Effect.fnUntraced(function*(
    { cursor, cwd }: { readonly cwd?: string | undefined; readonly cursor?: string | undefined }
  ) {
    const after = cursor === undefined ? undefined : parseCursor(cursor)
    if (cursor !== undefined && after === undefined) {
      return yield* new AcpError.InvalidParams({ message: "Unknown cursor", data: { cursor } })
    }
    const keys = yield* run("list sessions", store.keys)
    const ids = keys.filter((key) => key.startsWith(infoPrefix)).map((key) => key.slice(infoPrefix.length))
    const sessions = yield* Effect.forEach(ids, read, { concurrency: 16 })
    const infos = sessions.flatMap((session) =>
      session === undefined || (cwd !== undefined && session.info.cwd !== cwd) ? [] : [session.info]
    )
    return paginate(infos, after)
  })

  const history = (sessionId: string) =>
    Stream.fromIterableEffect(
      Effect.map(read(sessionId), (known) => Array.from({ length: known?.parts ?? 0 }, (_, part) => part))
    ).pipe(
      Stream.mapEffect((part) => run(`read the history of session ${sessionId}`, store.get(partKey(sessionId, part)))),
      Stream.map(parseUpdates),
      Stream.flattenIterable
    )

  return SessionStore.of({ get: read, put, append, history, list, remove })
})

/**
 * Keeps sessions in a key-value store: a file system, a database, or whatever provides `KeyValueStore`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<SessionStore, never, KeyValueStore.KeyValueStore> = Layer.effect(SessionStore)(make)

/**
 * Keeps sessions in the memory of the process.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<SessionStore> = Layer.provide(layer, KeyValueStore.layerMemory)
