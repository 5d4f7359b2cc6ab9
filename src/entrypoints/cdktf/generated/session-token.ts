// Generated from the kinds' descriptors by `npm run generate`: edit those.
import { Construct } from "constructs";
import { checkTokenRequest } from "../check-arguments.js";
import { literalButMeta } from "../literal.js";
import * as bindings from "./bindings/ephemeral-avatarops-session-token/index.js";
import { type IAvatar, type IContext, type ILlmConfiguration, type IVoice, toId } from "./reference.js";

type Config = bindings.EphemeralAvataropsSessionTokenConfig;
type PersonaPropsConfig = bindings.EphemeralAvataropsSessionTokenAvatarPersona;

/** Arguments of a {@link SessionToken}. */
export interface SessionTokenProps
  extends Omit<Config, "avatarId" | "avatarPersona" | "isSandbox" | "llmConfigurationId"> {
  /** The avatar: the construct, or its id. */
  readonly avatar?: IAvatar | string;
  /** Who the avatar is in this session. */
  readonly persona?: PersonaProps;
  /**
   * Sandbox sessions use no credits and end after about a minute. They require `mode`, and `voice` and
   * `language` in `persona`. If the provider has a `sandboxAvatar`, it replaces `avatar`.
   */
  readonly isSandbox?: NonNullable<Config["isSandbox"]>;
  /** The LLM configuration: the construct, or its id. */
  readonly llmConfiguration?: ILlmConfiguration | string;
}

/** Who the avatar is in this session. */
export interface PersonaProps extends Omit<PersonaPropsConfig, "voiceId" | "contextId"> {
  /** The voice: the construct, or its id. */
  readonly voice?: IVoice | string;
  /** The context: the construct, or its id. */
  readonly context?: IContext | string;
}

/**
 * A token that starts a session. It is an ephemeral resource: created in every plan and every apply, never in a state, and
 * only for what does not store it, such as a write-only attribute.
 */
export class SessionToken extends Construct {
  /** What Terraform sees, with every attribute and `addOverride`. */
  readonly resource: bindings.EphemeralAvataropsSessionToken;

  constructor(scope: Construct, id: string, props: SessionTokenProps) {
    super(scope, id);
    const config = toConfig(props);
    checkTokenRequest(this, config);
    this.resource = new bindings.EphemeralAvataropsSessionToken(this, "Resource", literalButMeta(config));
  }

  get sessionId(): string {
    return this.resource.sessionId;
  }

  get sessionToken(): string {
    return this.resource.sessionToken;
  }

  /** Its address in Terraform, for `dependsOn` of others. */
  get fqn(): string {
    return this.resource.fqn;
  }
}

function toConfig({ avatar, persona, llmConfiguration, ...props }: SessionTokenProps): Config {
  return {
    ...props,
    ...(avatar === undefined ? {} : { avatarId: toId(avatar) }),
    ...(persona === undefined ? {} : { avatarPersona: personaPropsConfig(persona) }),
    ...(llmConfiguration === undefined ? {} : { llmConfigurationId: toId(llmConfiguration) }),
  };
}

function personaPropsConfig({ voice, context, ...props }: PersonaProps): PersonaPropsConfig {
  return {
    ...props,
    ...(voice === undefined ? {} : { voiceId: toId(voice) }),
    ...(context === undefined ? {} : { contextId: toId(context) }),
  };
}
