import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import path from "node:path";
import { expect, vi } from "vitest";
import { createEmptyDataset, type Emulator } from "../../src/emulator/index.js";
import { type CommandResult, runIn } from "../cli/hosting.js";
import { startEmulator } from "../documented-emulator.js";
import { createGitEnvironment, git, write } from "../git/repositories.js";
import { listWorkflows } from "../pipelines/hosted-jobs.js";
import type { Gitea, GiteaUser } from "./gitea.js";
import { type RunnerJob, type RunnerMachine, startActionsRunner } from "./gitea-actions.js";

export interface Pull {
  readonly number: number;
  readonly head: { readonly sha: string };
}

type Files = Readonly<Record<string, string>>;

/** Name and exit code of a job that ran, such as `["apply", 0]`. */
type JobEnd = readonly [job: string, exit: number];

export type GiteaTeam = Awaited<ReturnType<typeof startGiteaTeam>>;

/** Returns the output from the jobs that ran. */
const formatOutput = (jobs: readonly RunnerJob[]) =>
  jobs.map(({ job, ran }) => `${job}: ${ran?.exit}\n${ran?.stdout}${ran?.stderr}`).join("\n");

/** Adds `--all` to the workflows of the example `single`, as docs/projects.md describes for Gitea 1.26. */
export function reviewAll(workflows: Files): Files {
  const changed = Object.entries(workflows).map(([file, text]): [string, string] => [
    file,
    text
      .replace(/working-directory: .*? #/, "working-directory: . #")
      .replace('avatarops" review ', 'avatarops" review --all ')
      .replace("(--reviewed)", "(--reviewed --all)"),
  ]);
  const added = changed.flatMap(([, text]) => text.match(/ --all\b/g) ?? []);
  expect(added).toHaveLength(2);
  return Object.fromEntries(changed);
}

/**
 * Starts a team on a real Gitea: the owner, Ada and Ben with write access, and Rita with read access. Their private
 * repository contains a project in a folder and the unchanged workflows of an example. The jobs have only their own
 * token.
 */
export async function startGiteaTeam(
  gitea: Gitea,
  given: {
    readonly temp: string;
    readonly version: string;
    /** Workflows of `examples/ci/forgejo` to copy. Default: `single`. */
    readonly example?: "single" | "team";
    /** Project folder. Default: `support`. */
    readonly folder?: string;
    /** Repository secrets required by the example. */
    readonly secrets?: Readonly<Record<string, string>>;
    /** Account that posts the comments. Default: the jobs' account. */
    readonly bot?: string;
  },
) {
  const { temp, example = "single", folder = "support", bot = "gitea-actions" } = given;
  const { api, owner, repo } = gitea;
  const where = `/repos/${owner.name}/${repo}`;
  const emulator: Emulator = await startEmulator({ world: createEmptyDataset() });
  // Environment variables on the job runner and on Ada's laptop.
  const environment: Record<string, string> = { LLM_API_KEY: "first-key" };
  const machine: RunnerMachine = { ...given, environment };
  const runner = await startActionsRunner(gitea, machine);
  const [ada, ben, rita] = (["ada", "ben", "rita"] as const).map((name) => gitea.newUser(name)) as [
    GiteaUser,
    GiteaUser,
    GiteaUser,
  ];
  // Must come first, because Gitea records read access only in private repositories.
  await api(owner, "PATCH", where, { private: true });
  for (const [{ name }, permission] of [
    [ada, "write"],
    [ben, "write"],
    [rita, "read"],
  ] as const)
    await api(owner, "PUT", `${where}/collaborators/${name}`, { permission });
  const reviewKey = "a-key-of-the-jobs-that-review";
  const secrets = { AVATAROPS_API_KEY: "test-key", AVATAROPS_REVIEW_KEY: reviewKey, ...given.secrets };
  for (const [name, data] of Object.entries(secrets))
    await api(owner, "PUT", `${where}/actions/secrets/${name}`, { data });
  await api(owner, "POST", `${where}/actions/variables/AVATAROPS_BASE_URL`, { value: emulator.url });
  const clone = await mkdtemp(path.join(temp, "clone-"));
  git(clone, "init", "--quiet", "--initial-branch=main");
  git(clone, "remote", "add", "origin", gitea.remote);
  const workflows = Object.fromEntries(
    listWorkflows(`examples/ci/forgejo/${example}`).map((file) => [
      `.gitea/workflows/${path.basename(file)}`,
      readFileSync(file, "utf8").replace("working-directory: .", `working-directory: ${folder}`),
    ]),
  );

  /** Commits files to a branch, pushes it and returns the commit. */
  function push(branch: string, files: Files, remote = "origin"): string {
    if (branch !== git(clone, "branch", "--show-current"))
      git(clone, "switch", "--quiet", "--force-create", branch);
    for (const [file, text] of Object.entries(files)) write(clone, file, text);
    git(clone, "add", "--all");
    git(clone, "commit", "--quiet", "--message=Change");
    git(clone, "push", "--quiet", "--force", remote, branch);
    return git(clone, "rev-parse", "HEAD");
  }

  // Retries, because Gitea processes a push in the background.
  const open = (head: string, by: GiteaUser) =>
    vi.waitFor(
      () => api<Pull>(by, "POST", `${where}/pulls`, { title: "A change", head, base: "main" }),
      120_000,
    );

  /** Runs all queued jobs, expects their exit codes in any order, and returns their output. */
  async function jobs(...expected: readonly JobEnd[]): Promise<string> {
    const ran = await runner.untilDone(expected.length);
    // A skipped job would appear as a skipped check.
    expect(ran.filter((one) => !one.ran)).toEqual([]);
    const ends = ran.flatMap(({ job, ran: end }) => (end ? [`${job} ${end.exit}`] : []));
    expect(ends.toSorted(), formatOutput(ran)).toEqual(expected.map((end) => end.join(" ")).toSorted());
    return formatOutput(ran);
  }

  const dispatch = (workflow: string, inputs: Files) =>
    api(owner, "POST", `${where}/actions/workflows/${workflow}.yml/dispatches`, { ref: "main", inputs });

  return {
    ...{
      gitea,
      emulator,
      environment,
      machine,
      where,
      folder,
      clone,
      workflows,
      owner,
      ada,
      ben,
      rita,
      reviewKey,
    },
    ...{ push, open, jobs, dispatch, startJob: runner.start },
    git: (...args: string[]) => git(clone, ...args),
    /** Opens a pull request by Ada and runs its plan job. */
    async propose(branch: string, files: Files, exit = 0): Promise<Pull> {
      git(clone, "switch", "--quiet", "main");
      push(branch, files);
      const pull = await open(branch, ada);
      await jobs(["plan", exit]);
      return pull;
    },
    /** Merges the pull request as the owner. */
    async merge({ number }: Pull, how: Readonly<Record<string, unknown>> = { Do: "squash" }): Promise<void> {
      await gitea.merge(repo, number, how);
      git(clone, "switch", "--quiet", "main");
      git(clone, "pull", "--quiet", "--ff-only", "origin", "main");
    },
    close: (by: GiteaUser, { number }: Pull) =>
      api(by, "PATCH", `${where}/pulls/${number}`, { state: "closed" }),
    approve: (by: GiteaUser, { number }: Pull) =>
      api<{ id: number }>(by, "POST", `${where}/pulls/${number}/reviews`, {
        event: "APPROVED",
        body: "Good",
      }),
    /** Re-runs a push's jobs, like the button in Gitea. */
    async rerun(commit: string): Promise<void> {
      type Runs = { workflow_runs: { id: number; event: string }[] };
      const { workflow_runs: runs } = await api<Runs>(
        owner,
        "GET",
        `${where}/actions/runs?head_sha=${commit}`,
      );
      const old = runs.find(({ event }) => event === "push");
      await api(owner, "POST", `${where}/actions/runs/${old?.id}/rerun`);
    },
    /** Prints main's plan and applies it manually. */
    async applyByHand(): Promise<void> {
      await dispatch("avatars-plan", {});
      const [, digest = ""] = /--digest (\S+)/.exec(await jobs(["plan", 0])) ?? [];
      await dispatch("avatars-apply", { digest });
      await jobs(["apply", 0]);
    },
    /** Starts the scheduled jobs. */
    async morning(): Promise<void> {
      const due = `import sqlite3, sys
database = sqlite3.connect(sys.argv[1], 30)
database.execute("update action_schedule_spec set next = 1")
database.commit()`;
      execFileSync("python3", ["-c", due, gitea.database]);
      await api(owner, "POST", "/admin/cron/start_schedule_tasks");
    },
    /**
     * Returns the comments that jobs posted on a pull request, without their markers. `use` is "review", "outcome" or
     * "command".
     */
    async comments({ number }: Pull, use: string): Promise<string[]> {
      type Comment = { body: string; user: { login: string } };
      const all = await api<Comment[]>(owner, "GET", `${where}/issues/${number}/comments`);
      const ours = all.filter(({ body }) => body.startsWith(`<!-- avatarops:${use} `));
      expect(ours.map(({ user }) => user.login)).toEqual(ours.map(() => bot));
      return ours.map(({ body }) => body.slice(body.indexOf("\n") + 1));
    },
    statuses: async (commit: string) =>
      (
        await api<{ context: string; status: string; description: string }[]>(
          owner,
          "GET",
          `${where}/commits/${commit}/statuses`,
        )
      ).filter(({ context }) => context.startsWith("avatarops")),
    /** Returns the state that Gitea shows next to a commit. */
    combined: async (commit: string) =>
      (await api<{ state: string }>(owner, "GET", `${where}/commits/${commit}/status`)).state,
    /** Returns a commit's checks: its jobs with their states. */
    checks: async (commit: string) =>
      (
        await api<{ statuses: { context: string; status: string }[] }>(
          owner,
          "GET",
          `${where}/commits/${commit}/status`,
        )
      ).statuses
        .filter(({ context }) => !context.startsWith("avatarops"))
        .map(({ context, status }) => `${context}: ${status}`),
    /** Returns live prompts by context name. */
    prompts: () => Object.fromEntries(emulator.world.contexts.map(({ name, prompt }) => [name, prompt])),
    /** Returns all secret values sent so far. */
    secrets: () => emulator.world.secrets.map(({ id }) => emulator.secretValue(id)),
    /** Runs a command on Ada's laptop, in the clone. */
    atDesk: (...argv: string[]): Promise<CommandResult> =>
      runIn(path.join(clone, folder), argv, {
        environment: {
          ...{ ...createGitEnvironment(temp), ...environment },
          ...{ AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" },
        },
        hostname: "desk",
      }),
  };
}
