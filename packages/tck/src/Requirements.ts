/**
 * The requirements of version 1.
 *
 * @since 0.1.0
 */
import { type Requirement, table } from "./Requirement.ts"
import { edges } from "./requirements/edges.ts"
import { handshake } from "./requirements/handshake.ts"
import { sessions } from "./requirements/sessions.ts"
import { state } from "./requirements/state.ts"
import { turns } from "./requirements/turns.ts"
import { wire } from "./requirements/wire.ts"

/**
 * The 56 official requirements of protocol version 1, under their official ids.
 *
 * @category requirements
 * @since 0.1.0
 */
export const version1: ReadonlyArray<Requirement> = table(wire, handshake, sessions, turns, state, edges)
