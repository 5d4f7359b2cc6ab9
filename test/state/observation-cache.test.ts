import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder, type Project, startProject } from "../cli/hosting.js";

const manifest = "contexts:\n  desk: { name: Desk, prompt: Be brief., opening_text: Hello }\n";
const state = ".avatarops/state.json";

/** Starts an applied project with its own user cache folder. */
async function startAndApply(cacheHome?: string): Promise<Project & { readonly cacheHome: string }> {
  const home = cacheHome ?? (await newFolder());
  const environment = { XDG_CACHE_HOME: home };
  const project = await startProject({ files: { "avatarops.yaml": manifest }, environment });
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  return { ...project, cacheHome: home };
}

/** Counts requests for the context itself. The list shows the time of its last change, but not its prompt. */
async function countReads(project: Project, ...argv: string[]): Promise<number> {
  const before = project.emulator.requests.length;
  expect(await project.avatarops(...argv)).toMatchObject({ exit: 0 });
  const paths = project.emulator.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
  return paths.filter((path) => /^GET \/v1\/contexts\/./.test(path)).length;
}

async function findCacheFile(project: Project, cacheHome: string): Promise<string> {
  const { lineage } = JSON.parse(await project.read(state)) as { lineage: string };
  const name = createHash("sha256").update(lineage).digest("hex").slice(0, 32);
  return join(cacheHome, "avatarops/observations", `${name}.json`);
}

describe("observation cache", () => {
  test("saves requests without changing the state", async () => {
    const project = await startAndApply();
    expect(await countReads(project, "plan")).toBe(0);
    expect(await project.read(state)).not.toContain("inSyncAt");
    const before = await project.read(state);
    await rm(project.cacheHome, { recursive: true });
    expect(await countReads(project, "apply", "--auto-approve")).toBe(1);
    expect(await countReads(project, "apply", "--auto-approve")).toBe(0);
    expect(await project.read(state)).toBe(before);
  });

  test.each([
    ["is gone", (file: string) => rm(file)],
    ["was truncated", async (file: string) => writeFile(file, (await readFile(file, "utf8")).slice(0, 20))],
    ["is of a later version", (file: string) => writeFile(file, '{"version":2,"objects":[]}')],
    ["is a folder", (file: string) => rm(file).then(() => mkdir(file))],
  ])("falls back to reading the account if its file %s", async (_what, harm) => {
    const project = await startAndApply();
    await harm(await findCacheFile(project, project.cacheHome));
    expect(await countReads(project, "plan", "--detailed-exitcode")).toBe(1);
  });

  test("does not hide a live change after an older state was restored", async () => {
    const project = await startAndApply();
    const older = await project.read(state);
    await project.write("avatarops.yaml", manifest.replace("Be brief.", "Be polite."));
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    await project.write(state, older);
    await project.write("avatarops.yaml", manifest);
    const { exit, stdout } = await project.avatarops("plan", "--detailed-exitcode");
    expect([exit, stdout]).toEqual([2, expect.stringContaining("polite")]);
  });

  test("is ignored inside a checkout, where a commit could hide dashboard edits", async () => {
    const project = await startAndApply();
    const cached = await findCacheFile(project, project.cacheHome);
    const forged = JSON.parse(await readFile(cached, "utf8"));
    project.emulator.editContext("Desk", { prompt: "Edited in the dashboard." });
    forged.objects["context.desk"][1] = project.emulator.world.contexts[0]?.updated_at;
    await writeFile(cached, JSON.stringify(forged));
    // Shows that the forged file hides the edit if it is read.
    expect((await project.avatarops("drift")).exit).toBe(0);

    const inCheckout = join(project.folder, "cache");
    await cp(project.cacheHome, inCheckout, { recursive: true });
    await mkdir(join(project.folder, ".git"));
    const environment = { XDG_CACHE_HOME: inCheckout };
    expect(await project.avataropsWith({ environment }, "drift")).toMatchObject({
      exit: 2,
      stdout: expect.stringContaining("Edited in the dashboard."),
    });
    const link = join(await newFolder(), "link");
    await symlink(inCheckout, link);
    const throughLink = await project.avataropsWith({ environment: { XDG_CACHE_HOME: link } }, "drift");
    expect(throughLink.exit).toBe(2);
  });

  test.each([
    ["is relative", "cache"],
    ["cannot be created", "/dev/null/cache"],
    ["is not set", ""],
  ])("is skipped if the user's cache folder %s", async (_, XDG_CACHE_HOME) => {
    const project = await startAndApply(XDG_CACHE_HOME);
    expect(await countReads(project, "plan", "--detailed-exitcode")).toBe(1);
  });

  test("is skipped if other users can write to its folder", async () => {
    const project = await startAndApply();
    await chmod(join(project.cacheHome, "avatarops/observations"), 0o777);
    expect(await countReads(project, "plan", "--detailed-exitcode")).toBe(1);
  });
});
