import * as z from "zod";
import { type AccountData, createRowGetter, type TimestampedRow } from "./account.js";
import type { Behavior } from "./behavior.js";
import {
  type EndpointCall,
  includeExtraFields,
  includeProfileFields,
  readBody,
  showRow,
} from "./endpoint.js";
import { EmulatorInputError } from "./input-error.js";
import { createOperations } from "./operations.js";
import { Refusal } from "./refusal.js";
import type { EmulatedResource } from "./resource.js";
import { createSampleContextId, createSampleId, formatDaysBefore } from "./sample-ids.js";
import { samplePrompts } from "./sample-prompts.js";
import { strictObject, text, uuid } from "./shape.js";

/** Context, as documented in §2.5. */
export interface Context extends TimestampedRow {
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

const link = { id: uuid.exactOptional(), url: text({ min: 1 }), faq: text().exactOptional() };
const texts = { name: text({ min: 1 }), prompt: text(), opening_text: text() };

// Assumption: POST requires only a name, and PATCH no field at all (unspecified in §4.3).
const patch = z.object({ ...texts, links: z.array(z.object(link)) }).exactPartial();
const creation = patch.required({ name: true });
const fullPatch = patch.required({ name: true, prompt: true, opening_text: true });

export const editedContext = strictObject({ ...texts, links: z.array(strictObject(link)) }).exactPartial();

/** An edit to a context. Links without an id are new. */
export type ContextEdit = z.infer<typeof editedContext>;

const rows = createRowGetter<Context>("contexts");
const createContext = () => ({ prompt: "", opening_text: "", links: [] as Link[] });
const { list, read, create, update, remove } = createOperations<Context>("contexts", "Context", {
  show,
  uuid: "context_id",
});

/** Dashboard edits that the context page offers. Each throws EmulatorInputError for an unknown context. */
export interface ContextPage {
  editContext(idOrName: string, patch: ContextEdit): Context;
  addContext(fields: ContextEdit & { name: string }): Context;
  removeContext(idOrName: string): void;
}

/** Contexts, with the documented endpoints (§4.3). */
export const contexts: EmulatedResource<Context, ContextPage> = {
  endpoints: [create(creation, toContext), list(showEntry), read(), update(patch, change)],
  profiles: { liveavatar: [create(fullPatch, toContext), remove()] },
  openPage(account, { behavior, nowMs, newId }) {
    const { world } = account;
    const formatNow = () => new Date(nowMs()).toISOString();
    const withLinkIds = ({ links, ...fields }: ContextEdit) =>
      links ? { ...fields, links: links.map((link) => ({ id: newId(), faq: "", ...link })) } : fields;
    return {
      editContext(idOrName, patch) {
        const context = findContext(world, idOrName);
        if (isTaken(world, behavior, patch.name, context))
          throw new EmulatorInputError("edit", `another context has the name "${patch.name}"`);
        Object.assign(context, withLinkIds(patch), { updated_at: formatNow() });
        account.changed();
        return context;
      },
      addContext(fields) {
        const dated = { id: newId(), created_at: formatNow(), updated_at: formatNow() };
        const context = { ...dated, ...createContext(), name: fields.name, ...withLinkIds(fields) };
        rows(world).push(context);
        account.changed();
        return context;
      },
      removeContext(idOrName) {
        rows(world).splice(rows(world).indexOf(findContext(world, idOrName)), 1);
        account.changed();
      },
    };
  },
  createSample: (nowMs) =>
    samplePrompts.map((written, i) => ({
      ...written,
      id: createSampleContextId(i),
      created_at: formatDaysBefore(nowMs, 150 - 10 * i),
      updated_at: formatDaysBefore(nowMs, 30 - 3 * i),
      links: sampleLinks
        .slice(0, i % 4)
        .map((link, j) => ({ id: createSampleId("11", 10 * i + j), ...link })),
    })),
  rowGenerator: {
    digit: 3,
    row: (i, dated, { prompt }) => ({
      ...dated,
      ...createContext(),
      name: `Context ${i + 1}`,
      prompt: prompt(i),
    }),
  },
};

const sampleLinks = [
  { url: "https://seeufer.example.com/warranty", faq: "Warranty: frames five years, electrics two" },
  { url: "https://seeufer.example.com/opening-hours", faq: "Öffnungszeiten und Feiertage" },
  { url: "https://seeufer.example.com/returns", faq: "Returns within 30 days" },
];

/** Finds a context. Ids take precedence, because a name may look like another context's id. */
function findContext(world: AccountData, idOrName: string): Context {
  const all = rows(world);
  const context = all.find((row) => row.id === idOrName) ?? all.find(({ name }) => name === idOrName);
  if (!context) throw new EmulatorInputError("edit", `there is no context "${idOrName}"`);
  return context;
}

function toContext({ links = [], ...sent }: z.infer<typeof creation>, call: EndpointCall) {
  assertNameFree(call, sent.name);
  return { ...createContext(), ...cutPrompt(sent, call.behavior), links: storeLinks([], links, call) };
}

function change(context: Context, { links, ...sent }: z.infer<typeof patch>, call: EndpointCall): void {
  if (call.behavior.requireAllOnPatch) readBody(call, fullPatch);
  if (sent.name !== undefined) assertNameFree(call, sent.name, context);
  Object.assign(context, cutPrompt(sent, call.behavior));
  if (links) context.links = storeLinks(context.links, links, call);
}

function assertNameFree({ account, behavior }: EndpointCall, name: string, self?: Context): void {
  if (isTaken(account.world, behavior, name, self))
    throw new Refusal(400, "Context with this name already exists");
}

function isTaken(world: AccountData, { contextNames }: Behavior, name: string | undefined, self?: Context) {
  return contextNames === "unique" && rows(world).some((other) => other !== self && other.name === name);
}

function cutPrompt<T extends { prompt?: string }>(sent: T, { promptCutAt }: Behavior): T {
  if (promptCutAt === null || sent.prompt === undefined) return sent;
  return { ...sent, prompt: sent.prompt.slice(0, promptCutAt) };
}

/** Assigns link ids like the service: keeps known ids of this context, and replaces all others. */
function storeLinks(
  before: readonly Link[],
  sent: readonly { id?: string; url: string; faq?: string }[],
  call: EndpointCall,
): Link[] {
  const known = new Set(before.map((link) => link.id));
  const links = sent.map(({ id, url, faq = "" }) => {
    // A second link with the same id gets a new id.
    const isKnown = id !== undefined && known.delete(id);
    return { id: isKnown ? id : call.newId(), url, faq };
  });
  if (call.behavior.links === "replace") return links;
  const changed = new Map(links.map((link) => [link.id, link]));
  const merged = before.map((link) => changed.get(link.id) ?? link);
  return [...merged, ...links.filter((link) => !merged.includes(link))];
}

function showEntry({ id, name, created_at, updated_at }: Context, call: EndpointCall) {
  const entry = showRow({ id, name, created_at, updated_at }, call);
  return { ...entry, ...includeExtraFields({ type: "CUSTOM" }, call.behavior) };
}

function show(context: Context, call: EndpointCall) {
  const variables = { required_dynamic_variables: findPlaceholders(context) };
  return {
    ...showRow(context, call, "opening_text", "links"),
    ...includeProfileFields(variables, call),
    ...includeExtraFields({ type: "CUSTOM", ...variables }, call.behavior),
  };
}

/**
 * Finds the names of `${name}` placeholders. Deployments list them in responses, and fill them in when a session
 * starts.
 */
function findPlaceholders({ prompt, opening_text }: Context): string[] {
  const found = `${prompt}\n${opening_text}`.matchAll(/\$\{(\w+)\}/g);
  return [...new Set(Array.from(found, ([, name = ""]) => name))];
}
