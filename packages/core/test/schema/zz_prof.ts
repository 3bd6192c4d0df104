import * as Wire from "../../src/internal/wire.ts"
import { repair } from "../../src/internal/repair.ts"
import * as SU from "../../src/schema/SessionUpdate.ts"
import * as SchemaParser from "effect/SchemaParser"
import * as JIT from "effect/schema/SchemaJITCompiler"
const bench = (f: () => unknown) => {
  for (let i = 0; i < 5000; i++) f()
  let best = Infinity
  for (let r = 0; r < 5; r++) { const n = 5000; const t = process.hrtime.bigint(); for (let i = 0; i < n; i++) f(); best = Math.min(best, Number(process.hrtime.bigint() - t) / n) }
  return Math.round(best)
}
const s = Wire.strict(SU.SessionNotification)
JIT.enable(s.ast); JIT.enable(SU.SessionNotification.ast)
const strict = SchemaParser.decodeUnknownResult(s)
const is = SchemaParser.is(s)
const open = SchemaParser.decodeUnknownResult(SU.SessionNotification)
for (const update of [{ sessionUpdate: "brand_new", foo: 1 }, { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hello" }, _meta: 5 }]) {
  const v = { sessionId: "s", update }
  const r = repair(SU.SessionNotification.ast, v)
  console.log("strict", bench(() => strict(v)), "is", bench(() => is(v)), "repair", bench(() => repair(SU.SessionNotification.ast, v)), "open", bench(() => open(r.value)))
}
