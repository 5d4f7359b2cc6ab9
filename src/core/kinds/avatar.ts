import type { Avatar, Service } from "../api/index.js";
import type { Kind } from "./kind.js";
import { listWhole, namedLive, timestamps } from "./named.js";
import { changeOwn } from "./stock.js";

/** Avatars are created elsewhere: adopted by id, and only their name is managed (§2.3, §4.1). */
export const avatar: Kind = {
  name: "avatar",
  title: "Avatar",
  className: "Avatar",
  collection: "avatars",
  description: "A talking video avatar that exists in the account. Its name is managed.",
  identity: "adopted",
  label: "name",
  fields: {
    name: { type: "string", minLength: 1, description: "Name shown in the dashboard." },
  },
  computed: {
    status: { type: "string", description: "Status. INIT is one value; others are not documented." }, // §2.3
    error_message: { type: "string", description: "Error message, if the avatar is in error." },
    preview_url: { type: "string", description: "URL of a preview." },
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

  list: {
    endpoint: "avatars",
    exhaustive: true,
    whole: true,
    read: (service, options) => service.avatars.list(options),
    toListed: (entry: Avatar) => listWhole(namedLive(entry)),
  },
  async read(service, id) {
    const found = await service.avatars.read(id);
    return found && namedLive(found);
  },
  async update(service, id, input) {
    return namedLive(await service.avatars.rename(id, input.spec.name as string));
  },

  profiles: {
    liveavatar: {
      async read(service, id) {
        const found = (await service.avatars.read(id)) ?? (await findPublic(service, id));
        return found && namedLive(found);
      },
      async update({ avatars }, id, { spec }) {
        const rename = () => avatars.rename(id, spec.name as string);
        return namedLive(await changeOwn(id, rename, avatars.listPublic));
      },
      stock: (service) => service.avatars.listPublic(),
    },
  },
};

/** Assumed: a stock avatar is not read by its id, which nobody was seen to do. */
async function findPublic({ avatars }: Service, id: string): Promise<Avatar | undefined> {
  return (await avatars.listPublic()).entries.find((entry) => entry.id === id);
}
