import * as z from "zod";
import { request, type Send } from "./request.js";
import { ask, id, list, text } from "./shape.js";

const voice = z.object({
  id,
  name: text,
  language: text,
  gender: text,
  /** ISO 8601. */
  created_at: text,
  updated_at: text,
  tags: list(z.string()),
  description: text,
});

/** A voice (§2.4). Texts that are null or absent are "". */
export type Voice = Readonly<z.output<typeof voice>>;

/** The voices of the account: they can be renamed, but neither listed nor read (§4.2). */
export interface Voices {
  /** 1 to 64 characters (§8). */
  rename(id: string, name: string): Promise<Voice>;
}

export function voices(send: Send): Voices {
  return {
    rename: (id, name) => ask(send, request("PATCH", "/v1/voices/{}", { ids: [id], body: { name } }), voice),
  };
}
