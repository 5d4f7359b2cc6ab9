import * as z from "zod";
import { ignoreNotFound } from "./errors.js";
import { type ListOptions, type PagedListing, readList } from "./pages.js";
import { request, type SendRequest } from "./request.js";
import { flag, id, requestShape, text } from "./shape.js";

const avatar = z.object({
  id,
  name: text,
  /** Creation time (ISO 8601, UTC). */
  created_at: text,
  updated_at: text,
  error_message: text,
  space_id: text,
  /** INIT, DEPLOYING, ACTIVE, FAILED or a future status. */
  status: text,
  preview_url: text,
  is_expired: flag,
  default_voice: z
    .object({ id, name: text })
    .nullish()
    .transform((voice) => voice ?? undefined),
});

/** Avatar (§2.3). Null or missing strings are "". */
export type Avatar = Readonly<z.output<typeof avatar>>;

/** Avatar endpoints (§4.1). */
export interface Avatars {
  list(options?: ListOptions<Avatar>): Promise<PagedListing<Avatar>>;
  /** Lists the stock avatars. Undocumented, and sent without the key. */
  listPublic(): Promise<PagedListing<Avatar>>;
  /** Reads an avatar. Returns undefined if no avatar has this id. */
  read(id: string): Promise<Avatar | undefined>;
  rename(id: string, name: string): Promise<Avatar>;
  /** Updates only the given fields. Undocumented. */
  update(id: string, fields: { name?: string; default_voice_id?: string }): Promise<Avatar>;
}

const publicList = { isBeyondDocument: true, isPublic: true } as const;

export function createAvatarsClient(send: SendRequest): Avatars {
  const update: Avatars["update"] = (id, body) =>
    requestShape(send, request("PATCH", "/v1/avatars/{}", { ids: [id], body }), avatar);
  return {
    list: (options) => readList(send, "/v1/avatars", avatar, {}, options),
    listPublic: () => readList(send, "/v1/avatars/public", avatar, {}, {}, publicList),
    read: (id) => ignoreNotFound(requestShape(send, request("GET", "/v1/avatars/{}", { ids: [id] }), avatar)),
    rename: (id, name) => update(id, { name }),
    update,
  };
}
