/**
 * A kind that can be deleted, and refers to others: a note in a folder. Its service is the emulator with a few more
 * operations, so that faults can be had on each of them.
 */
import * as z from "zod";
import { absentIfUnknown } from "../../src/core/api/absent.js";
import type { Service } from "../../src/core/api/index.js";
import { readList } from "../../src/core/api/pages.js";
import { request } from "../../src/core/api/request.js";
import { findSend } from "../../src/core/api/service.js";
import { ask } from "../../src/core/api/shape.js";
import type { Kind, Live } from "../../src/core/kinds/index.js";
import type { Endpoint } from "../../src/emulator/index.js";
import { operations } from "../../src/emulator/operations.js";
import { register } from "./kinds.js";

/** As stored. */
export interface Note {
  id: string;
  name: string;
  text: string;
  created_at: string;
  updated_at: string;
}

const shape: z.ZodType<Note> = z.object({
  id: z.string(),
  name: z.string(),
  text: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

function live({ id, name, text, created_at, updated_at }: Note): Live {
  return {
    ...{ id, label: name, createdAt: created_at, updatedAt: updated_at, spec: { name, text } },
    computed: { created_at, updated_at },
  };
}

const one = (service: Service, method: "GET" | "PATCH", id: string, body?: object) =>
  ask(findSend(service), request(method, "/v1/notes/{}", { ids: [id], ...(body ? { body } : {}) }), shape);

const note: Kind = {
  ...{ name: "note", title: "Note", className: "Note", collection: "notes", description: "A note." },
  ...{ identity: "created", label: "name", afterForget: "The note stays." },
  fields: {
    name: { type: "string", required: true, minLength: 1, description: "Its name." },
    text: { type: "string", required: true, clearable: true, description: "What it says." },
  },
  computed: {},
  example: {
    key: "todo",
    id: "0a1f0c1e-52b7-4a1b-9c2d-5ee0fe120000",
    spec: { name: "To do", text: "Nothing." },
  },
  list: {
    ...{ endpoint: "notes", exhaustive: true, whole: true },
    read: (service, options) => readList(findSend(service), "/v1/notes", shape, {}, options as never),
    toListed: (entry) => {
      const seen = live(entry as Note);
      return {
        id: seen.id,
        label: seen.label,
        createdAt: seen.createdAt,
        updatedAt: seen.updatedAt,
        live: seen,
      };
    },
  },
  async read(service, id) {
    const found = await absentIfUnknown(one(service, "GET", id));
    return found && live(found);
  },
  create: async (service, { spec }) =>
    live(await ask(findSend(service), request("POST", "/v1/notes", { body: spec }), shape)),
  update: async (service, id, { spec }) => live(await one(service, "PATCH", id, spec)),
  async remove(service, id) {
    await findSend(service)(request("DELETE", "/v1/notes/{}", { ids: [id] }));
  },
};
register(note);

/** The operations on notes, and the notes. */
export function notesService(): { readonly notes: Note[]; readonly endpoints: readonly Endpoint[] } {
  const notes: Note[] = [];
  const { list, read, create, update, remove } = operations<Note>("notes", "Note", { rows: () => notes });
  const body = z.object({ name: z.string(), text: z.string() });
  const endpoints = [list(), read(), create(body, (fields) => fields), update(body), remove()];
  return { notes, endpoints };
}
