import * as z from "zod";
import { absentIfUnknown } from "./errors.js";
import { type Listing, type ListOptions, readList } from "./pages.js";
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

/** Voices: in the document they can be renamed, but neither listed nor read (§4.2). */
export interface Voices {
  /** 1 to 64 characters (§8). */
  rename(id: string, name: string): Promise<Voice>;
  /** Beyond the document: the account's own. */
  list(options?: ListOptions<Voice>): Promise<Listing<Voice>>;
  /** Beyond the document: those that every account may use. */
  listPublic(): Promise<Listing<Voice>>;
  /** Beyond the document. Undefined if there is none with this id. */
  read(id: string): Promise<Voice | undefined>;
}

export function voices(send: Send): Voices {
  const list = (voice_type: "private" | "public", options?: ListOptions<Voice>) =>
    readList(send, "/v1/voices", voice, { voice_type }, options, { isBeyondDocument: true });
  return {
    list: (options) => list("private", options),
    listPublic: () => list("public"),
    read: (id) => absentIfUnknown(ask(send, request("GET", "/v1/voices/{}", { ids: [id] }), voice)),
    rename: (id, name) => ask(send, request("PATCH", "/v1/voices/{}", { ids: [id], body: { name } }), voice),
  };
}
