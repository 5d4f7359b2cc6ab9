/**
 * Kinds that refer to each other: a token, which is written once and superseded, and an entry, which uses a token, may be
 * part of another entry, and can be deleted. Their service is the emulator with a few more operations.
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
import { showPage } from "../../src/emulator/pages.js";
import { notFound } from "../../src/emulator/refusal.js";
import { register } from "./kinds.js";

/** As stored, without its value. */
export interface Token {
  id: string;
  name: string;
}

/** As stored. */
export interface Entry {
  id: string;
  name: string;
  token: string;
  parent: string;
}

const example = (spec: Kind["example"]["spec"]) => ({
  ...{ key: "one", id: "0a1f0c1e-52b7-4a1b-9c2d-5ee0fe120000", spec },
});

const tokenShape: z.ZodType<Token> = z.object({ id: z.string(), name: z.string() });

const token: Kind = {
  ...{ name: "token", title: "Token", className: "Token", collection: "tokens", description: "A token." },
  ...{ identity: "created", label: "name", afterForget: "The token stays.", computed: {} },
  example: example({ name: "A" }),
  fields: {
    name: { type: "string", required: true, description: "Its name." },
    value: { type: "string", required: true, writeOnly: true, description: "Its value." },
  },
  async create(service, { spec, secret }) {
    const body = { ...spec, ...secret };
    const made = request("POST", "/v1/tokens", { body, confidential: true });
    return liveToken(await ask(findSend(service), made, tokenShape));
  },
  // Where a deployment lists and deletes them, what was superseded can go.
  profiles: {
    liveavatar: {
      list: {
        ...{ endpoint: "tokens", exhaustive: true, whole: true },
        async read(service) {
          const entries = await ask(findSend(service), request("GET", "/v1/tokens"), z.array(tokenShape));
          return { entries, count: entries.length, pages: 1, complete: true };
        },
        toListed: (listed) => {
          const one = liveToken(listed as Token);
          return { id: one.id, label: one.label, live: one };
        },
      },
      async remove(service, id) {
        await findSend(service)(request("DELETE", "/v1/tokens/{}", { ids: [id] }));
      },
    },
  },
};

function liveToken({ id, name }: Token): Live {
  return { id, label: name, spec: { name }, computed: {} };
}

const entryShape: z.ZodType<Entry> = z.object({
  ...{ id: z.string(), name: z.string(), token: z.string(), parent: z.string() },
});

const live = ({ id, ...spec }: Entry): Live => ({ id, label: spec.name, spec: { ...spec }, computed: {} });

const one = (service: Service, method: "GET" | "PATCH", id: string, body?: object) =>
  ask(
    findSend(service),
    request(method, "/v1/entries/{}", { ids: [id], ...(body ? { body } : {}) }),
    entryShape,
  );

const entry: Kind = {
  ...{ name: "entry", title: "Entry", className: "Entry", collection: "entries", description: "An entry." },
  ...{ identity: "created", label: "name", afterForget: "The entry stays.", computed: {} },
  example: example({ name: "A" }),
  fields: {
    name: { type: "string", required: true, description: "Its name." },
    token: { type: "reference", kind: "token", clearable: true, description: "The token it uses." },
    parent: { type: "reference", kind: "entry", clearable: true, description: "What it is part of." },
  },
  list: {
    ...{ endpoint: "entries", exhaustive: true, whole: true },
    read: (service, options) => readList(findSend(service), "/v1/entries", entryShape, {}, options as never),
    toListed: (listed) => ({
      id: (listed as Entry).id,
      label: (listed as Entry).name,
      live: live(listed as Entry),
    }),
  },
  async read(service, id) {
    const found = await absentIfUnknown(one(service, "GET", id));
    return found && live(found);
  },
  create: async (service, { spec }) =>
    live(await ask(findSend(service), request("POST", "/v1/entries", { body: spec }), entryShape)),
  update: async (service, id, { spec }) => live(await one(service, "PATCH", id, spec)),
  async remove(service, id) {
    await findSend(service)(request("DELETE", "/v1/entries/{}", { ids: [id] }));
  },
};
// An entry comes before what it uses, so that the order of kinds does not order them by chance.
register(entry, token);

/** The operations on both; an entry refuses ids that are none, and what is used is not deleted. */
export function entriesService(): {
  readonly tokens: Token[];
  readonly entries: Entry[];
  readonly endpoints: readonly Endpoint[];
} {
  const tokens: Token[] = [];
  const entries: Entry[] = [];
  // The list is in the order of changes, of which entries know nothing.
  const rows = () => entries.map((each) => ({ ...each, updated_at: "2026-01-01T00:00:00.000Z" }));
  const find = (id: string) => {
    const found = entries.find((each) => each.id === id);
    if (!found) throw notFound("Entry");
    return found;
  };
  const checked = (body: unknown): Partial<Entry> => {
    const { token: used = "", parent = "" } = body as Partial<Entry>;
    if (used !== "" && !tokens.some(({ id }) => id === used)) throw notFound("Token");
    if (parent !== "") find(parent);
    return body as Partial<Entry>;
  };
  const endpoints: Endpoint[] = [
    {
      ...{ method: "POST", path: "/v1/tokens" },
      handle({ newId, body }) {
        const made = { id: newId(), name: (body as Token).name };
        tokens.push(made);
        return made;
      },
    },
    { method: "GET", path: "/v1/tokens", handle: () => [...tokens] },
    {
      ...{ method: "DELETE", path: "/v1/tokens/:id" },
      handle({ id }) {
        if (!tokens.some((each) => each.id === id)) throw notFound("Token");
        tokens.splice(
          tokens.findIndex((each) => each.id === id),
          1,
        );
        return null;
      },
    },
    {
      method: "GET",
      path: "/v1/entries",
      handle: (call) => showPage(call, "entries", rows(), (each) => each),
    },
    { method: "GET", path: "/v1/entries/:id", handle: ({ id }) => find(id) },
    {
      ...{ method: "POST", path: "/v1/entries" },
      handle({ newId, body }) {
        const made = { name: "", token: "", parent: "", ...checked(body), id: newId() };
        entries.push(made);
        return made;
      },
    },
    {
      ...{ method: "PATCH", path: "/v1/entries/:id" },
      handle: ({ id, body }) => Object.assign(find(id), checked(body)),
    },
    {
      ...{ method: "DELETE", path: "/v1/entries/:id" },
      handle({ id }) {
        const found = find(id);
        if (entries.some(({ parent }) => parent === id)) throw notFound("Free entry");
        entries.splice(entries.indexOf(found), 1);
        return null;
      },
    },
  ];
  return { tokens, entries, endpoints };
}
