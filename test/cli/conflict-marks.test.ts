/**
 * Prompts that teach SEARCH/REPLACE blocks look like unfinished merges. In every command, the `merge-conflict` rule
 * decides whether they are rejected.
 */
import { describe, expect, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { matchText, newFolder, runIn, startAndApply, startProject } from "./hosting.js";

const formatBlocks = (intro: string) => `${intro}\n\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE`;
const formatManifest = (policies: string) =>
  `${policies}contexts:\n  t: { name: T, prompt: !file prompts/a.md }\n`;

describe("pull", () => {
  test.for([
    'policies: { merge-conflict: { severity: "off" } }\n',
    "policies: { merge-conflict: { severity: warning } }\n",
    "policies: { merge-conflict: { except: [{ address: context.t, reason: It teaches blocks. }] } }\n",
  ])("accepts a live prompt that contains conflict markers if the manifest contains %j", async (policies) => {
    const project = await startAndApply({
      files: { "avatarops.yaml": formatManifest(policies), "prompts/a.md": `${formatBlocks("Answer.")}\n` },
    });
    project.emulator.editContext("T", { prompt: formatBlocks("Answer briefly.") });
    await project.expectDone("pull");
    expect(await project.read("prompts/a.md")).toContain("Answer briefly.");
    await project.expectNothingToDo();
  });

  test("rejects a live prompt that contains conflict markers by default", async () => {
    const project = await startAndApply({
      files: { "avatarops.yaml": formatManifest(""), "prompts/a.md": "Answer.\n" },
    });
    project.emulator.editContext("T", { prompt: formatBlocks("Answer briefly.") });
    expect(await project.avatarops("pull")).toMatchObject({
      exit: 1,
      stdout: matchText("The live text contains git conflict markers"),
    });
  });
});

describe("objects that violate a policy rule", () => {
  test("are omitted from an export, so the project's first plan is empty", async () => {
    const { emulator } = await startProject({ world: createEmptyDataset() });
    emulator.addContext({ name: "Coder", prompt: formatBlocks("Blocks:") });
    emulator.addContext({ name: "Desk", prompt: "Be kind." });
    const folder = await newFolder();
    const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
    const exported = await runIn(folder, ["export", "project"], { environment });
    expect(exported.exit).toBe(3);
    expect(exported.stdout + exported.stderr).toEqual(matchText("context.coder"));
    expect(exported.stdout + exported.stderr).toEqual(matchText("contains git conflict markers"));
    const planned = await runIn(`${folder}/project`, ["plan", "--detailed-exitcode"], { environment });
    expect(planned).toMatchObject({ exit: 0, stdout: matchText("Nothing to do") });
  });

  test("are not written to the files by import", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": "policies: { forbidden-phrases: { phrases: [secret sauce] } }\n" },
      world: createEmptyDataset(),
    });
    const { id } = project.emulator.addContext({ name: "Chef", prompt: "Our secret sauce." });
    await project.expectRefused(["import", "--write", "context.chef", id], "forbidden-phrases");
    expect(await project.avatarops("import", "--write", "--all")).toMatchObject({ exit: 1 });
    expect(await project.read("avatarops.yaml")).not.toContain("Chef");
    await project.expectDone("plan");
  });
});
