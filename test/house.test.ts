/**
 * Imports only go down: the house of the README, held against what the sources import.
 */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"

const root = join(import.meta.dirname, "..")

const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/^(?:import|export)\s(?:[^"']*?\sfrom\s)?["']([^"']+)["']/gm)]
    .map(([, specifier]) => specifier)

const sources = (name: string): ReadonlyArray<string> => globSync(`packages/${name}/src/**/*.ts`, { cwd: root })

/** Packages by floor: one may import what is on a lower floor. */
const floors: ReadonlyArray<ReadonlyArray<string>> = [["core"], ["host", "net", "testing"], [
  "cli",
  "tck",
  "examples",
  "bench"
]]

const floorOf = (name: string): number => floors.findIndex((names) => names.includes(name))

/** The rooms of core by storey, lowest first; a room may use those below it and beside it. */
const storeys: ReadonlyArray<readonly [storey: string, rooms: RegExp]> = [
  ["what a frame is", /^(schema\/.*|JsonRpc|AcpError|Diagnostic|Frame|Metrics)$/],
  ["how frames travel", /^(Transport|Ndjson)$/],
  [
    "what may be called",
    /^(Method|MethodTable|Capabilities|Extension|InboundRequest|\w*Methods|Protocol|unstable\/.*|extension\/.*)$/
  ],
  ["calls and dispatch", /^Connection$/],
  ["sessions and turns", /^[A-Z]\w*$/]
]

const storeyOf = (room: string): number => storeys.findIndex(([, rooms]) => rooms.test(room))

const roomOf = (file: string): string => relative(join("packages", "core", "src"), file).replace(/\.ts$/, "")

/** What a module imports, directly and through internal modules. */
const reach = (file: string, seen = new Set<string>()): ReadonlyArray<string> =>
  importsOf(join(root, file)).filter((specifier) => specifier.startsWith(".")).flatMap((specifier) => {
    const target = normalize(join(dirname(file), specifier))
    if (!roomOf(target).startsWith("internal/")) return [target]
    if (seen.has(target)) return []
    seen.add(target)
    return reach(target, seen)
  })

describe("the house", () => {
  const packages = floors.flat().filter((name) => sources(name).length > 0)

  it.each(packages)("%s imports packages of lower floors only", (name) => {
    for (const file of sources(name)) {
      for (const specifier of importsOf(join(root, file))) {
        const imported = /^@effect-acp\/([^/]+)/.exec(specifier)?.[1]
        if (imported !== undefined && imported !== name) {
          assert.isBelow(floorOf(imported), floorOf(name), `${file} imports ${specifier}`)
        }
      }
    }
  })

  it.each(["core", "host", "testing"])("%s asks for services and no platform", (name) => {
    for (const file of sources(name)) {
      for (const specifier of importsOf(join(root, file))) {
        assert.match(specifier, /^(\.|effect\/|@effect-acp\/core(\/|$))/, `${file} imports ${specifier}`)
      }
    }
  })

  it("every room of core has a storey", () => {
    for (const room of sources("core").map(roomOf)) {
      if (room !== "index" && !room.startsWith("internal/")) assert.isAtLeast(storeyOf(room), 0, room)
    }
  })

  it("rooms of core import downwards only", () => {
    for (const file of sources("core")) {
      const room = roomOf(file)
      if (room === "index" || room.startsWith("internal/")) continue
      for (const target of reach(file)) {
        assert.isAtMost(storeyOf(roomOf(target)), storeyOf(room), `${room} reaches ${roomOf(target)}`)
      }
    }
  })

  it("finds an import that points up", () => {
    assert.isAbove(storeyOf("Connection"), storeyOf("Transport"))
    assert.isAbove(storeyOf("Client"), storeyOf("Connection"))
    assert.deepStrictEqual(importsOf(join(root, "packages/core/src/Protocol.ts")).includes("./MethodTable.ts"), true)
  })
})
