// @module-tag night
/**
 * Kills the process at each step of importing objects into the files. Re-running the command must declare each object
 * once, keep existing text and leave an empty plan.
 */
import { describe, expect, it } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { localMachine, type Project, startProject } from "../cli/hosting.js";
import { splitIntoThirds } from "../real/long.js";
import { start } from "./child.js";

const later = { ...localMachine, now: () => Date.now() + 60_000 };
const main =
  "# Ours.\ncontexts:\n  first: # the first\n    name: Context 1\n    prompt: !file prompts/first.md\n";
const files = { "avatarops.yaml": main, "prompts/first.md": "Be polite.\n" };

async function newProject(): Promise<Project> {
  const world = generateDataset({ avatars: 1, contexts: 3 });
  // Gives two objects the same name, so that the files alone cannot distinguish them.
  for (const at of [1, 2]) Object.assign(world.contexts[at] ?? {}, { name: "Twin", prompt: `Twin ${at}` });
  const emulator = { behavior: { contextNames: "free" } } as const;
  const project = await startProject({ files, world, emulator });
  expect(await project.avatarops("apply", "-y", "--overwrite-drift")).toMatchObject({ exit: 0 });
  return project;
}

const argv = ["import", "--write", "--all"];

describe("import of all objects, killed at any disk operation", () => {
  const environmentOf = ({ emulator }: Project) => ({
    AVATAROPS_BASE_URL: emulator.url,
    AVATAROPS_API_KEY: "test-key",
  });

  for (const { which, isAlways, steps } of splitIntoThirds(2))
    it(`is completed by the next run (${which})`, { tags: isAlways ? [] : "night" }, async () => {
      const whole = await newProject();
      const { exit, stderr } = await start(whole.folder, argv, environmentOf(whole), "never:0").ended;
      expect(exit, stderr).toBe(0);
      const total = Number(/steps: (\d+)/.exec(stderr)?.[1]);
      expect(total).toBeGreaterThan(5);
      for (const step of steps(1, total)) {
        const project = await newProject();
        const killed = await start(project.folder, argv, environmentOf(project), `after:${step}`).ended;
        expect([null, "SIGKILL"]).toContain(killed.signal);
        // Even a partial import must not lead to writes to the account.
        const planned = await project.avataropsWith(later, "plan", "--format", "json");
        const { changes } = JSON.parse(planned.stdout) as { changes: { action: string }[] };
        expect(changes.filter(({ action }) => action !== "forget")).toEqual([]);
        const again = await project.avataropsWith(later, ...argv);
        expect(again, `${step}: ${again.stdout}${again.stderr}`).toMatchObject({ exit: 0 });
        await project.expectNothingToDo("--refresh", "full");
        for (const file of Object.keys(files)) expect(await project.read(file)).toBe(await whole.read(file));
        expect((await project.avatarops("prune")).stdout).toContain("no undeclared objects");
      }
    });
});
