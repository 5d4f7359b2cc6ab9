import type { ComputedAttribute, ListedObject, RemoteObject } from "./kind.js";

/** Attributes of every kind that can be read (§2.3, §2.4, §2.5). */
export const timestamps = {
  created_at: { type: "string", description: "Creation time, ISO 8601 in UTC." },
  updated_at: {
    ...{ type: "string", changesOnWrite: true },
    description: "Time of the last change, ISO 8601 in UTC.",
  },
} as const satisfies Readonly<Record<string, ComputedAttribute>>;

/** Converts an object whose only managed field is its name: an avatar or a voice (§4.1, §4.2). */
export function toNamedObject<Computed extends { readonly created_at: string; readonly updated_at: string }>({
  id,
  name,
  ...computed
}: Computed & { readonly id: string; readonly name: string }): RemoteObject {
  return {
    id,
    label: name,
    createdAt: computed.created_at,
    updatedAt: computed.updated_at,
    spec: { name },
    computed,
  };
}

/** Converts a complete object to its list entry. */
export function toWholeEntry(live: RemoteObject): ListedObject {
  const { id, label, createdAt, updatedAt } = live;
  return { id, label, createdAt, updatedAt, live };
}
