import * as AgentRegistry from "@effect-acp/host/AgentRegistry"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import * as fs from "node:fs"
import { platform, tempDirectory } from "./support.ts"

const entry = (distribution: unknown, id = "agent") =>
  Schema.decodeUnknownSync(AgentRegistry.Entry)({
    id,
    name: "Agent",
    version: "1.2.3",
    description: "An agent",
    distribution
  })

const linux = { os: "linux", arch: "x86_64" } as const

const planOf = (distribution: unknown, prefer?: ReadonlyArray<AgentRegistry.Distribution>) =>
  AgentRegistry.plan(entry(distribution), linux, prefer)

const binary = {
  "linux-x86_64": { archive: "https://example.com/agent.tar.gz", cmd: "./bin/agent", args: ["serve"], env: { A: "1" } },
  "windows-x86_64": { archive: "https://example.com/agent.zip", cmd: "agent.exe" }
}

describe("AgentRegistry", () => {
  describe("plan", () => {
    it("a package is run by npx, without a question", () => {
      assert.deepStrictEqual(
        planOf({ npx: { package: "@scope/agent@1.2.3", args: ["--acp"], env: { A: "1" } } }),
        Result.succeed(
          AgentRegistry.Plan.Command({ command: "npx", args: ["-y", "@scope/agent@1.2.3", "--acp"], env: { A: "1" } })
        )
      )
      assert.deepStrictEqual(
        planOf({ npx: { package: "@scope/agent", cmd: "run" } }),
        Result.succeed(
          AgentRegistry.Plan.Command({ command: "npx", args: ["-y", "--package", "@scope/agent", "run"], env: {} })
        )
      )
    })

    it("a Python package is run by uvx", () => {
      assert.deepStrictEqual(
        planOf({ uvx: { package: "agent", args: ["serve"] } }),
        Result.succeed(AgentRegistry.Plan.Command({ command: "uvx", args: ["agent", "serve"], env: {} }))
      )
      assert.deepStrictEqual(
        planOf({ uvx: { package: "agent", cmd: "run" } }),
        Result.succeed(AgentRegistry.Plan.Command({ command: "uvx", args: ["--from", "agent", "run"], env: {} }))
      )
    })

    it("a binary is chosen by platform and run from where it was unpacked to", () => {
      const plan = Result.getOrThrow(planOf({ binary }))
      assert(plan._tag === "Binary")
      assert.strictEqual(plan.archive, "https://example.com/agent.tar.gz")
      assert.deepStrictEqual(
        AgentRegistry.unpacked(plan, "/opt/agent/"),
        AgentRegistry.Plan.Command({ command: "/opt/agent/bin/agent", args: ["serve"], env: { A: "1" } })
      )
    })

    it("the preference decides between several ways", () => {
      const distribution = { binary, npx: { package: "agent" } }
      assert.strictEqual(Result.getOrThrow(planOf(distribution))._tag, "Command")
      assert.strictEqual(Result.getOrThrow(planOf(distribution, ["binary", "npx"]))._tag, "Binary")
    })

    it("an agent without a way says so, and a command outside its archive is refused", () => {
      const other = AgentRegistry.plan(entry({ binary }), { os: "darwin", arch: "aarch64" })
      assert.include(
        String(Result.isFailure(other) && other.failure.message),
        "agent cannot be started on darwin-aarch64"
      )
      for (const cmd of ["../agent", "/bin/sh", "a/../../b", "C:\\agent.exe", "\\agent"]) {
        assert.isTrue(
          Result.isFailure(planOf({ binary: { "linux-x86_64": { archive: "https://example.com/a.zip", cmd } } })),
          cmd
        )
      }
      assert.isTrue(Result.isFailure(planOf({ binary }, ["npx"])))
    })
  })

  describe("reading", () => {
    const text = JSON.stringify({
      version: "1.0.0",
      agents: [entry({ npx: { package: "a" } }, "first"), { id: "Bad Id" }, entry({ uvx: { package: "b" } }, "last")],
      extensions: []
    })

    it.live("one bad entry does not hide the others", () =>
      Effect.gen(function*() {
        const folder = yield* tempDirectory
        fs.writeFileSync(`${folder}/registry.json`, text)
        const registry = yield* AgentRegistry.fromFile(`${folder}/registry.json`)
        assert.deepStrictEqual(registry.agents.map(({ id }) => id), ["first", "last"])
        assert.deepStrictEqual(registry.skipped.map(({ index }) => index), [1])
        const error = yield* Effect.flip(AgentRegistry.fromFile(`${folder}/none.json`))
        assert.include(error.message, `${folder}/none.json`)
      }).pipe(Effect.provide(platform)))

    it.live("a copy is kept, used while it is young, and kept where nothing better comes", () =>
      Effect.gen(function*() {
        const cache = `${yield* tempDirectory}/deep/registry.json`
        let requests = 0
        let answer = () => new Response(text)
        const http = Layer.succeed(
          HttpClient.HttpClient,
          HttpClient.make((request) =>
            Effect.sync(() => {
              requests++
              return HttpClientResponse.fromWeb(request, answer())
            })
          )
        )
        const read = (maxAge: string | number) =>
          AgentRegistry.fromUrl({ cache, maxAge: maxAge as "1 hour" }).pipe(Effect.provide(http))
        assert.strictEqual((yield* read("1 hour")).agents.length, 2)
        assert.strictEqual((yield* read("1 hour")).agents.length, 2)
        assert.strictEqual(requests, 1)
        answer = () => new Response("not found", { status: 404 })
        assert.strictEqual((yield* read(0)).agents.length, 2)
        answer = () => new Response("<html>")
        assert.strictEqual((yield* read(0)).agents.length, 2)
        assert.strictEqual(requests, 3)
        assert.strictEqual(fs.readFileSync(cache, "utf8"), text)
        fs.writeFileSync(cache, "broken")
        assert.include((yield* Effect.flip(read("1 hour"))).message, AgentRegistry.defaultUrl)
        answer = () => new Response(text)
        assert.strictEqual((yield* read("1 hour")).agents.length, 2)
      }).pipe(Effect.provide(platform)))
  })
})
