/**
 * How long to wait, where sessions live, and what is allowed while a program is judged.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"

/**
 * What the requirements are given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Settings {
  /** The folder that sessions are created in. */
  readonly sessionCwd: string
  /** An existing folder that no session is created in. */
  readonly unusedCwd: string
  /** A second folder for a session that takes several. */
  readonly extraDirectory: string
  /** How long an answer may take. 30 seconds by default. */
  readonly timeout: Duration.Duration
  /** How long the answer to `initialize` may take. 30 seconds by default. */
  readonly startupTimeout: Duration.Duration
  /** How long one requirement may take. 120 seconds by default. */
  readonly testTimeout: Duration.Duration
  /** How long a program may take to exit after the end of its input. 2 seconds by default. */
  readonly closeGrace: Duration.Duration
  /** How long "nothing more arrives" waits: a tenth of `timeout`, at least 0.5 and at most 2 seconds. */
  readonly silence: Duration.Duration
  /** How long a cancel waits for the first update. 0.5 seconds by default. */
  readonly cancelDelay: Duration.Duration
  /** The prompt that keeps the agent busy for as long as a cancel takes. */
  readonly busyPrompt: string
  /** The authentication method to use before a session is created, and to judge. */
  readonly authMethod: string | undefined
  /** Whether `logout` may be called. */
  readonly allowLogout: boolean
}

/**
 * A prompt that keeps an agent with a model busy.
 *
 * @category constants
 * @since 0.1.0
 */
export const busyPrompt =
  "Count from 1 to 1000 in words, one number on each line. Do not use any tools and do not stop early."

/**
 * Settings with defaults for what is not given.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  options: Pick<Settings, "sessionCwd" | "unusedCwd" | "extraDirectory"> & Partial<Settings>
): Settings => {
  const timeout = options.timeout ?? Duration.seconds(30)
  return {
    timeout,
    startupTimeout: Duration.seconds(30),
    testTimeout: Duration.seconds(120),
    closeGrace: Duration.seconds(2),
    silence: Duration.clamp(Duration.times(timeout, 0.1), {
      minimum: Duration.millis(500),
      maximum: Duration.seconds(2)
    }),
    cancelDelay: Duration.millis(500),
    busyPrompt,
    authMethod: undefined,
    allowLogout: false,
    ...options
  }
}
