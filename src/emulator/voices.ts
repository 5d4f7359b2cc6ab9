import type { Behaviour } from "./behaviour.js";
import type { Dataset, Voice } from "./dataset.js";
import { bodyOf, type Endpoint, shownExtra, shownOptional, shownTime, timeOf } from "./endpoint.js";
import { notFound } from "./refusal.js";
import { record, text } from "./shape.js";

const voicePatch = record({ name: text({ min: 1, max: 64 }) }, "name");

/** §4.2: a voice can be renamed, but neither listed nor read. */
export const voiceEndpoints: readonly Endpoint[] = [
  {
    method: "PATCH",
    path: "/v1/voices/:id",
    answer(call) {
      const { world, changed } = call.account;
      const voice = world.voices.find((voice) => voice.id === call.id);
      if (!voice) throw notFound("Voice");
      const { name } = bodyOf(call, voicePatch);
      renameVoice(world, voice, name, timeOf(call));
      changed();
      return shown(voice, call.behaviour);
    },
  },
];

/** Renames a voice everywhere its name shows. Assumed: an avatar is not updated by it (§2.3 does not say). */
export function renameVoice({ avatars }: Dataset, voice: Voice, name: string, at: string): void {
  Object.assign(voice, { name, updated_at: at });
  for (const { default_voice } of avatars) if (default_voice?.id === voice.id) default_voice.name = name;
}

function shown(voice: Voice, behaviour: Behaviour) {
  return {
    id: voice.id,
    name: voice.name,
    language: voice.language,
    gender: voice.gender,
    created_at: shownTime(voice.created_at, behaviour),
    updated_at: shownTime(voice.updated_at, behaviour),
    tags: shownOptional(voice.tags, behaviour),
    description: shownOptional(voice.description, behaviour),
    ...shownExtra({ gender: "neutral", provider: "elsewhere" }, behaviour),
  };
}
