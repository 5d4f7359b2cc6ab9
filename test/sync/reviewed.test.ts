// @module-tag ci
/** Runs `sync` with a code host token, so that it applies reviewed and approved plans and reports the outcome. */
import { expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { git } from "../git/repositories.js";
import { ada, listOutcomes } from "../review/change.js";
import { startStandIn } from "../review/stand-in.js";
import { followFor, listPrompts, readOutcomes, startTeam } from "./team.js";

const required = "reviews: { require_approval: 1 }\n";
const formatDesk = (prompt: string) => `contexts: { desk: { name: Desk, prompt: ${prompt} } }\n`;

/** Starts a team whose code host has pull request 7. Git reads the repository from this machine. */
async function startHosted(settings = required) {
  const { world, options, problems, ...standIn } = await startStandIn("gitea");
  world.writers.push(ada);
  const page = `${options.webUrl}/${options.repository}`;
  const repo = ["--repo", `${page}.git`, "--host", "gitea"];
  const environment = { GITEA_TOKEN: options.token.reveal() };
  const team = await startTeam(settings, { environment });
  // The URL needs a protocol, because git ignores --depth for local paths.
  git(
    team.environment.HOME ?? "",
    "config",
    "--global",
    `url.file://${team.repository}.insteadOf`,
    `${page}.git`,
  );
  const state = /state: .*\n/.exec(team.git("show", "HEAD:avatarops.yaml"))?.[0] ?? "";
  const commit = (text: string) => team.commit({ "avatarops.yaml": state + text });
  const [pull] = world.pulls;
  if (!pull) throw new Error("no pull request");
  return {
    ...{ team, world, pull, problems, standIn, commit },
    follow: (cycles: number, between: (cycle: number) => Promise<void> | void, ...argv: string[]) =>
      followFor(team, cycles, between, ...repo, ...argv),
    /** Commits a reviewed change and merges it. */
    async merge(text: string, settings = required): Promise<void> {
      Object.assign(pull, { open: true, merged: undefined, commit: await commit(settings + text) });
      const argv = ["--repo", page, "--host", "gitea", "--pull-request", "7"];
      await expectSuccess(team.atDesk("review", ...argv));
      Object.assign(pull, { open: false, merged: pull.commit });
    },
    approve: () => world.reviews.push({ by: ada, commit: pull.commit, at: "2026-02-01T00:00:00Z" }),
    getOutcomes: () => listOutcomes(world),
  };
}

test("applies a reviewed plan during sync once it is approved, and comments before and after the approval", async () => {
  const { team, follow, merge, approve, getOutcomes, world, problems } = await startHosted();
  await merge(formatDesk("Be kind."));
  const seen: string[][] = [];
  const updates: number[] = [];
  const ran = await follow(4, (cycle) => {
    seen.push(getOutcomes());
    updates.push(world.comments.length);
    if (cycle === 2) approve();
  });
  expect(readOutcomes(ran)).toEqual(["refused", "applied", "unchanged"]);
  const [refused] = seen[0] ?? [];
  expect(refused).toMatch(
    /^### `avatarops`: nothing was applied\n\n.*has 0 of 1 approvals.*\(`not-approved`\)/s,
  );
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual([
    expect.stringMatching(/^### `avatarops`: 1 applied; 0 unchanged\n.*Earlier runs/s),
  ]);
  expect(seen[3]).toEqual(seen[2]);
  expect(listPrompts(team)).toEqual(["Be kind."]);
  const { stdout } = await team.atDesk("history", "--format", "json");
  expect(JSON.parse(stdout).records[0]).toMatchObject({
    ...{ command: "avatarops sync", pull_requests: [{ number: 7, approvers: ["ada"] }] },
  });
  expect(problems).toEqual([]);
});

test("rejects a commit during sync if it is unreviewed or lowers the required approvals", async () => {
  const { team, follow, commit, merge, approve, pull } = await startHosted();
  await merge(formatDesk("Be kind."));
  approve();
  const ran = await follow(3, async (cycle) => {
    if (cycle === 1) await commit(formatDesk("Be rude."));
    if (cycle === 2) {
      await merge(formatDesk("Be brief."));
      Object.assign(pull, { commit: await team.commit({ "notes.md": "" }) });
      approve();
    }
  });
  expect(readOutcomes(ran)).toEqual(["applied", "refused", "refused"]);
  expect(listPrompts(team)).toEqual(["Be kind."]);
});

test("rejects a commit that lowers the required approvals even if sync has applied nothing yet", async () => {
  const { team, follow, commit } = await startHosted();
  await commit(formatDesk("Be rude."));
  expect(readOutcomes(await follow(1, () => {}))).toEqual(["refused"]);
  expect(listPrompts(team)).toEqual([]);
});

test("posts sync outcomes even if no approvals are required, and applies even if the code host fails", async () => {
  const { team, follow, merge, getOutcomes, standIn } = await startHosted(
    "reviews: { require_approval: 0 }\n",
  );
  await merge(formatDesk("Be kind."), "");
  standIn.fail({ on: /commits.*pull/, times: 100, answer: { status: 500 } });
  expect(readOutcomes(await follow(1, () => {}))).toEqual(["applied"]);
  expect(getOutcomes()).toEqual([]);
  const hosted = await startHosted("reviews: { require_approval: 0 }\n");
  await hosted.merge(formatDesk("Be kind."), "");
  expect(readOutcomes(await hosted.follow(1, () => {}))).toEqual(["applied"]);
  expect(hosted.getOutcomes()).toEqual([expect.stringMatching(/^### `avatarops`: 1 applied; 0 unchanged\n/)]);
  expect([listPrompts(team), listPrompts(hosted.team)]).toEqual([["Be kind."], ["Be kind."]]);
});

test("posts the outcome of two merges in quick succession on both pull requests", async () => {
  const none = "reviews: { require_approval: 0 }\nenvironments: { staging: {} }\n";
  const { team, world, pull, follow, commit, problems } = await startHosted(none);
  const all = (...keys: string[]) =>
    `${none}contexts:\n${keys.map((key) => `  ${key}: { name: ${key}, prompt: !file ${key}.md }\n`).join("")}`;
  const merge = async (number: number, files: Readonly<Record<string, string>>) => {
    team.git("switch", "--quiet", "-c", `change-${number}`);
    const head = await team.commit(files);
    team.git("switch", "--quiet", "main");
    team.git("merge", "--quiet", "--no-ff", "--message", `Merge ${number}`, `change-${number}`);
    const merged = team.git("rev-parse", "HEAD").trim();
    const other = { ...pull, number, open: false, merged, commit: head, head: `change-${number}` };
    if (number === pull.number) Object.assign(pull, other);
    else world.pulls.push(other);
  };
  await team.commit({ "desk.md": "Be kind.\n", "night.md": "Be quiet.\n" });
  const main = await commit(all("desk")).then(() => team.git("show", "HEAD:avatarops.yaml"));
  const ran = await follow(
    3,
    async (cycle) => {
      if (cycle !== 1) return;
      await merge(7, { "desk.md": "Be brief.\n" });
      await merge(8, { "avatarops.yaml": `${main.trimEnd()}\n${all("night").slice(all().length)}` });
    },
    "--env",
    "staging",
  );
  expect(readOutcomes(ran)).toEqual(["applied", "applied", "unchanged"]);
  expect(listPrompts(team)).toEqual(["Be brief.", "Be quiet."]);
  const comments = world.comments.map(({ pull: on, body }) => [on, body.split("\n")[1]]);
  const heading = "### `avatarops/staging`: 2 applied; 0 unchanged";
  expect(comments).toEqual([
    [7, heading],
    [8, heading],
  ]);
  expect(problems).toEqual([]);
});

test("hides the code host token from secret sources during sync", async () => {
  const { team, follow, commit } = await startHosted();
  await commit(
    "secrets: { llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env GITEA_TOKEN } }\n",
  );
  const { log } = await follow(1, () => {});
  expect(JSON.stringify(log)).toContain("secret.llm.secret_value reads GITEA_TOKEN");
  expect(team.emulator.world.secrets).toEqual([]);
});
