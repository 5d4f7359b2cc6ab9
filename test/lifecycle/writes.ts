import { createEmptyDataset, type Emulator, generateDataset } from "../../src/emulator/index.js";
import type { Values } from "../terraform/unit/driving.js";

/** Write supported by both the command and the provider. */
export interface Write {
  readonly name: string;
  /** Earlier declared value. Undefined for a new declaration. */
  readonly from?: string;
  readonly to: string;
  readonly profile?: "liveavatar";
  /** Manifest to apply first. */
  readonly given?: string;
  /** Request that performs the write, in fault notation. */
  readonly request: string;
  readonly world: () => ReturnType<typeof createEmptyDataset>;
  /** Returns the manifest that declares the object. */
  readonly manifest: (world: Emulator["world"], text: string) => string;
  readonly resource: string;
  readonly config: (world: Emulator["world"], text: string) => Values;
  /** Edits the object in the dashboard between plan and apply. */
  readonly edit?: (emulator: Emulator) => void;
  readonly remove?: (emulator: Emulator) => void;
  /** Gives another object the name that the write sets. */
  readonly takeName?: (emulator: Emulator) => void;
  /** Makes the service store or return a value that differs from the request. */
  readonly change?: (emulator: Emulator) => void;
  /** Returns short forms of the live values. */
  readonly inAccount: (emulator: Emulator) => readonly string[];
}

const takeFirst = <One>([one]: readonly One[]): One => {
  if (one === undefined) throw new Error("The account is empty.");
  return one;
};

/** Makes the service respond with values that differ from the stored values. */
const respondWith = (data: (emulator: Emulator) => object) => (emulator: Emulator) =>
  emulator.addFault({
    match: { method: "PATCH" },
    do: {
      ...{ kind: "status", status: 200, after: true },
      body: { code: 100, message: "", data: data(emulator) },
    },
  });

const context = {
  request: "/v1/contexts",
  world: () => createEmptyDataset(),
  manifest: (_: unknown, text: string) => `contexts:\n  desk: { name: Desk ${text}, prompt: ${text} }\n`,
  resource: "avatarops_context",
  config: (_: unknown, text: string) => ({ name: `Desk ${text}`, prompt: text }),
  takeName: (emulator: Emulator) => void emulator.addContext({ name: "Desk new", prompt: "theirs" }),
  change: (emulator: Emulator) => emulator.setBehavior({ promptCutAt: 2 }),
  inAccount: ({ world }: Emulator) => world.contexts.map(({ prompt }) => prompt),
};

const avatar = {
  request: "PATCH /v1/avatars/*",
  world() {
    const world = generateDataset({ avatars: 1 });
    takeFirst(world.avatars).name = "old";
    return world;
  },
  manifest: ({ avatars }: Emulator["world"], text: string) =>
    `avatars:\n  host: { id: ${takeFirst(avatars).id}, name: ${text} }\n`,
  resource: "avatarops_avatar",
  config: ({ avatars }: Emulator["world"], text: string) => ({ id: takeFirst(avatars).id, name: text }),
  edit: (emulator: Emulator) => emulator.renameAvatar(takeFirst(emulator.world.avatars).id, "theirs"),
  remove: ({ world }: Emulator) => void world.avatars.pop(),
  change: respondWith(({ world }) => ({ ...takeFirst(world.avatars), name: "ne" })),
  inAccount: ({ world }: Emulator) => world.avatars.map(({ name }) => name),
};

const voice = {
  ...{ from: "old", to: "new", request: "PATCH /v1/voices/*", resource: "avatarops_voice" },
  // A voice is visible only as an avatar's default voice.
  world: () => generateDataset({ avatars: 1, voices: 1 }),
  manifest: ({ voices }: Emulator["world"], text: string) =>
    `voices:\n  narrator: { id: ${takeFirst(voices).id}, name: ${text} }\n`,
  config: ({ voices }: Emulator["world"], text: string) => ({ id: takeFirst(voices).id, name: text }),
  edit: (emulator: Emulator) => emulator.renameVoice(takeFirst(emulator.world.voices).id, "theirs"),
  remove: ({ world }: Emulator) => void world.voices.pop(),
  change: respondWith(({ world }) => ({ ...takeFirst(world.voices), name: "ne" })),
  inAccount: ({ world }: Emulator) => world.voices.map(({ name }) => name),
};

const secret = {
  request: "POST /v1/secrets",
  world: () => createEmptyDataset(),
  manifest: (_: unknown, text: string) =>
    `secrets:\n  llm: { secret_name: Key, secret_type: LLMPROVIDER_API_KEY, secret_value: !env ${text.toUpperCase()} }\n`,
  resource: "avatarops_secret",
  config: (_: unknown, text: string) => ({
    ...{ secret_name: "Key", secret_type: "LLMPROVIDER_API_KEY", secret_value_wo: text },
  }),
  inAccount: (emulator: Emulator) =>
    emulator.world.secrets.map(({ id }) => emulator.secretValue(id) ?? "lost"),
};

const key =
  "service: { profile: liveavatar }\nsecrets:\n  key: { secret_name: Key, secret_type: LLM_API_KEY, secret_value: !env OLD }\n";

const listConfigurations = ({ world }: Emulator) => world.llmConfigurations;

const llmConfiguration = {
  profile: "liveavatar",
  ...{ given: key, request: "POST /v1/llm-configurations" },
  world() {
    const stored = { secret_name: "Key", secret_type: "LLM_API_KEY", created_at: "2026-01-01T00:00:00.000Z" };
    return { ...createEmptyDataset(), secrets: [{ id: "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120001", ...stored }] };
  },
  manifest: (_: unknown, text: string) =>
    `${key}llm_configurations:\n  main: { display_name: Main, model_name: ${text}, secret: key }\n`,
  resource: "avatarops_llm_configuration",
  config: ({ secrets }: Emulator["world"], text: string) => ({
    ...{ display_name: "Main", model_name: text, secret_id: takeFirst(secrets).id },
  }),
  inAccount: (emulator: Emulator) => listConfigurations(emulator).map(({ model_name }) => model_name),
} as const;

/** Tested writes by name. */
export const writes = {
  "context create": { ...context, to: "new", request: "POST /v1/contexts" },
  "context update": {
    ...{ ...context, from: "old", to: "new", request: "PATCH /v1/contexts/*" },
    edit: (emulator) => void emulator.editContext("Desk old", { prompt: "theirs" }),
    remove: (emulator) => emulator.removeContext("Desk old"),
  },
  "avatar rename": { ...avatar, from: "old", to: "new" },
  "voice rename": voice,
  "voice rename, with a list": {
    ...{ ...voice, profile: "liveavatar" },
    // No avatar uses the voice.
    world: () => generateDataset({ voices: 1 }),
    manifest: (world, text) => `service: { profile: liveavatar }\n${voice.manifest(world, text)}`,
  },
  "secret create": { ...secret, to: "new" },
  "secret rotate": { ...secret, from: "old", to: "new" },
  "llm_configuration create": { ...llmConfiguration, to: "new" },
  "llm_configuration update": {
    ...{ ...llmConfiguration, from: "old", to: "new", request: "PATCH /v1/llm-configurations/*" },
    edit: (emulator) => Object.assign(takeFirst(listConfigurations(emulator)), { model_name: "theirs" }),
    remove: (emulator) => void listConfigurations(emulator).pop(),
    change: respondWith((emulator) => ({ ...takeFirst(listConfigurations(emulator)), model_name: "ne" })),
  },
  "adoption with differences": { ...avatar, to: "new" },
} as const satisfies Readonly<Record<string, Omit<Write, "name">>>;
