import * as z from "zod";
import { avatar } from "./avatar.js";
import { context } from "./context.js";
import type { Kind, ReferenceField, ScalarField, StringField } from "./kind.js";
import { llmConfiguration } from "./llm-configuration.js";
import { createFieldSchema, createLiteralOrSource } from "./validator.js";
import { voice } from "./voice.js";

interface WithNote {
  /** Note for the Terraform description. Uses the service's names for fields and values. */
  readonly note?: string;
}

/** A map of strings with user-defined keys. */
interface MapField {
  readonly type: "map";
  readonly description: string;
}

export interface PresetGroup {
  readonly type: "object";
  /** Key in presets. Default: the service's spelling. */
  readonly key?: string;
  /** Name of the TypeScript interface. */
  readonly className: string;
  /** Description in one sentence. */
  readonly description: string;
  readonly parts: PresetFields;
}

export type PresetValue = (StringField | ScalarField | MapField) & WithNote;

/**
 * A preset field. For a reference, a preset may give the key of a declaration instead of an id: `avatar` instead of
 * `avatar_id`.
 */
export type PresetField = PresetValue | (ReferenceField & WithNote) | PresetGroup;

/** Fields in the service's spelling and in display order. */
export type PresetFields = Readonly<Record<string, PresetField>>;

/** Key under which a preset sets the context's placeholders. */
export const variablesKey = "dynamic_variables";

/**
 * Token request fields (§4.5). Presets for `avatarops token`, their checks and the Terraform provider's session token
 * are derived from these fields.
 */
export const preset = {
  collection: "sessions",
  className: "Preset",
  description: "Presets for `avatarops token`. They are not managed objects.",
  fields: {
    avatar_id: { type: "reference", kind: "avatar", description: "Avatar id." },
    avatar_persona: {
      type: "object",
      key: "persona",
      className: "PersonaProps",
      description: "The avatar's voice, context and language in this session.",
      parts: {
        voice_id: { type: "reference", kind: "voice", description: "Id of the avatar's voice." },
        context_id: {
          type: "reference",
          kind: "context",
          description: "Id of the avatar's context.",
          note: "Without one, a FULL session stays silent.",
        },
        language: { type: "string", format: "language", description: "Language code, such as `en`." },
        voice_settings: {
          type: "object",
          className: "VoiceSettings",
          description: "Voice settings.",
          parts: {
            provider: { type: "string", description: "Speech provider." },
            speed: { type: "number", description: "Speed." },
            stability: { type: "number", description: "Stability." },
            similarity_boost: { type: "number", description: "Similarity boost." },
            style: { type: "number", description: "Style." },
            use_speaker_boost: { type: "boolean", description: "Whether to boost the speaker." },
            model: { type: "string", description: "Speech model." },
          },
        },
        stt_config: {
          type: "object",
          className: "SpeechToText",
          description: "Speech recognition for the visitor.",
          parts: { provider: { type: "string", description: "Speech-to-text provider." } },
        },
        llm_settings: {
          type: "object",
          className: "LanguageModel",
          description: "Language model for the responses.",
          parts: {
            provider: { type: "string", description: "Model provider, such as `openai`." },
            model: { type: "string", description: "Model name." },
          },
        },
      },
    },
    mode: { type: "string", suggested: ["FULL", "LITE"], description: "Mode, such as FULL." }, // Documented in §4.5.
    is_sandbox: {
      type: "boolean",
      description: "Sandbox sessions use no credits and end after about a minute.", // Documented in §8.
      note: "They require `mode`, `avatar_persona.voice_id` and `avatar_persona.language`. If the provider has a `sandbox_avatar`, it replaces `avatar_id`.", // Documented in §4.5.
    },
    video_settings: {
      type: "object",
      className: "VideoSettings",
      description: "Video settings.",
      parts: {
        quality: { type: "string", description: "Quality." },
        encoding: { type: "string", description: "Encoding." },
      },
    },
    max_session_duration: {
      type: "number",
      whole: true,
      minimum: 1,
      description: "Maximum duration, in an undocumented unit.", // Documented in §4.5.
    },
    interactivity_type: {
      type: "string",
      suggested: ["CONVERSATIONAL"],
      description: "Type of interactivity, such as CONVERSATIONAL.", // Documented in §4.5.
    },
    llm_configuration_id: {
      type: "reference",
      kind: "llm_configuration",
      description: "LLM configuration id.",
    },
    [variablesKey]: { type: "map", description: "Values for the context's placeholders, by name." },
    voice_agent: { type: "map", description: "A voice agent instead of a persona." },
    livekit_config: {
      type: "object",
      className: "LivekitRoom",
      description: "Your own LiveKit room, for mode LITE.",
      parts: {
        livekit_url: { type: "string", description: "LiveKit server URL." },
        livekit_room: { type: "string", description: "LiveKit room name." },
        livekit_client_token: {
          type: "string",
          writeOnly: true,
          description: "Token that the avatar uses to join.",
        },
      },
    },
    memory: {
      type: "object",
      className: "SessionMemory",
      description: "Memory of earlier sessions.",
      parts: {
        prev_session_id: { type: "string", description: "Id of the session to continue." },
        session_memory_id: { type: "string", description: "Id of the memory to use." },
      },
    },
  } as PresetFields,
  /**
   * Shows a warning if `field` has this value, but neither `reference` nor `instead` is set. This is not an error,
   * because some deployments start such a session anyway.
   */
  expects: {
    field: "mode",
    value: "FULL",
    reference: ["avatar_persona", "context_id"],
    instead: "voice_agent",
    consequence: "the avatar would stay silent",
  },
  /** Values that are not in §4.5. Sent unchanged, both at the top level of a request and inside groups. */
  extra: {
    key: "extra",
    description: "Additional request fields, sent unchanged under the service's own keys.",
  },
};

/** Fields whose keys are defined by the user or the service. */
export const userKeyedFields: readonly string[] = [
  preset.extra.key,
  ...Object.keys(preset.fields).filter((name) => preset.fields[name]?.type === "map"),
];

/** Fields that are not in §4.5 and need a profile. */
export const profileKeys = [variablesKey, "voice_agent", "livekit_config", "memory", "llm_settings"];

/** A reference in a preset, and the position of its id in the request. */
export interface PresetReference {
  readonly kind: Kind;
  /** Path to the reference in the preset. */
  readonly at: readonly string[];
  /** Path to the id in the request. */
  readonly into: readonly string[];
}

/** Lists all preset references, in field order. */
export function listPresetReferences(
  fields: PresetFields = preset.fields,
  at: readonly string[] = [],
  into: readonly string[] = [],
): PresetReference[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.type === "reference")
      return [{ kind: findReferencedKind(field), at: [...at, field.kind], into: [...into, name] }];
    if (field.type !== "object") return [];
    return listPresetReferences(field.parts, [...at, toPresetKey(name, field)], [...into, name]);
  });
}

export function toPresetKey(name: string, field: PresetField): string {
  return field.type === "object" ? (field.key ?? name) : name;
}

export function findReferencedKind({ kind }: ReferenceField): Kind {
  const found = [avatar, voice, context, llmConfiguration].find(({ name }) => name === kind);
  if (!found) throw new Error(`Bug: presets cannot refer to a ${kind}`);
  return found;
}

/** Returns the schema of a preset value. References must be ids here. */
export function createPresetSchema(field: Exclude<PresetField, PresetGroup>): z.ZodType {
  const { description } = field;
  if (field.type === "map")
    return z
      .record(z.string(), createLiteralOrSource(z.string(), "A string, or a source."))
      .optional()
      .describe(description);
  return createFieldSchema(
    field.type === "reference" ? { type: "string", format: "uuid", description } : field,
  );
}
