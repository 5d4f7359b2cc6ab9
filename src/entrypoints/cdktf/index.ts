/** Constructs for CDK Terrain and CDKTF, as thin wrappers around the provider's generated bindings. */
export { AvataropsProvider, type AvataropsProviderProps } from "./provider.js";

// <generated: kinds>

export { Avatar, type AvatarProps } from "./generated/avatar.js";
export {
  Avatar as AvatarResource,
  type AvatarConfig as AvatarResourceConfig,
  type AvatarDefaultVoice,
  type AvatarDefaultVoiceOutputReference,
  type AvatarTimeouts,
  type AvatarTimeoutsOutputReference,
} from "./generated/bindings/avatar/index.js";
export {
  Context as ContextResource,
  type ContextConfig as ContextResourceConfig,
  type ContextLinks,
  type ContextLinksList,
  type ContextLinksOutputReference,
  type ContextTimeouts,
  type ContextTimeoutsOutputReference,
} from "./generated/bindings/context/index.js";
export {
  DataAvataropsAvatar,
  type DataAvataropsAvatarConfig,
  type DataAvataropsAvatarDefaultVoice,
  type DataAvataropsAvatarDefaultVoiceOutputReference,
  type DataAvataropsAvatarTimeouts,
  type DataAvataropsAvatarTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-avatar/index.js";
export {
  DataAvataropsAvatars,
  type DataAvataropsAvatarsAvatars,
  type DataAvataropsAvatarsAvatarsDefaultVoice,
  type DataAvataropsAvatarsAvatarsDefaultVoiceOutputReference,
  type DataAvataropsAvatarsAvatarsList,
  type DataAvataropsAvatarsAvatarsOutputReference,
  type DataAvataropsAvatarsConfig,
  type DataAvataropsAvatarsTimeouts,
  type DataAvataropsAvatarsTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-avatars/index.js";
export {
  DataAvataropsContext,
  type DataAvataropsContextConfig,
  type DataAvataropsContextLinks,
  type DataAvataropsContextLinksList,
  type DataAvataropsContextLinksOutputReference,
  type DataAvataropsContextTimeouts,
  type DataAvataropsContextTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-context/index.js";
export {
  DataAvataropsContexts,
  type DataAvataropsContextsConfig,
  type DataAvataropsContextsContexts,
  type DataAvataropsContextsContextsList,
  type DataAvataropsContextsContextsOutputReference,
  type DataAvataropsContextsTimeouts,
  type DataAvataropsContextsTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-contexts/index.js";
export {
  DataAvataropsLlmConfiguration,
  type DataAvataropsLlmConfigurationConfig,
  type DataAvataropsLlmConfigurationTimeouts,
  type DataAvataropsLlmConfigurationTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-llm-configuration/index.js";
export {
  DataAvataropsLlmConfigurations,
  type DataAvataropsLlmConfigurationsConfig,
  type DataAvataropsLlmConfigurationsLlmConfigurations,
  type DataAvataropsLlmConfigurationsLlmConfigurationsList,
  type DataAvataropsLlmConfigurationsLlmConfigurationsOutputReference,
  type DataAvataropsLlmConfigurationsTimeouts,
  type DataAvataropsLlmConfigurationsTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-llm-configurations/index.js";
export {
  DataAvataropsSecret,
  type DataAvataropsSecretConfig,
  type DataAvataropsSecretTimeouts,
  type DataAvataropsSecretTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-secret/index.js";
export {
  DataAvataropsSecrets,
  type DataAvataropsSecretsConfig,
  type DataAvataropsSecretsSecrets,
  type DataAvataropsSecretsSecretsList,
  type DataAvataropsSecretsSecretsOutputReference,
  type DataAvataropsSecretsTimeouts,
  type DataAvataropsSecretsTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-secrets/index.js";
export {
  DataAvataropsStockAvatar,
  type DataAvataropsStockAvatarConfig,
  type DataAvataropsStockAvatarTimeouts,
  type DataAvataropsStockAvatarTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-stock-avatar/index.js";
export {
  DataAvataropsStockVoice,
  type DataAvataropsStockVoiceConfig,
  type DataAvataropsStockVoiceTimeouts,
  type DataAvataropsStockVoiceTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-stock-voice/index.js";
export {
  DataAvataropsVoice,
  type DataAvataropsVoiceConfig,
  type DataAvataropsVoiceTimeouts,
  type DataAvataropsVoiceTimeoutsOutputReference,
} from "./generated/bindings/data-avatarops-voice/index.js";
export {
  DataAvataropsVoices,
  type DataAvataropsVoicesConfig,
  type DataAvataropsVoicesTimeouts,
  type DataAvataropsVoicesTimeoutsOutputReference,
  type DataAvataropsVoicesVoices,
  type DataAvataropsVoicesVoicesList,
  type DataAvataropsVoicesVoicesOutputReference,
} from "./generated/bindings/data-avatarops-voices/index.js";
export {
  LlmConfiguration as LlmConfigurationResource,
  type LlmConfigurationConfig as LlmConfigurationResourceConfig,
  type LlmConfigurationTimeouts,
  type LlmConfigurationTimeoutsOutputReference,
} from "./generated/bindings/llm-configuration/index.js";
export {
  Secret as SecretResource,
  type SecretConfig as SecretResourceConfig,
  type SecretTimeouts,
  type SecretTimeoutsOutputReference,
} from "./generated/bindings/secret/index.js";
export {
  Voice as VoiceResource,
  type VoiceConfig as VoiceResourceConfig,
  type VoiceTimeouts,
  type VoiceTimeoutsOutputReference,
} from "./generated/bindings/voice/index.js";
export { Context, type ContextProps } from "./generated/context.js";
export { LlmConfiguration, type LlmConfigurationProps } from "./generated/llm-configuration.js";
export type { ISecret } from "./generated/reference.js";
export { Secret, type SecretProps } from "./generated/secret.js";
export { Voice, type VoiceProps } from "./generated/voice.js";

// </generated>
