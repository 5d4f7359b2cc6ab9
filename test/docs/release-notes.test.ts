import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { execute } from "../installing.js";

describe("release notes", () => {
  test("contain the version's changelog section", async () => {
    const { notes } = await startRelease(
      "## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n### Added\n\n- A thing.\n",
    );
    expect(await notes("v1.2.3")).toEqual({ exit: 0, stdout: "### Added\n\n- A thing.\n", stderr: "" });
  });

  test("are rejected if the tag differs from a package's version", async () => {
    const { notes } = await startRelease("## [1.3.0] - 2026-01-31\n\n- A thing.\n");
    const { exit, stderr } = await notes("v1.3.0");
    expect({ exit, stderr }).toEqual({
      exit: 1,
      stderr:
        'one has the version 1.2.3, but the tag is "v1.3.0".\ntwo has the version 1.2.3, but the tag is "v1.3.0".\n',
    });
  });

  test("are rejected for a version missing from the changelog", async () => {
    const { notes } = await startRelease("## [Unreleased]\n\n- A thing.\n");
    const { exit, stderr } = await notes("v1.2.3");
    expect({ exit, stderr }).toEqual({
      exit: 1,
      stderr: 'CHANGELOG.md has no section for "v1.2.3". Rename Unreleased and add the date.\n',
    });
  });
});

/** Creates a repository with a changelog and two packages at version 1.2.3. */
async function startRelease(changelog: string) {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-release-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, "packages/two"), { recursive: true });
  await writeFile(path.join(folder, "package.json"), '{ "name": "one", "version": "1.2.3" }');
  await writeFile(path.join(folder, "packages/two/package.json"), '{ "name": "two", "version": "1.2.3" }');
  await writeFile(path.join(folder, "CHANGELOG.md"), `# Changelog\n\n${changelog}`);
  const root = path.resolve(import.meta.dirname, "../..");
  const command = [
    "--import",
    path.join(root, "node_modules/tsx/dist/esm/index.mjs"),
    path.join(root, "scripts/release-notes.ts"),
  ];
  return {
    notes: (tag: string) =>
      execute(process.execPath, [...command, tag], { cwd: folder, env: { PATH: process.env.PATH } }),
  };
}
