import type { Dated } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import {
  bodyOf,
  type Call,
  type Endpoint,
  shownExtra,
  shownOptional,
  shownTime,
  timeOf,
} from "./endpoint.js";
import { pageOf } from "./pages.js";
import { notFound } from "./refusal.js";
import { complete, type Resource, rowById, rowsOf, time } from "./resource.js";
import { avatarDigit, daysBefore, sampleAvatarId, sandboxAvatarId } from "./sample-ids.js";
import { flag, orNull, record, text } from "./shape.js";
import { numberedVoice, sampleVoice } from "./voices.js";

/** §2.3 */
export interface Avatar extends Dated {
  name: string;
  status: string;
  error_message: string;
  space_id: string;
  preview_url: string;
  is_expired: boolean;
  default_voice: { id: string; name: string } | null;
}

const rows = rowsOf<Avatar>("avatars");
const newAvatar = {
  ...{ status: "ACTIVE", error_message: "", space_id: "", preview_url: "" },
  ...{ is_expired: false, default_voice: null },
};

const id = text({ min: 1 });

// Assumed: PATCH of an avatar needs a name (§4.1 does not say), of any length.
const avatarPatch = record({ name: text() }, "name");

const endpoints: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/v1/avatars",
    answer: (call) =>
      pageOf(call, "avatars", rows(call.account.world), (avatar) => shown(avatar, call.behaviour)),
  },
  { method: "GET", path: "/v1/avatars/:id", answer: (call) => shown(find(call), call.behaviour) },
  {
    method: "PATCH",
    path: "/v1/avatars/:id",
    answer(call) {
      const avatar = find(call);
      const { name } = bodyOf(call, avatarPatch);
      // Assumed: a PATCH updates updated_at, even if it changes nothing (§2.3 does not say).
      Object.assign(avatar, { name, updated_at: timeOf(call) });
      call.account.changed();
      return shown(avatar, call.behaviour);
    },
  },
];

/** What the avatar page of the service's dashboard can do. */
export interface AvatarPage {
  renameAvatar(id: string, name: string): void;
}

/** §4.1 */
export const avatars: Resource<Avatar, AvatarPage> = {
  name: "avatars",
  endpoints,
  stored: complete({
    id,
    created_at: time,
    updated_at: time,
    name: text(),
    status: text(),
    error_message: text(),
    space_id: text(),
    preview_url: text(),
    is_expired: flag,
    default_voice: orNull(complete({ id, name: text() })),
  }),
  dashboard: (account, { nowMs }) => ({
    renameAvatar(id, name) {
      const updated_at = new Date(nowMs()).toISOString();
      Object.assign(rowById(rows(account.world), id, "avatar"), { name, updated_at });
      account.changed();
    },
  }),
  sample(nowMs) {
    const spokenBy = (i: number) => ({ default_voice: sampleVoice(i) });
    const rows: (Partial<Avatar> & { name: string })[] = [
      { name: "Front desk", ...spokenBy(0) },
      { name: "Werkstatt", ...spokenBy(1) },
      { name: "Accueil", ...spokenBy(2) },
      { name: "Harbour kiosk", ...spokenBy(3) },
      { name: "Trade fair host", status: "INIT", preview_url: "" },
      { id: sandboxAvatarId, name: "Sandbox", space_id: "", ...spokenBy(0) },
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
  edits: {
    renameAvatar: {
      fields: { id, name: text() },
      required: ["id", "name"],
      run: (page, { id, name }) => page.renameAvatar(String(id), String(name)),
    },
  },
};

function find({ account, id }: Call): Avatar {
  const avatar = rows(account.world).find((avatar) => avatar.id === id);
  if (!avatar) throw notFound("Avatar");
  return avatar;
}

function shown(avatar: Avatar, behaviour: Behaviour) {
  const { default_voice } = avatar;
  return {
    id: avatar.id,
    name: avatar.name,
    created_at: shownTime(avatar.created_at, behaviour),
    updated_at: shownTime(avatar.updated_at, behaviour),
    error_message: shownOptional(avatar.error_message, behaviour),
    space_id: shownOptional(avatar.space_id, behaviour),
    status: avatar.status,
    preview_url: shownOptional(avatar.preview_url, behaviour),
    is_expired: avatar.is_expired,
    ...(default_voice || behaviour.nulls ? { default_voice } : {}),
    ...shownExtra({ status: "HIBERNATING", type: "VIDEO", is_1080p: true }, behaviour),
  };
}
