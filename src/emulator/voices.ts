import type { AccountData, Dated } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import { bodyOf, type Endpoint, shownExtra, shownOptional, shownTime, timeOf } from "./endpoint.js";
import { notFound } from "./refusal.js";
import { complete, type Resource, rowById, rowsOf, time } from "./resource.js";
import { daysBefore, numberedId, sampleId } from "./sample-ids.js";
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
const digit = 2;
const sampleVoices: [name: string, language: string, gender: string, tags: string[]][] = [
  ["Mara", "en", "female", ["warm", "support"]],
  ["Jörg", "de", "male", ["calm"]],
  ["Aurélie", "fr", "female", ["formal"]],
  ["Harbour", "en", "male", []],
];

/** A voice of the sample account, as avatars show it. */
export function sampleVoice(i: number): { id: string; name: string } {
  return { id: sampleId("40", i), name: sampleVoices[i]?.[0] ?? "" };
}

/** A voice of a generated world, as avatars show it. */
export function numberedVoice(i: number): { id: string; name: string } {
  return { id: numberedId(digit, i), name: `Voice ${i + 1}` };
}

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
      renameVoice(world, voice, { name, at: timeOf(call), behaviour: call.behaviour });
      changed();
      return shown(voice, call.behaviour);
    },
  },
];

/** What the voice page of the service's dashboard can do. */
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
  dashboard: (account, { nowMs, behaviour }) => ({
    renameVoice(id, name) {
      const { world } = account;
      const at = new Date(nowMs()).toISOString();
      renameVoice(world, rowById(rows(world), id, "voice"), { name, at, behaviour });
      account.changed();
    },
  }),
  sample: (nowMs) =>
    sampleVoices.map(([name, language, gender, tags], i) => ({
      ...sampleVoice(i),
      ...{ language, gender, tags, description: `${name}, recorded in our own studio` },
      created_at: daysBefore(nowMs, 200 - i),
      updated_at: daysBefore(nowMs, 90 - i),
    })),
  numbered: {
    digit,
    row: (i, dated) => ({
      ...dated,
      ...{ language: "en", gender: "female", tags: [], description: "" },
      ...numberedVoice(i),
    }),
  },
  edits: {
    renameVoice: {
      fields: { id, name: text() },
      required: ["id", "name"],
      run: (page, { id, name }) => page.renameVoice(String(id), String(name)),
    },
  },
};

/**
 * Renames a voice, by default everywhere its name appears. Assumed: this does not update the objects that show it (§2.3
 * does not say).
 */
function renameVoice(
  world: AccountData,
  voice: Voice,
  { name, at, behaviour }: { name: string; at: string; behaviour: Readonly<Behaviour> },
): void {
  Object.assign(voice, { name, updated_at: at });
  if (behaviour.voiceNames === "outdated") return;
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
