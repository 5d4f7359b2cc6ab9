// Generated from the kinds' descriptors by `npm run generate`: edit those.
import { Construct } from "constructs";
import { Avatar, type AvatarProps } from "./avatar.js";
import { Context, type ContextProps } from "./context.js";
import { LlmConfiguration, type LlmConfigurationProps } from "./llm-configuration.js";
import { Secret, type SecretProps } from "./secret.js";
import { Voice, type VoiceProps } from "./voice.js";

/** The constructs that a manifest creates. */
export class ManifestCollections extends Construct {
  /** By their keys in the manifest. */
  readonly avatars: { readonly [key: string]: Avatar } = {};
  readonly voices: { readonly [key: string]: Voice } = {};
  readonly contexts: { readonly [key: string]: Context } = {};
  readonly secrets: { readonly [key: string]: Secret } = {};
  readonly llmConfigurations: { readonly [key: string]: LlmConfiguration } = {};
}

/** How to create a construct of a kind. */
export const makers: {
  readonly [kind: string]: (
    scope: Construct,
    key: string,
    props: object,
  ) => Construct & { readonly id: string };
} = {
  avatar: (scope, key, props) => new Avatar(scope, key, props as AvatarProps),
  voice: (scope, key, props) => new Voice(scope, key, props as VoiceProps),
  context: (scope, key, props) => new Context(scope, key, props as ContextProps),
  secret: (scope, key, props) => new Secret(scope, key, props as SecretProps),
  llm_configuration: (scope, key, props) => new LlmConfiguration(scope, key, props as LlmConfigurationProps),
};
