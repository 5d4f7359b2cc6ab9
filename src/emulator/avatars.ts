import type { Behaviour } from "./behaviour.js";
import type { Avatar } from "./dataset.js";
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
import { record, text } from "./shape.js";

// Assumed: PATCH of an avatar needs a name (§4.1 does not say), of any length.
const avatarPatch = record({ name: text() }, "name");

/** §4.1 */
export const avatarEndpoints: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/v1/avatars",
    answer: (call) =>
      pageOf(call, "avatars", call.account.world.avatars, (avatar) => shown(avatar, call.behaviour)),
  },
  { method: "GET", path: "/v1/avatars/:id", answer: (call) => shown(find(call), call.behaviour) },
  {
    method: "PATCH",
    path: "/v1/avatars/:id",
    answer(call) {
      const avatar = find(call);
      const { name } = bodyOf(call, avatarPatch);
      // Assumed: a PATCH bumps updated_at, also when it changed nothing (§2.3 does not say).
      Object.assign(avatar, { name, updated_at: timeOf(call) });
      call.account.changed();
      return shown(avatar, call.behaviour);
    },
  },
];

function find({ account, id }: Call): Avatar {
  const avatar = account.world.avatars.find((avatar) => avatar.id === id);
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
