import type { Avatar } from "../api/index.js";
import type { Kind, ListOperation, RemoteObject } from "./kind.js";
import { timestamps, toNamedObject, toWholeEntry } from "./named.js";
import { memoizePerClient } from "./stock.js";

const name = { type: "string", minLength: 1, description: "Name shown in the dashboard." } as const;
const listStock = memoizePerClient((service) => service.avatars.listPublic());

const list: ListOperation = {
  endpoint: "avatars",
  exhaustive: true,
  whole: true,
  read: (service, options) => service.avatars.list(options),
  toListed: (entry: Avatar) => toWholeEntry(toNamedObject(entry)),
};

/** Avatars are created elsewhere and adopted by id. Only their name is managed (§2.3, §4.1). */
export const avatar: Kind = {
  name: "avatar",
  title: "Avatar",
  className: "Avatar",
  collection: "avatars",
  description: "A talking video avatar that exists in the account. Its name is managed.",
  identity: "adopted",
  label: "name",
  fields: { name },
  computed: {
    status: { type: "string", description: "Status, such as INIT. Other values are undocumented." }, // Documented in §2.3.
    error_message: { type: "string", description: "Error message of a failed avatar." },
    preview_url: { type: "string", description: "Preview URL." },
    space_id: { type: "string", description: "Id of the space the avatar belongs to." },
    is_expired: { type: "boolean", description: "Whether the avatar has expired." },
    default_voice: {
      type: "object",
      members: ["id", "name"],
      description: "Default voice: id and name.",
    },
    ...timestamps,
  },
  example: {
    key: "reception",
    id: "a03779b1-9e37-4a1b-9c2d-5ee0fe120000",
    spec: { name: "Reception" },
  },
  afterForget: "The avatar stays in the account under its current name.",

  list,
  async read(service, id) {
    const found = await service.avatars.read(id);
    return found && toNamedObject(found);
  },
  async update(service, id, input) {
    return toNamedObject(await service.avatars.rename(id, input.spec.name as string));
  },

  profiles: {
    liveavatar: {
      sessionFilter: "avatar_id",
      fields: {
        name,
        default_voice: {
          ...{ type: "reference", kind: "voice" },
          description: "Default voice. Sessions can override it. Requires a profile.",
        },
      },
      list: { ...list, toListed: (entry: Avatar) => toWholeEntry(toRemoteObject(entry)) },
      async read(service, id) {
        const own = await service.avatars.read(id);
        // Assumes that a stock avatar cannot be read by its id (untested).
        const found = own ?? (await listStock(service)).entries.find((entry) => entry.id === id);
        return found && toRemoteObject(found);
      },
      async update(service, id, { spec }, before) {
        const changed = Object.keys(spec).filter((field) => spec[field] !== before?.spec[field]);
        const fields = changed.map((field) => [field === "name" ? field : `${field}_id`, spec[field]]);
        return toRemoteObject(await service.avatars.update(id, Object.fromEntries(fields)));
      },
      listStock,
    },
  },
};

function toRemoteObject(avatar: Avatar): RemoteObject {
  const live = toNamedObject(avatar);
  const { default_voice } = avatar;
  return default_voice ? { ...live, spec: { ...live.spec, default_voice: default_voice.id } } : live;
}
