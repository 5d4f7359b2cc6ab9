import { expect, test } from "vitest";
import { createSampleDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { startProject } from "../cli/hosting.js";
import { isDocumented } from "../documented-emulator.js";

const world = createSampleDataset(Date.UTC(2026, 0, 15));
const avatar = world.avatars[0]?.id;
const voice = world.avatars[0]?.default_voice?.id;
const objects = `service: { sandbox_avatar: ${sandboxAvatarId} }
avatars: { host: { id: ${avatar}, name: Host } }
voices: { warm: { id: ${voice}, name: Warm } }
`;
const rest = `contexts:
  desk: { name: Desk, prompt: "Help \${customer}." }
secrets:
  model: { secret_name: Model, secret_type: LLMPROVIDER_API_KEY, secret_value: !env MODEL_KEY }
`;
const presets = `sessions:
  kiosk: { avatar: host, mode: FULL, persona: { voice: warm, context: desk, language: en }, dynamic_variables: { customer: Anna } }
`;

test("sends only documented requests if no profile is set", async () => {
  const { avataropsWith, emulator, write } = await startProject({
    files: { "avatarops.yaml": objects + rest + presets },
    world,
  });
  const lines = new Set<string>();
  const live = async (command: string, key = "k-1") => {
    emulator.requests.splice(0);
    const ran = await avataropsWith({ environment: { MODEL_KEY: key } }, ...command.split(" "));
    expect(ran, command + ran.stdout + ran.stderr).toMatchObject({ exit: expect.toBeOneOf([0, 2]) });
    expect(emulator.requests.filter((request) => !isDocumented(request))).toEqual([]);
    const asked = emulator.requests.map(({ method, path, query }) => {
      const route = path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, "{id}");
      return `${[method, route, ...Object.entries(query).map(([name, value]) => `${name}=${value}`)].join(" ")}`;
    });
    for (const line of asked) lines.add(line);
  };
  await live("validate");
  await live("plan");
  await live("apply --auto-approve");
  const made = emulator.world.contexts.at(-1)?.id ?? "";
  emulator.editContext(made, { prompt: "Edited elsewhere." });
  await live("drift");
  await live("apply --auto-approve --overwrite-drift");
  await live("export exported");
  await live("apply --auto-approve", "k-2");
  await live("token kiosk");
  await live("sessions list");
  await live("sessions report");
  await live("smoke --timeout 1");
  await write("avatarops.yaml", objects);
  await live("apply --auto-approve");
  await expect(`${[...lines].sort().join("\n")}\n`).toMatchFileSnapshot("without-profile.txt");
});
