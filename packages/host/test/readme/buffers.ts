import { Files } from "@effect-acp/host"
import { Effect, Layer, Option } from "effect"

/** The unsaved text of the editor, by path. */
const unsaved = new Map<string, string>()

const BuffersLive = Layer.succeed(Files.Buffers, {
  read: ({ path }) => Effect.sync(() => Option.fromUndefinedOr(unsaved.get(path))),
  write: ({ path }, _content, save) => Effect.andThen(save, Effect.sync(() => unsaved.delete(path)))
})

export const FilesLive = Files.layer({ maxReadBytes: 1024 * 1024 }).pipe(Layer.provide(BuffersLive))
