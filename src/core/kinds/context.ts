import type { Context, ContextEntry, Service } from "../api/index.js";
import { emptyIfAbsent } from "./compare.js";
import type { Kind, ListedObject, ListField, RemoteObject, WriteInput } from "./kind.js";
import { timestamps } from "./named.js";

type Link = { readonly url: string; readonly faq?: string; readonly id?: string };

const links: ListField = {
  type: "list",
  entry: "link",
  item: {
    type: "object",
    description: "A page.",
    parts: {
      url: { type: "string", required: true, format: "url", description: "Page URL." },
      faq: { type: "string", clearable: true, description: "Questions that the page answers." },
    },
    serverKeys: ["id"],
  },
  description: "Reference pages that the avatar can mention, in order.",
};

/** Prompt, opening text and links of an avatar (§2.5, §4.3). */
export const context: Kind = {
  name: "context",
  title: "Context",
  className: "Context",
  collection: "contexts",
  description: "Prompt, opening text and links for the avatar in a conversation.",
  identity: "created",
  label: "name",
  // Undocumented: some deployments reject a name that is taken.
  uniqueLabels: true,
  usedInSessions: true,
  fields: {
    name: {
      type: "string",
      required: true,
      minLength: 1,
      description: "Name that identifies the object.",
    },
    prompt: {
      type: "string",
      required: true,
      prose: true,
      clearable: true,
      // Some deployments silently truncate prompts to 65,535 characters.
      warnAbove: 60_000,
      description: "Prompt. A placeholder such as `${name}` is sent to the service unchanged.",
    },
    opening_text: {
      type: "string",
      prose: true,
      clearable: true,
      description: "Text that the avatar says first.",
    },
    links,
  },
  computed: timestamps,
  markdownBody: "prompt",
  example: {
    key: "support",
    id: "2c5faf09-e6fd-46fd-84e3-489b10838fbf",
    spec: {
      name: "Support desk",
      opening_text: "Hi, how can I help?",
      prompt: [
        "You answer politely and briefly. The visitor is ${customer_name}.",
        "If you do not know, say so and offer to have a colleague call back.",
      ].join("\n"),
      links: [
        { url: "https://example.com/returns", faq: "Returns and refunds" },
        { url: "https://example.com/prices" },
      ],
    },
  },
  afterForget: "The context stays in the account, because the service cannot delete contexts.",

  list: {
    endpoint: "contexts",
    exhaustive: true,
    whole: false,
    read: (service, options) => service.contexts.list(options),
    toListed: toListedObject,
  },
  async read(service, id) {
    const found = await service.contexts.read(id);
    return found && toLive(found);
  },
  async create(service, input) {
    return toLive(await service.contexts.create(toBody(input, [])));
  },
  async update(service, id, input, before) {
    return toLive(await service.contexts.update(id, toBody(input, (before?.spec.links ?? []) as Link[])));
  },

  profiles: {
    liveavatar: {
      afterForget: "The context stays in the account.",
      remove: (service, id) => service.contexts.remove(id),
      sessionFilter: "context_id",
    },
  },
};

/**
 * Builds the whole object (rule 3), because deployments require name, prompt and opening_text in every PATCH. Includes
 * all links with their known ids, because it is undocumented whether links are replaced or merged (§4.3).
 */
function toBody({ spec }: WriteInput, known: readonly Link[]): Parameters<Service["contexts"]["create"]>[0] {
  const takeId = createIdMatcher(known);
  const declared = (spec.links ?? []) as readonly Link[];
  return {
    name: spec.name as string,
    prompt: (spec.prompt ?? "") as string,
    opening_text: (spec.opening_text ?? "") as string,
    links: declared.map((link) => {
      const id = takeId(link);
      return { url: link.url, faq: link.faq ?? "", ...(id ? { id } : {}) };
    }),
  };
}

/**
 * Returns a function that finds the id of the live link that matches a declared link: one with the same URL and text,
 * or else with the same URL. Each id is used only once.
 */
function createIdMatcher(known: readonly Link[]): (link: Link) => string | undefined {
  const bySame = groupLinks(known, identify);
  const byPage = groupLinks(known, ({ url }) => url);
  const taken = new Set<Link>();
  const takeFirst = (free: Set<Link> | undefined) => {
    for (const one of free ?? []) {
      free?.delete(one);
      if (taken.has(one)) continue;
      taken.add(one);
      return one;
    }
    return undefined;
  };
  return (link) => (takeFirst(bySame.get(identify(link))) ?? takeFirst(byPage.get(link.url)))?.id;
}

function identify({ url, faq = "" }: Link): string {
  return JSON.stringify([url, faq]);
}

function groupLinks(links: readonly Link[], toKey: (link: Link) => string): Map<string, Set<Link>> {
  const groups = new Map<string, Set<Link>>();
  for (const link of links) {
    const key = toKey(link);
    groups.set(key, (groups.get(key) ?? new Set()).add(link));
  }
  return groups;
}

function toListedObject({ id, name, created_at, updated_at }: ContextEntry): ListedObject {
  return { id, label: name, createdAt: created_at, updatedAt: updated_at };
}

function toLive({
  id,
  name,
  prompt,
  opening_text,
  links: pages,
  created_at,
  updated_at,
}: Context): RemoteObject {
  const items = pages.map((link) => ({
    url: link.url,
    faq: link.faq ?? "",
    ...(link.id ? { id: link.id } : {}),
  }));
  return {
    id,
    label: name,
    createdAt: created_at,
    updatedAt: updated_at,
    spec: { name, prompt: emptyIfAbsent(prompt), opening_text: emptyIfAbsent(opening_text), links: items },
    computed: { created_at, updated_at },
  };
}
