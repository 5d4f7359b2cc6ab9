// @module-tag ci
/** *A team in one page* of docs/ci.md, followed by it alone: its files as they stand, in jobs of Gitea. */
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { passagesOf } from "../../scripts/docs/passages.js";
import { startEmulator } from "../documented-emulator.js";
import { commitAll, git } from "../git/repositories.js";
import type { Occasion } from "../real/act.js";
import { packForJobs, runWorkflow, said } from "./hosted-jobs.js";
import { startHosted } from "./repository.js";

const installed = packForJobs();
const workflow = "examples/ci/forgejo/team.yml";
const page = "A team in one page";

test("names five lines to adapt, with the environments of the page", () => {
  const text = readFileSync(workflow, "utf8");
  const [, own = ""] = /^ {2}# These five lines .*\n([\s\S]*?)^ {2}pull_request:/m.exec(text) ?? [];
  expect(own.split("\n").filter((line) => line !== "" && line !== "on:")).toHaveLength(5);
  const [manifest = ""] = passagesOf("docs/ci.md", "yaml", page);
  const { environments } = parse(manifest, { logLevel: "silent" });
  expect(own).toContain(`FIRST: ${Object.keys(environments)[0]}\n`);
  expect(own).toContain(`SECOND: ${Object.keys(environments)[1]}\n`);
  // They stand nowhere else, but in the names of secrets.
  expect(text.slice(text.indexOf("pull_request:"))).not.toMatch(/staging|production|\bmain\b/);
});

test("each job that tells something has the address of the chat", () => {
  for (const file of [workflow, "examples/ci/forgejo/avatarops.yml", "examples/ci/github/avatarops.yml"]) {
    const { jobs } = parse(readFileSync(file, "utf8")) as { jobs: Record<string, unknown> };
    const telling = Object.entries(jobs).filter(([name]) => name !== "plan");
    expect(telling.filter(([, job]) => !JSON.stringify(job).includes("secrets.NOTIFY_URL"))).toEqual([]);
  }
});

/** The repository of the page, after its first pull request was opened. */
async function followPage() {
  const [staging, production] = [await startEmulator(), await startEmulator()];
  onTestFinished(() => Promise.all([staging.close(), production.close()]).then(() => {}));
  const [manifest = ""] = passagesOf("docs/ci.md", "yaml", page);
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
  const run = (occasion: Occasion) => runWorkflow(workflow, { ...occasion, sha, secrets, vars: {} });
  const names = () => [staging, production].map(({ world }) => world.contexts.map(({ name }) => name));
  return { project, sha, pullRequest, merge, run, names };
}

const ben = { id: 9, login: "ben" };

test("a pull request has one comment for both environments, and its merge applies it to one after the other", {
  tags: "act",
}, async () => {
  const { project, sha, pullRequest, merge, run, names } = await followPage();
  const { world } = project;
  const planned = await run(pullRequest);
  expect(planned, said(planned)).toMatchObject([{ name: "plan", exit: 0 }]);
  expect(world.comments).toHaveLength(1);
  expect(world.comments[0]?.body).toContain("The same changes as in `staging`.");
  world.writers.push(ben);
  world.reviews.push({ by: ben, commit: sha });
  const applied = await run(merge());
  expect(applied, said(applied)).toMatchObject([
    { name: "apply-first", exit: 0 },
    { name: "apply-second", exit: 0 },
  ]);
  expect(names()).toEqual([["Returns"], ["Returns"]]);
  expect(world.comments).toHaveLength(3);
  expect(project.problems).toEqual([]);
});

test("without an approval production gets nothing; what nobody has reviewed is applied by hand", {
  tags: "act",
}, async () => {
  const { project, pullRequest, merge, run, names } = await followPage();
  await run(pullRequest);
  const applied = await run(merge());
  expect(applied.map(({ exit }) => exit)).toEqual([0, 1]);
  expect(said(applied)).toContain("error[not-approved]");
  const repository = { default_branch: "main" };
  const byHand = (inputs: Readonly<Record<string, string>>) => {
    const occasion = project.dispatch(inputs);
    return run({ ...occasion, payload: { ...occasion.payload, repository } });
  };
  const shown = await byHand({ digest: "" });
  const [, digest = ""] = /--env production --digest (\S+)/.exec(shown[0]?.stdout ?? "") ?? [];
  const ended = await byHand({ environment: "production", digest });
  expect(ended, said(ended)).toMatchObject([{ name: "apply-by-hand", exit: 0 }]);
  expect(names()).toEqual([["Returns"], ["Returns"]]);
  const morning = await run(project.schedule);
  expect(morning, said(morning)).toMatchObject([{ name: "morning", exit: 0 }]);
});
