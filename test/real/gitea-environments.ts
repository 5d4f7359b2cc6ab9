import { appendFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { startEmulator } from "../documented-emulator.js";
import { packInto } from "../installing.js";
import { serve } from "../listening.js";
import { start } from "../recovery/child.js";
import { startGitea } from "./gitea.js";
import { type Pull, startGiteaTeam } from "./gitea-team.js";

/** Prompt names. All prompts use the partial `tone`. */
export const desks = ["returns", "orders", "delivery", "gifts", "repairs", "bicycles"] as const;
type Desk = (typeof desks)[number];

const formatSentence = (desk: Desk) => `You help with ${desk}.`;

/** Returns the file content for a prompt that starts with this sentence. */
export const createPromptFile = (desk: Desk, sentence = formatSentence(desk)) => ({
  [`prompts/${desk}.md`]: `# The desk of ${desk}\n\n${sentence}\n{{> tone}}\n\n## Limits\n\nNever promise a refund.\n`,
});
export const createToneFile = (sentence: string) => ({ "partials/tone.md": `${sentence}\n` });

export type EnvironmentTeam = Awaited<ReturnType<typeof startEnvironmentTeam>>;

/**
 * Starts a team on a real Gitea with the two environments of *A team in one page* in docs/ci.md. Each environment has
 * an account, six prompts and a secret from outside the repository. Jobs apply all changes, or `sync` replicas do if
 * `isFollowed` is set. Replicas and review jobs share a Gitea account.
 */
export async function startEnvironmentTeam({ isFollowed = false } = {}) {
  const temp = await mkdtemp(path.join(tmpdir(), "avatarops-environments-"));
  const version = `file:${await packInto(temp)}`;
  const gitea = await startGitea();
  const staging = await startEmulator({ world: createEmptyDataset() });
  const heard: string[] = [];
  const replicas: ReturnType<typeof start>[] = [];
  const chat = await serve(async (request, response) => {
    heard.push((JSON.parse(await text(request)) as { text: string }).text);
    response.end("ok");
  });
  const keys = { STAGING_API_KEY: "test-key", PRODUCTION_API_KEY: "test-key" };
  const bot = isFollowed ? gitea.newUser("robot") : undefined;
  const team = await startGiteaTeam(gitea, {
    ...{ temp, version, example: "team", folder: "." },
    secrets: { ...keys, NOTIFY_URL: chat.url, ...(bot ? { BOT_TOKEN: bot.token } : {}) },
    ...(bot ? { bot: bot.name } : {}),
  });
  if (bot)
    await gitea.api(team.owner, "PUT", `${team.where}/collaborators/${bot.name}`, { permission: "write" });
  Object.assign(team.environment, keys);
  const production = team.emulator;
  const accounts = { staging, production };
  const manifest = `templates: [prompts/*.md]
contexts:
${desks.map((desk) => `  ${desk}: { name: ${desk}, prompt: !file prompts/${desk}.md }\n`).join("")}secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
notify:
  - { url: !env NOTIFY_URL, format: slack }
environments:
  staging:
    state: git+refs://origin/avatarops/staging
    service: { base_url: "${staging.url}", api_key: !env STAGING_API_KEY }
  production:
    state: git+refs://origin/avatarops/production
    service: { base_url: "${production.url}", api_key: !env PRODUCTION_API_KEY }
    needs: [staging]
    reviews: { require_approval: 1 }
`;

  /** Approves as Ben and merges as the owner. Returns main's commit. */
  async function mergePullRequest(pull: Pull): Promise<string> {
    await team.approve(team.ben, pull);
    await team.merge(pull);
    return team.git("rev-parse", "main");
  }

  team.push("main", { "README.md": "Avatars\n", ".gitignore": ".avatarops/\n" });
  const opened = await team.propose("first", {
    ...(bot ? selectReviews(team.workflows) : team.workflows),
    "avatarops.yaml": manifest,
    ...Object.assign({}, ...desks.map((desk) => createPromptFile(desk))),
    ...createToneFile("Be kind."),
  });
  await mergePullRequest(opened);
  if (!bot) await team.jobs(["apply-first", 0], ["apply-second", 0]);
  heard.length = 0;

  return {
    ...{ ...team, ...accounts, manifest, land: mergePullRequest },
    /** Starts the built command as a `sync` replica that follows an environment. */
    startReplica(environment: keyof typeof accounts) {
      const argv = ["--repo", `${gitea.url}${team.where.replace("/repos", "")}.git`, "--host", "gitea"];
      const how = ["--env", environment, "--interval", "5s", "--listen", "127.0.0.1:0"];
      const replica = start(temp, ["sync", ...argv, ...how], {
        ...{ HOME: temp, LLM_API_KEY: team.environment.LLM_API_KEY, NOTIFY_URL: chat.url },
        ...{ AVATAROPS_GIT_TOKEN: bot?.token, GITEA_TOKEN: bot?.token, AVATAROPS_REVIEW_KEY: team.reviewKey },
        ...{ AVATAROPS_BASE_URL: accounts[environment].url, AVATAROPS_API_KEY: "test-key" },
      });
      replicas.push(replica);
      return replica;
    },
    /** Runs the apply jobs of a merge, expects these exit codes and returns the output. */
    applies: (ofStaging: number, ofProduction: number) =>
      team.jobs(["apply-first", ofStaging], ["apply-second", ofProduction]),
    /** Returns the third line of a live prompt. */
    live: (account: keyof typeof accounts, desk: Desk) =>
      accounts[account].world.contexts.find(({ name }) => name === desk)?.prompt.split("\n")[2],
    /** Edits the third line of a prompt in the dashboard, or undoes the edit if no sentence is given. */
    edit(account: keyof typeof accounts, desk: Desk, sentence = formatSentence(desk)) {
      const { world } = accounts[account];
      const lines = world.contexts.find(({ name }) => name === desk)?.prompt.split("\n") ?? [];
      accounts[account].editContext(desk, { prompt: lines.with(2, sentence).join("\n") });
    },
    /** Returns the chat messages since the last call. */
    hear: () => heard.splice(0),
    /** Expects empty plans for main in both environments. */
    async expectSettled() {
      team.git("switch", "--quiet", "main");
      for (const environment of Object.keys(accounts)) {
        const planned = await team.atDesk("plan", "--env", environment, "--detailed-exitcode");
        expect(planned, planned.stdout + planned.stderr).toMatchObject({ exit: 0 });
      }
    },
    async close() {
      for (const { child } of replicas) child.kill("SIGKILL");
      await team.gitea.close();
      await Promise.all([staging.close(), production.close(), chat.close()]);
      await rm(temp, { recursive: true });
    },
  };
}

/** Keeps only the review workflow, and makes it use a bot's token instead of the job token. */
function selectReviews(workflows: Readonly<Record<string, string>>): Record<string, string> {
  const [[file = "", text = ""] = []] = Object.entries(workflows).filter(([name]) =>
    name.endsWith("-plan.yml"),
  );
  return { [file]: text.replace("{{ github.token }}", "{{ secrets.BOT_TOKEN }}") };
}

/** Appends what users see to the file in AVATAROPS_TEST_QUOTES, if set. */
export function quote(title: string, seen: Readonly<Record<string, unknown>>): void {
  const file = process.env.AVATAROPS_TEST_QUOTES;
  if (file === undefined) return;
  const parts = Object.entries(seen).map(([name, value]) => {
    const shown = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return `--- ${name}\n${shown.trimEnd()}\n`;
  });
  appendFileSync(file, `\n=== ${new Date().toISOString()} ${title}\n${parts.join("")}`);
}
