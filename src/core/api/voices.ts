import * as z from "zod";
import { request, type Send } from "./request.js";
import { ask, id, listOf, text } from "./shape.js";

/** A voice (§2.4). Texts that are null or absent are "". */
export interface Voice {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly gender: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly tags: readonly string[];
  readonly description: string;
}

const voice: z.ZodType<Voice> = z.object({
  id,
  name: text,
  language: text,
  gender: text,
  created_at: text,
  updated_at: text,
  tags: listOf(z.string()),
  description: text,
});

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
