import * as z from "zod";
import { avatar } from "./avatar.js";
import { context } from "./context.js";
import type { Kind, ReferenceField, ScalarField, StringField } from "./kind.js";
import { llmConfiguration } from "./llm-configuration.js";
import { fieldSchema, sourced } from "./validator.js";
import { voice } from "./voice.js";

interface Noted {
  /** Further facts for requests in the service's spelling: in Terraform. */
  readonly note?: string;
}

/** A text for each key; the keys are the user's own. */
interface MapField {
  readonly type: "map";
  readonly description: string;
}

/** Values that belong together. */
export interface PresetGroup {
  readonly type: "object";
  /** The key in presets. Default: the service's spelling. */
  readonly key?: string;
  /** Name of its interface in TypeScript. */
  readonly className: string;
  /** One sentence. */
  readonly description: string;
  readonly parts: PresetFields;
}

export type PresetValue = (StringField | ScalarField | MapField) & Noted;

/** A reference is the id of an object. A preset may name the object by its kind instead: `avatar` instead of `avatar_id`. */
export type PresetField = PresetValue | (ReferenceField & Noted) | PresetGroup;

/** Fields in the service's spelling, in the order in which they are shown. */
export type PresetFields = Readonly<Record<string, PresetField>>;

/** The key of the values for a context's placeholders. */
export const variablesKey = "dynamic_variables";

/**
 * The fields of a token request (§4.5): presets of `avatarops token`, their checks and the Terraform provider's session token are
 * derived from it.
 */
export const preset = {
  collection: "sessions",
  className: "Preset",
  description: "Presets for `avatarops token`. They are not managed objects.",
  fields: {
    avatar_id: { type: "reference", kind: "avatar", description: "Id of the avatar." },
    avatar_persona: {
      type: "object",
      key: "persona",
      className: "PersonaProps",
      description: "Who the avatar is in this session.",
      parts: {
        voice_id: { type: "reference", kind: "voice", description: "Id of the voice it speaks with." },
        context_id: {
          type: "reference",
          kind: "context",
          description: "Id of the context it uses.",
          note: "Without one, a FULL session stays silent.",
        },
        language: { type: "string", format: "language", description: "Language code, such as `en`." },
        voice_settings: {
          type: "object",
          className: "VoiceSettings",
          description: "How the voice speaks.",
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
          description: "How the visitor's speech is recognised.",
          parts: { provider: { type: "string", description: "Speech-to-text provider." } },
        },
        llm_settings: {
          type: "object",
          className: "LanguageModel",
          description: "The language model that answers.",
          parts: {
            provider: { type: "string", description: "Provider of the model, such as `openai`." },
            model: { type: "string", description: "Name of the model." },
          },
        },
      },
    },
    mode: { type: "string", suggested: ["FULL", "LITE"], description: "Mode. FULL is one value." }, // §4.5
    is_sandbox: {
      type: "boolean",
      description: "Sandbox sessions use no credits and end after about a minute.", // §8
      note: "They require `mode`, and `voice_id` and `language` in `avatar_persona`. If the provider has a `sandbox_avatar`, it replaces `avatar_id`.", // §4.5
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
      description: "Maximum duration; its unit is not documented.", // §4.5
    },
    interactivity_type: {
      type: "string",
      suggested: ["CONVERSATIONAL"],
      description: "Interactivity. CONVERSATIONAL is one value.", // §4.5
    },
    llm_configuration_id: {
      type: "reference",
      kind: "llm_configuration",
      description: "Id of the language-model configuration.",
    },
    [variablesKey]: { type: "map", description: "Values for the placeholders of the context, by name." },
    voice_agent: { type: "map", description: "A voice agent, in place of a persona." },
    livekit_config: {
      type: "object",
      className: "LivekitRoom",
      description: "Your own LiveKit room, for mode LITE.",
      parts: {
        livekit_url: { type: "string", description: "Address of the LiveKit server." },
        livekit_room: { type: "string", description: "Name of the room." },
        livekit_client_token: {
          type: "string",
          writeOnly: true,
          description: "Token with which the avatar joins.",
        },
      },
    },
    memory: {
      type: "object",
      className: "SessionMemory",
      description: "What the session remembers of earlier ones.",
      parts: {
        prev_session_id: { type: "string", description: "Id of the session that it continues." },
        session_memory_id: { type: "string", description: "Id of the memory that it uses." },
      },
    },
  } as PresetFields,
  /**
   * Where a field has this value, a reference is expected that is not required, or the field that deployments of a profile take in
   * its place. Some start such a session anyway, without an error.
   */
  expects: {
    field: "mode",
    value: "FULL",
    reference: ["avatar_persona", "context_id"],
    instead: "voice_agent",
    consequence: "the avatar would stay silent",
  },
  /** Values that §4.5 does not show: sent as they stand, at the top of a request and in each of its groups. */
  extra: {
    key: "extra",
    description: "More values, by the service's own keys; sent unchanged.",
  },
};

/** The keys of mappings whose keys are the user's or the service's own. */
export const freeKeys: readonly string[] = [
  preset.extra.key,
  ...Object.keys(preset.fields).filter((name) => preset.fields[name]?.type === "map"),
];

/** Fields that the interface does not have (§4.5), and deployments of a profile do. */
export const profileKeys = [variablesKey, "voice_agent", "livekit_config", "memory", "llm_settings"];

/** A reference of a preset: its place, and the place of its id in the request. */
export interface PlacedReference {
  readonly kind: Kind;
  /** The keys of the preset down to the name of the object. */
  readonly at: readonly string[];
  /** The keys of the request down to the id. */
  readonly into: readonly string[];
}

/** Every reference of presets, outermost first. */
export function presetReferences(
  fields: PresetFields = preset.fields,
  at: readonly string[] = [],
  into: readonly string[] = [],
): PlacedReference[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.type === "reference")
      return [{ kind: referredKind(field), at: [...at, field.kind], into: [...into, name] }];
    if (field.type !== "object") return [];
    return presetReferences(field.parts, [...at, presetKey(name, field)], [...into, name]);
  });
}

/** The key of a field in presets. */
export function presetKey(name: string, field: PresetField): string {
  return field.type === "object" ? (field.key ?? name) : name;
}

/** The kind that a reference of presets names. */
export function referredKind({ kind }: ReferenceField): Kind {
  const found = [avatar, voice, context, llmConfiguration].find(({ name }) => name === kind);
  if (!found) throw new Error(`Bug: presets cannot refer to a ${kind}`);
  return found;
}

/** What a value must be; a reference is an id. */
export function presetSchema(field: Exclude<PresetField, PresetGroup>): z.ZodType {
  const { description } = field;
  if (field.type === "map")
    return z.record(z.string(), sourced(z.string(), "A text, or a source.")).optional().describe(description);
  return fieldSchema(field.type === "reference" ? { type: "string", format: "uuid", description } : field);
}

/** "an avatar", "a voice". */
export function withArticle({ name }: Kind): string {
  return `${/^([aeiou]|llm)/.test(name) ? "an" : "a"} ${name}`;
}
