import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Gitea, hasGitea, startGitea } from "./gitea.js";

describe.skipIf(!hasGitea())("the Gitea of these tests", () => {
  let gitea: Gitea;
  beforeAll(async () => {
    gitea = await startGitea();
    return gitea.close;
  });

  test("takes a push over HTTP and a pull request by API", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "avatarops-push-"));
    const git = (...argv: string[]) =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...argv], {
        cwd: folder,
        stdio: "pipe",
      });
    git("init", "-b", "main");
    git("commit", "--allow-empty", "-m", "begin");
    git("push", gitea.remote, "main");
    git("checkout", "-b", "change");
    git("commit", "--allow-empty", "-m", "change");
    git("push", gitea.remote, "change", "HEAD:refs/avatarops/production");
    const repository = `/repos/${gitea.owner.name}/${gitea.repo}`;
    const request = { title: "A change", head: "change", base: "main" };
    const made = await gitea.api<{ number: number }>(gitea.owner, "POST", `${repository}/pulls`, request);
    expect(made.number).toBe(1);
    rmSync(folder, { recursive: true });
  });

  test("knows several users", async () => {
    const reviewer = gitea.newUser("reviewer");
    expect(await gitea.api(reviewer, "GET", "/user")).toMatchObject({ login: "reviewer" });
  });
});
