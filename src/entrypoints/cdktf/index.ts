/** Constructs for CDK Terrain and CDKTF: thin ones over the provider's generated bindings. */
export { AvataropsProvider, type AvataropsProviderProps } from "./provider.js";

// <generated: kinds>

export { Avatar, type AvatarProps } from "./generated/avatar.js";
export {
  DataAvataropsAvatar,
  type DataAvataropsAvatarConfig,
} from "./generated/bindings/data-avatarops-avatar/index.js";
export {
  DataAvataropsAvatars,
  type DataAvataropsAvatarsConfig,
} from "./generated/bindings/data-avatarops-avatars/index.js";
export {
  DataAvataropsContext,
  type DataAvataropsContextConfig,
} from "./generated/bindings/data-avatarops-context/index.js";
export {
  DataAvataropsContexts,
  type DataAvataropsContextsConfig,
} from "./generated/bindings/data-avatarops-contexts/index.js";
export {
  DataAvataropsStockAvatar,
  type DataAvataropsStockAvatarConfig,
} from "./generated/bindings/data-avatarops-stock-avatar/index.js";
export {
  DataAvataropsStockVoice,
  type DataAvataropsStockVoiceConfig,
} from "./generated/bindings/data-avatarops-stock-voice/index.js";
export { Context, type ContextProps } from "./generated/context.js";
export { LlmConfiguration, type LlmConfigurationProps } from "./generated/llm-configuration.js";
export type { ISecret } from "./generated/reference.js";
export { Secret, type SecretProps } from "./generated/secret.js";
export { Voice, type VoiceProps } from "./generated/voice.js";

// </generated>
