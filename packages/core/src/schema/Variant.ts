/**
 * Matchers for the unions of the protocol.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"

/**
 * The cases of a union, by the value of the member that tells them apart.
 *
 * @category models
 * @since 0.1.0
 */
export type ByTag<Union, Discriminator extends keyof Union> = {
  readonly [Tag in Union[Discriminator] & string]: Extract<Union, { readonly [K in Discriminator]: Tag }>
}

/**
 * One function for each case.
 *
 * @category models
 * @since 0.1.0
 */
export type Cases<Types> = { readonly [Name in keyof Types]: (value: Types[Name]) => unknown }

type Exact<Given, Allowed> = Given & { readonly [Name in Exclude<keyof Given, keyof Allowed>]: never }

type Result<Given> = Given[keyof Given] extends infer F ?
  F extends (...args: ReadonlyArray<never>) => infer A ? A : never
  : never

/**
 * An exhaustive match: a missing case, `unknown` included, does not compile.
 *
 * @category models
 * @since 0.1.0
 */
export interface Match<Types> {
  <Given extends Cases<Types>>(cases: Exact<Given, Types>): (self: Types[keyof Types]) => Result<Given>
  <Given extends Cases<Types>>(self: Types[keyof Types], cases: Exact<Given, Types>): Result<Given>
}

/**
 * A match of some cases; `orElse` takes the others.
 *
 * @category models
 * @since 0.1.0
 */
export interface MatchOrElse<Types> {
  <Given extends Partial<Cases<Types>>, A>(
    cases: Exact<Given, Types>,
    orElse: (value: Types[Exclude<keyof Types, keyof Given>]) => A
  ): (self: Types[keyof Types]) => Result<Given> | A
  <Given extends Partial<Cases<Types>>, A>(
    self: Types[keyof Types],
    cases: Exact<Given, Types>,
    orElse: (value: Types[Exclude<keyof Types, keyof Given>]) => A
  ): Result<Given> | A
}

/**
 * Makes the matcher of a union whose cases have names.
 *
 * @category constructors
 * @since 0.1.0
 */
export const matcher = <Types>(nameOf: (value: Types[keyof Types]) => keyof Types): Match<Types> =>
  dual(2, (self: Types[keyof Types], cases: Cases<Types>) => cases[nameOf(self)](self))

/**
 * Makes the partial matcher of a union whose cases have names.
 *
 * @category constructors
 * @since 0.1.0
 */
export const matcherOrElse = <Types>(nameOf: (value: Types[keyof Types]) => keyof Types): MatchOrElse<Types> =>
  dual(3, (
    self: Types[keyof Types],
    cases: Partial<Cases<Types>>,
    orElse: (value: Types[keyof Types]) => unknown
  ) => {
    const name = nameOf(self)
    const matched = Object.hasOwn(cases, name) ? cases[name] : undefined
    return (matched ?? orElse)(self)
  })

/**
 * Makes the matcher of a union that is told apart by one member.
 *
 * @category constructors
 * @since 0.1.0
 */
export const byTag =
  <Union>() => <Discriminator extends keyof Union>(discriminator: Discriminator): Match<ByTag<Union, Discriminator>> =>
    matcher<ByTag<Union, Discriminator>>(tagOf<Union, Discriminator>(discriminator))

/**
 * Makes the partial matcher of a union that is told apart by one member.
 *
 * @category constructors
 * @since 0.1.0
 */
export const byTagOrElse =
  <Union>() =>
  <Discriminator extends keyof Union>(discriminator: Discriminator): MatchOrElse<ByTag<Union, Discriminator>> =>
    matcherOrElse<ByTag<Union, Discriminator>>(tagOf<Union, Discriminator>(discriminator))

const tagOf = <Union, Discriminator extends keyof Union>(discriminator: Discriminator) =>
(
  value: ByTag<Union, Discriminator>[keyof ByTag<Union, Discriminator>]
): keyof ByTag<Union, Discriminator> => value[discriminator as never]
