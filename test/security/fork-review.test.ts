// @module-tag ci
/** Tests that `review` treats a fork's pull request as untrusted even without `--untrusted`. */
import { expect, test } from "vitest";
import { matchText } from "../cli/hosting.js";
import { createCiVariables, createEventVariables, createPullVariables } from "../review/job.js";
import { type StandIn, type StandInName, type StoredPull, startStandIn } from "../review/stand-in.js";
import { type Fork, formatSecret, manifest, newTrace, startFork } from "./fork.js";

interface Proposal {
  readonly fork: Fork;
  readonly host: StandIn;
  /** Pull request 7, whose commit is checked out. */
  readonly pull: StoredPull & { readonly baseCommit: string };
  /** Whether a command from the change has run. */
  isThere(): boolean;
  review(environment: Readonly<Record<string, string>>, ...argv: string[]): ReturnType<Fork["avatarops"]>;
}

/** Starts a change with a new secret whose value is a command. A plan reads only the values of new secrets. */
async function startProposal(name: StandInName, more: Partial<StoredPull> = {}): Promise<Proposal> {
  const fork = await startFork();
  const { command, isThere } = await newTrace();
  await fork.propose({ "avatarops.yaml": manifest + formatSecret("more", command) });
  const host = await startStandIn(name, { isJobToken: name === "gitea" });
  const [commit = "", baseCommit = ""] = fork.git("rev-parse", "HEAD", "main").split("\n");
  const pull = { ...(host.world.pulls[0] as StoredPull), commit, baseCommit, ...more };
  host.world.pulls.splice(0, 1, pull);
  return {
    ...{ fork, host, pull, isThere },
    review: (environment, ...argv) => fork.avataropsWith({ environment }, "review", "--dry-run", ...argv),
  };
}

const refused = { exit: 1, stdout: expect.stringContaining("untrusted-command") };
const unknown = { exit: 1, stderr: matchText("treated as a fork's commit (--untrusted)") };

test("runs no code from a fork in a review without --untrusted", async () => {
  const { fork, host, pull, review, isThere } = await startProposal("github");
  const { GITHUB_TOKEN: _, ...job } = {
    ...createCiVariables(host),
    ...createPullVariables(host, { ...pull, fromFork: true }),
  };
  const base = { sha: pull.baseCommit, repo: { full_name: "team/avatars" } };
  // Imitates a deleted fork repository.
  const gone = createEventVariables({
    pull_request: { number: 7, head: { sha: pull.commit, repo: null }, base },
  });
  for (const environment of [job, { ...job, ...gone }])
    expect(await review(environment)).toMatchObject(refused);
  expect(isThere()).toBe(false);
  await fork.write(".env", "AVATAROPS_BASE_URL=https://evil.example\n");
  expect(await review(job, "--dotenv", ".env")).toMatchObject({
    ...{ exit: 1, stderr: matchText("--dotenv cannot be used") },
  });
  await review({ ...job, ...createPullVariables(host, pull) });
  expect(isThere()).toBe(true);
});

/** Jobs with the repository's permissions, started for pull request 7, whose author controls the checkout. */
const started = {
  "a comment": { event: { issue: { number: 7, pull_request: {} } }, ref: "refs/heads/main", options: [] },
  "a person with --pull-request": { event: {}, ref: "refs/heads/main", options: ["--pull-request", "7"] },
  "a person with --commit": { event: {}, ref: "refs/heads/main", options: ["--commit", "HEAD"] },
  "a person, on main": { event: {}, ref: "refs/heads/main", options: [] },
  "the ref of the pull request": { event: {}, ref: "refs/pull/7/head", options: [] },
};

test.each(Object.entries(started))(
  "requests a change's origin from the host, and does not trust an unknown origin: %s",
  async (_, { event, ref, options }) => {
    const { fork, host, pull, isThere, ...proposal } = await startProposal("github", { fromFork: true });
    // Imitates a checkout of the fork, whose `main` contains the change.
    fork.git("update-ref", "refs/remotes/origin/main", "HEAD");
    const environment = {
      ...{
        ...createCiVariables(host),
        ...createEventVariables(event),
        GITHUB_REF: ref,
        GITHUB_SHA: pull.baseCommit,
      },
    };
    const argv = options.map((option) => (option === "HEAD" ? pull.commit : option));
    const review = (more: Readonly<Record<string, string>> = {}) =>
      proposal.review({ ...environment, ...more }, ...argv);
    expect(await review()).toMatchObject(refused);
    host.world.pulls.splice(0, 1, { ...pull, fromFork: false });
    for (const GITHUB_API_URL of ["http://127.0.0.1:1", host.options.apiUrl]) {
      host.fail({ on: /./, times: 9, answer: { status: 404 } });
      expect(await review({ GITHUB_API_URL })).toMatchObject(unknown);
    }
    expect(await review({ GITHUB_TOKEN: "" })).toMatchObject({ exit: 1 });
    expect(isThere()).toBe(false);
  },
);

test("treats a push to refs/for on Gitea as a fork's pull request", async () => {
  const { host, pull, review, isThere } = await startProposal("gitea", { isPushedForReview: true });
  for (const event of [
    createPullVariables(host, { ...pull, head: "" }),
    createEventVariables({ issue: { number: 7, pull_request: {} } }),
  ])
    expect(await review({ ...createCiVariables(host), GITHUB_SHA: pull.baseCommit, ...event })).toMatchObject(
      refused,
    );
  expect(isThere()).toBe(false);
});

test.each(["--pull-request", "--commit"])(
  "runs project code in a review only if the checked-out commit is trusted: %s",
  async (option) => {
    const { fork, host, pull, isThere, ...proposal } = await startProposal("github-enterprise");
    const { webUrl, token } = host.options;
    const named = option === "--commit" ? pull.commit : "7";
    const at = ["--repo", `${webUrl}/team/avatars`, "--host", "github", option, named];
    const review = (commit: string) => {
      fork.git("checkout", "--quiet", "--detach", commit);
      return proposal.review({ GITHUB_TOKEN: token.reveal() }, ...at);
    };
    const commitAs = (...parents: string[]) =>
      fork.git("commit-tree", "HEAD^{tree}", ...parents.flatMap((one) => ["-p", one]), "-m", "merge");
    // Anyone can create a commit whose parent is the head of our pull request.
    await fork.propose({ "prompts/desk.md": "You answer briefly.\n" });
    for (const stranger of ["HEAD", commitAs(pull.commit, "HEAD"), commitAs("HEAD", pull.commit)])
      expect(await review(stranger)).toMatchObject(unknown);
    expect(isThere()).toBe(false);
    const merge = commitAs("main", pull.commit);
    Object.assign(pull, { testMerge: merge, ...(option === "--commit" && { commit: merge }) });
    for (const own of option === "--commit" ? [merge] : [merge, named === "7" ? pull.commit : merge]) {
      await review(own);
      expect(isThere()).toBe(true);
    }
  },
);

test("reviews a fork without an API key, reports that nothing was compared, and suggests no apply", async () => {
  const { fork, host, pull, review } = await startProposal("github");
  await fork.propose({
    "avatarops.yaml": manifest,
    "prompts/desk.md": "You answer politely and briefly.\n",
  });
  const { GITHUB_TOKEN: _, ...job } = {
    ...createCiVariables(host),
    ...createPullVariables(host, { ...pull, commit: fork.git("rev-parse", "HEAD"), fromFork: true }),
  };
  const { exit, stdout } = await review({ ...job, AVATAROPS_API_KEY: "" });
  expect(exit).toBe(0);
  expect(stdout).toContain("briefly");
  expect(stdout.toLowerCase()).toContain("not compared with the account");
  expect(stdout).not.toContain("--digest");
});
