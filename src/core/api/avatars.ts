import * as z from "zod";
import { absentIfUnknown } from "./absent.js";
import { type Listing, type ListOptions, readList } from "./pages.js";
import { request, type Send } from "./request.js";
import { ask, flag, id, text } from "./shape.js";

/** An avatar (§2.3). Texts that are null or absent are "". */
export interface Avatar {
  readonly id: string;
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly error_message: string;
  readonly space_id: string;
  /** INIT, DEPLOYING, ACTIVE, FAILED and future values. */
  readonly status: string;
  readonly preview_url: string;
  readonly is_expired: boolean;
  readonly default_voice: { readonly id: string; readonly name: string } | undefined;
}

const avatar: z.ZodType<Avatar> = z.object({
  id,
  name: text,
  created_at: text,
  updated_at: text,
  error_message: text,
  space_id: text,
  status: text,
  preview_url: text,
  is_expired: flag,
  default_voice: z
    .object({ id, name: text })
    .nullish()
    .transform((voice) => voice ?? undefined),
});

/** The avatars of the account (§4.1). */
export interface Avatars {
  list(options?: ListOptions<Avatar>): Promise<Listing<Avatar>>;
  /** Undefined if there is none with this id. */
  read(id: string): Promise<Avatar | undefined>;
  rename(id: string, name: string): Promise<Avatar>;
}

export function avatars(send: Send): Avatars {
  return {
    list: (options) => readList(send, "/v1/avatars", avatar, {}, options),
    read: (id) => absentIfUnknown(ask(send, request("GET", "/v1/avatars/{}", { ids: [id] }), avatar)),
    rename: (id, name) =>
      ask(send, request("PATCH", "/v1/avatars/{}", { ids: [id], body: { name } }), avatar),
  };
}
