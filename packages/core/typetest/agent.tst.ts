import type * as AcpError from "@effect-acp/core/AcpError"
import * as Agent from "@effect-acp/core/Agent"
import * as AgentSession from "@effect-acp/core/AgentSession"
import * as Model from "@effect-acp/core/Model"
import type { Transport } from "@effect-acp/core/Transport"
import type { PermissionOutcome, Turn } from "@effect-acp/core/Turn"
import { Context, Effect, Layer, Schema, type Scope, Stream } from "effect"
import { type LanguageModel, Tool, Toolkit } from "effect/ai"
import { describe, expect, it } from "tstyche"

class Database extends Context.Service<Database, { readonly name: string }>()("Database") {}
class Clock extends Context.Service<Clock, { readonly now: number }>()("Clock") {}
class Config extends Context.Service<Config, { readonly url: string }>()("Config") {}

const agentInfo = { name: "agent", version: "1.0.0" }

type Needs<L> = L extends Layer.Layer<infer _A, infer _E, infer R> ? R : never

describe("Agent.layer", () => {
  it("needs a transport, and nothing else when its handlers need nothing", () => {
    const agent = Agent.layer({ agentInfo, prompt: () => Effect.void })
    expect(agent).type.toBe<Layer.Layer<Agent.Agent, never, Transport>>()
  })

  it("needs what each of its handlers needs", () => {
    const agent = Agent.layer({
      agentInfo,
      prompt: () => Effect.asVoid(Database),
      openSession: () => Effect.asVoid(Clock),
      setMode: () => Effect.asVoid(Config)
    })
    expect<Needs<typeof agent>>().type.toBe<Transport | Database | Clock | Config>()
  })

  it("needs what a handler that is a stream needs", () => {
    const agent = Agent.layer({
      agentInfo,
      prompt: () => Stream.drain(Stream.fromEffect(Database))
    })
    expect<Needs<typeof agent>>().type.toBe<Transport | Database>()
  })

  it("does not need what its services build, but what they need", () => {
    const agent = Agent.layer({
      agentInfo,
      prompt: () => Effect.asVoid(Effect.all([Database, Clock])),
      services: Layer.effect(Database)(Effect.map(Config, ({ url }) => ({ name: url })))
    })
    expect<Needs<typeof agent>>().type.toBe<Transport | Clock | Config>()
  })

  it("gives handlers a scope", () => {
    const agent = Agent.layer({
      agentInfo,
      prompt: () => Effect.addFinalizer(() => Effect.void),
      openSession: () => Effect.addFinalizer(() => Effect.void)
    })
    expect<Needs<typeof agent>>().type.toBe<Transport>()
  })

  it("takes an effect that gives a stop reason, a response or nothing, and a stream of updates", () => {
    expect(Agent.layer).type.toBeCallableWith({ agentInfo, prompt: () => Effect.succeed("refusal" as const) })
    expect(Agent.layer).type.toBeCallableWith({
      agentInfo,
      prompt: () => Effect.succeed({ stopReason: "end_turn" as const, _meta: { tokens: 1 } })
    })
    expect(Agent.layer).type.not.toBeCallableWith({ agentInfo, prompt: () => Effect.succeed("done" as const) })
    expect(Agent.layer).type.not.toBeCallableWith({ agentInfo, prompt: () => Effect.succeed(1) })
    expect(Agent.layer).type.not.toBeCallableWith({ agentInfo, prompt: () => Stream.make("text") })
    expect(Agent.layer).type.not.toBeCallableWith({ agentInfo, prompt: () => "text" })
  })

  it("takes only errors of the library: what else a handler fails with is the author's to name", () => {
    expect(Agent.layer).type.not.toBeCallableWith({ agentInfo, prompt: () => Effect.fail("no" as const) })
    expect(Agent.layer).type.toBeCallableWith({
      agentInfo,
      prompt: (turn: Turn) => turn.toolCall({ title: "x" }, () => turn.readTextFile("/a")).pipe(Effect.asVoid)
    })
  })

  it("needs to say who it is and what a turn does", () => {
    expect(Agent.layer).type.not.toBeCallableWith({ agentInfo })
    expect(Agent.layer).type.not.toBeCallableWith({ prompt: () => Effect.void })
  })

  it("is run on stdio without a transport", () => {
    const run = Agent.runStdio(Agent.layer({ agentInfo, prompt: () => Effect.asVoid(Database) }))
    expect<Transport>().type.not.toBeAssignableTo<Effect.Services<typeof run>>()
    expect<Database>().type.toBeAssignableTo<Effect.Services<typeof run>>()
  })
})

describe("Turn", () => {
  const turn = {} as Turn

  it("keeps what the body of a tool call fails with and needs", () => {
    const call = turn.toolCall({ title: "x" }, () => Effect.andThen(Database, Effect.fail("no" as const)))
    expect(call).type.toBe<Effect.Effect<never, "no" | AcpError.AgentError, Database>>()
  })

  it("tells the outcome of a permission by its tag", () => {
    const outcome = {} as PermissionOutcome
    if (outcome._tag !== "Cancelled") expect(outcome.option.kind).type.toBeAssignableTo<string>()
    expect(turn.requestPermission({ toolCallId: "x" }, [])).type.toBe<
      Effect.Effect<PermissionOutcome, AcpError.CallError>
    >()
  })

  it("releases a terminal with a scope", () => {
    const terminal = turn.terminal({ command: "ls" })
    expect<Effect.Services<typeof terminal>>().type.toBe<Scope.Scope>()
    const run = turn.run({ command: "ls" })
    expect<Effect.Services<typeof run>>().type.toBe<never>()
  })
})

describe("AgentSession.local", () => {
  it("gives a session's scope to what is made, and asks for the rest", () => {
    const local = AgentSession.local(() => Effect.acquireRelease(Database, () => Effect.void))
    expect(local).type.toBe<
      (session: AgentSession.AgentSession) => Effect.Effect<Database["Service"], never, Database>
    >()
  })
})

describe("Model.prompt", () => {
  const Read = Tool.make("Read", {
    parameters: Schema.Struct({ path: Schema.String }),
    success: Schema.String,
    dependencies: [Model.CurrentTurn, Database]
  })

  it("needs a model, the handlers of its tools, and what they need besides the turn", () => {
    const agent = Agent.layer({ agentInfo, prompt: Model.prompt({ toolkit: Toolkit.make(Read) }) })
    expect<Needs<typeof agent>>().type.toBe<Transport | LanguageModel.LanguageModel | Tool.Handler<"Read"> | Database>()
  })

  it("needs a model alone when it has no tools", () => {
    const agent = Agent.layer({ agentInfo, prompt: Model.prompt() })
    expect<Needs<typeof agent>>().type.toBe<Transport | LanguageModel.LanguageModel>()
  })
})
