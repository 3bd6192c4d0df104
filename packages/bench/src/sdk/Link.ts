/**
 * The two ends of an in-process byte pipe as the streams that the SDK takes.
 */
import * as acp from "@agentclientprotocol/sdk"
import type { BytePipe, Link } from "../BytePipe.ts"

const readable = (pipe: BytePipe): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    pull: (controller) =>
      new Promise<void>((resolve) => {
        const pull = (): void => {
          const chunks = pipe.read()
          if (chunks === undefined) return pipe.onData(pull)
          if (chunks.length === 0) controller.close()
          for (const chunk of chunks) controller.enqueue(chunk)
          resolve()
        }
        pull()
      })
  })

const writable = (pipe: BytePipe): WritableStream<Uint8Array> =>
  new WritableStream<Uint8Array>({
    write: (bytes) => pipe.write(bytes) ? undefined : new Promise<void>((resolve) => pipe.onDrain(resolve)),
    close: () => pipe.end()
  })

export const client = ({ toAgent, toClient }: Link): acp.Stream =>
  acp.ndJsonStream(writable(toAgent), readable(toClient))

export const agent = ({ toAgent, toClient }: Link): acp.Stream =>
  acp.ndJsonStream(writable(toClient), readable(toAgent))
