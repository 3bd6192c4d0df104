/**
 * The floor's agent over its own stdin and stdout.
 */
import { makeAgent } from "./Peers.ts"
import * as Wire from "./Wire.ts"

const agent = makeAgent({
  write: (bytes) => process.stdout.write(bytes),
  onDrain: (run) => process.stdout.once("drain", run)
})
process.stdin.on("data", Wire.makeReader(agent))
