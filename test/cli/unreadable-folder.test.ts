// @module-tag permissions
/** Runs `--all` and `prune` in a repository with a folder that the user cannot read. */
import { chmodSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findBuilt } from "../built.js";
import { execute } from "../installing.js";
import { matchText, startProject } from "./hosting.js";
import { commit, git } from "./in-git.js";

/** Prefix that takes root's access to all files away. */
const prefix =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"] : [];

async function startRepository() {
  const contexts = "contexts: { desk: { name: Desk, prompt: Be kind. } }\n";
  const project = await startProject({
    files: { "shop/avatarops.yaml": contexts, "data/pg/base/avatarops.yaml": contexts },
  });
  git(project, "init", "--quiet");
  commit(project);
  project.emulator.addContext({ name: "Undeclared", prompt: "Hi." });
  const folder = path.join(project.folder, "data/pg");
  chmodSync(folder, 0o000);
  onTestFinished(() => chmodSync(folder, 0o700));
  const [first = "", ...rest] = [...prefix, process.execPath, findBuilt()];
  const env = {
    PATH: process.env.PATH,
    AVATAROPS_BASE_URL: project.emulator.url,
    AVATAROPS_API_KEY: "test-key",
    NODE_DISABLE_COMPILE_CACHE: "1",
  };
  return (cwd: string, ...argv: string[]) =>
    execute(first, [...rest, ...argv], { cwd: path.join(project.folder, cwd), env });
}

describe("unreadable folder", () => {
  test.each([
    ["validate", "--all"],
    ["apply", "--reviewed", "--all", "--no-changed-since"],
    ["review", "--all", "--dry-run", "--no-changed-since"],
    ["plan", "--all", "--path", "data/*/base"],
    ["plan", "--all", "--path", "**/base"],
    ["plan", "--all", "--path", "data"],
  ])("fails a command that may miss a project in it (%s %s)", async (...argv) => {
    const avatarops = await startRepository();
    const ran = await avatarops(".", ...argv);
    expect(ran).toMatchObject({
      exit: 1,
      stderr: matchText("error[unreadable-folder] Cannot search data/pg (EACCES) for projects."),
    });
    expect(ran.stderr).toEqual(matchText("add `--path '!data/pg'`"));
  });

  test.each(["!data/pg", "!data", "shop", "*/shop", "data/shop/base"])(
    "has no effect on plan --all if --path excludes it (%s)",
    async (pattern) => {
      const avatarops = await startRepository();
      const shop = pattern.endsWith("shop") ? ["--path", "shop"] : [];
      const ran = await avatarops(".", "plan", "--all", "--path", pattern, ...shop);
      expect(ran.stderr).not.toContain("Cannot search");
    },
  );

  test("is named by prune, because its projects may manage objects", async () => {
    const avatarops = await startRepository();
    expect(await avatarops("shop", "prune")).toMatchObject({
      exit: 0,
      stderr: matchText("The state of projects in data/pg could not be read."),
    });
  });
});
