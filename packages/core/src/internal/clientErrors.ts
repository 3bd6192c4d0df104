/**
 * The errors of a client: of the handshake, of its sessions and turns, and of an agent that is started again.
 */
import * as Schema from "effect/Schema"
import { type CloseReason, describeCause, describeCloseReason } from "./closeReason.ts"

/**
 * The agent answered `initialize` with a protocol version that this side does not speak; the connection is closed (H5).
 *
 * @category errors
 * @since 0.1.0
 */
export class UnsupportedProtocolVersion
  extends Schema.TaggedError<UnsupportedProtocolVersion>()("UnsupportedProtocolVersion", {
    requested: Schema.Finite,
    offered: Schema.Finite
  })
{
  override get message(): string {
    return `The agent speaks protocol version ${this.offered}, this client ${this.requested}: update the older of the two`
  }
}

/**
 * The agent did not answer `initialize` within the bound that was set; the connection is closed.
 *
 * `noise` is the last line that it wrote and that was no message, `aside` what it said beside its frames, such as the end of
 * its stderr.
 *
 * @category errors
 * @since 0.1.0
 */
export class HandshakeTimeout extends Schema.TaggedError<HandshakeTimeout>()("HandshakeTimeout", {
  millis: Schema.Finite,
  noise: Schema.optionalKey(Schema.String),
  aside: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const said = [this.noise, this.aside].filter((text) => text !== undefined)
    const wrote = said.length === 0 ? "it wrote nothing" : `it wrote: ${said.join("; ")}`
    return `The agent did not answer initialize within ${this.millis} ms; ${wrote}. Is it an ACP agent?`
  }
}

/**
 * Not every update of a turn that was read was delivered; a partial list is never a success (O3).
 *
 * @category errors
 * @since 0.1.0
 */
export class DeliveryGap extends Schema.TaggedError<DeliveryGap>()("DeliveryGap", {
  delivered: Schema.Finite,
  expected: Schema.Finite
}) {
  override get message(): string {
    return `${this.delivered} of ${this.expected} updates of the turn were delivered`
  }
}

/**
 * The consumer of a turn fell too far behind the agent; the turn was cancelled, the connection lives (O6).
 *
 * @category errors
 * @since 0.1.0
 */
export class BacklogExceeded extends Schema.TaggedError<BacklogExceeded>()("BacklogExceeded", {
  updates: Schema.Finite,
  bytes: Schema.Finite
}) {
  override get message(): string {
    return `The turn was cancelled: ${this.updates} updates (${this.bytes} bytes) were waiting for its consumer. ` +
      `Take them faster or raise the turn backlog`
  }
}

/**
 * The agent did not end a cancelled turn within the grace time; the session stays usable (X9).
 *
 * @category errors
 * @since 0.1.0
 */
export class CancelTimeout extends Schema.TaggedError<CancelTimeout>()("CancelTimeout", {
  sessionId: Schema.String,
  millis: Schema.Finite
}) {
  override get message(): string {
    return `The agent did not end the cancelled turn of session ${this.sessionId} within ${this.millis} ms`
  }
}

/**
 * The session was closed, so this handle of it can do nothing more; nothing was written.
 *
 * Open it again with `loadSession` or `resumeSession`, where the agent can.
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionDetached extends Schema.TaggedError<SessionDetached>()("SessionDetached", {
  sessionId: Schema.String
}) {
  override get message(): string {
    return `Session ${this.sessionId} was closed: load or resume it for a new handle`
  }
}

/**
 * Another prompt runs in the session, and the client is set to refuse rather than queue; nothing was written.
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", {
  sessionId: Schema.String
}) {
  override get message(): string {
    return `Session ${this.sessionId} is busy with another prompt: wait for its end or cancel it`
  }
}

/**
 * The session is open on this connection already; nothing was written.
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionInUse extends Schema.TaggedError<SessionInUse>()("SessionInUse", {
  sessionId: Schema.String
}) {
  override get message(): string {
    return `Session ${this.sessionId} is open already: use its handle, or close that one first`
  }
}

/**
 * The agent does not offer what was chosen; nothing was written.
 *
 * `offered` lists what there is to choose from.
 *
 * @category errors
 * @since 0.1.0
 */
export class NotOffered extends Schema.TaggedError<NotOffered>()("NotOffered", {
  what: Schema.Literals(["mode", "config option", "config value", "authentication method"]),
  chosen: Schema.String,
  offered: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The agent offers no ${this.what} ${this.chosen}; it offers ${this.offered.join(", ") || "none"}`
  }
}

/**
 * The agent asked for authentication, and it did not lead to a session.
 *
 * - `StillRequired`: authenticating by the method succeeded, and the agent asks for it again. It may have to be restarted.
 * - `Reconnect`: the user logged in in a terminal. The agent knows of it once it is started again.
 * - `LoginFailed`: the login in a terminal did not end with code 0.
 *
 * @category errors
 * @since 0.1.0
 */
export class AuthenticationFailed extends Schema.TaggedError<AuthenticationFailed>()("AuthenticationFailed", {
  methodId: Schema.String,
  reason: Schema.Literals(["StillRequired", "Reconnect", "LoginFailed"])
}) {
  override get message(): string {
    switch (this.reason) {
      case "StillRequired":
        return `Authenticated with ${this.methodId}, the agent still asks for authentication; it may have to be restarted`
      case "Reconnect":
        return `Logged in with ${this.methodId}: connect to the agent again`
      case "LoginFailed":
        return `The login with ${this.methodId} did not succeed`
    }
  }
}

/**
 * The agent did not set up a session within the bound that was set; the request was cancelled.
 *
 * @category errors
 * @since 0.1.0
 */
export class SetupTimeout extends Schema.TaggedError<SetupTimeout>()("SetupTimeout", {
  millis: Schema.Finite
}) {
  override get message(): string {
    return `The agent did not set up the session within ${this.millis} ms`
  }
}

/**
 * A turn made no progress within the bound that was set; it was cancelled.
 *
 * @category errors
 * @since 0.1.0
 */
export class NoProgress extends Schema.TaggedError<NoProgress>()("NoProgress", {
  millis: Schema.Finite
}) {
  override get message(): string {
    return `The turn made no progress for ${this.millis} ms and was cancelled`
  }
}

/**
 * The agent ended, and starting it again did not help; `cause` is what the last attempt failed with, if there was one.
 *
 * @category errors
 * @since 0.1.0
 */
export class AgentLost extends Schema.TaggedError<AgentLost>()("AgentLost", {
  reason: Schema.Unknown as unknown as Schema.Codec<CloseReason>,
  restarts: Schema.Finite,
  cause: Schema.Unknown
}) {
  override get message(): string {
    const last = this.cause === undefined ? "" : `; the last attempt: ${describeCause(this.cause)}`
    return `The agent is gone after ${this.restarts} restarts: ${describeCloseReason(this.reason)}${last}`
  }
}

/**
 * The agent was started again and did not take the session up; `cause` is why.
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionLost extends Schema.TaggedError<SessionLost>()("SessionLost", {
  sessionId: Schema.String,
  cause: Schema.Unknown
}) {
  override get message(): string {
    return `Session ${this.sessionId} did not survive the agent's restart: ${describeCause(this.cause)}`
  }
}
