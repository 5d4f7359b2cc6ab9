// @module-tag night
/** `review` of a pull request from a fork is untrusted, whether the pipeline says so or not. */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder, saying } from "../cli/hosting.js";
import { startStandIn } from "../review/stand-in.js";
import { base, type Fork, startFork } from "./fork.js";

/** The environment of a job of GitHub for a pull request from this repository. */
async function jobOf(fork: Fork, from: string | null): Promise<Record<string, string>> {
  const sha = fork.git("rev-parse", "main").trim();
  const head = {
    sha: fork.git("rev-parse", "HEAD").trim(),
    repo: from === null ? null : { full_name: from },
  };
  const event = path.join(await newFolder(), "event.json");
  const pull = { number: 7, head, base: { sha, repo: { full_name: "team/avatars" } } };
  writeFileSync(event, JSON.stringify({ pull_request: pull }));
  return {
    GITHUB_ACTIONS: "true",
    GITHUB_REPOSITORY: "team/avatars",
    GITHUB_EVENT_PATH: event,
    GITHUB_BASE_REF: "main",
  };
}

/** The base with one more secret: only of a new one does a plan read the value. */
function withSecret(value: string): string {
  return `${base["avatarops.yaml"]}  more: { secret_name: more, secret_type: LLMPROVIDER_API_KEY, secret_value: ${value} }\n`;
}

test.each(["stranger/avatars", null])(
  "a review of a fork runs nothing of it without --untrusted: %s",
  async (from) => {
    const fork = await startFork();
    const ran = path.join(await newFolder(), "ran");
    const command = `!exec [touch, ${ran}]`;
    await fork.propose({ "avatarops.yaml": withSecret(command) });
    const environment = await jobOf(fork, from);
    const reviewed = await fork.avataropsWith({ environment }, "review", "--dry-run");
    expect([reviewed.exit, reviewed.stdout]).toEqual([1, expect.stringContaining("untrusted-command")]);
    expect(existsSync(ran)).toBe(false);
    await fork.write(".env", "AVATAROPS_BASE_URL=https://evil.example\n");
    const steered = await fork.avataropsWith({ environment }, "review", "--dry-run", "--env-file", ".env");
    expect(steered).toMatchObject({ exit: 1, stderr: saying("--env-file cannot be used") });
    await fork.avataropsWith({ environment: await jobOf(fork, "team/avatars") }, "review", "--dry-run");
    expect(existsSync(ran)).toBe(true);
  },
);

/** Jobs with the rights of the repository, which somebody starts for pull request 7; what they check out is of its author. */
const started = {
  "a comment": { event: { issue: { number: 7, pull_request: {} } }, ref: "refs/heads/main", options: [] },
  "a person with --pull-request": { event: {}, ref: "refs/heads/main", options: ["--pull-request", "7"] },
  "a person with --commit": { event: {}, ref: "refs/heads/main", options: ["--commit", "HEAD"] },
  "a person, on main": { event: {}, ref: "refs/heads/main", options: [] },
  "the ref of the pull request": { event: {}, ref: "refs/pull/7/head", options: [] },
};

test.each(Object.entries(started))(
  "a review that another event or a person started asks the host whose change it is, and trusts none of which it cannot say: %s",
  async (_, { event, ref, options }) => {
    const fork = await startFork();
    const ran = path.join(await newFolder(), "ran");
    const command = `!exec [touch, ${ran}]`;
    await fork.propose({ "avatarops.yaml": withSecret(command) });
    // The job checked out the fork, whose main has the change.
    fork.git("update-ref", "refs/remotes/origin/main", "HEAD");
    const [commit = "", baseCommit = ""] = fork.git("rev-parse", "HEAD", "main").split("\n");
    const { world, options: host, fail } = await startStandIn("github");
    const [pull] = world.pulls.splice(0);
    if (!pull) throw new Error("no pull request");
    const own = { ...pull, commit, baseCommit };
    const file = path.join(await newFolder(), "event.json");
    writeFileSync(file, JSON.stringify(event));
    const environment = {
      ...{
        GITHUB_ACTIONS: "true",
        GITHUB_REPOSITORY: "team/avatars",
        GITHUB_REF: ref,
        GITHUB_SHA: baseCommit,
      },
      ...{ GITHUB_EVENT_PATH: file, GITHUB_SERVER_URL: host.webUrl, GITHUB_API_URL: host.apiUrl },
      GITHUB_TOKEN: host.token.reveal(),
    };
    const argv = options.map((option) => (option === "HEAD" ? commit : option));
    const review = (more: Readonly<Record<string, string>> = {}) =>
      fork.avataropsWith({ environment: { ...environment, ...more } }, "review", "--dry-run", ...argv);
    world.pulls.push({ ...own, fromFork: true });
    const refused = { exit: 1, stdout: expect.stringContaining("untrusted-command") };
    expect(await review()).toMatchObject(refused);
    world.pulls.splice(0, 1, own);
    for (const GITHUB_API_URL of ["http://127.0.0.1:1", host.apiUrl]) {
      fail({ on: /./, times: 9, answer: { status: 404 } });
      const unknown = await review({ GITHUB_API_URL });
      expect(unknown).toMatchObject({ exit: 1, stderr: saying("treated as if it did (--untrusted)") });
    }
    expect(await review({ GITHUB_TOKEN: "" })).toMatchObject({ exit: 1 });
    expect(existsSync(ran)).toBe(false);
  },
);

test("a pull request that was pushed to refs/for, as whoever reads the repository may on Gitea, is read as one from a fork", async () => {
  const fork = await startFork();
  const ran = path.join(await newFolder(), "ran");
  const command = `!exec [touch, ${ran}]`;
  await fork.propose({ "avatarops.yaml": withSecret(command) });
  const [commit = "", baseCommit = ""] = fork.git("rev-parse", "HEAD", "main").split("\n");
  const { world, options: host } = await startStandIn("gitea", { isJobToken: true });
  const [pull] = world.pulls.splice(0);
  if (!pull) throw new Error("no pull request");
  world.pulls.push({ ...pull, commit, baseCommit, isPushedForReview: true });
  const repo = { full_name: "team/avatars" };
  const events = [
    { pull_request: { number: 7, head: { label: "", sha: commit, repo }, base: { sha: baseCommit, repo } } },
    { issue: { number: 7, pull_request: {} } },
  ];
  for (const event of events) {
    const file = path.join(await newFolder(), "event.json");
    writeFileSync(file, JSON.stringify(event));
    const environment = {
      ...{ GITEA_ACTIONS: "true", GITHUB_REPOSITORY: "team/avatars", GITHUB_EVENT_PATH: file },
      ...{ GITHUB_SERVER_URL: host.webUrl, GITHUB_SHA: baseCommit, GITEA_TOKEN: host.token.reveal() },
    };
    const reviewed = await fork.avataropsWith({ environment }, "review", "--dry-run");
    expect([reviewed.exit, reviewed.stdout]).toEqual([1, expect.stringContaining("untrusted-command")]);
  }
  expect(existsSync(ran)).toBe(false);
});

test.each(["--pull-request", "--commit"])(
  "a review that somebody starts for a pull request of the repository itself is trusted: %s",
  async (option) => {
    const fork = await startFork();
    const ran = path.join(await newFolder(), "ran");
    const command = `!exec [touch, ${ran}]`;
    await fork.propose({ "avatarops.yaml": withSecret(command) });
    const { world, options: host } = await startStandIn("github-enterprise");
    const commit = fork.git("rev-parse", "HEAD").trim();
    Object.assign(world.pulls[0] ?? {}, { commit });
    const named = option === "--commit" ? commit : "7";
    const at = ["--repo", `${host.webUrl}/team/avatars`, "--host", "github", option, named];
    const environment = { GITHUB_TOKEN: host.token.reveal() };
    await fork.avataropsWith({ environment }, "review", "--dry-run", ...at);
    expect(existsSync(ran)).toBe(true);
  },
);

test.each(["--pull-request", "--commit"])(
  "a review trusts what is checked out, and not what is named: %s",
  async (option) => {
    const fork = await startFork();
    const ran = path.join(await newFolder(), "ran");
    const commitAs = (...parents: string[]) =>
      fork.git("commit-tree", "HEAD^{tree}", ...parents.flatMap((one) => ["-p", one]), "-m", "merge").trim();
    const [own = ""] = fork.git("rev-parse", "HEAD").split("\n");
    const { world, options: host } = await startStandIn("github-enterprise");
    const baseCommit = fork.git("rev-parse", "main").trim();
    world.pulls.push(...world.pulls.splice(0).map((pull) => ({ ...pull, baseCommit, commit: own })));
    const named = option === "--commit" ? own : "7";
    const review = (commit: string) => {
      fork.git("checkout", "--quiet", "--detach", commit);
      const at = ["--repo", `${host.webUrl}/team/avatars`, "--host", "github", option, named];
      const environment = { GITHUB_TOKEN: host.token.reveal() };
      return fork.avataropsWith({ environment }, "review", "--dry-run", ...at);
    };
    await fork.propose({ "avatarops.yaml": withSecret(`!exec [touch, ${ran}]`) });
    // Anybody can make a commit of which the head of our pull request is a parent.
    for (const stranger of ["HEAD", commitAs(own, "HEAD"), commitAs("HEAD", own)]) {
      const refused = await review(fork.git("rev-parse", stranger).trim());
      expect(refused).toMatchObject({ exit: 1, stderr: saying("treated as if it did (--untrusted)") });
    }
    expect(existsSync(ran)).toBe(false);
    const merge = commitAs("main", own);
    Object.assign(world.pulls[0] ?? {}, {
      testMerge: merge,
      ...(option === "--commit" && { commit: merge }),
    });
    await review(merge);
    expect(existsSync(ran)).toBe(true);
  },
);

test("a review of a fork without a key says that it was not compared, and offers no command to apply it", async () => {
  const fork = await startFork();
  await fork.propose({ "prompts/desk.md": "You answer politely and briefly.\n" });
  const environment = { ...(await jobOf(fork, "stranger/avatars")), AVATAROPS_API_KEY: "" };
  const { exit, stdout } = await fork.avataropsWith({ environment }, "review", "--dry-run");
  expect(exit).toBe(0);
  expect(stdout).toContain("briefly");
  expect(stdout.toLowerCase()).toContain("not compared with the account");
  expect(stdout).not.toContain("--digest");
});
