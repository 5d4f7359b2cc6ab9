import type { Avatar, Voice } from "../api/index.js";
import type { Kind, ListedObject } from "./kind.js";
import { timestamps, toNamedObject, toWholeEntry } from "./named.js";
import { memoizePerClient } from "./stock.js";

const listStock = memoizePerClient((service) => service.voices.listPublic());

const name = {
  type: "string",
  minLength: 1,
  maxLength: 64,
  description: "Name shown in the dashboard, 1 to 64 characters.", // Documented in §8.
} as const;

/**
 * Voices can only be renamed, according to the documentation (§4.2). Their current name is visible only in an avatar's
 * `default_voice` (§2.3). Otherwise, it is assumed to be the last applied name.
 */
export const voice: Kind = {
  name: "voice",
  title: "Voice",
  className: "Voice",
  collection: "voices",
  description: "A voice that exists in the account. Its name is managed.",
  identity: "adopted",
  label: "name",
  fields: { name: { ...name, required: true } },
  computed: {
    language: { type: "string", description: "Language, in an undocumented format." }, // Documented in §2.4.
    gender: { type: "string", description: "Gender, with undocumented values." }, // Documented in §2.4.
    description: { type: "string", description: "Description." },
    ...timestamps,
  },
  example: {
    key: "narrator",
    id: "403779b1-9e37-4a1b-9c2d-5ee0fe120000",
    spec: { name: "Narrator" },
  },
  afterForget: "The voice stays in the account under its current name.",

  list: {
    endpoint: "avatars",
    exhaustive: false,
    whole: true,
    read: (service, options) => service.avatars.list(options),
    toListed: getDefaultVoice,
  },
  async update(service, id, input) {
    return toNamedObject(await service.voices.rename(id, input.spec.name as string));
  },

  profiles: {
    liveavatar: {
      // The name of a stock voice cannot be managed, so it is optional here.
      fields: { name: { ...name, description: `${name.description} Required without a profile.` } },
      list: {
        endpoint: "voices",
        exhaustive: true,
        whole: true,
        read: (service, options) => service.voices.list(options),
        toListed: (entry: Voice) => toWholeEntry(toNamedObject(entry)),
      },
      async read(service, id) {
        const found = await service.voices.read(id);
        return found && toNamedObject(found);
      },
      listStock,
    },
  },
};

function getDefaultVoice({ default_voice: voice }: Avatar): ListedObject | undefined {
  if (!voice?.id || !voice.name) return undefined;
  const { id, name } = voice;
  return { id, label: name, live: { id, label: name, spec: { name }, computed: {} } };
}
