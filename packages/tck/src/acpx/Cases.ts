/**
 * The cases of the acpx profile.
 *
 * @since 0.1.0
 */
import type { JsonObject } from "../Json.ts"
import type { Case, Check, Step } from "./Case.ts"

const ended = ["end_turn", "completed", "done"]

const newSession: Step = { step: "new_session", save: "session" }

const words = (text: string): JsonObject => ({ prompt: [{ type: "text", text }] })

const prompt = (text: string, save = "turn"): Step => ({ step: "prompt", save, params: words(text) })

const background = (text: string, save = "turn"): Step => ({ step: "prompt_background", save, params: words(text) })

const wait: Step = { step: "await_background", of: "turn" }

const stops = (reasons: ReadonlyArray<string> = ended, of = "turn"): Check => ({
  check: "stop_reason",
  of,
  in: reasons
})

const updates = (atLeast: number): Check => ({ check: "updates", atLeast })

const forEveryAgent: ReadonlyArray<Case> = [
  {
    id: "001",
    title: "initialize.handshake",
    permission: "approve",
    steps: [],
    checks: [{ check: "version_is_number" }]
  },
  {
    id: "002",
    title: "session.new.basic",
    permission: "approve",
    steps: [newSession],
    checks: [{ check: "session_id", of: "session" }]
  },
  {
    id: "003",
    title: "session.prompt.single_turn",
    permission: "approve",
    steps: [newSession, prompt("echo hello")],
    checks: [updates(1), { check: "one_session" }, stops()]
  },
  {
    id: "004",
    title: "session.update.termination",
    permission: "approve",
    steps: [newSession, prompt("echo first second third")],
    checks: [updates(1), stops()]
  },
  {
    id: "006",
    title: "errors.invalid_params",
    permission: "approve",
    steps: [{ ...newSession, params: { cwd: 42 } }],
    checks: [{ check: "error", of: "session", code: -32602 }]
  },
  {
    id: "008",
    title: "errors.unknown_session",
    permission: "approve",
    steps: [{ step: "prompt", save: "turn", params: { ...words("echo hello"), sessionId: "acpx-no-such-session" } }],
    checks: [{ check: "error", of: "turn" }]
  },
  {
    id: "009",
    title: "session.cancel.idle",
    permission: "approve",
    steps: [newSession, { step: "cancel" }, prompt("echo still here")],
    checks: [stops()]
  },
  {
    id: "010",
    title: "session.prompt.multi_turn",
    permission: "approve",
    steps: [newSession, prompt("echo one", "first"), prompt("echo two", "second")],
    checks: [stops(ended, "first"), stops(ended, "second")]
  },
  {
    id: "011",
    title: "errors.invalid_prompt_session_type",
    permission: "approve",
    steps: [{ step: "prompt", save: "turn", params: { ...words("echo hello"), sessionId: 42 } }],
    checks: [{ check: "error", of: "turn" }]
  },
  {
    id: "013",
    title: "session.prompt.echo_empty",
    permission: "approve",
    steps: [newSession, prompt("echo")],
    checks: [stops()]
  },
  {
    id: "014",
    title: "session.prompt.unrecognized",
    permission: "approve",
    steps: [newSession, prompt("xyzzy")],
    checks: [stops()]
  },
  {
    id: "015",
    title: "errors.invalid_params.cwd_null",
    permission: "approve",
    steps: [{ ...newSession, params: { cwd: null } }],
    checks: [{ check: "error", of: "session" }]
  },
  {
    id: "016",
    title: "session.prompt.structured_blocks",
    permission: "approve",
    steps: [newSession, {
      step: "prompt",
      save: "turn",
      params: {
        prompt: [
          { type: "text", text: "echo with a link" },
          { type: "resource_link", name: "README.md", uri: "file:///README.md" }
        ]
      }
    }],
    checks: [stops()]
  },
  {
    id: "019",
    title: "session.prompt.background_completion",
    permission: "approve",
    steps: [newSession, background("echo in the background"), wait],
    checks: [stops()]
  }
]

const forTheMock: ReadonlyArray<Case> = [
  {
    id: "005",
    title: "session.cancel.in_flight",
    command: "sleep",
    permission: "approve",
    steps: [newSession, background("{busy}"), { step: "sleep", millis: 200 }, { step: "cancel" }, wait],
    checks: [stops(["cancelled"])]
  },
  {
    id: "007",
    title: "errors.permission_denied",
    command: "read",
    permission: "deny",
    steps: [newSession, prompt("read README.md")],
    checks: [{ check: "text", contains: "permission denied" }, stops(["end_turn", "cancelled", "failed"])]
  },
  {
    id: "012",
    title: "errors.permission_denied.write",
    command: "write",
    permission: "deny",
    steps: [newSession, prompt("write README.md blocked")],
    checks: [{ check: "text", contains: "permission denied" }, stops(["end_turn", "cancelled", "failed"])]
  },
  {
    id: "017",
    title: "permissions.read.approved",
    command: "read",
    permission: "approve",
    steps: [newSession, prompt("read README.md")],
    checks: [{ check: "text", contains: "acpx" }, { check: "file", operation: "read" }, stops()]
  },
  {
    id: "018",
    title: "permissions.write.approved",
    command: "write",
    permission: "approve",
    steps: [newSession, prompt("write /tmp/acpx-conformance-write.txt hello")],
    checks: [{ check: "text", contains: "wrote" }, { check: "file", operation: "write" }, stops()]
  },
  {
    id: "020",
    title: "session.cancel.followup_prompt",
    command: "sleep",
    permission: "approve",
    steps: [
      newSession,
      background("{busy}"),
      { step: "sleep", millis: 200 },
      { step: "cancel" },
      wait,
      prompt("echo after the cancel", "next")
    ],
    checks: [stops(["cancelled"]), stops(ended, "next")]
  },
  {
    id: "021",
    title: "session.prompt.post_success_drain",
    command: "late-tool",
    permission: "approve",
    steps: [newSession, prompt("late-tool 40 follow-up"), { step: "sleep", millis: 160 }],
    checks: [
      { check: "kinds", include: ["tool_call", "tool_call_update"] },
      { check: "updates", atLeast: 4 },
      { check: "updates", atLeast: 1, after: "turn" },
      stops()
    ]
  }
]

/**
 * The cases that any agent can be held to.
 *
 * @category cases
 * @since 0.1.0
 */
export const core: ReadonlyArray<Case> = forEveryAgent

/**
 * All 21 cases, those included that need the commands of acpx's mock agent.
 *
 * @category cases
 * @since 0.1.0
 */
export const all: ReadonlyArray<Case> = [...forEveryAgent, ...forTheMock].toSorted((a, b) => a.id < b.id ? -1 : 1)
