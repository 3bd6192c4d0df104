/**
 * @since 0.1.0
 */
export * as FaultyTransport from "./FaultyTransport.ts"
export * as Frames from "./Frames.ts"
export * as InvariantSentinel from "./InvariantSentinel.ts"
export * as Recording from "./Recording.ts"
export * as ScriptedPeer from "./ScriptedPeer.ts"
export * as Seed from "./Seed.ts"
