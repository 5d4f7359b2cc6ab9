import * as z from "zod";
import { rowById, rowsNamed } from "./account.js";
import { type Call, showExtra, showOffered, showRow } from "./endpoint.js";
import { operations } from "./operations.js";
import { notFound } from "./refusal.js";
import type { Resource } from "./resource.js";
import { avatarDigit, daysBefore, sampleAvatarId, sandboxAvatarId } from "./sample-ids.js";
import { endSessionsWith } from "./session-life.js";
import { dated, strictObject, text } from "./shape.js";
import { stockAvatars } from "./stock.js";
import { numberedVoice, sampleVoice, usableVoices } from "./voices.js";

const stored = strictObject({
  ...dated,
  name: text(),
  status: text(),
  error_message: text(),
  space_id: text(),
  preview_url: text(),
  is_expired: z.boolean(),
  default_voice: strictObject({ id: dated.id, name: text() }).nullable(),
});

/** §2.3 */
export type Avatar = z.infer<typeof stored>;

const rows = rowsNamed<Avatar>("avatars");
const newAvatar = {
  status: "ACTIVE",
  error_message: "",
  space_id: "",
  preview_url: "",
  is_expired: false,
  default_voice: null,
};

const { list, read, update, remove } = operations<Avatar>("avatars", "Avatar", { show });
const stock = operations<Avatar>("avatars/public", "Avatar", {
  rows: () => stockAvatars.map((avatar) => ({ ...newAvatar, ...avatar })),
  show,
});

/** What the avatar page of the service's dashboard can do. */
export interface AvatarPage {
  renameAvatar(id: string, name: string): void;
}

/** §4.1 */
export const avatars: Resource<Avatar, AvatarPage> = {
  // Assumed: PATCH of an avatar needs a name (§4.1 does not say), of any length.
  endpoints: [list(), read(), update(z.object({ name: text() }))],
  profiles: {
    liveavatar: [
      { ...stock.list(), callers: "anybody" },
      update(z.object({ name: text(), default_voice_id: text() }).exactPartial(), change),
      remove(({ id }, call) => endSessionsWith(call, id)),
    ],
  },
  stored,
  dashboard: (account, { nowMs }) => ({
    renameAvatar(id, name) {
      const updated_at = new Date(nowMs()).toISOString();
      Object.assign(rowById(rows(account.world), id, "avatar"), { name, updated_at });
      account.changed();
    },
  }),
  sample(nowMs, profile) {
    const spokenBy = (i: number) => ({ default_voice: sampleVoice(i) });
    const rows: (Partial<Avatar> & { name: string })[] = [
      { name: "Front desk", ...spokenBy(0) },
      { name: "Werkstatt", ...spokenBy(1) },
      { name: "Accueil", ...spokenBy(2) },
      { name: "Harbour kiosk", ...spokenBy(3) },
      { name: "Trade fair host", status: "INIT", preview_url: "" },
      // Where there are stock avatars, it is one of them.
      ...(profile ? [] : [{ id: sandboxAvatarId, name: "Sandbox", space_id: "", ...spokenBy(0) }]),
    ];
    return rows.map((fields, i) => ({
      ...newAvatar,
      id: sampleAvatarId(i),
      preview_url: `https://media.example.com/previews/${sampleAvatarId(i)}.webp`,
      space_id: "space-lindau",
      created_at: daysBefore(nowMs, 180 - 20 * i),
      updated_at: daysBefore(nowMs, 40 - 5 * i),
      ...fields,
    }));
  },
  numbered: {
    digit: avatarDigit,
    row(i, dated, { counts: { voices = 0 } }) {
      const default_voice = voices === 0 ? null : numberedVoice(i % voices);
      return { ...dated, ...newAvatar, name: `Avatar ${i + 1}`, default_voice };
    },
  },
  edits: { renameAvatar: { id: dated.id, name: text() } },
};

function change(
  avatar: Avatar,
  { default_voice_id, ...named }: { name?: string; default_voice_id?: string },
  { account }: Call,
): void {
  const voice = usableVoices(account.world).find(({ id }) => id === default_voice_id);
  if (default_voice_id !== undefined && !voice) throw notFound("Voice");
  Object.assign(avatar, named, voice && { default_voice: { id: voice.id, name: voice.name } });
}

function show(avatar: Avatar, call: Call) {
  const { behaviour } = call;
  const { default_voice, ...row } = showRow(avatar, call, "error_message", "space_id", "preview_url");
  return {
    ...row,
    ...(default_voice || behaviour.nulls ? { default_voice } : {}),
    ...showOffered({ type: "VIDEO", is_1080p: false }, call),
    ...showExtra({ status: "HIBERNATING", type: "VIDEO", is_1080p: true }, behaviour),
  };
}
