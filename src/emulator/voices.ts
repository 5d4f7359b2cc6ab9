import * as z from "zod";
import { type AccountData, createRowGetter, findRow, type TimestampedRow } from "./account.js";
import type { Behavior } from "./behavior.js";
import {
  type Endpoint,
  type EndpointCall,
  formatCallTime,
  includeExtraFields,
  readQuery,
  showRow,
} from "./endpoint.js";
import { createOperations } from "./operations.js";
import type { EmulatedResource } from "./resource.js";
import { createNumberedId, createSampleId, formatDaysBefore } from "./sample-ids.js";
import { text } from "./shape.js";
import { stockVoices } from "./stock.js";

/** Voice, as documented in §2.4. */
export interface Voice extends TimestampedRow {
  name: string;
  language: string;
  gender: string;
  tags: string[];
  description: string;
}

const rows = createRowGetter<Voice>("voices");
const digit = 2;
const sampleVoices: [name: string, language: string, gender: string, tags: string[]][] = [
  ["Mara", "en", "female", ["warm", "support"]],
  ["Jörg", "de", "male", ["calm"]],
  ["Aurélie", "fr", "female", ["formal"]],
  ["Harbour", "en", "male", []],
];

/** Returns the id and name of the sample account's voice number `i`, for avatars that use it. */
export function createSampleVoice(i: number): { id: string; name: string } {
  return { id: createSampleId("40", i), name: sampleVoices[i]?.[0] ?? "" };
}

/** Returns the id and name of voice number `i` of a generated dataset, for avatars that use it. */
export function createNumberedVoice(i: number): { id: string; name: string } {
  return { id: createNumberedId(digit, i), name: `Voice ${i + 1}` };
}

const { list, update, remove } = createOperations<Voice>("voices", "Voice", { show });
const stock = createOperations<Voice>("voices/public", "Voice", { getRows: () => stockVoices, show });

/** Lists the voices that an account may use, its own first. */
export function listUsableVoices(world: AccountData): Voice[] {
  return [...rows(world), ...stockVoices];
}

const listQuery = z.object({ voice_type: z.enum(["public", "private"]).optional() });
const listEither: Endpoint = {
  ...list(),
  handle: (call) =>
    (readQuery(call, listQuery).voice_type === "private" ? list() : stock.list()).handle(call),
};

/** Dashboard edits that the voice page offers. */
export interface VoicePage {
  renameVoice(id: string, name: string): void;
}

/** Voices. The document allows only renaming a voice (§4.2). */
export const voices: EmulatedResource<Voice, VoicePage> = {
  endpoints: [
    update(z.object({ name: text({ min: 1, max: 64 }) }), (voice, { name }, call) =>
      renameVoice(call.account.world, voice, { name, at: formatCallTime(call), behavior: call.behavior }),
    ),
  ],
  profiles: {
    liveavatar: [
      listEither,
      createOperations<Voice>("voices", "Voice", { getRows: listUsableVoices, show }).read(),
      remove(),
    ],
  },
  openPage: (account, { nowMs, behavior }) => ({
    renameVoice(id, name) {
      const { world } = account;
      const at = new Date(nowMs()).toISOString();
      renameVoice(world, findRow(rows(world), id, "voice"), { name, at, behavior });
      account.changed();
    },
  }),
  createSample: (nowMs) =>
    sampleVoices.map(([name, language, gender, tags], i) => ({
      ...createSampleVoice(i),
      language,
      gender,
      tags,
      description: `${name}, recorded in our own studio`,
      created_at: formatDaysBefore(nowMs, 200 - i),
      updated_at: formatDaysBefore(nowMs, 90 - i),
    })),
  rowGenerator: {
    digit,
    row: (i, dated) => ({
      ...dated,
      language: "en",
      gender: "female",
      tags: [],
      description: "",
      ...createNumberedVoice(i),
    }),
  },
};

/**
 * Renames a voice, by default also in the avatars that use it. Assumption: their `updated_at` does not change
 * (unspecified in §2.3).
 */
function renameVoice(
  world: AccountData,
  voice: Voice,
  { name, at, behavior }: { name: string; at: string; behavior: Readonly<Behavior> },
): void {
  Object.assign(voice, { name, updated_at: at });
  if (behavior.voiceNames === "outdated") return;
  for (const row of Object.values(world).flat()) {
    const { default_voice } = row as { default_voice?: { id: string; name: string } | null };
    if (default_voice?.id === voice.id) default_voice.name = name;
  }
}

function show(voice: Voice, call: EndpointCall) {
  return {
    ...showRow(voice, call, "tags", "description"),
    ...includeExtraFields({ gender: "neutral", provider: "elsewhere" }, call.behavior),
  };
}
