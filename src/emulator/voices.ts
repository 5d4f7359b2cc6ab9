import type { Dated, World } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import { bodyOf, type Endpoint, shownExtra, shownOptional, shownTime, timeOf } from "./endpoint.js";
import { notFound } from "./refusal.js";
import { complete, type Resource, rowById, rowsOf, time } from "./resource.js";
import { list, record, text } from "./shape.js";

/** §2.4 */
export interface Voice extends Dated {
  name: string;
  language: string;
  gender: string;
  tags: string[];
  description: string;
}

const rows = rowsOf<Voice>("voices");
const id = text({ min: 1 });

const voicePatch = record({ name: text({ min: 1, max: 64 }) }, "name");

const endpoints: readonly Endpoint[] = [
  {
    method: "PATCH",
    path: "/v1/voices/:id",
    answer(call) {
      const { world, changed } = call.account;
      const voice = rows(world).find((voice) => voice.id === call.id);
      if (!voice) throw notFound("Voice");
      const { name } = bodyOf(call, voicePatch);
      renameVoice(world, voice, name, timeOf(call));
      changed();
      return shown(voice, call.behaviour);
    },
  },
];

/** What the service's page of a voice can do. */
export interface VoicePage {
  renameVoice(id: string, name: string): void;
}

/** §4.2: a voice can be renamed, but neither listed nor read. */
export const voices: Resource<Voice, VoicePage> = {
  name: "voices",
  endpoints,
  stored: complete({
    id,
    created_at: time,
    updated_at: time,
    name: text(),
    language: text(),
    gender: text(),
    tags: list(text()),
    description: text(),
  }),
  dashboard: (account, { nowMs }) => ({
    renameVoice(id, name) {
      const { world } = account;
      renameVoice(world, rowById(rows(world), id, "voice"), name, new Date(nowMs()).toISOString());
      account.changed();
    },
  }),
  edits: {
    renameVoice: {
      fields: { id, name: text() },
      required: ["id", "name"],
      run: (page, { id, name }) => page.renameVoice(String(id), String(name)),
    },
  },
};

/** Renames a voice everywhere its name shows. Assumed: what shows it is not updated by it (§2.3 does not say). */
function renameVoice(world: World, voice: Voice, name: string, at: string): void {
  Object.assign(voice, { name, updated_at: at });
  for (const row of Object.values(world).flat()) {
    const { default_voice } = row as { default_voice?: { id: string; name: string } | null };
    if (default_voice?.id === voice.id) default_voice.name = name;
  }
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
