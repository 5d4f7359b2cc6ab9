// @module-tag ci
/** Follows *A team in one page* in docs/ci.md with its unchanged files in Gitea jobs. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { findPassages } from "../../scripts/docs/passages.js";
import { startEmulator } from "../documented-emulator.js";
import { commitAll, git } from "../git/repositories.js";
import type { TriggerEvent } from "../real/act.js";
import { joinOutput, listWorkflows, packForJobs, runWorkflow, runWorkflows } from "./hosted-jobs.js";
import { startHosted } from "./repository.js";

const installed = packForJobs();
const workflows = "examples/ci/forgejo/team";
const page = "A team in one page";

test("keeps the lines that users adapt in one block below a comment in each team workflow", () => {
  const [manifest = ""] = findPassages("docs/ci.md", "yaml", page);
  const [first = "", second = ""] = Object.keys(parse(manifest, { logLevel: "silent" }).environments);
  const own = listWorkflows(workflows).map((file) => {
    const text = readFileSync(file, "utf8");
    const [, number, lines = ""] =
      /^ {2}# Adapt these (\w+) lines\.\n((?: {2}\w.*\n)+(?:on:\n {2}push: .*\n)?)/m.exec(text) ?? [];
    // Outside these lines, environment and branch names may occur only in secret names.
    expect(text.replace(lines, "").replaceAll(/^#.*$/gm, "")).not.toMatch(/staging|production|\bmain\b/);
    return [
      path.basename(file),
      number,
      lines
        .trimEnd()
        .split("\n")
        .map((line) => line.replace(/ #.*/, "").trim()),
    ];
  });
  const version = expect.stringMatching(/^AVATAROPS_VERSION: /);
  const both = [`FIRST: ${first}`, `SECOND: ${second}`];
  expect(own).toEqual([
    ["avatars-apply.yml", "five", [version, "FOLDER: .", ...both, "on:", "push: { branches: [main] }"]],
    ["avatars-by-hand.yml", "two", [version, "FOLDER: ."]],
    ["avatars-plan.yml", "two", [version, "FOLDER: ."]],
    ["avatars-scheduled.yml", "four", [version, "FOLDER: .", ...both]],
  ]);
});

test("passes the chat URL to each notifying job in the team workflows", () => {
  for (const folder of [workflows, "examples/ci/forgejo/single", "examples/ci/github/team"])
    for (const file of listWorkflows(folder)) {
      const { jobs } = parse(readFileSync(file, "utf8")) as { jobs: Record<string, unknown> };
      const notifying = Object.entries(jobs).filter(([name]) => name !== "plan");
      expect(notifying.filter(([, job]) => !JSON.stringify(job).includes("secrets.NOTIFY_URL"))).toEqual([]);
    }
});

/** Creates the repository from the page, with its first pull request open. */
async function followPage() {
  const [staging, production] = [await startEmulator(), await startEmulator()];
  onTestFinished(() => Promise.all([staging.close(), production.close()]).then(() => {}));
  const [manifest = ""] = findPassages("docs/ci.md", "yaml", page);
  const project = await startHosted("gitea", installed, { "avatarops.yaml": "contexts: {}\n" });
  const { folder, world } = project;
  const own = manifest
    .replace("https://staging.example.com", staging.url)
    .replace("https://production.example.com", production.url);
  await project.write("avatarops.yaml", own);
  await project.write("prompts/returns.md", "Be kind.\n");
  const sha = commitAll(folder);
  git(folder, "push", "--quiet", "origin", "HEAD:returns");
  Object.assign(world.pulls[0] ?? {}, { commit: sha });
  const side = (commit: string) => ({ sha: commit, repo: { full_name: "team/avatars" } });
  const pull_request = { number: 7, head: side(sha), base: side(project.sha) };
  const pullRequest = { ...project.pullRequest, payload: { number: 7, pull_request } };
  const merge = () => {
    git(folder, "push", "--quiet", "origin", "HEAD:main");
    Object.assign(world.pulls[0] ?? {}, { open: false, merged: sha });
    return project.push;
  };
  const secrets = {
    STAGING_API_KEY: "test-key",
    PRODUCTION_API_KEY: "test-key",
    AVATAROPS_REVIEW_KEY: "k".repeat(20),
  };
  const run = (occasion: TriggerEvent, workflow?: string) => {
    const given = { ...occasion, sha, secrets, vars: {} };
    return workflow ? runWorkflow(`${workflows}/${workflow}.yml`, given) : runWorkflows(workflows, given);
  };
  const names = () => [staging, production].map(({ world }) => world.contexts.map(({ name }) => name));
  return { project, staging, production, sha, pullRequest, merge, run, names };
}

const ben = { id: 9, login: "ben" };

test("comments once for both environments in the team workflows, and applies both after the merge", {
  tags: "act",
}, async () => {
  const { project, sha, pullRequest, merge, run, names } = await followPage();
  const { world } = project;
  const planned = await run(pullRequest);
  expect(planned, joinOutput(planned)).toMatchObject([{ name: "plan", exit: 0 }]);
  expect(world.comments).toHaveLength(1);
  expect(world.comments[0]?.body).toContain("The same changes as in `staging`.");
  world.writers.push(ben);
  world.reviews.push({ by: ben, commit: sha });
  const applied = await run(merge());
  expect(applied, joinOutput(applied)).toMatchObject([
    { name: "apply-first", exit: 0 },
    { name: "apply-second", exit: 0 },
  ]);
  expect(names()).toEqual([["Returns"], ["Returns"]]);
  expect(world.comments).toHaveLength(3);
  expect(project.problems).toEqual([]);
});

test("checks production objects in the team workflows even if the staging job failed", {
  tags: "act",
}, async () => {
  const { project, staging, production, sha, pullRequest, merge, run, names } = await followPage();
  await run(pullRequest);
  project.world.writers.push(ben);
  project.world.reviews.push({ by: ben, commit: sha });
  production.addFault("POST /v1/contexts 400");
  const push = merge();
  const first = await run(push);
  expect(
    first.map(({ exit }) => exit > 0),
    joinOutput(first),
  ).toEqual([false, true]);
  staging.addFault("GET /v1/contexts 401");
  const again = await run(push);
  expect(
    again.map(({ name, exit }) => [name, exit]),
    joinOutput(again),
  ).toEqual([
    ["apply-first", 1],
    ["apply-second", 0],
  ]);
  expect(names()).toEqual([["Returns"], ["Returns"]]);
});

test("applies to production only with an approval, and applies unreviewed plans only when started manually", {
  tags: "act",
}, async () => {
  const { project, pullRequest, merge, run, names } = await followPage();
  await run(pullRequest);
  const applied = await run(merge());
  expect(applied.map(({ exit }) => exit)).toEqual([0, 7]);
  expect(joinOutput(applied)).toContain("error[not-approved]");
  const repository = { default_branch: "main", full_name: "team/avatars" };
  const byHand = (workflow: string, inputs: Readonly<Record<string, string>>) => {
    const occasion = project.dispatch(inputs);
    return run({ ...occasion, payload: { ...occasion.payload, repository } }, workflow);
  };
  // The first apply to production contains all commits, and each needs a known author.
  const [pull] = project.world.pulls;
  if (pull) project.world.pulls.push({ ...pull, number: 1, commit: project.sha, merged: project.sha });
  const shown = await byHand("avatars-plan", {});
  const plans = (shown[0]?.stdout ?? "").replace(/\s+/g, " ");
  const [, digest = ""] = /apply (?=[^`]*--env production)[^`]*--digest ([^\s`]+)/.exec(plans) ?? [];
  expect(digest, plans).not.toBe("");
  const ended = await byHand("avatars-by-hand", { environment: "production", digest });
  expect(ended, joinOutput(ended)).toMatchObject([{ name: "apply-by-hand", exit: 0 }]);
  expect(names()).toEqual([["Returns"], ["Returns"]]);
  const morning = await run(project.schedule);
  expect(morning, joinOutput(morning)).toMatchObject([{ name: "morning", exit: 0 }]);
});
