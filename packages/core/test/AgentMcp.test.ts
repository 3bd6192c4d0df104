import * as Mcp from "@effect-acp/core/Mcp"
import * as McpServer from "@effect-acp/core/schema/McpServer"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Latch, Layer, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { prompt, said, start, stopped } from "./support/agent.ts"

const cwd = import.meta.dirname

const identity = { name: "agent", version: "1.0.0" }

const fixture = McpServer.stdio({
  name: "my files",
  command: process.execPath,
  args: [resolve(cwd, "fixtures/mcpServer.ts")],
  env: { MCP_ROLE: "a server" }
})

/** A server over HTTP without a network: it answers what it is asked, by method. */
const makeHttp = (results: Readonly<Record<string, unknown>>) => {
  const seen: Array<{ readonly method: string; readonly token: string | undefined }> = []
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      const body = request.body._tag === "Uint8Array"
        ? JSON.parse(new TextDecoder().decode(request.body.body))
        : undefined
      const { id, method } = body ?? { method: request.method }
      seen.push({ method, token: request.headers["x-token"] })
      const response = id === undefined
        ? new Response(null, { status: 202 })
        : Response.json({ jsonrpc: "2.0", id, result: results[method] })
      return HttpClientResponse.fromWeb(request, response)
    })
  )
  return { seen, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

const noHttp = makeHttp({}).layer

const text = (handled: Effect.Effect<Stream.Stream<{ readonly result: unknown }, unknown>, unknown>) =>
  Effect.flatMap(handled, (results) => Effect.map(Stream.runCollect(results), (results) => results.at(-1)?.result))

describe("MCP servers that a client offers", () => {
  it.live(
    "K23 F153 a session's servers are connected in its directory, used in its turns, and gone with it",
    () =>
      Effect.gen(function*() {
        const connected = Mcp.make(identity)
        const ready = yield* Latch.make()
        const used: Array<Mcp.Connected> = []
        const { peer } = yield* start({
          prompt: Effect.fnUntraced(function*(turn) {
            const servers = yield* connected(turn.session)
            used.push(...servers)
            const toolkit = yield* Mcp.toolkit(servers)
            yield* turn.say(Object.keys(toolkit.tools).join())
            yield* turn.say(String(yield* text(toolkit.handle("my_files__where", { greeting: turn.text }, "c"))))
            yield* ready.open
          }, Effect.orDie),
          services: Layer.merge(NodeServices.layer, noHttp)
        })
        const { result } = yield* peer.request("session/new", { cwd, mcpServers: [fixture] })
        const { sessionId } = result as { readonly sessionId: string }
        yield* peer.send(prompt(1, sessionId, "hello"))
        // Starting a process takes longer than a peer waits for a frame.
        yield* ready.await
        yield* peer.expect(said(sessionId, "my_files__where"))
        yield* peer.expect(said(sessionId, `hello from ${cwd} as a server`))
        yield* peer.expect(stopped(1, "end_turn"))
        yield* peer.send(prompt(2, sessionId, "again"))
        yield* peer.find(stopped(2, "end_turn"))
        assert.strictEqual(used[0], used[1])
        yield* peer.request("session/close", { sessionId })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(used[0].client.listTools())))
      }),
    20_000
  )

  it.effect("a server over HTTP is called with the headers that the client gave", () =>
    Effect.gen(function*() {
      const { layer, seen } = makeHttp({
        initialize: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "web", version: "1" }
        },
        "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" } }] }
      })
      const server = McpServer.http({ name: "web", url: "https://example.test/mcp", headers: { "X-Token": "secret" } })
      const tools = yield* Mcp.connect(server, identity).pipe(
        Effect.flatMap((client) => client.listTools()),
        Effect.provide(Layer.merge(layer, NodeServices.layer))
      )
      assert.deepStrictEqual(tools.map(({ name }) => name), ["look"])
      assert.deepStrictEqual(seen.slice(0, 3).map(({ method }) => method), [
        "initialize",
        "notifications/initialized",
        "tools/list"
      ])
      assert.isTrue(seen.every(({ token }) => token === "secret"))
    }))

  it.effect("a server over SSE is not supported, and says so", () =>
    Effect.gen(function*() {
      const server = McpServer.sse({ name: "old", url: "https://example.test/sse" })
      const error = yield* Mcp.connect(server, identity).pipe(
        Effect.flip,
        Effect.provide(Layer.merge(noHttp, NodeServices.layer))
      )
      assert.strictEqual(error.reason._tag, "UnsupportedError")
      assert.include(error.message, "old")
    }))

  it("importing an agent imports neither the MCP client nor a language model", () => {
    const source = resolve(cwd, "../src")
    const seen = new Set<string>()
    const visit = (path: string): void => {
      if (seen.has(path)) return
      seen.add(path)
      const imports = readFileSync(path, "utf8").matchAll(/^(?:import|export) (?!type)[^"]*from "([^"]+)"$/gmu)
      for (const [, specifier] of imports) {
        assert.notMatch(specifier, /^effect\/ai/, path)
        if (specifier.startsWith(".")) visit(resolve(path, "..", specifier))
      }
    }
    visit(resolve(source, "Agent.ts"))
    assert.isTrue(seen.has(resolve(source, "Turn.ts")))
    assert.isFalse(seen.has(resolve(source, "Mcp.ts")))
  })
})
