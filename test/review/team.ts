import { type Clone, type Clones, startClones } from "../cli/clones.js";
import type { CommandResult } from "../cli/hosting.js";
import { createCiVariables, createEventVariables, createPullVariables, createPushVariables } from "./job.js";
import { type StandIn, type StandInName, startStandIn } from "./stand-in.js";

/*
 * Sets up a team with a remote, a project in a subfolder, and a code host with pull requests. Branches are real, and
 * each job runs in its own clone.
 */

/** Makes a prompt so long that the state records only its digest. */
export const padText = (text: string) =>
  `${text}\n\n${Array.from({ length: 20 }, (_, at) => `Step ${at} is kept.`).join("\n")}\n`;

const manifest = `state: git+refs://origin/avatarops/production
contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md, opening_text: Hi }
  night: { name: Night, prompt: !file prompts/night.md, opening_text: Good night }
`;

export interface ReviewTeam {
  readonly standIn: StandIn;
  readonly emulator: Clones["emulator"];
  readonly environment: Clones["environment"];
  /** Ana's clone, on `main`. */
  readonly ana: Clone;
  clone(...options: string[]): Clone;
  /** Opens a pull request from a branch that starts at `from`. Returns the branch's clone. */
  propose(
    number: number,
    files: Readonly<Record<string, string>>,
    from?: string,
  ): Clone & { readonly number: number };
  /** Commits to main and applies. Returns the commit. */
  land(files: Readonly<Record<string, string>>): Promise<string>;
  /** Runs a pull request's job in a clone of its head. */
  review(
    number: number,
    where?: {
      readonly clone?: Clone;
      readonly more?: Readonly<Record<string, string>>;
      readonly argv?: readonly string[];
    },
  ): Promise<CommandResult>;
  /** Runs `apply --reviewed` on main in a push job. */
  applyMain(more?: Readonly<Record<string, string>>, ...argv: string[]): Promise<CommandResult>;
  /** Runs `apply --reviewed` in an existing clone. */
  applyIn(clone: Clone, more?: Readonly<Record<string, string>>, ...argv: string[]): Promise<CommandResult>;
  /** Returns our comments on a pull request. */
  comment(number: number): string;
}

export async function startReviewTeam(
  name: StandInName = "github",
  text = manifest,
  environments: readonly string[] = [],
): Promise<ReviewTeam> {
  const standIn = await startStandIn(name);
  const { world } = standIn;
  world.pulls.length = 0;
  const files = {
    "avatarops.yaml": text,
    "prompts/desk.md": padText("First."),
    "prompts/night.md": padText("Sleep."),
  };
  const environment = { ...createCiVariables(standIn), CI: "true" };
  const { first: ana, ...clones } = await startClones(files, { folder: "bots/support", environment });
  const clone = (...options: string[]) => clones.clone("Ada", ...options);
  const findPull = (number: number) => {
    const pull = world.pulls.find((one) => one.number === number);
    if (!pull) throw new Error("no pull request");
    return createPullVariables(standIn, pull);
  };

  if (environments.length === 0) await ana.apply();
  for (const environment of environments) await ana.apply("--env", environment);

  const team: ReviewTeam = {
    ...{ ...clones, standIn, ana, clone },
    propose(number, files, from = "origin/main") {
      const made = clone();
      const branch = `change-${number}`;
      const baseCommit = made.git("rev-parse", from);
      made.git("switch", "--quiet", "-c", branch, from);
      const commit = made.commit(files, `Change ${number}`);
      made.push(`refs/heads/${branch}`);
      const facts = { title: `Change ${number}`, body: "", open: true, base: "main", fromFork: false };
      world.pulls.push({ number, ...facts, head: branch, commit, baseCommit });
      return { ...made, number };
    },
    async land(files) {
      ana.git("pull", "--quiet", "--rebase", "origin", "main");
      const commit = ana.commit(files);
      ana.push();
      await ana.apply();
      return commit;
    },
    async review(number, { clone: at, more = {}, argv = [] } = {}) {
      const checkout = at ?? clone("--branch", `change-${number}`);
      return checkout.runWith({ ...findPull(number), ...more }, "review", ...argv);
    },
    applyMain(more = {}, ...argv) {
      const at = clone();
      return team.applyIn(at, more, ...argv);
    },
    applyIn(at, more = {}, ...argv) {
      const job = createPushVariables(standIn, at.git("rev-parse", "HEAD"));
      return at.runWith({ ...job, ...more }, "apply", "--reviewed", ...argv);
    },
    comment: (number) =>
      world.comments
        .filter(({ pull }) => pull === number)
        .map(({ body }) => body)
        .join("\n\n"),
  };
  return team;
}

/** Returns the first line of each live prompt by context name. */
export const listFirstLines = ({ emulator }: Pick<ReviewTeam, "emulator">) =>
  Object.fromEntries(emulator.world.contexts.map(({ name, prompt }) => [name, prompt.split("\n")[0]]));

/** Merges a pull request with a merge commit, like the host's button. */
export function mergePull({ ana, standIn }: ReviewTeam, number: number): void {
  ana.git("fetch", "--quiet", "origin");
  ana.git("merge", "--quiet", "--ff-only", "origin/main");
  ana.git("merge", "--quiet", "--no-ff", "-m", `Merge #${number}`, `origin/change-${number}`);
  ana.push();
  const pull = standIn.world.pulls.find((one) => one.number === number);
  Object.assign(pull ?? {}, { open: false, merged: ana.git("rev-parse", "HEAD") });
}

/** Environment with a review key. Only jobs with the key can sign a review. */
export const key = { AVATAROPS_REVIEW_KEY: "a key of at least twenty characters" };

/** Commits these pull requests on top of main, under the refs of the host's merge queue. Returns the commits. */
export function queue(
  team: ReviewTeam,
  numbers: readonly number[],
  name: "github" | "gitlab",
): readonly string[] {
  const { git } = team.ana;
  git("fetch", "--quiet", "origin");
  git("switch", "--quiet", "--detach", "origin/main");
  return numbers.map((number) => {
    const parent = git("rev-parse", "HEAD");
    git("merge", "--quiet", "--squash", `origin/change-${number}`);
    git("commit", "--quiet", "-m", `Change (#${number})`);
    const ref =
      name === "github"
        ? `refs/heads/gh-readonly-queue/main/pr-${number}-${parent}`
        : `refs/merge-requests/${number}/train`;
    git("push", "--quiet", "origin", `HEAD:${ref}`);
    return git("rev-parse", "HEAD");
  });
}

export function mergeQueued(team: ReviewTeam, commits: Readonly<Record<number, string>>): void {
  for (const pull of team.standIn.world.pulls) {
    const merged = commits[pull.number];
    if (merged === undefined) continue;
    team.ana.git("push", "--quiet", "origin", `${merged}:refs/heads/main`);
    Object.assign(pull, { open: false, merged });
  }
}

export function reviewQueued(team: ReviewTeam, number: number, sha: string, name: "github" | "gitlab") {
  const at: Clone = team.clone();
  at.git("fetch", "--quiet", "origin", sha);
  at.git("switch", "--quiet", "--detach", sha);
  const parent = at.git("rev-parse", "HEAD^");
  const head_ref = `refs/heads/gh-readonly-queue/main/pr-${number}-${parent}`;
  const job =
    name === "github"
      ? {
          ...{ GITHUB_EVENT_NAME: "merge_group", GITHUB_SHA: sha, GITHUB_REF: head_ref },
          ...createEventVariables({
            merge_group: { head_sha: sha, head_ref, base_ref: "refs/heads/main", base_sha: parent },
          }),
        }
      : {
          ...{ CI_MERGE_REQUEST_EVENT_TYPE: "merge_train", CI_MERGE_REQUEST_IID: `${number}` },
          ...{ CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: "1".repeat(40), CI_COMMIT_SHA: sha },
          ...{ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "1", CI_MERGE_REQUEST_PROJECT_ID: "1" },
        };
  return at.runWith({ ...job, ...key }, "review");
}
