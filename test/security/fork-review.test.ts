// @module-tag ci
/** `review` of a pull request from a fork is untrusted, whether the pipeline says so or not. */
import { expect, test } from "vitest";
import { saying } from "../cli/hosting.js";
import { ciOf, ofEvent, ofPull } from "../review/job.js";
import { type StandIn, type StandInName, type StoredPull, startStandIn } from "../review/stand-in.js";
import { type Fork, manifest, newTrace, secret, startFork } from "./fork.js";

interface Proposal {
  readonly fork: Fork;
  readonly host: StandIn;
  /** Pull request 7, which has the commit that is checked out. */
  readonly pull: StoredPull & { readonly baseCommit: string };
  /** Whether a command of the author's was run. */
  isThere(): boolean;
  review(environment: Readonly<Record<string, string>>, ...argv: string[]): ReturnType<Fork["avatarops"]>;
}

/** A change with one more secret, whose value is a command: only of a new secret does a plan read the value. */
async function startProposal(name: StandInName, more: Partial<StoredPull> = {}): Promise<Proposal> {
  const fork = await startFork();
  const { command, isThere } = await newTrace();
  await fork.propose({ "avatarops.yaml": manifest + secret("more", command) });
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
const unknown = { exit: 1, stderr: saying("treated as if it did (--untrusted)") };

test("a review of a fork runs nothing of it without --untrusted", async () => {
  const { fork, host, pull, review, isThere } = await startProposal("github");
  const { GITHUB_TOKEN: _, ...job } = { ...ciOf(host), ...ofPull(host, { ...pull, fromFork: true }) };
  const base = { sha: pull.baseCommit, repo: { full_name: "team/avatars" } };
  // Whose repository is gone.
  const gone = ofEvent({ pull_request: { number: 7, head: { sha: pull.commit, repo: null }, base } });
  for (const environment of [job, { ...job, ...gone }])
    expect(await review(environment)).toMatchObject(refused);
  expect(isThere()).toBe(false);
  await fork.write(".env", "AVATAROPS_BASE_URL=https://evil.example\n");
  expect(await review(job, "--dotenv", ".env")).toMatchObject({
    ...{ exit: 1, stderr: saying("--dotenv cannot be used") },
  });
  await review({ ...job, ...ofPull(host, pull) });
  expect(isThere()).toBe(true);
});

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
    const { fork, host, pull, isThere, ...proposal } = await startProposal("github", { fromFork: true });
    // The job checked out the fork, whose main has the change.
    fork.git("update-ref", "refs/remotes/origin/main", "HEAD");
    const environment = {
      ...{ ...ciOf(host), ...ofEvent(event), GITHUB_REF: ref, GITHUB_SHA: pull.baseCommit },
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

test("a pull request that was pushed to refs/for, as whoever reads the repository may on Gitea, is read as one from a fork", async () => {
  const { host, pull, review, isThere } = await startProposal("gitea", { isPushedForReview: true });
  for (const event of [
    ofPull(host, { ...pull, head: "" }),
    ofEvent({ issue: { number: 7, pull_request: {} } }),
  ])
    expect(await review({ ...ciOf(host), GITHUB_SHA: pull.baseCommit, ...event })).toMatchObject(refused);
  expect(isThere()).toBe(false);
});

test.each(["--pull-request", "--commit"])(
  "a review trusts what is checked out, and not what is named: %s",
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
    // Anybody can make a commit of which the head of our pull request is a parent.
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

test("a review of a fork without a key says that it was not compared, and offers no command to apply it", async () => {
  const { fork, host, pull, review } = await startProposal("github");
  await fork.propose({
    "avatarops.yaml": manifest,
    "prompts/desk.md": "You answer politely and briefly.\n",
  });
  const { GITHUB_TOKEN: _, ...job } = {
    ...ciOf(host),
    ...ofPull(host, { ...pull, commit: fork.git("rev-parse", "HEAD"), fromFork: true }),
  };
  const { exit, stdout } = await review({ ...job, AVATAROPS_API_KEY: "" });
  expect(exit).toBe(0);
  expect(stdout).toContain("briefly");
  expect(stdout.toLowerCase()).toContain("not compared with the account");
  expect(stdout).not.toContain("--digest");
});
