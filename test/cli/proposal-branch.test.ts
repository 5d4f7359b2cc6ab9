/**
 * Tests `drift --branch` and `rollback --branch`, which propose prompts in a repository without a code host.
 */
import { describe, expect, test } from "vitest";
import { commitFiles, git } from "../git/repositories.js";
import { newClone } from "../state/git-servers.js";
import { type Clones, startClones } from "./clones.js";
import { matchText } from "./hosting.js";

const manifest = "contexts:\n  desk: { name: Desk, prompt: !file desk.md }\n";
const branch = "dashboard";

async function startEdited(): Promise<Clones> {
  const clones = await startClones({ "avatarops.yaml": manifest, "desk.md": "Be kind.\n" });
  await clones.first.apply();
  clones.emulator.editContext("Desk", { prompt: "Be very kind." });
  return clones;
}

const readFileOn = ({ remote }: Clones, ref: string) => {
  const clone = newClone(remote.url);
  return git(clone, "show", `origin/${ref}:desk.md`);
};

const listBranches = ({ remote }: Clones) =>
  git(newClone(remote.url), "for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/origin");

describe("drift --branch", () => {
  test("pushes dashboard edits to the branch, and deletes the branch once the files match", async () => {
    const clones = await startEdited();
    const { first } = clones;
    expect(await first.run("drift", "--branch", branch)).toMatchObject({
      exit: 2,
      stdout: matchText(`branch pushed branch ${branch}`),
    });
    expect(readFileOn(clones, branch)).toBe("Be very kind.");
    expect(readFileOn(clones, "main")).toBe("Be kind.");
    const again = await first.run("drift", "--branch", branch);
    expect(again.stdout).toEqual(matchText("branch unchanged"));
    expect(again.stdout).toEqual(matchText(`git fetch origin && git diff main...origin/${branch}`));
    first.git("pull", "--quiet", "--ff-only", "origin", branch);
    first.push();
    const last = await first.run("drift", "--branch", branch, "--format", "json");
    expect(JSON.parse(last.stdout)).toMatchObject({ pull_request: { result: "deleted", written: [] } });
    expect(listBranches(clones)).not.toContain(branch);
  });

  test("skips a prompt that also changed in the files, unless its address is given", {
    tags: "night",
  }, async () => {
    const clones = await startEdited();
    const { first } = clones;
    first.commit({ "desk.md": "Be brief.\n" });
    first.push();
    const left = await first.run("drift", "--branch", branch);
    expect(left.stdout).toEqual(
      matchText(`Keep the live text: \`avatarops drift --branch ${branch} context.desk\`.`),
    );
    await first.run("drift", "--branch", branch, "context.desk");
    expect(readFileOn(clones, branch)).toBe("Be very kind.");
  });

  test("does not change a branch with commits by other people", { tags: "night" }, async () => {
    const clones = await startEdited();
    const { first } = clones;
    const clone = newClone(clones.remote.url);
    commitFiles(clone, { "notes.txt": "Mine\n" });
    git(clone, "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
    expect(await first.run("drift", "--branch", branch)).toMatchObject({
      exit: 1,
      stderr: matchText(`The branch ${branch} has commits by others, so it is left alone.`),
    });
    for (const [option, advice] of [
      ["--repo=team/avatars", "--repo needs --pull-request"],
      ["--base=main", "--base needs --pull-request or --branch"],
    ] as const)
      expect(await first.run("drift", option)).toMatchObject({ exit: 1, stderr: matchText(advice) });
  });
});

test("pushes earlier prompts with rollback --branch, and leaves the account unchanged", async () => {
  const clones = await startEdited();
  const { first, emulator } = clones;
  await first.run("pull");
  first.commit({});
  first.push();
  await first.apply();
  const live = () => emulator.world.contexts.find(({ name }) => name === "Desk")?.prompt;
  expect(await first.run("rollback", "--to", "1", "--branch", "earlier")).toMatchObject({
    exit: 0,
    stdout: matchText("branch pushed branch earlier"),
  });
  expect([readFileOn(clones, "earlier"), live()]).toEqual(["Be kind.", "Be very kind."]);
});
