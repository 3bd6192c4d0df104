/**
 * How a client answers an agent that asks its user for input: by a form, or by leading the user to a URL.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as ElicitationForm from "./ElicitationForm.ts"
import type { Mode } from "./schema/Elicitation.ts"

/**
 * A form to fill in; `requestedSchema` describes it, see `ElicitationForm`.
 *
 * @category models
 * @since 0.1.0
 */
export type FormRequest = Mode<"form">

/**
 * A URL to lead the user to.
 *
 * Show the whole URL and its host, and open it only when the user agrees.
 *
 * @category models
 * @since 0.1.0
 */
export type UrlRequest = Mode<"url">

const TypeId = "~effect-acp/Elicitation/Accepted"

/**
 * Answers that fit their form. Only {@link accept} makes them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Accepted {
  readonly [TypeId]: typeof TypeId
  readonly answers: ElicitationForm.Answers
}

/**
 * What the user did with a form: filled it in, refused to, or put it aside.
 *
 * @category models
 * @since 0.1.0
 */
export type FormAnswer = Accepted | "decline" | "cancel"

/**
 * What the user did with a URL. `accept` says that he agreed to open it, not that he is done there.
 *
 * @category models
 * @since 0.1.0
 */
export type UrlAnswer = "accept" | "decline" | "cancel"

/**
 * Asks the user for what an agent wants to know. Without it a client advertises no elicitation.
 *
 * **Details**
 *
 * What is there is advertised: `elicitation.form`, `elicitation.url`, or both (G5). When the turn that asks is cancelled, the
 * question is interrupted and the agent told that it was cancelled.
 *
 * @category services
 * @since 0.1.0
 */
export class Elicitation extends Context.Service<Elicitation, {
  readonly form: ((request: FormRequest) => Effect.Effect<FormAnswer>) | undefined
  readonly url: ((request: UrlRequest) => Effect.Effect<UrlAnswer>) | undefined
  /** Learns that the user is done at a URL that he was led to: once for each, if the agent tells at all. */
  readonly completed: (elicitationId: string) => Effect.Effect<void>
}>()("@effect-acp/core/Elicitation") {}

/**
 * Asks by functions, which may need services and may take as long as a person does.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R1 = never, R2 = never, R3 = never>(handlers: {
  readonly form?: ((request: FormRequest) => Effect.Effect<FormAnswer, never, R1>) | undefined
  readonly url?: ((request: UrlRequest) => Effect.Effect<UrlAnswer, never, R2>) | undefined
  readonly completed?: ((elicitationId: string) => Effect.Effect<void, never, R3>) | undefined
}): Layer.Layer<Elicitation, never, R1 | R2 | R3> =>
  Layer.effect(Elicitation)(Effect.map(Effect.context<R1 | R2 | R3>(), (context) => {
    const { completed, form, url } = handlers
    return Elicitation.of({
      form: form && ((request) => Effect.provideContext(form(request), context)),
      url: url && ((request) => Effect.provideContext(url(request), context)),
      completed: (elicitationId) =>
        completed === undefined ? Effect.void : Effect.provideContext(completed(elicitationId), context)
    })
  }))

/**
 * Accepts a form with these answers, if they fit; else everything that is wrong with them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const accept = (
  request: FormRequest,
  answers: ElicitationForm.Answers
): Result.Result<Accepted, ReadonlyArray<ElicitationForm.Problem>> =>
  Result.map(ElicitationForm.validate(request.requestedSchema, answers), (answers) => ({ [TypeId]: TypeId, answers }))

/**
 * Tells whether a form was accepted.
 *
 * @category guards
 * @since 0.1.0
 */
export const isAccepted = (u: unknown): u is Accepted => Predicate.hasProperty(u, TypeId)
