/**
 * Where an agent keeps its sessions, so that they can be listed, loaded and resumed after the link, or the process, is gone.
 *
 * Providing a store to `Agent.layer` is serving, and advertising, `session/list`, `session/load`, `session/resume` and
 * `session/delete`.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
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
  /** A page of sessions, the latest first, of one working directory where that is given. */
  readonly list: (
    options: { readonly cwd?: string | undefined; readonly cursor?: string | undefined }
  ) => Effect.Effect<Session.ListSessionsResponse, SessionStoreError>
  /** Forgets a session; an unknown one is forgotten already. */
  readonly remove: (sessionId: string) => Effect.Effect<void, SessionStoreError>
}>()("@effect-acp/core/SessionStore") {}

const pageSize = 100

const infoPrefix = "session:"
const infoKey = (sessionId: string) => `${infoPrefix}${sessionId}`
const historyPrefix = (sessionId: string) => `history:${sessionId}:`

const storedSession = Wire.make(StoredSession)
const sessionUpdate = Wire.make(SessionUpdate.SessionUpdate)
const ignoreFallback = () => {}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const parseSession = (text: string | undefined): StoredSession | undefined =>
  text === undefined ? undefined : Result.getOrUndefined(storedSession.decode(parse(text), ignoreFallback))

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

const continues = (last: TextChunk, next: TextChunk): boolean =>
  last.sessionUpdate === next.sessionUpdate && last.messageId === next.messageId &&
  last._meta === undefined && next._meta === undefined && next.content.annotations === undefined

const byLatest = (left: Session.SessionInfo, right: Session.SessionInfo): number =>
  (right.updatedAt ?? "").localeCompare(left.updatedAt ?? "") || left.sessionId.localeCompare(right.sessionId)

const make = Effect.gen(function*() {
  const store = yield* KeyValueStore.KeyValueStore

  const run = <A>(operation: string, effect: Effect.Effect<A, KeyValueStore.KeyValueStoreError>) =>
    Effect.mapError(effect, (cause) => new SessionStoreError({ operation, cause }))

  const keysOf = (prefix: string) => Effect.map(store.keys, (keys) => keys.filter((key) => key.startsWith(prefix)))

  const get = (sessionId: string) =>
    Effect.map(run(`read session ${sessionId}`, store.get(infoKey(sessionId))), parseSession)

  const put = Effect.fnUntraced(function*(session: StoredSession) {
    const { sessionId } = session.info
    const updatedAt = new Date(yield* Clock.currentTimeMillis).toISOString()
    const stored = { ...session, info: { ...session.info, updatedAt } }
    yield* run(`write session ${sessionId}`, store.set(infoKey(sessionId), JSON.stringify(stored)))
  })

  const list = Effect.fnUntraced(function*(
    { cursor, cwd }: { readonly cwd?: string | undefined; readonly cursor?: string | undefined }
  ) {
    const keys = yield* run("list sessions", keysOf(infoPrefix))
    const sessions = yield* Effect.forEach(keys, (key) => get(key.slice(infoPrefix.length)))
    const matching = sessions.flatMap((session) =>
      session === undefined || (cwd !== undefined && session.info.cwd !== cwd) ? [] : [session.info]
    ).sort(byLatest)
    const start = cursor === undefined ? 0 : matching.findIndex(({ sessionId }) => sessionId === cursor) + 1
    const page = matching.slice(start, start + pageSize)
    const last = page[page.length - 1]
    return {
      sessions: page,
      ...(last !== undefined && start + pageSize < matching.length ? { nextCursor: last.sessionId } : {})
    }
  })

  const historyKeys = (sessionId: string) =>
    Effect.map(
      run(`read the history of session ${sessionId}`, keysOf(historyPrefix(sessionId))),
      (keys) => keys.sort()
    )

  const append = Effect.fnUntraced(function*(sessionId: string, updates: ReadonlyArray<SessionUpdate.SessionUpdate>) {
    const session = yield* get(sessionId)
    if (session === undefined || updates.length === 0) return
    const place = String((yield* historyKeys(sessionId)).length).padStart(8, "0")
    yield* run(
      `write the history of session ${sessionId}`,
      store.set(historyPrefix(sessionId) + place, JSON.stringify(coalesce(updates)))
    )
    yield* put(session)
  })

  const remove = Effect.fnUntraced(function*(sessionId: string) {
    const keys = [infoKey(sessionId), ...(yield* historyKeys(sessionId))]
    yield* run(
      `remove session ${sessionId}`,
      Effect.forEach(keys, (key) => store.remove(key), { discard: true })
    )
  })

  return SessionStore.of({
    get,
    put,
    list,
    append,
    remove,
    history: (sessionId) =>
      Stream.fromIterableEffect(historyKeys(sessionId)).pipe(
        Stream.mapEffect((key) => run(`read the history of session ${sessionId}`, store.get(key))),
        Stream.map(parseUpdates),
        Stream.flattenIterable
      )
  })
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
