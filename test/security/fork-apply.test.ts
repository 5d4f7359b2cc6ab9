// @module-tag ci
/** Runs commands that write in a job whose checkout comes from a fork or has an unknown origin. */
import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { matchText, startProject } from "../cli/hosting.js";
import { commitAll, git } from "../git/repositories.js";
import {
  createCiVariables,
  createEventVariables,
  createPullVariables,
  createPushVariables,
} from "../review/job.js";
import type { StandIn, StandInName } from "../review/stand-in.js";
import { listFirstLines, padText, startReviewTeam } from "../review/team.js";
import { newTrace } from "./fork.js";
import { joinStreams } from "./thief.js";

const createOptions = (name: StandInName): Pick<StandIn, "options"> => ({
  options: {
    ...{ name, webUrl: "http://127.0.0.1:9", apiUrl: "http://127.0.0.1:9", repository: "team/avatars" },
    token: { variable: "TOKEN", reveal: () => "a token" },
  } as StandIn["options"],
});

const createPull = (commit: string, fromFork: boolean) => ({
  ...{ number: 7, commit, head: "change", baseCommit: commit, fromFork },
});

type Variables = Readonly<Record<string, string>>;

/** Environment variables of each kind of job. `commit` is checked out, and `main` is the branch tip. */
const untrusted: Readonly<Record<string, (commit: string, main: string) => Variables>> = {
  "a fork's pull request on GitHub": (commit) => ({
    ...createCiVariables(createOptions("github")),
    ...createPullVariables(createOptions("github"), createPull(commit, true)),
    GITHUB_SHA: commit,
  }),
  "a fork's pull request on Gitea": (commit) => ({
    ...createCiVariables(createOptions("gitea")),
    ...createPullVariables(createOptions("gitea"), createPull(commit, true)),
    GITHUB_SHA: commit,
  }),
  "a fork's merge request on GitLab": (commit) => ({
    ...createCiVariables(createOptions("gitlab")),
    ...createPullVariables(createOptions("gitlab"), createPull(commit, true)),
  }),
  "a fork's pull request with the permissions of its target": (commit, main) => ({
    ...createCiVariables(createOptions("github")),
    ...createPullVariables(createOptions("github"), createPull(commit, true)),
    GITHUB_SHA: main,
    GITHUB_REF: "refs/heads/main",
  }),
  "a manual run with another commit checked out": (_, main) => ({
    ...createCiVariables(createOptions("github")),
    ...createEventVariables({ inputs: { "pull-request": "7" } }),
    GITHUB_SHA: main,
    GITHUB_REF: "refs/heads/main",
  }),
  "a comment with another commit checked out": (_, main) => ({
    ...createCiVariables(createOptions("github")),
    ...createEventVariables({ issue: { number: 7, pull_request: {} } }),
    GITHUB_SHA: main,
    GITHUB_REF: "refs/heads/main",
  }),
  "a pull request without an event": (commit) => ({
    ...createCiVariables(createOptions("github")),
    GITHUB_SHA: commit,
    GITHUB_REF: "refs/pull/7/merge",
  }),
  "a run triggered by a fork's run": (commit) => ({
    ...createCiVariables(createOptions("github")),
    ...createEventVariables({
      workflow_run: { head_repository: { full_name: "guest/avatars" } },
      repository: { full_name: "team/avatars" },
    }),
    GITHUB_SHA: commit,
    GITHUB_REF: "refs/heads/main",
  }),
  "a GitLab run with another commit checked out": (_, main) => ({
    ...createCiVariables(createOptions("gitlab")),
    CI_COMMIT_SHA: main,
  }),
};

async function startTraced() {
  const trace = await newTrace();
  const project = await startProject({
    files: {
      "avatarops.yaml": `service: { api_key: ${trace.command} }\ncontexts: { desk: { name: Desk, prompt: Be kind. } }\n`,
    },
    environment: { PATH: process.env.PATH ?? "" },
  });
  git(project.folder, "init", "--quiet", "--initial-branch=main");
  const main = commitAll(project.folder);
  git(project.folder, "switch", "--quiet", "-c", "change");
  await project.write("other.md", "The author's.\n");
  return { project, trace, main, commit: commitAll(project.folder) };
}

const commands = [
  ["apply", "-y"],
  ["apply", "--reviewed"],
  ["apply", "--digest", "a".repeat(20)],
  ["apply", "--only-rotations", "-y"],
  ["rollback", "--to", "1", "-y"],
  ["prune", "2c5faf09-e6fd-46fd-84e3-489b10838fbf", "-y"],
];

describe.each(Object.entries(untrusted))("%s job", (_, job) => {
  test("rejects every command that applies changes, without running project code", async () => {
    const { project, trace, main, commit } = await startTraced();
    for (const command of commands) {
      const ran = await project.avataropsWith({ environment: job(commit, main) }, ...command);
      expect(joinStreams(ran), command.join(" ")).toEqual(
        matchText("error[untrusted-job] Nothing was applied"),
      );
      expect(ran.exit).toBe(1);
    }
    expect(trace.isThere()).toBe(false);
    expect(project.emulator.requests).toEqual([]);
  });
});

test.each(["github", "gitlab"] as const)(
  "rejects an apply in a %s job if the project folder is not a git repository",
  async (name) => {
    const { project, trace, main } = await startTraced();
    await rm(path.join(project.folder, ".git"), { recursive: true });
    const environment = {
      ...createCiVariables(createOptions(name)),
      ...createPushVariables(createOptions(name), main),
      GITHUB_REF: "refs/heads/main",
    };
    const ran = await project.avataropsWith({ environment }, "apply", "-y");
    expect(joinStreams(ran)).toEqual(matchText("error[untrusted-job] Nothing was applied"));
    expect(trace.isThere()).toBe(false);
  },
);

test("rejects `apply --reviewed` in every pull request job", async () => {
  const { project, trace, commit } = await startTraced();
  const environment = {
    ...createCiVariables(createOptions("github")),
    ...createPullVariables(createOptions("github"), createPull(commit, false)),
  };
  const ran = await project.avataropsWith({ environment }, "apply", "--reviewed");
  expect(joinStreams(ran)).toEqual(matchText("this job belongs to pull request 7"));
  expect(trace.isThere()).toBe(false);
});

test("applies an older branch commit or a merge reported by the code host, even if the job was started for another commit", async () => {
  const team = await startReviewTeam();
  const proposed = team.propose(7, { "prompts/night.md": padText("Dream.") });
  await team.review(7);
  const { ana, standIn } = team;
  const before = ana.git("rev-parse", "HEAD");
  ana.git("fetch", "--quiet", "origin");
  ana.git("merge", "--quiet", "--no-ff", "-m", "Merge", "origin/change-7");
  ana.push();
  Object.assign(standIn.world.pulls[0] ?? {}, { open: false, merged: ana.git("rev-parse", "HEAD") });
  // Checks out the merge in a job that was started for the previous commit.
  const clone = team.clone();
  const job = { ...createPushVariables(standIn, before), GITHUB_REF: "refs/heads/main" };
  const applied = await clone.runWith(job, "apply", "-y");
  expect(applied, joinStreams(applied)).toMatchObject({ exit: 0 });
  expect(listFirstLines(team)).toMatchObject({ Night: "Dream." });
  // Checks the reverse. A commit on the branch is trusted even if the host reports the commit as unmerged.
  clone.git("switch", "--quiet", "--detach", before);
  const tip = {
    ...createPushVariables(standIn, ana.git("rev-parse", "HEAD")),
    GITHUB_REF: "refs/heads/main",
  };
  const old = await clone.runWith(tip, "apply", "-y", "--allow", "behind");
  expect(old, joinStreams(old)).toMatchObject({ exit: 0 });
  expect(proposed.number).toBe(7);
});

test("rejects an apply if a main branch job has checked out a fork's open pull request", async () => {
  const team = await startReviewTeam();
  const clone = team.propose(7, { "prompts/night.md": padText("Dream.") });
  Object.assign(team.standIn.world.pulls[0] ?? {}, { fromFork: true });
  const job = {
    ...createPushVariables(team.standIn, team.ana.git("rev-parse", "HEAD")),
    GITHUB_REF: "refs/heads/main",
  };
  const ran = await clone.runWith(job, "apply", "-y");
  expect(joinStreams(ran)).toEqual(matchText("error[untrusted-job]"));
  expect(listFirstLines(team)).toMatchObject({ Night: "Sleep." });
});
