// @module-tag gitea
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type CodeHost, upsertComment, upsertPullRequest, withHost } from "../../src/review/hosts/index.js";
import { startProject } from "../cli/hosting.js";
import { startFork } from "../security/fork.js";
import { type Gitea, startGitea } from "./gitea.js";

const marker = { use: "review", about: { project: "avatarops.yaml", environment: "eu--west > 1" } };
const kept = { marker, settleMs: 0 };

describe("review on a real Gitea", () => {
  let gitea: Gitea;
  beforeAll(async () => {
    gitea = await startGitea();
    return gitea.close;
  });

  const on = <Result>(
    token: string,
    use: (host: CodeHost) => Promise<Result>,
    repository = gitea.repo,
  ): Promise<Result> =>
    withHost(
      {
        ...{ name: "gitea", webUrl: gitea.url, apiUrl: `${gitea.url}/api/v1` },
        repository: `${gitea.owner.name}/${repository}`,
        token: { variable: "GITEA_TOKEN", reveal: () => token },
        userAgent: "avatarops/0.0.0",
      },
      use,
    );

  test("finds the closer of a pull request with pages of hidden comments on lines", async () => {
    const where = `/repos/${gitea.owner.name}/commented`;
    await gitea.newRepository(gitea.owner, "commented");
    const api = <Answer>(method: string, path: string, body?: unknown) =>
      gitea.api<Answer>(gitea.owner, method, `${where}${path}`, body);
    const content = Buffer.from("Be kind.\n").toString("base64");
    const add = (file: string, branches: object) =>
      api("POST", `/contents/${file}`, { content, message: file, ...branches });
    await add("one.md", { branch: "main" });
    await add("two.md", { branch: "main", new_branch: "change" });
    const { number } = await api<{ number: number }>("POST", "/pulls", {
      ...{ title: "A change", head: "change", base: "main" },
    });
    const comments = Array.from({ length: 160 }, (_, at) => {
      return { path: "two.md", body: `Comment ${at}`, new_position: 1 };
    });
    await api("POST", `/pulls/${number}/reviews`, { event: "COMMENT", body: "Read it.", comments });
    await api("PATCH", `/pulls/${number}`, { state: "closed" });
    // Two full pages contain only comments on lines, which Gitea hides.
    expect(await api("GET", `/issues/${number}/timeline?limit=50&page=2`)).toBeNull();
    const closer = await on(gitea.owner.token, (host) => host.findCloser(number), "commented");
    expect(closer).toMatchObject({ login: gitea.owner.name });
  });

  test("updates its comment, status and pull request in place", async () => {
    const files = {
      "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: !file desk.md } }\nstate: state.json\n",
      "desk.md": "Be polite.\n",
    };
    const project = await startProject({ files });
    await project.avatarops("apply", "--auto-approve");
    const git = (...argv: string[]) =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...argv], {
        ...{ cwd: project.folder, stdio: "pipe", encoding: "utf8" },
      }).trim();
    git("init", "-b", "main");
    git("add", ".");
    git("commit", "-m", "begin");
    git("push", gitea.remote, "main");
    git("checkout", "-b", "change");
    await project.write("desk.md", "Be warm. ✓ Ask for ${order_id}.\n");
    git("commit", "-am", "change");
    git("push", gitea.remote, "change", "HEAD:other");

    // Gitea processes pushes in the background. Until then the repository is empty and rejects pull requests.
    const where = `/repos/${gitea.owner.name}/${gitea.repo}`;
    await vi.waitUntil(async () => !(await gitea.api<{ empty: boolean }>(gitea.owner, "GET", where)).empty, {
      timeout: 20_000,
    });
    const request = { ...kept, title: "A change", body: "first", headBranch: "change", baseBranch: "main" };
    const pull = await on(gitea.owner.token, (host) => upsertPullRequest(host, request));
    const again = await on(gitea.owner.token, (host) =>
      upsertPullRequest(host, { ...request, body: "second" }),
    );
    expect(again).toMatchObject({ number: pull.number, isOpen: true, isFromFork: false });
    expect(again).toMatchObject({
      headCommit: git("rev-parse", "HEAD"),
      body: expect.stringMatching(/\nsecond$/),
    });
    await expect(on(gitea.owner.token, (host) => host.createPullRequest(request))).rejects.toMatchObject({
      code: "host-refused",
    });

    const environment = { GITEA_TOKEN: gitea.owner.token };
    const options = ["--repo", `${gitea.url}/${gitea.owner.name}/${gitea.repo}`, "--host", "gitea"];
    const review = () =>
      project.avataropsWith({ environment }, "review", ...options, "--pull-request", String(pull.number));
    const first = await review();
    expect(first, first.stderr).toMatchObject({ exit: 0 });
    expect(await review()).toMatchObject({ stdout: first.stdout });
    type Comment = { body: string; html_url: string };
    const comments = await gitea.api<Comment[]>(
      gitea.owner,
      "GET",
      `${where}/issues/${pull.number}/comments`,
    );
    expect(comments).toMatchObject([
      { html_url: first.stdout.trim(), body: expect.stringContaining("${order_id}") },
    ]);
    const statuses = await gitea.api(gitea.owner, "GET", `${where}/commits/${pull.headCommit}/statuses`);
    expect(statuses).toMatchObject([
      {
        context: "avatarops",
        status: "success",
        description: expect.stringMatching(/^Plan 1:\S+ list 1:\S+: 1 to update/),
      },
      {},
    ]);
    const [, page] = /line \[\d+\]\(<(\S+?)#L1>\)/.exec(comments[0]?.body ?? "") ?? [];
    expect(
      (await fetch(page ?? "", { headers: { authorization: `token ${environment.GITEA_TOKEN}` } })).status,
    ).not.toBe(404);

    const reviewer = gitea.newUser("reviewer");
    await gitea.api(gitea.owner, "PUT", `${where}/collaborators/reviewer`, { permission: "write" });
    await on(reviewer.token, (host) => upsertComment(host, pull.number, { ...kept, body: "theirs" }));
    await on(gitea.owner.token, (host) => upsertComment(host, pull.number, { ...kept, body: "ours" }));
    await on(gitea.owner.token, (host) => upsertComment(host, pull.number, { ...kept, body: "ours, later" }));
    const later = await gitea.api<Comment[]>(gitea.owner, "GET", `${where}/issues/${pull.number}/comments`);
    expect(later.slice(1).map(({ body }) => body.split("\n")[1])).toEqual(["theirs", "ours, later"]);

    await expect(on("wrong", (host) => host.getAuthor())).rejects.toMatchObject({
      code: "host-unauthorized",
    });
  });

  test("runs no secret command from a pull request opened by a user with read access through a push to refs/for/main", async () => {
    const { owner, api } = gitea;
    const remote = await gitea.newRepository(owner, "open");
    const repository = `${owner.name}/open`;
    const reader = gitea.newUser("reader");
    const secret = "secrets: { llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: ";
    const fork = await startFork({
      "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: Be kind. } }\n",
    });
    fork.git("push", "--quiet", remote, "main");
    const ran = path.join(fork.folder, "..", `${path.basename(fork.folder)}-ran`);
    await fork.propose({ "avatarops.yaml": `${secret}!exec [touch, ${ran}] } }\n` });
    const topic = "HEAD:refs/for/main/topic";
    await vi.waitFor(() => fork.git("push", "--quiet", gitea.remoteOf(reader, repository), topic), {
      timeout: 20_000,
    });
    type Pull = { number: number; head: { repo: { full_name: string } | null } };
    const pulls = await api<Pull[]>(owner, "GET", `/repos/${repository}/pulls?state=open`);
    // The pull request's head is not in a fork.
    expect(pulls).toMatchObject([{ number: 1, head: { repo: { full_name: repository } } }]);
    const at = [
      "--repo",
      `${gitea.url}/${repository}`,
      "--host",
      "gitea",
      "--pull-request",
      "1",
      "--dry-run",
    ];
    const reviewed = await fork.avataropsWith(
      { environment: { GITEA_TOKEN: owner.token } },
      ...["review", ...at],
    );
    expect(reviewed).toMatchObject({ exit: 1, stdout: expect.stringContaining("untrusted-command") });
    expect(existsSync(ran)).toBe(false);
  });
});
