import type { Avatar } from "../api/index.js";
import type { Kind } from "./kind.js";
import { namedLive, timestamps } from "./named.js";

/** Avatars are created elsewhere: adopted by id, and only their name is managed (§2.3, §4.1). */
export const avatar: Kind = {
  name: "avatar",
  title: "Avatar",
  className: "Avatar",
  collection: "avatars",
  description: "A talking video avatar of the account. Its id is given, its name is managed.",
  identity: "adopted",
  label: "name",
  fields: {
    name: { type: "string", minLength: 1, description: "Name shown in the dashboard." },
  },
  computed: {
    status: { type: "string", description: "Status; INIT is one value, the set is open." }, // §2.3
    error_message: { type: "string", description: "Text for an avatar in error." },
    preview_url: { type: "string", description: "Address of a preview." },
    space_id: { type: "string", description: "Space the avatar belongs to." },
    is_expired: { type: "boolean", description: "Whether the avatar has expired." },
    default_voice: {
      type: "object",
      members: ["id", "name"],
      description: "Voice used by default: id and name.",
    },
    ...timestamps,
  },
  example: {
    key: "reception",
    id: "a03779b1-9e37-4a1b-9c2d-5ee0fe120000",
    spec: { name: "Reception" },
  },
  afterForget: "The avatar stays in the account under its present name.",

  list: {
    endpoint: "avatars",
    exhaustive: true,
    whole: true,
    read: (service, options) => service.avatars.list(options),
    toListed: listed,
  },
  async read(service, id) {
    const found = await service.avatars.read(id);
    return found && namedLive(found);
  },
  async update(service, id, input) {
    return namedLive(await service.avatars.rename(id, input.spec.name as string));
  },
};

function listed(entry: Avatar) {
  const whole = namedLive(entry);
  return { id: whole.id, label: whole.label, updatedAt: whole.updatedAt, live: whole };
}
