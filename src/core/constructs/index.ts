/** The desired state in TypeScript: constructs equivalent to a manifest. */
export { loadManifest, openDefinitions } from "./definitions.js";
export type {
  EnvironmentProps,
  ProjectProps,
  ServiceProps,
  Settings,
  ThresholdsProps,
} from "./generated/project-props.js";
export { Project } from "./project.js";
export { printStatements } from "./project-texts.js";
export {
  awsSecretsManager,
  azureKeyVault,
  defineSource,
  type ExtraValue,
  type ExtraValues,
  env,
  exec,
  file,
  googleSecretManager,
  promptFile,
  type SourceFunction,
  type SourceOptions,
  sops,
  stockAvatar,
  stockVoice,
  type TemplateFile,
  type Text,
  text,
  vault,
} from "./sources.js";

// <generated: kinds>

export { Avatar, type AvatarProps } from "./generated/avatar.js";
export { Context, type ContextProps, type LinkProps } from "./generated/context.js";
export type { Differences } from "./generated/differences.js";
export { LlmConfiguration, type LlmConfigurationProps } from "./generated/llm-configuration.js";
export {
  type LanguageModel,
  type LivekitRoom,
  type PersonaProps,
  Preset,
  type PresetProps,
  type SessionMemory,
  type SpeechToText,
  type VideoSettings,
  type VoiceSettings,
} from "./generated/preset.js";
export { Secret, type SecretProps } from "./generated/secret.js";
export { Voice, type VoiceProps } from "./generated/voice.js";

// </generated>
