import * as z from "zod";
import { ignoreNotFound } from "./errors.js";
import { type ListOptions, type PagedListing, readList } from "./pages.js";
import { request, type SendRequest } from "./request.js";
import { createListShape, id, requestShape, text } from "./shape.js";

const voice = z.object({
  id,
  name: text,
  language: text,
  gender: text,
  /** Creation time (ISO 8601). */
  created_at: text,
  updated_at: text,
  tags: createListShape(z.string()),
  description: text,
});

/** Voice (§2.4). Null or missing strings are "". */
export type Voice = Readonly<z.output<typeof voice>>;

/** Voice endpoints. Only renaming is documented (§4.2). */
export interface Voices {
  /** Renames a voice. `name` has 1 to 64 characters (§8). */
  rename(id: string, name: string): Promise<Voice>;
  /** Lists the account's own voices. Undocumented. */
  list(options?: ListOptions<Voice>): Promise<PagedListing<Voice>>;
  /** Lists the voices that every account may use. Undocumented. */
  listPublic(): Promise<PagedListing<Voice>>;
  /** Reads a voice. Returns undefined if no voice has this id. Undocumented. */
  read(id: string): Promise<Voice | undefined>;
}

export function createVoicesClient(send: SendRequest): Voices {
  const list = (voice_type: "private" | "public", options?: ListOptions<Voice>) =>
    readList(send, "/v1/voices", voice, { voice_type }, options, { isBeyondDocument: true });
  return {
    list: (options) => list("private", options),
    listPublic: () => list("public"),
    read: (id) => ignoreNotFound(requestShape(send, request("GET", "/v1/voices/{}", { ids: [id] }), voice)),
    rename: (id, name) =>
      requestShape(send, request("PATCH", "/v1/voices/{}", { ids: [id], body: { name } }), voice),
  };
}
