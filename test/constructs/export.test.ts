import { expect, test } from "vitest";
import { type Dataset, emptyDataset, generateDataset, sampleDataset } from "../../src/emulator/index.js";
import { saying, startProject } from "../cli/hosting.js";
import { oddWorld } from "../cli/odd-contexts.js";

const longAgo = Date.now() - 3_600_000;
const inAccount = ["-f", "account/avatarops.config.ts"];

async function exported(world: Dataset) {
  const project = await startProject({ world, emulator: { behaviour: { contextNames: "free" } } });
  const result = await project.avatarops("export", "--typescript", "account");
  expect(result, result.stderr).toMatchObject({ exit: 0 });
  return project;
}

test("writes an account as TypeScript that plans nothing, with each prompt as a file", async () => {
  const project = await exported(sampleDataset(longAgo));
  await project.expectNothingToDo(...inAccount);
  await project.expectNothingToDo(...inAccount, "--refresh", "full");
  const main = await project.read("account/avatarops.config.ts");
  expect(main).toContain('prompt: promptFile("prompts/');
  // Edited in the dashboard, a prompt comes back into its file.
  const { name = "" } = project.emulator.world.contexts[0] ?? {};
  project.emulator.editContext(name, { prompt: "Edited." });
  expect(await project.avatarops("pull", ...inAccount)).toMatchObject({ exit: 0 });
  expect(await project.read("account/avatarops.config.ts")).toBe(main);
  await project.expectNothingToDo(...inAccount);
});

test("plans nothing afterwards, whatever the texts", async () => {
  const project = await exported(oddWorld());
  await project.expectNothingToDo(...inAccount);
  await project.expectNothingToDo(...inAccount, "--refresh", "full");
});

test("shows nothing that reorders or hides what is read", async () => {
  const world = generateDataset({ contexts: 1 });
  Object.assign(world.contexts[0] ?? {}, { name: "a\u202Eb\u200Bc" });
  const project = await exported(world);
  expect(await project.read("account/avatarops.config.ts")).toContain('name: "a\\u202eb\\u200bc"');
});

test("writes the address down where it was given", async () => {
  const project = await startProject({ world: emptyDataset() });
  const { url } = project.emulator;
  expect(await project.avatarops("export", "--typescript", "a", "--base-url", url)).toMatchObject({
    exit: 0,
  });
  expect(await project.read("a/avatarops.config.ts")).toContain(`baseUrl: "${url}"`);
  await project.expectNothingToDo("-f", "a/avatarops.config.ts");
});

test.each([
  ["--typescript", "avatarops.yaml", "contexts: {}\n"],
  ["--typescript", "avatarops.config.ts", "export {};\n"],
  ["--quiet", "avatarops.config.ts", "export {};\n"],
])("does not write beside another manifest (%s, %s)", async (option, file, text) => {
  const project = await startProject({ world: emptyDataset(), files: { [`a/${file}`]: text } });
  expect(await project.avatarops("export", option, "a")).toMatchObject({
    exit: 1,
    stderr: saying(`already has ${file}`),
  });
  expect(await project.read(`a/${file}`)).toBe(text);
});
