// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { AvatarProps } from "./avatar.js";
import type { ContextProps } from "./context.js";
import type { LlmConfigurationProps } from "./llm-configuration.js";
import type { PresetProps } from "./preset.js";
import type { SecretProps } from "./secret.js";
import type { VoiceProps } from "./voice.js";

/** Overrides of an environment, by logical name. */
export type Differences<Props> = Readonly<
  Record<string, { readonly [Name in keyof Props]?: Props[Name] | undefined }>
>;

/** Objects that differ in an environment. */
export interface CollectionDifferences {
  /** Avatars that differ, by logical name. */
  readonly avatars?: Differences<AvatarProps> | undefined;
  /** Voices that differ, by logical name. */
  readonly voices?: Differences<VoiceProps> | undefined;
  /** Contexts that differ, by logical name. */
  readonly contexts?: Differences<ContextProps> | undefined;
  /** Secrets that differ, by logical name. */
  readonly secrets?: Differences<SecretProps> | undefined;
  /** LLM configurations that differ, by logical name. */
  readonly llmConfigurations?: Differences<LlmConfigurationProps> | undefined;
  /** Presets that differ, by logical name. */
  readonly sessions?: Differences<PresetProps> | undefined;
}
