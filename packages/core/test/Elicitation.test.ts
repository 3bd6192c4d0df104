import * as Elicitation from "@effect-acp/core/Elicitation"
import * as ElicitationForm from "@effect-acp/core/ElicitationForm"
import * as ElicitationSchema from "@effect-acp/core/schema/ElicitationSchema"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Stream } from "effect"
import * as Support from "./support/client.ts"

const { Frames } = Support

const form = ElicitationSchema.object({
  name: ElicitationSchema.string({ title: "Name", minLength: 2, maxLength: 3, pattern: "^[a-z😀]+$" }),
  mail: ElicitationSchema.string({ format: "email" }),
  link: ElicitationSchema.string({ format: "uri" }),
  day: ElicitationSchema.string({ format: "date", default: "2026-01-31" }),
  moment: ElicitationSchema.string({ format: "date-time" }),
  strategy: ElicitationSchema.string({ oneOf: [{ const: "a", title: "Careful" }, { const: "b", title: "Bold" }] }),
  ratio: ElicitationSchema.number({ minimum: 0, maximum: 1, default: 0.5 }),
  count: ElicitationSchema.integer({ minimum: 1 }),
  sure: ElicitationSchema.boolean({ description: "Really?", default: false }),
  tags: ElicitationSchema.multiSelect(["x", "y"], { minItems: 1, maxItems: 2 })
}, { required: ["name", "sure"] })

const good: ElicitationForm.Answers = {
  name: "😀ab",
  mail: "a@b",
  link: "https://x.org/",
  day: "2026-02-01",
  moment: "2026-02-01T10:00:00Z",
  strategy: "b",
  ratio: 0,
  count: 3,
  sure: true,
  tags: ["y"]
}

describe("forms", () => {
  it("have fields with labels, choices and defaults", () => {
    const fields = ElicitationForm.fields(form)
    assert.deepStrictEqual(fields.map(({ name }) => name), Object.keys(form.properties ?? {}))
    const [name] = fields
    assert.deepInclude(name, { label: "Name", required: true, choices: undefined, default: undefined })
    assert.deepInclude(fields.find(({ name }) => name === "sure"), {
      label: "sure",
      description: "Really?",
      required: true
    })
    assert.deepStrictEqual(fields.find(({ name }) => name === "strategy")?.choices?.map(({ title }) => title), [
      "Careful",
      "Bold"
    ])
    assert.deepStrictEqual(fields.find(({ name }) => name === "tags")?.choices, [
      { const: "x", title: "x" },
      { const: "y", title: "y" }
    ])
    assert.deepStrictEqual(ElicitationForm.defaults(form), { day: "2026-01-31", ratio: 0.5, sure: false })
  })

  it("take answers that fit", () => {
    assert.deepStrictEqual(ElicitationForm.validate(form, good), Result.succeed(good))
    assert.isTrue(Result.isSuccess(ElicitationForm.validate(form, { name: "ab", sure: false })))
  })

  it("say of every answer that does not fit what is wrong with it", () => {
    const wrong: ReadonlyArray<[name: string, value: ElicitationForm.Answers[string], problem: RegExp]> = [
      ["name", "a", /at least 2/],
      ["name", "abcd", /at most 3/],
      ["name", "A1", /match/],
      ["name", 5, /text/],
      ["mail", "nobody", /email/],
      ["link", "not a link", /uri/],
      ["day", "2026-13-01", /date/],
      ["moment", "2026-02-01", /date-time/],
      ["strategy", "c", /one of Careful, Bold/],
      ["ratio", 1.5, /at most 1/],
      ["ratio", "1", /number/],
      ["count", 1.5, /whole number/],
      ["count", 0, /at least 1/],
      ["sure", "yes", /on or off/],
      ["tags", [], /at least 1/],
      ["tags", ["x", "y", "x"], /at most 2/],
      ["tags", ["z"], /among x, y/],
      ["tags", "x", /list/],
      ["other", "x", /no field/]
    ]
    for (const [name, value, problem] of wrong) {
      const result = ElicitationForm.validate(form, { ...good, [name]: value })
      assert.isTrue(Result.isFailure(result), name)
      const problems = Result.isFailure(result) ? result.failure : []
      assert.deepStrictEqual(problems.map(({ field }) => field), [name])
      assert.match(problems[0].problem, problem)
    }
    const missing = ElicitationForm.validate(form, {})
    assert.deepStrictEqual(Result.isFailure(missing) && missing.failure, [
      { field: "name", problem: "is required" },
      { field: "sure", problem: "is required" }
    ])
  })
})

const create = (id: string, params: Support.Frames.Json) =>
  Frames.request(id, "elicitation/create", { message: "?", ...params })

const formRequest = (id: string, scope: Support.Frames.Json = { sessionId: "s1" }) =>
  create(id, {
    ...scope,
    mode: "form",
    requestedSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
  })

const urlRequest = (id: string, elicitationId: string) =>
  create(id, { sessionId: "s1", mode: "url", elicitationId, url: "https://x.org/login" })

describe("a client that is asked", () => {
  it.effect("answers a form with accept, decline or cancel, and never with what does not fit", () =>
    Effect.gen(function*() {
      const answers = [1, "decline", "cancel", "one"]
      const { peer } = yield* Support.withSession({
        services: Elicitation.layer({
          form: (request) =>
            Effect.sync(() => {
              const answer = answers.shift()
              if (answer === "decline" || answer === "cancel") return answer
              return Result.getOrElse(Elicitation.accept(request, { n: answer as number }), () => "decline" as const)
            })
        })
      })
      const expected = [{ action: "accept", content: { n: 1 } }, { action: "decline" }, { action: "cancel" }, {
        action: "decline"
      }]
      for (const result of expected) {
        yield* peer.send(formRequest("q"))
        assert.deepStrictEqual((yield* peer.expect({ id: "q" })).result, result)
      }
    }))

  it.effect("leads to a URL, and learns once that the user is done there", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { peer } = yield* Support.withSession({
        services: Elicitation.layer({
          url: ({ elicitationId, url }) =>
            Effect.succeed(url === "https://x.org/login" && elicitationId === "a" ? "accept" : "decline"),
          completed: (elicitationId) => Effect.sync(() => done.push(elicitationId))
        })
      })
      yield* peer.send(urlRequest("1", "a"), urlRequest("2", "b"))
      assert.deepStrictEqual((yield* peer.find({ id: "1" })).result, { action: "accept" })
      assert.deepStrictEqual((yield* peer.find({ id: "2" })).result, { action: "decline" })
      const complete = (elicitationId: string) => Frames.notification("elicitation/complete", { elicitationId })
      yield* peer.send(complete("a"), complete("a"), complete("b"), complete("ghost"))
      yield* peer.settle
      assert.deepStrictEqual(done, ["a"])
    }))

  it.effect("refuses a mode that it did not advertise", () =>
    Effect.gen(function*() {
      const { peer } = yield* Support.withSession({
        services: Elicitation.layer({ form: () => Effect.succeed("decline") })
      })
      yield* peer.send(urlRequest("1", "a"))
      yield* peer.expect({ id: "1", error: { code: -32602, data: { mode: "url" } } })
      yield* peer.send(create("2", { sessionId: "s1", mode: "hologram" }))
      yield* peer.expect({ id: "2", error: { code: -32602, data: { mode: "hologram" } } })
    }))

  it.effect("refuses one for a session that it does not know, and takes one for a request", () =>
    Effect.gen(function*() {
      const { peer } = yield* Support.withSession({
        services: Elicitation.layer({ form: () => Effect.succeed("decline") })
      })
      yield* peer.send(formRequest("1", { sessionId: "ghost" }))
      yield* peer.expect({ id: "1", error: { code: -32002 } })
      yield* peer.send(formRequest("2", { requestId: 5 }))
      yield* peer.expect({ id: "2", result: { action: "decline" } })
    }))

  it.effect("X7 is cancelled with the turn that asks", () =>
    Effect.gen(function*() {
      const { peer, session } = yield* Support.withSession({
        services: Elicitation.layer({ form: () => Effect.never })
      })
      const turn = yield* Effect.forkChild(Stream.runDrain(session.prompt("x")))
      const prompt = yield* peer.expect({ method: "session/prompt" })
      yield* peer.send(formRequest("q"))
      yield* peer.settle
      assert.isTrue(yield* session.isAsking)
      yield* session.cancel
      yield* peer.expect({ method: "session/cancel" })
      yield* peer.expect({ id: "q", result: { action: "cancel" } })
      yield* peer.respond(prompt, { stopReason: "cancelled" })
      yield* Fiber.join(turn)
    }))
})
