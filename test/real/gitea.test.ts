// @module-tag gitea
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { type Gitea, startGitea } from "./gitea.js";

describe("the Gitea of these tests", () => {
  let gitea: Gitea;
  beforeAll(async () => {
    gitea = await startGitea();
    return gitea.close;
  });

  test("accepts a push over HTTP and a pull request by API", async () => {
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

  test("stops, and leaves no file, when the process that started it is killed", {
    timeout: 60_000,
  }, async () => {
    const within = mkdtempSync(path.join(tmpdir(), "avatarops-killed-"));
    const start =
      'const { startGitea } = await import("./test/real/gitea.ts"); console.log((await startGitea()).url)';
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", start], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: within },
    });
    const ended = once(child, "exit");
    const [url] = (await once(child.stdout, "data")).map((data) => String(data).trim());
    expect((await fetch(`${url}/api/v1/version`)).status).toBe(200);
    const folder = readdirSync(within).filter((name) => name.startsWith("avatarops-gitea-"));
    expect(folder).toHaveLength(1);
    child.kill("SIGKILL");
    await ended;
    while (existsSync(path.join(within, folder[0] ?? ""))) await wait(50);
    await expect(fetch(`${url}/api/v1/version`)).rejects.toThrow("fetch failed");
    rmSync(within, { recursive: true });
  });

  test("has several users", async () => {
    const reviewer = gitea.newUser("reviewer");
    expect(await gitea.api(reviewer, "GET", "/user")).toMatchObject({ login: "reviewer" });
  });
});
