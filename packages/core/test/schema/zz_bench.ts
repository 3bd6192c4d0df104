import * as Wire from "../../src/internal/wire.ts"
import * as SU from "../../src/schema/SessionUpdate.ts"
import * as USU from "../../src/schema/unstable/SessionUpdate.ts"
import * as zod from "/work/main/node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js"
const nop = () => {}
const bench = (f: () => unknown) => {
  for (let i = 0; i < 3000; i++) f()
  let best = Infinity
  for (let r = 0; r < 5; r++) {
    const n = 3000
    const t = process.hrtime.bigint()
    for (let i = 0; i < n; i++) f()
    best = Math.min(best, Number(process.hrtime.bigint() - t) / n)
  }
  return Math.round(best)
}
const values: Record<string, any> = {
  agent_message_chunk: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hello" } },
  tool_call: { sessionUpdate: "tool_call", toolCallId: "t1", title: "Read", kind: "read", status: "pending", locations: [{ path: "/a", line: 3 }], rawInput: { path: "/a" } },
  tool_call_update: { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed", content: [{ type: "content", content: { type: "text", text: "x" } }, { type: "diff", path: "/a", oldText: "a", newText: "b" }] },
  usage_update: { sessionUpdate: "usage_update", used: 100, size: 1000, cost: { amount: 0.1, currency: "USD" } },
  plan: { sessionUpdate: "plan", entries: [{ content: "a", priority: "high", status: "pending" }, { content: "b", priority: "low", status: "completed" }] },
  unknown: { sessionUpdate: "brand_new", foo: 1 },
  badMeta: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hello" }, _meta: 5 }
}
for (const [name, codec] of [["stable", Wire.make(SU.SessionNotification)], ["unstable", Wire.make(USU.SessionNotification)]] as const) {
  for (const [k, update] of Object.entries(values)) {
    const v = { sessionId: "s", update }
    const t0 = process.hrtime.bigint(); codec.decode(v, nop); const first = Number(process.hrtime.bigint() - t0) / 1e6
    const ours = bench(() => codec.decode(v, nop))
    const enc = bench(() => codec.encode(v))
    const z = bench(() => zod.zSessionNotification.safeParse(v))
    console.log(name, k.padEnd(20), "first ms", first.toFixed(1), "ours", ours, "encode", enc, "zod", z, "x", (z / ours).toFixed(1))
  }
}
