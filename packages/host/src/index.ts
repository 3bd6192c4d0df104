/**
 * @since 0.1.0
 */
export * as AgentProcess from "./AgentProcess.ts"
export * as AgentRegistry from "./AgentRegistry.ts"
export * as Files from "./Files.ts"
export * as Terminals from "./Terminals.ts"
