/**
 * Model providers that a client may configure.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { list, nullish } from "../../internal/leniency.ts"
import { meta } from "../Common.ts"
import * as Unknown from "../Unknown.ts"

/**
 * The name of a provider.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProviderId = Schema.String.annotate({ identifier: "ProviderId" })

/**
 * The name of a provider.
 *
 * @category models
 * @since 0.1.0
 */
export type ProviderId = typeof ProviderId.Type

/**
 * The protocol that a provider speaks; other values are allowed.
 *
 * **Details**
 *
 * Names that begin with `_` are free for own use.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LlmProtocol = Unknown.openLiterals(["anthropic", "openai", "azure", "vertex", "bedrock"]).annotate({
  identifier: "LlmProtocol"
})

/**
 * The protocol that a provider speaks; other values are allowed.
 *
 * @category models
 * @since 0.1.0
 */
export type LlmProtocol = typeof LlmProtocol.Type

/**
 * How a provider is reached now; holds no secrets.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProviderCurrentConfig = Schema.Struct({
  apiType: LlmProtocol,
  baseUrl: Schema.String,
  ...meta
}).annotate({ identifier: "ProviderCurrentConfig" })

/**
 * How a provider is reached now; holds no secrets.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProviderCurrentConfig extends Schema.Schema.Type<typeof ProviderCurrentConfig> {}

/**
 * A provider that may be configured.
 *
 * **Details**
 *
 * Without a `current` configuration it is disabled, which a `required` one cannot be.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ProviderInfo = Schema.Struct({
  providerId: ProviderId,
  supported: list(LlmProtocol),
  required: Schema.Boolean,
  current: nullish(ProviderCurrentConfig),
  ...meta
}).annotate({ identifier: "ProviderInfo" })

/**
 * A provider that may be configured.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProviderInfo extends Schema.Schema.Type<typeof ProviderInfo> {}

/**
 * Asks for the providers.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListProvidersRequest = Schema.Struct({
  ...meta
}).annotate({ identifier: "ListProvidersRequest" })

/**
 * Asks for the providers.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListProvidersRequest extends Schema.Schema.Type<typeof ListProvidersRequest> {}

/**
 * The providers.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ListProvidersResponse = Schema.Struct({
  providers: Schema.Array(ProviderInfo),
  ...meta
}).annotate({ identifier: "ListProvidersResponse" })

/**
 * The providers.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListProvidersResponse extends Schema.Schema.Type<typeof ListProvidersResponse> {}

/**
 * Replaces the whole configuration of a provider.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SetProviderRequest = Schema.Struct({
  providerId: ProviderId,
  apiType: LlmProtocol,
  baseUrl: Schema.String,
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  ...meta
}).annotate({ identifier: "SetProviderRequest" })

/**
 * Replaces the whole configuration of a provider.
 *
 * @category models
 * @since 0.1.0
 */
export interface SetProviderRequest extends Schema.Schema.Type<typeof SetProviderRequest> {}

/**
 * The provider is configured.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SetProviderResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "SetProviderResponse" })

/**
 * The provider is configured.
 *
 * @category models
 * @since 0.1.0
 */
export interface SetProviderResponse extends Schema.Schema.Type<typeof SetProviderResponse> {}

/**
 * Disables a provider.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DisableProviderRequest = Schema.Struct({
  providerId: ProviderId,
  ...meta
}).annotate({ identifier: "DisableProviderRequest" })

/**
 * Disables a provider.
 *
 * @category models
 * @since 0.1.0
 */
export interface DisableProviderRequest extends Schema.Schema.Type<typeof DisableProviderRequest> {}

/**
 * The provider is disabled.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DisableProviderResponse = Schema.Struct({
  ...meta
}).annotate({ identifier: "DisableProviderResponse" })

/**
 * The provider is disabled.
 *
 * @category models
 * @since 0.1.0
 */
export interface DisableProviderResponse extends Schema.Schema.Type<typeof DisableProviderResponse> {}
