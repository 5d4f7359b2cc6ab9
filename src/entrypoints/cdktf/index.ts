/** Constructs for CDKTF and CDK Terrain: thin ones over the provider's generated bindings. */
export {
  DataAvataropsSessions,
  type DataAvataropsSessionsConfig,
} from "./generated/data-avatarops-sessions/index.js";
export { AvatarManifest, type AvatarManifestOptions } from "./manifest.js";
export { ManifestError } from "./manifest-error.js";
export { promptFile } from "./prompt-file.js";
export { AvataropsProvider, type AvataropsProviderProps } from "./provider.js";
export { LiteralSecretError } from "./require-secret-token.js";
export { SecretValue, type SecretValueProps } from "./secret-value.js";

// <generated: kinds>

export { Avatar, type AvatarProps } from "./avatar.js";
export { Context, type ContextProps } from "./context.js";
export {
  DataAvataropsAvatar,
  type DataAvataropsAvatarConfig,
} from "./generated/data-avatarops-avatar/index.js";
export {
  DataAvataropsAvatars,
  type DataAvataropsAvatarsConfig,
} from "./generated/data-avatarops-avatars/index.js";
export {
  DataAvataropsContext,
  type DataAvataropsContextConfig,
} from "./generated/data-avatarops-context/index.js";
export {
  DataAvataropsContexts,
  type DataAvataropsContextsConfig,
} from "./generated/data-avatarops-contexts/index.js";
export type { IAvatar, IContext, IVoice } from "./reference.js";
export { Secret, type SecretProps } from "./secret.js";
export { type PersonaProps, SessionToken, type SessionTokenProps } from "./session-token.js";
export { Voice, type VoiceProps } from "./voice.js";

// </generated>
