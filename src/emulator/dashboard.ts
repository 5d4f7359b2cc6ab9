import type { Account } from "./account.js";
import { type Context, type Dataset, newContext, newSession, type Session } from "./dataset.js";
import { sessionFields } from "./dataset-shape.js";
import { EmulatorInputError } from "./input-error.js";
import { list, oneOf, readAs, sentenceOf, strictRecord, text, uuid, variant } from "./shape.js";
import { renameVoice } from "./voices.js";

/** What a colleague may do in the service's own web page meanwhile; each edit bumps updated_at. */
export interface Dashboard {
  /** A live view: it shows what requests have changed. Sessions end when someone asks for them. */
  readonly world: Dataset;
  /** Throws EmulatorInputError if there is no such context, like the others below. */
  editContext(idOrName: string, patch: ContextEdit): Context;
  addContext(fields: ContextEdit & { name: string }): Context;
  removeContext(idOrName: string): void;
  renameAvatar(id: string, name: string): void;
  renameVoice(id: string, name: string): void;
  addSession(fields?: Partial<Session>): Session;
  /** The value that was sent for a secret in this run; kept in memory only. */
  secretValue(id: string): string | undefined;
}

/** Links without an id are new ones. */
export interface ContextEdit {
  name?: string;
  prompt?: string;
  opening_text?: string;
  links?: { id?: string; url: string; faq?: string }[];
}

export interface Sources {
  nowMs: () => number;
  newId: () => string;
}

export function openDashboard(account: Account, { nowMs, newId }: Sources): Dashboard {
  const { world } = account;
  const now = () => new Date(nowMs()).toISOString();
  const stored = ({ links, ...fields }: ContextEdit) =>
    links ? { ...fields, links: links.map((link) => ({ id: newId(), faq: "", ...link })) } : fields;
  const dated = () => ({ id: newId(), created_at: now(), updated_at: now() });
  return {
    world,
    editContext(idOrName, patch) {
      const context = Object.assign(contextIn(world, idOrName), stored(patch), { updated_at: now() });
      account.changed();
      return context;
    },
    addContext(fields) {
      const context = { ...dated(), ...newContext(), name: fields.name, ...stored(fields) };
      world.contexts.push(context);
      account.changed();
      return context;
    },
    removeContext(idOrName) {
      world.contexts.splice(world.contexts.indexOf(contextIn(world, idOrName)), 1);
      account.changed();
    },
    renameAvatar(id, name) {
      Object.assign(byId(world.avatars, id, "avatar"), { name, updated_at: now() });
      account.changed();
    },
    renameVoice(id, name) {
      renameVoice(world, byId(world.voices, id, "voice"), name, now());
      account.changed();
    },
    addSession(fields = {}) {
      const avatar_id = world.avatars[0]?.id ?? newId();
      const session = { ...dated(), ...newSession, avatar_id, ...fields };
      world.sessions.push(session);
      account.changed();
      return session;
    },
    secretValue: (id) => account.secretValues.get(id),
  };
}

/** An edit as JSON, such as `{"do":"renameAvatar","id":"…","name":"Front desk"}`. Throws EmulatorInputError. */
export function edit(dashboard: Dashboard, value: unknown): unknown {
  const read = readAs(editShape, value);
  if ("problems" in read) throw refuse(sentenceOf(read.problems));
  const asked = read.value;
  switch (asked.do) {
    case "editContext":
      return dashboard.editContext(asked.context, asked.patch);
    case "addContext":
      return dashboard.addContext(asked.context);
    case "removeContext":
      return dashboard.removeContext(asked.context);
    case "renameAvatar":
      return dashboard.renameAvatar(asked.id, asked.name);
    case "renameVoice":
      return dashboard.renameVoice(asked.id, asked.name);
    case "addSession":
      return dashboard.addSession(asked.session);
  }
}

const id = text({ min: 1 });
const contextFields = {
  name: text({ min: 1 }),
  prompt: text(),
  opening_text: text(),
  links: list(strictRecord({ id: uuid, url: text({ min: 1 }), faq: text() }, "url")),
};

const editShape = variant("do", {
  editContext: strictRecord(
    { do: oneOf("editContext"), context: id, patch: strictRecord(contextFields) },
    "do",
    "context",
    "patch",
  ),
  addContext: strictRecord(
    { do: oneOf("addContext"), context: strictRecord(contextFields, "name") },
    "do",
    "context",
  ),
  removeContext: strictRecord({ do: oneOf("removeContext"), context: id }, "do", "context"),
  renameAvatar: strictRecord({ do: oneOf("renameAvatar"), id, name: text() }, "do", "id", "name"),
  renameVoice: strictRecord({ do: oneOf("renameVoice"), id, name: text() }, "do", "id", "name"),
  addSession: strictRecord({ do: oneOf("addSession"), session: strictRecord(sessionFields) }, "do"),
});

/** The id goes first: a name may look like another context's id. */
function contextIn({ contexts }: Dataset, idOrName: string): Context {
  const context =
    contexts.find(({ id }) => id === idOrName) ?? contexts.find(({ name }) => name === idOrName);
  if (!context) throw refuse(`there is no context "${idOrName}"`);
  return context;
}

function byId<T extends { id: string }>(all: readonly T[], id: string, what: string): T {
  const one = all.find((one) => one.id === id);
  if (!one) throw refuse(`there is no ${what} ${id}`);
  return one;
}

function refuse(message: string): EmulatorInputError {
  return new EmulatorInputError("edit", message);
}
