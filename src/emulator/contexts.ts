import type { AccountData, Dated } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import {
  bodyOf,
  type Call,
  type Endpoint,
  pathIdOf,
  shownExtra,
  shownOptional,
  shownTime,
  timeOf,
} from "./endpoint.js";
import { EmulatorInputError } from "./input-error.js";
import { pageOf } from "./pages.js";
import { notFound, Refusal } from "./refusal.js";
import { complete, type Resource, rowsOf, time } from "./resource.js";
import { daysBefore, sampleId } from "./sample-ids.js";
import { samplePrompts } from "./sample-prompts.js";
import { list, record, strictRecord, text, uuid } from "./shape.js";

/** §2.5 */
export interface Context extends Dated {
  name: string;
  prompt: string;
  opening_text: string;
  links: Link[];
}

export interface Link {
  id: string;
  url: string;
  faq: string;
}

/** Links without an id are new ones. */
export interface ContextEdit {
  name?: string;
  prompt?: string;
  opening_text?: string;
  links?: { id?: string; url: string; faq?: string }[];
}

const rows = rowsOf<Context>("contexts");
const newContext = () => ({ prompt: "", opening_text: "", links: [] as Link[] });
const id = text({ min: 1 });

const fields = {
  name: text({ min: 1 }),
  prompt: text(),
  opening_text: text(),
  links: list(record({ id: uuid, url: text({ min: 1 }), faq: text() }, "url")),
};

// Assumed: only the name is required on creation, and a PATCH may be partial (§4.3 does not say).
const creation = record(fields, "name");
const partialPatch = record(fields);
const fullPatch = record(fields, "name", "prompt", "opening_text");

const endpoints: readonly Endpoint[] = [
  { method: "POST", path: "/v1/contexts", answer: create },
  {
    method: "GET",
    path: "/v1/contexts",
    answer: (call) =>
      pageOf(call, "contexts", rows(call.account.world), (context) => entry(context, call.behaviour)),
  },
  { method: "GET", path: "/v1/contexts/:id", answer: (call) => shown(find(call), call.behaviour) },
  { method: "PATCH", path: "/v1/contexts/:id", answer: update },
];

/** What the context page of the service's dashboard can do. */
export interface ContextPage {
  /** Throws EmulatorInputError if there is no such context; so do the methods below. */
  editContext(idOrName: string, patch: ContextEdit): Context;
  addContext(fields: ContextEdit & { name: string }): Context;
  removeContext(idOrName: string): void;
}

const edited = {
  ...{ name: text({ min: 1 }), prompt: text(), opening_text: text() },
  links: list(strictRecord({ id: uuid, url: text({ min: 1 }), faq: text() }, "url")),
};

/** §4.3 */
export const contexts: Resource<Context, ContextPage> = {
  name: "contexts",
  endpoints,
  stored: complete({
    id,
    created_at: time,
    updated_at: time,
    name: text(),
    prompt: text(),
    opening_text: text(),
    links: list(complete({ id, url: text(), faq: text() })),
  }),
  dashboard(account, { behaviour, nowMs, newId }) {
    const { world } = account;
    const now = () => new Date(nowMs()).toISOString();
    const written = ({ links, ...fields }: ContextEdit) =>
      links ? { ...fields, links: links.map((link) => ({ id: newId(), faq: "", ...link })) } : fields;
    return {
      editContext(idOrName, patch) {
        const context = contextIn(world, idOrName);
        if (isTaken(world, behaviour, patch.name, context))
          throw new EmulatorInputError("edit", `another context has the name "${patch.name}"`);
        Object.assign(context, written(patch), { updated_at: now() });
        account.changed();
        return context;
      },
      addContext(fields) {
        const dated = { id: newId(), created_at: now(), updated_at: now() };
        const context = { ...dated, ...newContext(), name: fields.name, ...written(fields) };
        rows(world).push(context);
        account.changed();
        return context;
      },
      removeContext(idOrName) {
        rows(world).splice(rows(world).indexOf(contextIn(world, idOrName)), 1);
        account.changed();
      },
    };
  },
  sample: (nowMs) =>
    samplePrompts.map((written, i) => ({
      ...written,
      id: sampleId("c0", i),
      created_at: daysBefore(nowMs, 150 - 10 * i),
      updated_at: daysBefore(nowMs, 30 - 3 * i),
      links: sampleLinks.slice(0, i % 4).map((link, j) => ({ id: sampleId("11", 10 * i + j), ...link })),
    })),
  numbered: {
    digit: 3,
    row: (i, dated, { prompt }) => ({
      ...dated,
      ...newContext(),
      name: `Context ${i + 1}`,
      prompt: prompt(i),
    }),
  },
  edits: {
    editContext: {
      fields: { context: id, patch: strictRecord(edited) },
      required: ["context", "patch"],
      run: (page, { context, patch }) => page.editContext(String(context), patch as ContextEdit),
    },
    addContext: {
      fields: { context: strictRecord(edited, "name") },
      required: ["context"],
      run: (page, { context }) => page.addContext(context as ContextEdit & { name: string }),
    },
    removeContext: {
      fields: { context: id },
      required: ["context"],
      run: (page, { context }) => page.removeContext(String(context)),
    },
  },
};

const sampleLinks = [
  { url: "https://seeufer.example.com/warranty", faq: "Warranty: frames five years, electrics two" },
  { url: "https://seeufer.example.com/opening-hours", faq: "Öffnungszeiten und Feiertage" },
  { url: "https://seeufer.example.com/returns", faq: "Returns within 30 days" },
];

/** Ids take precedence: a name may look like another context's id. */
function contextIn(world: AccountData, idOrName: string): Context {
  const all = rows(world);
  const context = all.find((row) => row.id === idOrName) ?? all.find(({ name }) => name === idOrName);
  if (!context) throw new EmulatorInputError("edit", `there is no context "${idOrName}"`);
  return context;
}

function create(call: Call): unknown {
  const { links = [], ...sent } = bodyOf(call, creation);
  refuseTakenName(call, sent.name);
  const at = timeOf(call);
  const context: Context = {
    id: call.newId(),
    ...newContext(),
    ...stored(sent, call.behaviour),
    created_at: at,
    updated_at: at,
  };
  context.links = storedLinks(context, links, call);
  rows(call.account.world).push(context);
  call.account.changed();
  return shown(context, call.behaviour);
}

function update(call: Call): unknown {
  const context = find(call);
  const { links, ...sent } = bodyOf(call, call.behaviour.requireAllOnPatch ? fullPatch : partialPatch);
  if (sent.name !== undefined) refuseTakenName(call, sent.name, context);
  // Assumed: a PATCH updates updated_at, even if it changes nothing (§2.5 does not say).
  Object.assign(context, stored(sent, call.behaviour), { updated_at: timeOf(call) });
  if (links) context.links = storedLinks(context, links, call);
  call.account.changed();
  return shown(context, call.behaviour);
}

function find(call: Call): Context {
  const id = pathIdOf(call, "context_id", uuid);
  const context = rows(call.account.world).find((context) => context.id === id);
  if (!context) throw notFound("Context");
  return context;
}

function refuseTakenName({ account, behaviour }: Call, name: string, self?: Context): void {
  if (isTaken(account.world, behaviour, name, self))
    throw new Refusal(400, "Context with this name already exists");
}

function isTaken(world: AccountData, { contextNames }: Behaviour, name: string | undefined, self?: Context) {
  return contextNames === "unique" && rows(world).some((other) => other !== self && other.name === name);
}

function stored<T extends { prompt?: string }>(sent: T, { promptCutAt }: Behaviour): T {
  if (promptCutAt === null || sent.prompt === undefined) return sent;
  return { ...sent, prompt: sent.prompt.slice(0, promptCutAt) };
}

interface SentLink {
  id?: string;
  url: string;
  faq?: string;
}

/** The service assigns link ids: a known id of this context stays, any other link gets a new one. */
function storedLinks(context: Context, sent: readonly SentLink[], call: Call): Link[] {
  const known = new Set(context.links.map((link) => link.id));
  const links = sent.map(({ id, url, faq = "" }) => {
    // A second link with the same id is another link.
    const isKnown = id !== undefined && known.delete(id);
    return { id: isKnown ? id : call.newId(), url, faq };
  });
  if (call.behaviour.links === "replace") return links;
  const changed = new Map(links.map((link) => [link.id, link]));
  const merged = context.links.map((link) => changed.get(link.id) ?? link);
  return [...merged, ...links.filter((link) => !merged.includes(link))];
}

function entry(context: Context, behaviour: Behaviour) {
  return {
    id: context.id,
    name: context.name,
    created_at: shownTime(context.created_at, behaviour),
    updated_at: shownTime(context.updated_at, behaviour),
    ...shownExtra({ type: "CUSTOM" }, behaviour),
  };
}

function shown(context: Context, behaviour: Behaviour) {
  return {
    ...entry(context, behaviour),
    prompt: context.prompt,
    opening_text: shownOptional(context.opening_text, behaviour),
    links: shownOptional(context.links, behaviour),
    ...shownExtra({ required_dynamic_variables: placeholdersIn(context) }, behaviour),
  };
}

/** The service fills in `${name}` when a session starts; deployments list the names. */
function placeholdersIn({ prompt, opening_text }: Context): string[] {
  const found = `${prompt}\n${opening_text}`.matchAll(/\$\{(\w+)\}/g);
  return [...new Set(Array.from(found, ([, name = ""]) => name))];
}
