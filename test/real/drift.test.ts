// @module-tag night
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { DriftDocument } from "../../src/output/documents/index.js";
import { startProject } from "../cli/hosting.js";
import { createGitEnvironment, git, newFolder } from "../git/repositories.js";
import { type Gitea, startGitea } from "./gitea.js";

interface Pull {
  readonly number: number;
  readonly state: string;
  readonly merged: boolean;
  readonly body: string;
  readonly head: { readonly ref: string };
}

const branch = "avatarops/drift/default";

describe("drift on a real Gitea", { tags: "gitea" }, () => {
  let gitea: Gitea;
  beforeAll(async () => {
    gitea = await startGitea();
    return gitea.close;
  });

  test("opens a pull request for an edit and closes it after the edit is undone", async () => {
    const files = {
      "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: !file desk.txt } }\n",
      "desk.txt": "Be brief.\n",
    };
    const project = await startProject({ files });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    git(project.folder, "init", "--quiet", "--initial-branch=main");
    git(project.folder, "add", "--all");
    git(project.folder, "commit", "--quiet", "--message=first");
    git(project.folder, "remote", "add", "origin", gitea.remote);
    git(project.folder, "push", "--quiet", "origin", "main");
    const repository = `${gitea.owner.name}/${gitea.repo}`;
    const waits = { backoffMs: 200, settleMs: 200, tickMs: 0 };
    const environment = { ...createGitEnvironment(newFolder()), GITEA_TOKEN: gitea.owner.token };
    const where = ["--repo", `${gitea.url}/${repository}`, "--host", "gitea", "--format", "json"];
    const run = async (flag: string) => {
      const ran = await project.avataropsWith({ environment, waits }, "drift", flag, ...where);
      expect(ran.stderr + ran.stdout).not.toContain(gitea.owner.token);
      const { pull_request } = JSON.parse(ran.stdout) as DriftDocument;
      expect(pull_request, ran.stdout).toBeDefined();
      return { exit: ran.exit, ...pull_request };
    };
    const api = <Answer>(method: string, path: string, body?: unknown) =>
      gitea.api<Answer>(gitea.owner, method, `/repos/${repository}${path}`, body);
    const branches = async () => {
      const all = await api<readonly { readonly name: string }[]>("GET", "/branches");
      return all.map(({ name }) => name).toSorted();
    };

    project.emulator.editContext("Desk", { prompt: "Be briefer. Fixes #1, @team" });
    const [one, two] = await Promise.all([run("--pull-request"), run("--pull-request")]);
    expect([one.exit, two.exit, one.number]).toEqual([2, 2, two.number]);
    expect(await run("--pull-request")).toMatchObject({ exit: 2, result: "unchanged" });
    project.emulator.editContext("Desk", { prompt: "Be briefest. Fixes #1, @team" });
    expect(await run("--pull-request")).toMatchObject({ exit: 2, result: "updated", number: one.number });
    const open = await api<readonly Pull[]>("GET", "/pulls?state=open");
    expect(open).toMatchObject([{ head: { ref: branch }, body: expect.stringContaining("Be briefest.") }]);
    await gitea.merge(gitea.repo, Number(one.number));
    git(project.folder, "pull", "--quiet", "origin", "main");
    await project.expectNothingToDo();
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(await run("--pull-request")).toMatchObject({ exit: 0, result: "none" });
    expect(await branches()).toEqual(["main"]);
    // Gitea closes the pull requests of a deleted branch in the background, including any opened in the meantime.
    await vi.waitFor(async () => {
      const feed = await api<readonly { readonly op_type: string }[]>("GET", "/activities/feeds");
      expect(feed.map(({ op_type }) => op_type)).toContain("delete_branch");
    });

    project.emulator.editContext("Desk", { prompt: "Be rude." });
    const { number } = await run("--pull-request");
    project.emulator.editContext("Desk", { prompt: "Be briefest. Fixes #1, @team" });
    expect(await run("--pull-request")).toMatchObject({ exit: 0, result: "closed", number });
    expect(await api<Pull>("GET", `/pulls/${number}`)).toMatchObject({ state: "closed", merged: false });
    expect(await branches()).toEqual(["main"]);
  });

  test("proposes a rollback in one pull request and applies the merge", {
    tags: "night",
  }, async () => {
    const files = (prompt: string) => ({ "desk.txt": `${prompt}\n` });
    const yaml = { "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: !file desk.txt } }\n" };
    const project = await startProject({ files: { ...yaml, ...files("Be brief.") } });
    const { owner } = gitea;
    await gitea.newRepository(owner, "rolled-back");
    git(project.folder, "init", "--quiet", "--initial-branch=main");
    git(project.folder, "remote", "add", "origin", gitea.remoteOf(owner, `${owner.name}/rolled-back`));
    for (const prompt of ["Be brief.", "Be rude."]) {
      await project.write("desk.txt", files(prompt)["desk.txt"]);
      git(project.folder, "add", "avatarops.yaml", "desk.txt");
      git(project.folder, "commit", "--quiet", "--message=change");
      expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    }
    git(project.folder, "push", "--quiet", "origin", "main");
    const environment = { ...createGitEnvironment(newFolder()), GITEA_TOKEN: owner.token };
    const waits = { backoffMs: 200, settleMs: 200, tickMs: 0 };
    const where = ["--repo", `${gitea.url}/${owner.name}/rolled-back`, "--host", "gitea", "--format", "json"];
    const run = async () => {
      const argv = ["rollback", "--to", "1", "--pull-request", ...where];
      const ran = await project.avataropsWith({ environment, waits }, ...argv);
      expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
      return JSON.parse(ran.stdout).pull_request;
    };
    const [one, two] = await Promise.all([run(), run()]);
    expect(one.number).toBe(two.number);
    expect(await run()).toMatchObject({ result: "unchanged", number: one.number });
    const open = await gitea.api<readonly Pull[]>(
      owner,
      "GET",
      `/repos/${owner.name}/rolled-back/pulls?state=open`,
    );
    expect(open).toMatchObject([{ number: one.number, head: { ref: "avatarops/rollback/default" } }]);
    await gitea.merge("rolled-back", one.number);
    git(project.folder, "pull", "--quiet", "origin", "main");
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts).toMatchObject([{ prompt: "Be brief." }]);
    expect(await run()).toMatchObject({ result: "none" });
  });
});
