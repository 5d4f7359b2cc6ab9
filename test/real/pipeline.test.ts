import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Emulator, emptyDataset, startEmulator } from "../../src/emulator/index.js";
import { git, newFolder, write } from "../git/repositories.js";
import { packInto } from "../installing.js";
import { keptNpm } from "../pipelines/kept-npm.js";
import { type Gitea, type GiteaUser, hasGitea, startGitea } from "./gitea.js";
import { type ActionsRunner, type HandedOut, startActionsRunner } from "./gitea-actions.js";

/*
 * The workflow for Gitea and Forgejo as it stands, in jobs that Gitea's own Actions hand out, with no token but theirs.
 */

const workflow = ".gitea/workflows/avatarops.yml";

interface Pull {
  readonly number: number;
  readonly merge_commit_sha: string;
  readonly head: { readonly sha: string };
}

/** A team's repository, and what its members do there. */
interface Team {
  readonly name: string;
  readonly folder: string;
  /** Commits files to a branch and pushes it; as somebody else, to their fork. */
  push(branch: string, files: Readonly<Record<string, string>>, remote?: string): string;
  open(head: string, as?: GiteaUser): Promise<Pull>;
  merge(pull: Pull, how?: Readonly<Record<string, unknown>>): Promise<void>;
  comments(pull: Pull): Promise<readonly { readonly body: string; readonly user: { login: string } }[]>;
  statuses(commit: string): Promise<readonly { context: string; status: string; description: string }[]>;
  runJobs(): Promise<HandedOut[]>;
}

const said = (jobs: readonly HandedOut[]) =>
  jobs.map(({ job, ran }) => `${job}: ${ran?.exit}\n${ran?.stdout}${ran?.stderr}`).join("\n");
const ended = (jobs: readonly HandedOut[]) => jobs.flatMap(({ job, ran }) => (ran ? [[job, ran.exit]] : []));

describe.skipIf(!hasGitea())("the workflow on a real Gitea, with the tokens of its jobs", () => {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
  let temp: string;
  let gitea: Gitea;
  let runner: ActionsRunner;
  let emulator: Emulator;
  beforeAll(async () => {
    temp = await mkdtemp(path.join(tmpdir(), "avatarops-gitea-jobs-"));
    const version = `file:${await packInto(temp)}`;
    vi.stubEnv("PATH", `${keptNpm(temp)}${path.delimiter}${process.env.PATH}`);
    gitea = await startGitea();
    runner = await startActionsRunner(gitea, { temp, replaced: { AVATAROPS_VERSION: version } });
  });
  afterAll(async () => {
    await gitea.close();
    await rm(temp, { recursive: true });
  });

  /** A private repository with the workflow, its secret and its variable. */
  async function startTeam(name: string, folder = ""): Promise<Team> {
    emulator = await startEmulator({ world: emptyDataset() });
    const { api, owner } = gitea;
    await gitea.newRepository(owner, name);
    const where = `/repos/${owner.name}/${name}`;
    await api(owner, "PATCH", where, { private: true });
    await api(owner, "PUT", `${where}/actions/secrets/AVATAROPS_API_KEY`, { data: "test-key" });
    await api(owner, "POST", `${where}/actions/variables/AVATAROPS_BASE_URL`, { value: emulator.url });
    const clone = newFolder();
    git(clone, "init", "--quiet", "--initial-branch=main");
    git(clone, "remote", "add", "origin", gitea.remoteOf(owner, `${owner.name}/${name}`));
    return {
      name,
      folder,
      push(branch, files, remote = "origin") {
        const current = git(clone, "branch", "--show-current");
        if (branch !== current) git(clone, "switch", "--quiet", "--force-create", branch);
        for (const [file, text] of Object.entries(files)) write(clone, file, text);
        git(clone, "add", "--all");
        git(clone, "commit", "--quiet", "--message=change");
        git(clone, "push", "--quiet", "--force", remote, branch);
        return git(clone, "rev-parse", "HEAD");
      },
      open: (head, as = owner) =>
        vi.waitFor(() => api<Pull>(as, "POST", `${where}/pulls`, { title: "A change", head, base: "main" }), {
          timeout: 20_000,
        }),
      async merge(pull, how) {
        await gitea.merge(name, pull.number, how);
        git(clone, "switch", "--quiet", "main");
        git(clone, "pull", "--quiet", "--ff-only", "origin", "main");
      },
      comments: ({ number }) => api(owner, "GET", `${where}/issues/${number}/comments`),
      statuses: async (commit) =>
        (
          await api<Awaited<ReturnType<Team["statuses"]>>>(
            owner,
            "GET",
            `${where}/commits/${commit}/statuses`,
          )
        ).filter(({ context }) => context.startsWith("avatarops")),
      runJobs: () => runner.untilDone(),
    };
  }

  const manifest = (prompt: string) => `state: git+refs://origin/avatarops/production
contexts: { desk: { name: Desk, prompt: ${prompt} } }
`;
  const prompts = () => emulator.world.contexts.map(({ prompt }) => prompt);

  test("a pull request is commented on, and its plan applied after the merge", async () => {
    const team = await startTeam("plain");
    const text = await readFile("examples/ci/forgejo/avatarops.yml", "utf8");
    team.push("main", {
      [workflow]: text,
      "avatarops.yaml": "state: git+refs://origin/avatarops/production\n",
    });
    await team.runJobs();

    const head = team.push("change", { "avatarops.yaml": manifest("Be kind.") });
    const pull = await team.open("change");
    const planned = await team.runJobs();
    expect(ended(planned), said(planned)).toEqual([["plan", 0]]);
    expect(await team.comments(pull)).toMatchObject([
      { body: expect.stringContaining("context.desk"), user: { login: "gitea-actions" } },
    ]);
    expect(await team.statuses(head)).toMatchObject([{ context: "avatarops", status: "success" }]);

    await team.merge(pull);
    const applied = await team.runJobs();
    expect(ended(applied), said(applied)).toEqual([["apply", 0]]);
    expect(prompts()).toEqual(["Be kind."]);
    await emulator.close();
  });
});
