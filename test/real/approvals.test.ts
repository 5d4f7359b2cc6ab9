// @module-tag gitea
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { newFolder, startProject } from "../cli/hosting.js";
import { type Gitea, type GiteaUser, startGitea } from "./gitea.js";

describe("on a real Gitea", () => {
  let gitea: Gitea;
  beforeAll(async () => {
    gitea = await startGitea();
    return gitea.close;
  });

  test("approvals of the last commit count, the outcome is a comment, and labels replace each other", async () => {
    const { owner, api, url } = gitea;
    const where = `/repos/${owner.name}/${gitea.repo}`;
    const [robot, ada, ben, reader] = ["robot", "ada", "ben", "reader"].map((name) => gitea.newUser(name));
    if (!robot || !ada || !ben || !reader) throw new Error("nobody");
    for (const { name } of [robot, ada, ben])
      await api(owner, "PUT", `${where}/collaborators/${name}`, { permission: "write" });
    await api(owner, "PUT", `${where}/collaborators/reader`, { permission: "read" });
    const project = await startProject({
      files: { "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: Be kind. } }\n" },
    });
    const git = (...argv: string[]) =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...argv], {
        ...{ cwd: project.folder, stdio: "pipe", encoding: "utf8" },
      }).trim();
    git("init", "-b", "main");
    git("commit", "--allow-empty", "-m", "begin");
    git("push", gitea.remote, "main");
    git("checkout", "-b", "change");
    git("add", ".");
    git("commit", "-m", "first");
    git("push", gitea.remote, "change");
    type Pull = {
      number: number;
      head: { sha: string };
      merge_commit_sha: string;
      labels: { name: string }[];
    };
    const made = { title: "A change", head: "change", base: "main" };
    const { number } = await vi.waitFor(() => api<Pull>(ben, "POST", `${where}/pulls`, made), {
      timeout: 20_000,
    });
    const pull = () => api<Pull>(owner, "GET", `${where}/pulls/${number}`);
    const labels = async () => (await pull()).labels.map(({ name }) => name);
    const approve = (by: GiteaUser, event = "APPROVED") =>
      api<{ id: number }>(by, "POST", `${where}/pulls/${number}/reviews`, { event, body: "seen" });
    const folder = await newFolder();
    const run = async (...argv: string[]) => {
      const event = path.join(folder, "event.json");
      const facts = argv[0] === "review" ? { number, pull_request: await pull() } : {};
      writeFileSync(event, JSON.stringify(facts));
      const environment = {
        ...{ GITHUB_ACTIONS: "true", GITEA_ACTIONS: "true", GITHUB_SERVER_URL: url },
        ...{ GITHUB_API_URL: `${url}/api/v1`, GITHUB_REPOSITORY: `${owner.name}/${gitea.repo}` },
        ...{ GITHUB_EVENT_PATH: event, GITHUB_SHA: git("rev-parse", "HEAD"), GITHUB_TOKEN: robot.token },
      };
      return project.avataropsWith({ environment }, ...argv);
    };

    await api(owner, "POST", `${where}/labels`, { name: "bug", color: "#ff0000" });
    const { labels: all } = { labels: await api<{ id: number }[]>(owner, "GET", `${where}/labels`) };
    await api(owner, "POST", `${where}/issues/${number}/labels`, { labels: all.map(({ id }) => id) });
    await approve(ada);
    await project.write("avatarops.yaml", "contexts: { desk: {} }\n");
    expect(await run("review")).toMatchObject({ exit: 1 });
    expect(await labels()).toEqual(["bug"]);
    await project.write("avatarops.yaml", "contexts: { desk: { name: Desk, prompt: Be brief. } }\n");
    git("commit", "-am", "second");
    git("push", gitea.remote, "change");
    await vi.waitFor(async () => expect((await pull()).head.sha).toBe(git("rev-parse", "HEAD")), {
      timeout: 20_000,
    });
    const reviewed = await run("review");
    expect(reviewed, reviewed.stderr).toMatchObject({ exit: 0 });
    expect((await labels()).toSorted()).toEqual(["avatarops: changes", "bug"]);
    // Ada's is of the first commit; the reader may not write; the owner's is dismissed.
    await approve(reader);
    const dismissed = await approve(owner);
    const dismissal = `${where}/pulls/${number}/reviews/${dismissed.id}/dismissals`;
    await api(owner, "POST", dismissal, { message: "by mistake" });
    await expect(approve(ben)).rejects.toThrow();
    await gitea.merge(gitea.repo, number, { Do: "squash" });
    git("fetch", gitea.remote, "main");
    git("checkout", "--force", "FETCH_HEAD");
    const refused = await run("apply", "--reviewed", "--require-approval");
    const said = refused.stderr.replaceAll(/[│\s]+/g, " ");
    expect(refused, said).toMatchObject({ exit: 1 });
    expect(said).toContain(`Pull request #${number} has 0 of 1 approvals`);
    expect(said).toContain("ada (approved an earlier commit)");
    expect(said).toContain("reader (may not push to the repository)");
    // Gitea takes none after the merge.
    await expect(approve(ada)).rejects.toThrow();
    const comments = async () =>
      (await api<{ body: string }[]>(owner, "GET", `${where}/issues/${number}/comments`)).map(
        ({ body }) => body,
      );
    expect(await comments()).toMatchObject([
      expect.stringContaining("1 to create"),
      expect.stringContaining("nothing was applied"),
    ]);
    const applied = await run("apply", "--reviewed");
    expect(applied, applied.stderr).toMatchObject({ exit: 0 });
    expect(await comments()).toMatchObject([
      {},
      expect.stringMatching(/### `avatarops`: 1 applied; 0 unchanged/),
    ]);
    const { stdout } = await project.avatarops("history", "--format", "json");
    expect(JSON.parse(stdout).records[0].pull_request).toMatchObject({
      number,
      author: "ben",
      approvers: [],
    });
  });
});
