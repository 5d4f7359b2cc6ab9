import * as z from "zod";
import { createRowGetter, findRow, type TimestampedRow } from "./account.js";
import { type EndpointCall, includeExtraFields, includeProfileFields, showRow } from "./endpoint.js";
import { createOperations } from "./operations.js";
import { createNotFound } from "./refusal.js";
import type { EmulatedResource } from "./resource.js";
import { avatarDigit, createSampleAvatarId, formatDaysBefore, sandboxAvatarId } from "./sample-ids.js";
import { endSessionsWith } from "./session-life.js";
import { text } from "./shape.js";
import { stockAvatars } from "./stock.js";
import { createNumberedVoice, createSampleVoice, listUsableVoices } from "./voices.js";

/** Avatar (§2.3). */
export interface Avatar extends TimestampedRow {
  name: string;
  status: string;
  error_message: string;
  space_id: string;
  preview_url: string;
  is_expired: boolean;
  default_voice: { id: string; name: string } | null;
}

const rows = createRowGetter<Avatar>("avatars");
const newAvatar = {
  status: "ACTIVE",
  error_message: "",
  space_id: "",
  preview_url: "",
  is_expired: false,
  default_voice: null,
};

const { list, read, update, remove } = createOperations<Avatar>("avatars", "Avatar", { show });
const stock = createOperations<Avatar>("avatars/public", "Avatar", {
  getRows: () => stockAvatars.map((avatar) => ({ ...newAvatar, ...avatar })),
  show,
});

/** Dashboard edits that the avatar page offers. */
export interface AvatarPage {
  renameAvatar(id: string, name: string): void;
}

/** Avatars, with the documented endpoints (§4.1). */
export const avatars: EmulatedResource<Avatar, AvatarPage> = {
  // Assumption: PATCH requires a name, which may be empty or any length (unspecified in §4.1).
  endpoints: [list(), read(), update(z.object({ name: text() }))],
  profiles: {
    liveavatar: [
      { ...stock.list(), callers: "anyone" },
      update(z.object({ name: text(), default_voice_id: text() }).exactPartial(), change),
      remove(({ id }, call) => endSessionsWith(call, id)),
    ],
  },
  openPage: (account, { nowMs }) => ({
    renameAvatar(id, name) {
      const updated_at = new Date(nowMs()).toISOString();
      Object.assign(findRow(rows(account.world), id, "avatar"), { name, updated_at });
      account.changed();
    },
  }),
  createSample(nowMs, profile) {
    const createVoice = (i: number) => ({ default_voice: createSampleVoice(i) });
    const rows: (Partial<Avatar> & { name: string })[] = [
      { name: "Front desk", ...createVoice(0) },
      { name: "Werkstatt", ...createVoice(1) },
      { name: "Accueil", ...createVoice(2) },
      { name: "Harbour kiosk", ...createVoice(3) },
      { name: "Trade fair host", status: "INIT", preview_url: "" },
      // With a profile, the sandbox avatar is a stock avatar instead.
      ...(profile ? [] : [{ id: sandboxAvatarId, name: "Sandbox", space_id: "", ...createVoice(0) }]),
    ];
    return rows.map((fields, i) => ({
      ...newAvatar,
      id: createSampleAvatarId(i),
      preview_url: `https://media.example.com/previews/${createSampleAvatarId(i)}.webp`,
      space_id: "space-lindau",
      created_at: formatDaysBefore(nowMs, 180 - 20 * i),
      updated_at: formatDaysBefore(nowMs, 40 - 5 * i),
      ...fields,
    }));
  },
  rowGenerator: {
    digit: avatarDigit,
    row(i, dated, { counts: { voices = 0 } }) {
      const default_voice = voices === 0 ? null : createNumberedVoice(i % voices);
      return { ...dated, ...newAvatar, name: `Avatar ${i + 1}`, default_voice };
    },
  },
};

function change(
  avatar: Avatar,
  { default_voice_id, ...named }: { name?: string; default_voice_id?: string },
  { account }: EndpointCall,
): void {
  const voice = listUsableVoices(account.world).find(({ id }) => id === default_voice_id);
  if (default_voice_id !== undefined && !voice) throw createNotFound("Voice");
  Object.assign(avatar, named, voice && { default_voice: { id: voice.id, name: voice.name } });
}

function show(avatar: Avatar, call: EndpointCall) {
  const { behavior } = call;
  const { default_voice, ...row } = showRow(avatar, call, "error_message", "space_id", "preview_url");
  return {
    ...row,
    ...(default_voice || behavior.nulls ? { default_voice } : {}),
    ...includeProfileFields({ type: "VIDEO", is_1080p: false }, call),
    ...includeExtraFields({ status: "HIBERNATING", type: "VIDEO", is_1080p: true }, behavior),
  };
}
