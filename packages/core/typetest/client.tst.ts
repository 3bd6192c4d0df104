import type * as AcpError from "@effect-acp/core/AcpError"
import * as Authentication from "@effect-acp/core/Authentication"
import * as Client from "@effect-acp/core/Client"
import type { ClientSession } from "@effect-acp/core/ClientSession"
import * as Elicitation from "@effect-acp/core/Elicitation"
import * as Permission from "@effect-acp/core/Permission"
import * as PermissionQueue from "@effect-acp/core/PermissionQueue"
import * as Supervision from "@effect-acp/core/Supervision"
import * as Transport from "@effect-acp/core/Transport"
import * as TurnEvent from "@effect-acp/core/TurnEvent"
import { Context, Effect, Layer, type Scope, type Stream } from "effect"
import { describe, expect, test } from "tstyche"

class Dialog extends Context.Service<Dialog, { readonly ask: (text: string) => Effect.Effect<boolean> }>()("Dialog") {}

const askDialog: Permission.Policy<Dialog> = (request) =>
  Effect.flatMap(Dialog, ({ ask }) =>
    Effect.map(
      ask(request.toolCall.title ?? ""),
      (isAllowed) => isAllowed ? Permission.allowOnce(request) : Permission.reject(request)
    ))

declare const session: ClientSession

const client = Client.layer({ clientInfo: { name: "c", version: "1" } })

describe("handlers with requirements", () => {
  test("make their layer need them, and so the client's", () => {
    expect(Permission.layer(askDialog)).type.toBe<Layer.Layer<Permission.Permission, never, Dialog>>()
    expect(Layer.provide(client, Permission.layer(askDialog))).type.toBe<
      Layer.Layer<Client.Client, AcpError.ConnectError, Dialog | Transport.Transport>
    >()
  })

  test("keep them when policies are combined", () => {
    const policy = Permission.firstOf(Permission.allowReads, askDialog)
    expect(policy).type.toBe<Permission.Policy<Dialog>>()
    expect(Permission.rejectAfter(askDialog, "1 minute")).type.toBe<Permission.Policy<Dialog>>()
    expect(PermissionQueue.layer(askDialog)).type.toBe<
      Layer.Layer<Permission.Permission | PermissionQueue.PermissionQueue, never, Dialog>
    >()
  })

  test("of elicitations and authentication too", () => {
    const form = () => Effect.as(Dialog, "decline" as const)
    expect(Elicitation.layer({ form })).type.toBe<Layer.Layer<Elicitation.Elicitation, never, Dialog>>()
    const choose = () => Effect.as(Dialog, undefined)
    expect(Authentication.layer({ choose })).type.toBe<Layer.Layer<Authentication.Authentication, never, Dialog>>()
  })
})

describe("a client", () => {
  test("needs a transport and a permission, and nothing else", () => {
    expect(client).type.toBe<
      Layer.Layer<Client.Client, AcpError.ConnectError, Transport.Transport | Permission.Permission>
    >()
  })

  test("that is supervised needs what its agents need", () => {
    const transport = Layer.effect(Transport.Transport)(
      Effect.andThen(Dialog, Effect.fail("no agent" as const))
    )
    expect(Supervision.layer(transport, { clientInfo: { name: "c", version: "1" } })).type.toBe<
      Layer.Layer<
        Supervision.SupervisedClient,
        AcpError.ConnectError | "no agent",
        Dialog | Permission.Permission
      >
    >()
  })
})

describe("a decision", () => {
  test("is an offered option, not an id", () => {
    expect(Permission.layer).type.not.toBeCallableWith(() => Effect.succeed("allow"))
    expect(Permission.layer).type.not.toBeCallableWith(() => Effect.succeed({ optionId: "allow" }))
    expect(Permission.layer).type.not.toBeCallableWith(() => Effect.fail("no"))
  })

  test("on a form cannot be made of answers that were not checked", () => {
    expect(Elicitation.layer).type.not.toBeCallableWith({
      form: () => Effect.succeed({ action: "accept", content: { a: 1 } })
    })
  })
})

describe("a turn", () => {
  test("ends with one of its errors", () => {
    expect(session.prompt("x")).type.toBe<Stream.Stream<TurnEvent.TurnEvent, AcpError.TurnError>>()
    expect(TurnEvent.noProgress(session.prompt("x"), "1 minute")).type.toBe<
      Stream.Stream<TurnEvent.TurnEvent, AcpError.TurnError | AcpError.NoProgress>
    >()
  })

  test("of a new session needs a scope", () => {
    const opened = Effect.flatMap(Client.Client, ({ newSession }) => newSession({ cwd: "/" }))
    expect(opened).type.toBe<Effect.Effect<ClientSession, AcpError.SetupError, Client.Client | Scope.Scope>>()
  })
})
