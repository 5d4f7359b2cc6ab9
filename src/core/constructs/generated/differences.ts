// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { AvatarProps } from "./avatar.js";
import type { ContextProps } from "./context.js";
import type { LlmConfigurationProps } from "./llm-configuration.js";
import type { PresetProps } from "./preset.js";
import type { SecretProps } from "./secret.js";
import type { VoiceProps } from "./voice.js";

/** An environment's overrides, by logical name. */
export type Differences<Props> = Readonly<
  Record<string, { readonly [Name in keyof Props]?: Props[Name] | undefined }>
>;

/** Objects that an environment overrides. */
export interface CollectionDifferences {
  /** Avatars, by logical name. */
  readonly avatars?: Differences<AvatarProps> | undefined;
  /** Voices, by logical name. */
  readonly voices?: Differences<VoiceProps> | undefined;
  /** Contexts, by logical name. */
  readonly contexts?: Differences<ContextProps> | undefined;
  /** Secrets, by logical name. */
  readonly secrets?: Differences<SecretProps> | undefined;
  /** LLM configurations, by logical name. */
  readonly llmConfigurations?: Differences<LlmConfigurationProps> | undefined;
  /** Presets, by logical name. */
  readonly sessions?: Differences<PresetProps> | undefined;
}
