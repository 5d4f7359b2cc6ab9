// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { Construct } from "constructs";
import type { ValueSource } from "../../secrets/index.js";
import { DeclaredConstruct } from "../declared.js";
import type { ExtraValues } from "../sources.js";
import type { Avatar } from "./avatar.js";
import type { Context } from "./context.js";
import type { LlmConfiguration } from "./llm-configuration.js";
import type { Voice } from "./voice.js";

/** Session settings (§4.5). The service chooses omitted ones. */
export interface PresetProps {
  /** The avatar: the construct, or its logical name. */
  readonly avatar?: Avatar | string | undefined;
  /** Id of an avatar that is not declared here; replaces `avatar`. */
  readonly avatarId?: string | undefined;
  /** The avatar's voice, context and language in this session. */
  readonly persona?: PersonaProps | undefined;
  /** Mode, such as FULL. */
  readonly mode?: "FULL" | "LITE" | (string & {}) | undefined;
  /** Sandbox sessions use no credits and end after about a minute. */
  readonly isSandbox?: boolean | undefined;
  /** Video settings. */
  readonly videoSettings?: VideoSettings | undefined;
  /** Maximum duration, in an undocumented unit. */
  readonly maxSessionDuration?: number | undefined;
  /** Type of interactivity, such as CONVERSATIONAL. */
  readonly interactivityType?: "CONVERSATIONAL" | (string & {}) | undefined;
  /** The LLM configuration: the construct, or its logical name. */
  readonly llmConfiguration?: LlmConfiguration | string | undefined;
  /** Id of an LLM configuration that is not declared here; replaces `llmConfiguration`. */
  readonly llmConfigurationId?: string | undefined;
  /** Values for the context's placeholders, by name. */
  readonly dynamicVariables?: Readonly<Record<string, string | ValueSource>> | undefined;
  /** A voice agent instead of a persona. */
  readonly voiceAgent?: Readonly<Record<string, string | ValueSource>> | undefined;
  /** Your own LiveKit room, for mode LITE. */
  readonly livekitConfig?: LivekitRoom | undefined;
  /** Memory of earlier sessions. */
  readonly memory?: SessionMemory | undefined;
  /** Additional request fields, sent unchanged under the service's own keys. */
  readonly extra?: ExtraValues | undefined;
}

/** The avatar's voice, context and language in this session. */
export interface PersonaProps {
  /** The voice: the construct, or its logical name. */
  readonly voice?: Voice | string | undefined;
  /** Id of a voice that is not declared here; replaces `voice`. */
  readonly voiceId?: string | undefined;
  /** The context: the construct, or its logical name. */
  readonly context?: Context | string | undefined;
  /** Id of a context that is not declared here; replaces `context`. */
  readonly contextId?: string | undefined;
  /** Language code, such as `en`. */
  readonly language?: string | undefined;
  /** Voice settings. */
  readonly voiceSettings?: VoiceSettings | undefined;
  /** Speech recognition for the visitor. */
  readonly sttConfig?: SpeechToText | undefined;
  /** Language model for the responses. */
  readonly llmSettings?: LanguageModel | undefined;
  /** Additional request fields, sent unchanged under the service's own keys. */
  readonly extra?: ExtraValues | undefined;
}

/** Voice settings. */
export interface VoiceSettings {
  /** Speech provider. */
  readonly provider?: string | undefined;
  /** Speed. */
  readonly speed?: number | undefined;
  /** Stability. */
  readonly stability?: number | undefined;
  /** Similarity boost. */
  readonly similarityBoost?: number | undefined;
  /** Style. */
  readonly style?: number | undefined;
  /** Whether to boost the speaker. */
  readonly useSpeakerBoost?: boolean | undefined;
  /** Speech model. */
  readonly model?: string | undefined;
  /** Additional request fields, sent unchanged under the service's own keys. */
  readonly extra?: ExtraValues | undefined;
}

/** Speech recognition for the visitor. */
export interface SpeechToText {
  /** Speech-to-text provider. */
  readonly provider?: string | undefined;
  /** Additional request fields, sent unchanged under the service's own keys. */
  readonly extra?: ExtraValues | undefined;
}

/** Language model for the responses. */
export interface LanguageModel {
  /** Model provider, such as `openai`. */
  readonly provider?: string | undefined;
  /** Model name. */
  readonly model?: string | undefined;
  /** Additional request fields, sent unchanged under the service's own keys. */
  readonly extra?: ExtraValues | undefined;
}

/** Video settings. */
export interface VideoSettings {
  /** Quality. */
  readonly quality?: string | undefined;
  /** Encoding. */
  readonly encoding?: string | undefined;
  /** Additional request fields, sent unchanged under the service's own keys. */
  readonly extra?: ExtraValues | undefined;
}

/** Your own LiveKit room, for mode LITE. */
export interface LivekitRoom {
  /** LiveKit server URL. */
  readonly livekitUrl?: string | undefined;
  /** LiveKit room name. */
  readonly livekitRoom?: string | undefined;
  /** Token that the avatar uses to join. */
  readonly livekitClientToken?: ValueSource | undefined;
  /** Additional request fields, sent unchanged under the service's own keys. */
  readonly extra?: ExtraValues | undefined;
}

/** Memory of earlier sessions. */
export interface SessionMemory {
  /** Id of the session to continue. */
  readonly prevSessionId?: string | undefined;
  /** Id of the memory to use. */
  readonly sessionMemoryId?: string | undefined;
  /** Additional request fields, sent unchanged under the service's own keys. */
  readonly extra?: ExtraValues | undefined;
}

/** Presets for `avatarops token`. They are not managed objects. */
export class Preset extends DeclaredConstruct {
  /** Distinguishes this construct from constructs of other kinds. */
  readonly kind = "preset";

  constructor(scope: Construct, id: string, props: PresetProps) {
    super("sessions", scope, id, props);
  }
}
