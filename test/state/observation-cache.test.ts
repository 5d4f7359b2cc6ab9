import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, type Project, startProject } from "../cli/hosting.js";

const manifest = "contexts:\n  desk: { name: Desk, prompt: Be brief., opening_text: Hello }\n";
const state = ".avatarops/state.json";

async function applied(): Promise<Project> {
  const project = await startProject({ files: { "avatarops.yaml": manifest } });
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  return project;
}

/** How often the context itself was read: the list shows the time of its last change, not its prompt. */
async function readsOf(project: Project, ...argv: string[]): Promise<number> {
  const before = project.emulator.requests.length;
  expect(await project.avatarops(...argv)).toMatchObject({ exit: 0 });
  const paths = project.emulator.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
  return paths.filter((path) => /^GET \/v1\/contexts\/./.test(path)).length;
}

async function cacheFile({ folder }: Project): Promise<string> {
  const names = await readdir(join(folder, ".avatarops/cache"));
  return join(folder, ".avatarops/cache", names.find((name) => name.endsWith(".json")) ?? "");
}

test("what was observed is beside the state, never in it, and git leaves it out", async () => {
  const project = await applied();
  expect(await readsOf(project, "plan")).toBe(0);
  expect(await project.read(state)).not.toContain("inSyncAt");
  expect(await project.read(".avatarops/cache/.gitignore")).toBe("*\n");
});

test("an apply that finds nothing to do leaves the state untouched, with a cache and without one", async () => {
  const project = await applied();
  const before = await project.read(state);
  await rm(join(project.folder, ".avatarops/cache"), { recursive: true });
  expect(await readsOf(project, "apply", "--auto-approve")).toBe(1);
  expect(await readsOf(project, "apply", "--auto-approve")).toBe(0);
  expect(await project.read(state)).toBe(before);
});

test.each([
  ["is gone", (file: string) => rm(file)],
  ["was cut", async (file: string) => writeFile(file, (await readFile(file, "utf8")).slice(0, 20))],
  ["is of a later version", (file: string) => writeFile(file, '{"version":2,"objects":[]}')],
  ["is a folder", (file: string) => rm(file).then(() => mkdir(file))],
])("a cache that %s costs requests, nothing else", async (_what, harm) => {
  const project = await applied();
  await harm(await cacheFile(project));
  expect(await readsOf(project, "plan", "--detailed-exitcode")).toBe(1);
});

test("what was observed of other applied values does not count: an older state finds the later edit", async () => {
  const project = await applied();
  const older = await project.read(state);
  await project.write("avatarops.yaml", manifest.replace("Be brief.", "Be polite."));
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  await project.write(state, older);
  await project.write("avatarops.yaml", manifest);
  const { exit, stdout } = await project.avatarops("plan", "--detailed-exitcode");
  expect([exit, stdout]).toEqual([2, expect.stringContaining("polite")]);
});

test("a cache that is a link out of the project is neither read nor written", async () => {
  const outside = await newFolder();
  const project = await startProject({ files: { "avatarops.yaml": manifest } });
  await mkdir(join(project.folder, ".avatarops"));
  await symlink(outside, join(project.folder, ".avatarops/cache"));
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(await readdir(outside)).toEqual([]);
});
