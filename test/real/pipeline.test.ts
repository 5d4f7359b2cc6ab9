import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import { type Emulator, emptyDataset, startEmulator } from "../../src/emulator/index.js";
import { git, newFolder, write } from "../git/repositories.js";
import { packInto } from "../installing.js";
import { keptNpm } from "../pipelines/kept-npm.js";
import { actTool } from "./act.js";
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
  /** Of the project. */
  readonly folder: string;
  git(...args: string[]): string;
  /** Commits files to a branch and pushes it; as somebody else, to their fork. */
  push(branch: string, files: Readonly<Record<string, string>>, remote?: string): string;
  open(head: string, as?: GiteaUser): Promise<Pull>;
  merge(pull: Pull, how?: Readonly<Record<string, unknown>>): Promise<void>;
  comments(pull: Pull): Promise<readonly { readonly body: string; readonly user: { login: string } }[]>;
  statuses(commit: string): Promise<readonly { context: string; status: string; description: string }[]>;
  runJobs(): Promise<HandedOut[]>;
}

const canRun = hasGitea() && actTool.has();
const said = (jobs: readonly HandedOut[]) =>
  jobs.map(({ job, ran }) => `${job}: ${ran?.exit}\n${ran?.stdout}${ran?.stderr}`).join("\n");
const ended = (jobs: readonly HandedOut[]) => jobs.flatMap(({ job, ran }) => (ran ? [[job, ran.exit]] : []));

describe.skipIf(!canRun)("the workflow on a real Gitea, with the tokens of its jobs", () => {
  vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 240_000 });
  let temp: string;
  let gitea: Gitea;
  let runner: ActionsRunner;
  let emulator: Emulator;
  beforeAll(async () => {
    temp = await mkdtemp(path.join(tmpdir(), "avatarops-gitea-jobs-"));
    const version = `file:${await packInto(temp)}`;
    vi.stubEnv("PATH", `${keptNpm(temp)}${path.delimiter}${process.env.PATH}`);
    gitea = await startGitea();
    runner = await startActionsRunner(gitea, { temp, version });
  });
  afterAll(async () => {
    await gitea.close();
    await rm(temp, { recursive: true });
  });

  /** A private repository with the workflow, its secret and its variable. */
  async function startTeam(name: string, folder: string): Promise<Team> {
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
      git: (...args) => git(clone, ...args),
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

  test("serves two people, a fork and a closed pull request, in a project in a subfolder", async () => {
    const team = await startTeam("team", "avatars");
    const { api, owner } = gitea;
    const where = `/repos/${owner.name}/${team.name}`;
    const text = (await readFile("examples/ci/forgejo/avatarops.yml", "utf8")).replace(
      "working-directory: .",
      `working-directory: ${team.folder}`,
    );
    const desk = (prompt: string) => ({ "avatars/avatarops.yaml": manifest(prompt) });
    const byHand = (inputs: Readonly<Record<string, string>>) =>
      api(owner, "POST", `${where}/actions/workflows/avatarops.yml/dispatches`, { ref: "main", inputs });
    /** Looks at the plan of main, and applies it. */
    const applyByHand = async () => {
      await byHand({});
      const shown = await team.runJobs();
      expect(ended(shown), said(shown)).toEqual([["plan", 0]]);
      const [, digest = ""] = /--digest (\S+)/.exec(said(shown)) ?? [];
      await byHand({ digest });
      const applied = await team.runJobs();
      expect(ended(applied), said(applied)).toEqual([["apply", 0]]);
    };

    // Monday. The first push came by no pull request.
    team.push("main", { [workflow]: text, ...desk("Be kind.") });
    const first = await team.runJobs();
    expect(ended(first), said(first)).toEqual([["apply", 1]]);
    expect(said(first)).toContain("not-reviewed");
    await applyByHand();
    expect(prompts()).toEqual(["Be kind."]);

    // Tuesday. A change is reviewed twice, and merged by a squash, with the token of nobody but the jobs.
    team.push("kinder", desk("Be kinder."));
    const kinder = await team.open("kinder");
    await team.runJobs();
    const head = team.push("kinder", desk("Be very kind."));
    const planned = await team.runJobs();
    expect(ended(planned), said(planned)).toEqual([["plan", 0]]);
    const comments = await team.comments(kinder);
    expect(comments).toMatchObject([
      { body: expect.stringContaining("very"), user: { login: "gitea-actions" } },
    ]);
    expect(await team.statuses(head)).toMatchObject([{ context: "avatarops/avatars", status: "success" }]);
    await team.merge(kinder, { Do: "squash" });
    const applied = await team.runJobs();
    expect(ended(applied), said(applied)).toEqual([["apply", 0]]);
    expect(prompts()).toEqual(["Be very kind."]);
    const ofTuesday = team.git("rev-parse", "HEAD");

    // Wednesday. What is closed is not merged, even if its commit comes to main.
    team.push("rude", desk("Be rude."));
    const rude = await team.open("rude");
    await team.runJobs();
    await api(owner, "PATCH", `${where}/pulls/${rude.number}`, { state: "closed" });
    team.git("switch", "--quiet", "main");
    team.git("merge", "--quiet", "--no-ff", "--message=by hand", "rude");
    team.git("push", "--quiet", "origin", "main");
    const closed = await team.runJobs();
    expect(ended(closed), said(closed)).toEqual([["apply", 1]]);
    expect(prompts()).toEqual(["Be very kind."]);
    team.push("main", desk("Be very kind."));
    const nothing = await team.runJobs();
    expect(ended(nothing), said(nothing)).toEqual([["apply", 0]]);

    // Thursday. Ben works in a fork: its job has no secret, and a token that only reads.
    const ben = gitea.newUser(`ben-${Date.now()}`);
    await api(owner, "PUT", `${where}/collaborators/${ben.name}`, { permission: "write" });
    await api(ben, "POST", `${where}/forks`, {});
    team.push("brief", desk("Be brief."), gitea.remoteOf(ben, `${ben.name}/${team.name}`));
    const brief = await team.open(`${ben.name}:brief`, ben);
    const shown = await team.runJobs();
    expect(ended(shown), said(shown)).toEqual([["plan", 0]]);
    expect(said(shown)).toContain("Be brief.");
    expect(await team.comments(brief)).toEqual([]);
    await team.merge(brief);
    const merged = await team.runJobs();
    expect(ended(merged), said(merged)).toEqual([["apply", 1]]);
    expect(said(merged)).toContain("comes from a fork");
    await applyByHand();
    expect(prompts()).toEqual(["Be brief."]);

    // Somebody runs the apply of Tuesday again: its checkout is behind, and undoes nothing.
    type Runs = { workflow_runs: { id: number; event: string; head_sha: string }[] };
    const { workflow_runs: runs } = await api<Runs>(owner, "GET", `${where}/actions/runs?limit=50`);
    const old = runs.find(({ event, head_sha }) => event === "push" && head_sha === ofTuesday);
    await api(owner, "POST", `${where}/actions/runs/${old?.id}/rerun`);
    const again = await team.runJobs();
    expect(ended(again), said(again)).toEqual([["apply", 5]]);
    expect(said(again)).toContain("stale-plan");
    expect(prompts()).toEqual(["Be brief."]);

    // Friday. What somebody edited in the dashboard comes back, and needs no review: there is nothing left to do.
    emulator.editContext("Desk", { prompt: "Be brief, please." });
    const { jobs, ...rest } = parse(text) as { jobs: { drift: { if?: string } } };
    const drift = { ...rest, on: { workflow_dispatch: {} }, jobs: { drift: { ...jobs.drift, if: "true" } } };
    team.push("main", { ".gitea/workflows/drift.yml": stringify(drift) });
    await team.runJobs();
    await vi.waitFor(
      () => api(owner, "POST", `${where}/actions/workflows/drift.yml/dispatches`, { ref: "main" }),
      { timeout: 20_000 },
    );
    const drifted = await team.runJobs();
    expect(ended(drifted), said(drifted)).toEqual([["drift", 0]]);
    const [back] = await api<Pull[]>(owner, "GET", `${where}/pulls?state=open`);
    if (!back) throw new Error("no pull request");
    await team.merge(back);
    const recorded = await team.runJobs();
    expect(ended(recorded), said(recorded)).toEqual([["apply", 0]]);
    expect(prompts()).toEqual(["Be brief, please."]);
    await emulator.close();
  });

  test("plans the merge of a branch that is behind, and names other pull requests that change the same", async () => {
    const team = await startTeam("behind", "bots/support");
    const text = (await readFile("examples/ci/forgejo/avatarops.yml", "utf8")).replace(
      "working-directory: .",
      `working-directory: ${team.folder}`,
    );
    const prompt = (name: string, prompt: string) => ({ [`${team.folder}/${name}.md`]: `${prompt}\n` });
    const contexts = ["desk", "night"].map(
      (name) => `  ${name}: { name: ${name}, prompt: !file ${name}.md }\n`,
    );
    team.push("main", {
      [workflow]: text,
      [`${team.folder}/avatarops.yaml`]: `state: git+refs://origin/avatarops/production\ncontexts:\n${contexts.join("")}`,
      ...{ ...prompt("desk", "Be kind."), ...prompt("night", "Sleep.") },
    });
    await team.runJobs();
    const byHand = (inputs: object) => {
      const where = `/repos/${gitea.owner.name}/${team.name}/actions/workflows/avatarops.yml/dispatches`;
      return gitea.api(gitea.owner, "POST", where, { ref: "main", inputs });
    };
    await byHand({});
    const [, digest = ""] = /--digest (\S+)/.exec(said(await team.runJobs())) ?? [];
    await byHand({ digest });
    await team.runJobs();
    expect(prompts().sort()).toEqual(["Be kind.", "Sleep."]);

    const propose = async (branch: string, files: Readonly<Record<string, string>>) => {
      team.git("switch", "--quiet", "main");
      const head = team.push(branch, files);
      const pull = await team.open(branch);
      const planned = await team.runJobs();
      expect(ended(planned), said(planned)).toEqual([["plan", 0]]);
      return { ...pull, head: { sha: head } };
    };
    const desk = await propose("desk", prompt("desk", "Be very kind."));
    const night = await propose("night", prompt("night", "Sleep well."));
    const dream = await propose("dream", prompt("night", "Dream."));
    const [comment] = await team.comments(dream);
    expect(comment?.body).toContain(
      `> **Other open pull requests** change the same objects. Whichever is merged last needs a new review:\n> - [#${night.number}](<${gitea.url}/${gitea.owner.name}/${team.name}/pulls/${night.number}>): \`context.night\`\n\n`,
    );

    await team.merge(desk, { Do: "squash" });
    const applied = await team.runJobs();
    expect(ended(applied), said(applied)).toEqual([["apply", 0]]);
    const tip = team.git("rev-parse", "main");
    team.git("switch", "--quiet", "night");
    team.push("night", prompt("night", "Sleep very well."));
    const planned = await team.runJobs();
    expect(ended(planned), said(planned)).toEqual([["plan", 0]]);
    const [behind] = await team.comments(night);
    expect(behind?.body).toContain("### Plan: 1 to update; 1 unchanged\n");
    expect(behind?.body).not.toContain("context.desk");
    expect(behind?.body).toContain(`, merged with \`main\` at [\`${tip.slice(0, 10)}\`]`);
    await team.merge(night, { Do: "rebase" });
    const both = await team.runJobs();
    expect(ended(both), said(both)).toEqual([["apply", 0]]);
    expect(prompts().sort()).toEqual(["Be very kind.", "Sleep very well."]);
    await emulator.close();
  });

  test("does what comments of members say, and nothing of what others say", async () => {
    const team = await startTeam("comments", ".");
    const { api, owner } = gitea;
    const where = `/repos/${owner.name}/${team.name}`;
    const text = await readFile("examples/ci/forgejo/avatarops.yml", "utf8");
    const [ada, rita] = [gitea.newUser(`ada-${Date.now()}`), gitea.newUser(`rita-${Date.now()}`)];
    await api(owner, "PUT", `${where}/collaborators/${ada.name}`, { permission: "write" });
    await api(owner, "PUT", `${where}/collaborators/${rita.name}`, { permission: "read" });
    const say = async (who: GiteaUser, pull: Pull, body: string) => {
      await api(who, "POST", `${where}/issues/${pull.number}/comments`, { body });
      const jobs = await team.runJobs();
      return { jobs, exits: ended(jobs), said: said(jobs) };
    };
    /** What the jobs answered, but for reviews. */
    const answers = async (pull: Pull) =>
      (await team.comments(pull))
        .filter(({ body, user }) => user.login === "gitea-actions" && body.includes("avatarops:command"))
        .map(({ body }) => body.split("\n").slice(1).join("\n"));
    const labels = async ({ number }: Pull) =>
      (await api<{ name: string }[]>(owner, "GET", `${where}/issues/${number}/labels`)).map(
        ({ name }) => name,
      );
    team.push("main", { [workflow]: text });
    await team.runJobs();

    team.push("kind", { "avatarops.yaml": manifest("Be kind.") });
    const pull = await team.open("kind");
    await team.runJobs();
    const stranger = await say(rita, pull, "/avatarops plan");
    expect(stranger.exits, stranger.said).toEqual([["comment", 1]]);
    const planned = await say(ada, pull, "/avatarops plan");
    expect(planned.exits, planned.said).toEqual([["comment", 0]]);
    const early = await say(ada, pull, "/avatarops apply");
    expect(early.exits, early.said).toEqual([["comment", 1]]);
    expect((await say(ada, pull, "Looks good to me.")).exits).toEqual([]);

    // The key of the account is wrong when the change is merged, and is then mended.
    const key = `${where}/actions/secrets/AVATAROPS_API_KEY`;
    await api(owner, "PUT", key, { data: "another-key" });
    await team.merge(pull);
    const failed = await team.runJobs();
    expect(ended(failed), said(failed)).toEqual([["apply", 1]]);
    const outcome = {
      user: { login: "gitea-actions" },
      body: expect.stringContaining("<!-- avatarops:outcome "),
    };
    expect((await team.comments(pull)).at(-1), said(failed)).toMatchObject(outcome);
    expect(await labels(pull)).toEqual(["avatarops: changes"]);
    await api(owner, "PUT", key, { data: "test-key" });
    const refused = await say(rita, pull, "/avatarops apply --force");
    expect(refused.exits, refused.said).toEqual([["comment", 1]]);
    expect(prompts()).toEqual([]);
    const applied = await say(ada, pull, "/avatarops apply");
    expect(applied.exits, applied.said).toEqual([["comment", 0]]);
    expect(prompts()).toEqual(["Be kind."]);
    const only = expect.stringContaining("**Refused.** Only those who may push");
    const merged = expect.stringContaining("**Refused.** Only what was merged");
    const [shown, done] = [
      expect.stringContaining("The plan is [here]"),
      expect.stringContaining("1 applied"),
    ];
    expect(await answers(pull)).toEqual([only, shown, merged, only, done]);
    await emulator.close();
  });
});
