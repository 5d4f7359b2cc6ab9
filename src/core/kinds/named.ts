import type { ComputedAttribute, ListedObject, Live } from "./kind.js";

/** When an object was created and last changed, for every kind that can be read (§2.3, §2.4, §2.5). */
export const timestamps = {
  created_at: { type: "string", description: "Time of creation, ISO 8601 in UTC." },
  updated_at: {
    ...{ type: "string", changesOnWrite: true },
    description: "Time of the last change, ISO 8601 in UTC.",
  },
} as const satisfies Readonly<Record<string, ComputedAttribute>>;

/** An object of which only the name is managed: avatars and voices (§4.1, §4.2). */
export function namedLive<Computed extends { readonly created_at: string; readonly updated_at: string }>({
  id,
  name,
  ...computed
}: Computed & { readonly id: string; readonly name: string }): Live {
  return {
    id,
    label: name,
    createdAt: computed.created_at,
    updatedAt: computed.updated_at,
    spec: { name },
    computed,
  };
}

/** What a list says of an object, if it has all of it. */
export function listWhole(live: Live): ListedObject {
  const { id, label, updatedAt } = live;
  return { id, label, updatedAt, live };
}
