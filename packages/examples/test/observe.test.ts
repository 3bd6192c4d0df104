import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runNode } from "./support.ts"

const file = (name: string) => join(import.meta.dirname, "../src", name)

const timeout = 30_000

/** A collector that keeps what is posted to it, by path. */
const collector = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly bodies: Map<string, string>; readonly close: () => void }>(
    (resume) => {
      const bodies = new Map<string, string>()
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const path = request.url ?? ""
          bodies.set(path, (bodies.get(path) ?? "") + Buffer.concat(chunks).toString("utf8"))
          response.end("{}")
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, bodies, close: () => server.close() }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

describe("to be seen", () => {
  it.live("V1 V2 spans of calls and handlers and the metrics reach a collector", () =>
    Effect.gen(function*() {
      const { bodies, url } = yield* collector
      const { code, stderr, stdout } = yield* runNode([file("observe.ts"), url], { input: "" })
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, "hello: end_turn")
      const traces = bodies.get("/v1/traces") ?? ""
      for (const name of ["observe", "initialize", "session/new", "session/prompt"]) {
        assert.include(traces, `"name":"${name}"`)
      }
      assert.include(bodies.get("/v1/metrics") ?? "", "acp_frames")
    }), timeout)

  it.live("V3 a recording is played again without its agent", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(tmpdir(), "acp-record-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const recording = join(folder, "session.jsonl")
      const said = "What was said once can be said again.\n"
      const first = yield* runNode([file("record.ts"), recording], { input: "" })
      assert.deepStrictEqual([first.code, first.stdout], [0, said], first.stderr)
      assert.include(readFileSync(recording, "utf8"), "session/prompt")
      const again = yield* runNode([file("record.ts"), "--replay", recording], { input: "" })
      assert.deepStrictEqual([again.code, again.stdout], [0, said], again.stderr)
    }), timeout)
})
