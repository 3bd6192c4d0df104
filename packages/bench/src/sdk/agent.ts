/**
 * The agent over its own stdin and stdout.
 */
import * as acp from "@agentclientprotocol/sdk"
import { Readable, Writable } from "node:stream"
import { makeAgent } from "./Peers.ts"

makeAgent().connect(acp.ndJsonStream(
  Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
  Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
))
