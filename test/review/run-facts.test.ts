import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readRun, tokenIn } from "../../src/review/hosts/index.js";
import { newFolder } from "../cli/hosting.js";

async function eventFile(event: unknown): Promise<string> {
  const file = path.join(await newFolder(), "event.json");
  await writeFile(file, JSON.stringify(event));
  return file;
}

const actions = {
  GITHUB_ACTIONS: "true",
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_API_URL: "https://api.github.com",
  GITHUB_REPOSITORY: "team/avatars",
  GITHUB_RUN_ID: "900",
  GITHUB_RUN_NUMBER: "12",
  GITHUB_SHA: "c0ffee0000000000000000000000000000000000",
  GITHUB_STEP_SUMMARY: "/runner/summary",
};
const head = "1111111111111111111111111111111111111111";
const pullRequest = (from: string) => ({
  pull_request: {
    number: 7,
    head: { sha: head, repo: { full_name: from } },
    base: { repo: { full_name: "team/avatars" } },
  },
});

test("a job of GitHub Actions says pull request and head, not the merge commit of the event", async () => {
  const GITHUB_EVENT_PATH = await eventFile(pullRequest("team/avatars"));
  expect(await readRun({ ...actions, GITHUB_EVENT_PATH }, {})).toEqual({
    host: {
      name: "github",
      webUrl: "https://github.com",
      apiUrl: "https://api.github.com",
      repository: "team/avatars",
    },
    pullRequest: 7,
    commit: head,
    isFromFork: false,
    summaryFile: "/runner/summary",
  });
});

test("a pull request from another repository, or from one that is gone, is one from a fork", async () => {
  const GITHUB_EVENT_PATH = await eventFile(pullRequest("guest/avatars"));
  expect(await readRun({ ...actions, GITHUB_EVENT_PATH }, {})).toMatchObject({ isFromFork: true });
  const gone = { pull_request: { ...pullRequest("").pull_request, head: { sha: head, repo: null } } };
  expect(await readRun({ ...actions, GITHUB_EVENT_PATH: await eventFile(gone) }, {})).toMatchObject({
    isFromFork: true,
  });
});

test("a comment on a pull request says which, and the commit of its event is not the pull request's", async () => {
  const event = { issue: { number: 9, pull_request: { url: "…" } } };
  const facts = await readRun({ ...actions, GITHUB_EVENT_PATH: await eventFile(event) }, {});
  expect(facts).toMatchObject({ pullRequest: 9 });
  expect(facts).toMatchObject({ commit: undefined });
});

test("a push has a commit and no pull request", async () => {
  const facts = await readRun({ ...actions, GITHUB_EVENT_PATH: await eventFile({ after: head }) }, {});
  expect(facts).toMatchObject({ commit: actions.GITHUB_SHA });
  expect(facts).toMatchObject({ pullRequest: undefined });
});

test("Gitea and Forgejo say the same as GitHub, and that it is theirs", async () => {
  const gitea = {
    ...actions,
    GITHUB_SERVER_URL: "https://git.example.com",
    GITHUB_API_URL: "https://git.example.com/api/v1",
    GITHUB_EVENT_PATH: await eventFile(pullRequest("team/avatars")),
  };
  for (const flag of ["GITEA_ACTIONS", "FORGEJO_ACTIONS"]) {
    expect(await readRun({ ...gitea, [flag]: "true" }, {})).toMatchObject({
      host: { name: "gitea", apiUrl: "https://git.example.com/api/v1", isJobToken: true },
      pullRequest: 7,
    });
  }
});

test("GitHub Enterprise Server has its interface below /api/v3", async () => {
  const { GITHUB_API_URL: _, ...rest } = actions;
  expect(await readRun({ ...rest, GITHUB_SERVER_URL: "https://github.example.com/" }, {})).toMatchObject({
    host: {
      name: "github",
      webUrl: "https://github.example.com",
      apiUrl: "https://github.example.com/api/v3",
    },
  });
});

const gitlab = {
  GITLAB_CI: "true",
  CI_SERVER_URL: "https://gitlab.example.com",
  CI_API_V4_URL: "https://gitlab.example.com/api/v4",
  CI_PROJECT_PATH: "team/bots/avatars",
  CI_COMMIT_SHA: "2222222222222222222222222222222222222222",
  CI_JOB_URL: "https://gitlab.example.com/team/bots/avatars/-/jobs/5",
  CI_PIPELINE_ID: "44",
};

test("a merge request pipeline of GitLab says the head of the source branch", async () => {
  const facts = await readRun(
    {
      ...gitlab,
      CI_MERGE_REQUEST_IID: "3",
      CI_MERGE_REQUEST_PROJECT_PATH: "team/bots/avatars",
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head,
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "10",
      CI_MERGE_REQUEST_PROJECT_ID: "10",
    },
    {},
  );
  expect(facts).toEqual({
    host: {
      name: "gitlab",
      webUrl: "https://gitlab.example.com",
      apiUrl: "https://gitlab.example.com/api/v4",
      repository: "team/bots/avatars",
      pipelineId: 44,
    },
    pullRequest: 3,
    commit: head,
    isFromFork: false,
  });
});

test("a branch pipeline of GitLab belongs to the open merge request of its own project", async () => {
  const open = "other/project!8,team/bots/avatars!3";
  expect(await readRun({ ...gitlab, CI_OPEN_MERGE_REQUESTS: open }, {})).toMatchObject({
    pullRequest: 3,
    commit: gitlab.CI_COMMIT_SHA,
    isFromFork: false,
  });
  const elsewhere = await readRun({ ...gitlab, CI_OPEN_MERGE_REQUESTS: open }, { head: "3".repeat(40) });
  expect(elsewhere).toMatchObject({ commit: "3".repeat(40), isFromFork: undefined });
  expect(elsewhere).toMatchObject({ pullRequest: undefined });
});

test("a pipeline of a fork writes to the merge request's project, without the fork's pipeline", async () => {
  const facts = await readRun(
    {
      ...{ ...gitlab, CI_PROJECT_PATH: "guest/avatars", CI_MERGE_REQUEST_IID: "3" },
      CI_MERGE_REQUEST_PROJECT_PATH: "team/bots/avatars",
      ...{ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "11", CI_MERGE_REQUEST_PROJECT_ID: "10" },
    },
    {},
  );
  expect(facts).toMatchObject({ isFromFork: true, host: { repository: "team/bots/avatars" } });
  expect(facts.host).toMatchObject({ pipelineId: undefined });
});

test("options win over the CI, whose pull request and commit are not those of another repository", async () => {
  const GITHUB_EVENT_PATH = await eventFile(pullRequest("team/avatars"));
  const environment = { ...actions, GITHUB_EVENT_PATH };
  const given = { repository: "https://gitlab.com/team/bots/avatars.git", pullRequest: 5, commit: head };
  expect(await readRun(environment, given)).toMatchObject({
    host: { name: "gitlab", apiUrl: "https://gitlab.com/api/v4", repository: "team/bots/avatars" },
    pullRequest: 5,
    commit: head,
  });
  const other = await readRun(environment, { repository: "team/others" });
  expect(other).toMatchObject({ host: { name: "github", repository: "team/others" } });
  expect([other.pullRequest, other.commit]).toEqual([undefined, undefined]);
});

test.each([
  [{ repository: "team/avatars" }, /Say on which host team\/avatars is/],
  [{ repository: "https://git.example.com/team/avatars" }, /--host github, gitlab or gitea/],
  [{ repository: "https://user:hidden@github.com/team/avatars" }, /without user name and token/],
  [{ repository: "https://github.com/team/avatars/pulls" }, /write owner\/name/],
  [{ repository: "https://github.com/team/.." }, /write owner\/name/],
  [{ host: "gitea" } as const, /Name the repository on gitea/],
])("says what to write in place of %o", async (given, message) => {
  await expect(readRun({}, given)).rejects.toThrow(message);
});

test("a token comes from the variable of its host alone", () => {
  const environment = { GITHUB_TOKEN: " gh ", GITLAB_TOKEN: "", FORGEJO_TOKEN: "fj", CI_JOB_TOKEN: "job" };
  const token = tokenIn(environment, "github");
  expect([token.variable, token.reveal()]).toEqual(["GITHUB_TOKEN", "gh"]);
  expect(tokenIn(environment, "gitea").variable).toBe("FORGEJO_TOKEN");
  expect(() => tokenIn(environment, "gitlab")).toThrow(
    /set GITLAB_TOKEN\. GitLab's CI_JOB_TOKEN may neither/,
  );
});
