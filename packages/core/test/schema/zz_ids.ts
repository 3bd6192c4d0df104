import { readFileSync, readdirSync } from "node:fs"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
const dir = new URL("../../src/schema/", import.meta.url)
const which = process.argv[2] ?? "schema"
const files = readdirSync(dir, { recursive: true }).map(String).filter((f) => f.endsWith(".ts"))
const ids = new Map<string, string>()
for (const f of files) {
  if (which === "schema" && f.startsWith("unstable")) continue
  const m = await import(new URL(f, dir).href)
  for (const [k, v] of Object.entries(m)) {
    if (!Schema.isSchema(v)) continue
    const id = SchemaAST.resolveIdentifier((v as any).ast)
    if (id === undefined) { if (!f.includes("Common")) console.log("no id", f, k); continue }
    if (id !== k) console.log("name", f, k, id)
    ids.set(id, f)
  }
}
const defs = Object.keys(JSON.parse(readFileSync(`/work/main/node_modules/@agentclientprotocol/sdk/schema/v1/${which}.json`, "utf8")).$defs)
console.log("missing", defs.filter((d) => !ids.has(d)))
console.log("extra", [...ids.keys()].filter((d) => !defs.includes(d)))
