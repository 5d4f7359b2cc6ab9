import { describe, expect, test } from "vitest";
import { createSampleDataset } from "../../src/emulator/index.js";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { expectSuccess, newFolder, type Project, runIn, startProject } from "./hosting.js";

/* Runs the examples of each command, as shown by `--help` and docs/commands.md. */

const examples = commands.flatMap(({ name, examples }) => examples.map(([line]) => [name, line] as const));

/** Examples that are only parsed, because they need a code host, a git history or another account, or never end. */
const onlyRead = [
  ...["apply --digest", "apply --reviewed", "apply plan.json", "rollback --to v1.4"],
  ...[
    "review --env",
    "review --all",
    "diff staging",
    "promote context.support",
    "drift --pull-request",
    "sync --repo",
    "state migrate",
    "terraform install",
  ],
  ...["sessions watch", "sessions serve", "emulate --"],
];

const manifest = `contexts:
  support: { name: Support, opening_text: Hello., prompt: !file support.md }
  old: { name: Old, prompt: Wait. }
  welcome: { name: Welcome, prompt: Welcome. }
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
service: { sandbox_avatar: dd73ea75-1218-4ef3-92ce-606d5f7fbc0a }
sessions:
  kiosk:
    avatar_id: a03779b1-9e37-4a1b-9c2d-5ee0fe120000
    mode: FULL
    persona: { voice_id: 403779b1-9e37-4a1b-9c2d-5ee0fe120000, context: support, language: en }
`;

/** Adds a context with the id used in an example. */
function addNight({ addContext, world }: Project["emulator"], id: string): void {
  const night = addContext({ name: "Night", prompt: "Be quiet." });
  Object.assign(world.contexts.find((one) => one.id === night.id) ?? {}, { id });
}

/** Setup steps for examples, keyed by the first words after `avatarops`. */
const before: Readonly<Record<string, (project: Project) => Promise<unknown>>> = {
  "import context.support": async ({ avatarops, emulator }) => {
    await avatarops("state", "forget", "context.support");
    const made = emulator.world.contexts.find(({ name }) => name === "Support");
    Object.assign(made ?? {}, { id: "2c5faf09-e6fd-46fd-84e3-489b10838fbf" });
  },
  "import --write": async ({ emulator }) => addNight(emulator, "1f0a4e0a-4c8e-4b0e-9f51-0d6bb1a4c0de"),
  release: ({ avatarops }) => avatarops("hold", "--reason", "legal check", "context.support"),
  prune: async ({ emulator, write }) => {
    await write("avatarops.yaml", manifest.replace("service: {", "service: { profile: liveavatar,"));
    addNight(emulator, "2c5faf09-e6fd-46fd-84e3-489b10838fbf");
  },
  "sessions s": async ({ emulator, write }) => {
    await write("avatarops.yaml", manifest.replace("service: {", "service: { profile: liveavatar,"));
    emulator.addSession({ id: "5e9e4ae1-489e-4a1b-9c2d-5ee0fe120030" });
  },
  pull: async ({ emulator }) => emulator.editContext("Support", { prompt: "Edited." }),
  "state mv": ({ write }) =>
    write(
      "avatarops.yaml",
      manifest.replace("  support:", "  helpdesk:").replace("context: support", "context: helpdesk"),
    ),
};

describe("command examples", () => {
  test.each(examples)("succeed in a sample project for %s: %s", async (name, line) => {
    const argv = parseArguments(line);
    const call = argv.join(" ");
    expect(call.startsWith(name) || name === "smoke").toBe(true);
    if (onlyRead.some((words) => call.startsWith(words))) return expectReadable(argv);
    const project = await startProject({
      files: { "avatarops.yaml": manifest, "support.md": "Be polite.\n" },
      world: createSampleDataset(Date.now()),
      emulator: /^prune|^sessions s/.test(call) ? { profile: "liveavatar" } : {},
      environment: { LLM_API_KEY: "a-key" },
    });
    for (let serial = 1; serial <= (usesLongHistory(call) ? 3 : 1); serial++) {
      await project.write("support.md", `Be polite, ${serial}.\n`);
      await project.expectDone("apply", "--auto-approve");
    }
    const [, prepare] = Object.entries(before).find(([words]) => call.startsWith(words)) ?? [];
    await prepare?.(project);

    await expectSuccess(
      project.avataropsWith(
        { typed: "yes\n" },
        ...(usesLongHistory(call) ? argv.map((word) => word.replace("12", "2").replace("15", "3")) : argv),
      ),
    );
  });
});

/** Whether the example names a serial above the three created here. */
function usesLongHistory(call: string): boolean {
  return / 12(\.\.15)?$/.test(call);
}

/** Splits a shell line into `avatarops` arguments. */
function parseArguments(line: string): string[] {
  const [, call = ""] = /avatarops ([^|>)]*)/.exec(line) ?? [];
  return Array.from(
    call.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g),
    ([, one, two, three]) => one ?? two ?? three ?? "",
  );
}

async function expectReadable(argv: readonly string[]): Promise<void> {
  const { exit, stdout } = await runIn(await newFolder(), [...argv, "--help"]);
  expect(exit).toBe(0);
  for (const option of argv.filter((word) => word.startsWith("--"))) expect(stdout).toContain(option);
}
