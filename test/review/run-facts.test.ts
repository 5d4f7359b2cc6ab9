import { expect, test } from "vitest";
import { readRun, readToken } from "../../src/review/hosts/index.js";
import { createEventVariables } from "./job.js";

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
const createPullRequest = (repo: { full_name: string } | null = { full_name: "team/avatars" }) => ({
  pull_request: {
    ...{ number: 7, head: { sha: head, repo }, base: { repo: { full_name: "team/avatars" } } },
  },
});
const guest = { full_name: "guest/avatars" };
const comment = { issue: { number: 9, pull_request: { url: "…" } } };

test("reads the head of the pull request in GitHub Actions instead of the event's merge commit", async () => {
  expect(await readRun({ ...actions, ...createEventVariables(createPullRequest()) }, {})).toEqual({
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

test.each([
  ["from another repository as a fork's", createPullRequest(guest), { isFromFork: true }],
  ["from a deleted repository as a fork's", createPullRequest(null), { isFromFork: true }],
  ["from a comment event without a commit", comment, { pullRequest: 9, commit: undefined }],
  ["as absent from a push", { after: head }, { pullRequest: undefined, commit: actions.GITHUB_SHA }],
])("identifies a pull request %s", async (_, event, facts) => {
  expect(await readRun({ ...actions, ...createEventVariables(event) }, {})).toMatchObject(facts);
});

test.each(["GITEA_ACTIONS", "FORGEJO_ACTIONS"])(
  "reads the pull request from the GITHUB_* variables if %s is set",
  async (flag) => {
    const [webUrl, apiUrl] = ["https://git.example.com", "https://git.example.com/api/v1"];
    const gitea = { ...actions, GITHUB_SERVER_URL: webUrl, GITHUB_API_URL: apiUrl, [flag]: "true" };
    expect(await readRun({ ...gitea, ...createEventVariables(createPullRequest()) }, {})).toMatchObject({
      host: { name: "gitea", apiUrl, isJobToken: true },
      pullRequest: 7,
    });
  },
);

test("finds the API of GitHub Enterprise Server at /api/v3", async () => {
  const { GITHUB_API_URL: _, ...rest } = actions;
  const webUrl = "https://github.example.com";
  expect(await readRun({ ...rest, GITHUB_SERVER_URL: `${webUrl}/` }, {})).toMatchObject({
    host: { name: "github", webUrl, apiUrl: `${webUrl}/api/v3` },
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

test("reads the source branch's head in a GitLab merge request pipeline", async () => {
  const variables = {
    ...{ CI_MERGE_REQUEST_IID: "3", CI_MERGE_REQUEST_PROJECT_PATH: "team/bots/avatars" },
    ...{ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "10", CI_MERGE_REQUEST_PROJECT_ID: "10" },
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head,
  };
  expect(await readRun({ ...gitlab, ...variables }, {})).toEqual({
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

const ofFork = {
  ...{ CI_PROJECT_PATH: "guest/avatars", CI_MERGE_REQUEST_IID: "3" },
  CI_MERGE_REQUEST_PROJECT_PATH: "team/bots/avatars",
  ...{ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "11", CI_MERGE_REQUEST_PROJECT_ID: "10" },
};

test("uses the target project instead of the fork in a fork's merge request pipeline", async () => {
  expect(await readRun({ ...gitlab, ...ofFork }, {})).toMatchObject({
    ...{ isFromFork: true, host: { repository: "team/bots/avatars", pipelineId: undefined } },
  });
});

test("returns isFromFork as unknown if the checkout is not the pipeline's commit", async () => {
  const commit = gitlab.CI_COMMIT_SHA;
  expect(await readRun(gitlab, {})).toMatchObject({ commit, isFromFork: false });
  const other = "3".repeat(40);
  expect(await readRun(gitlab, { head: other })).toMatchObject({ commit: other, isFromFork: undefined });
});

test("prefers options to CI variables, and ignores CI's pull request if the options name another repository", async () => {
  const environment = { ...actions, ...createEventVariables(createPullRequest()) };
  const given = { repository: "https://gitlab.com/team/bots/avatars.git", pullRequest: 5, commit: head };
  expect(await readRun(environment, given)).toMatchObject({
    host: { name: "gitlab", apiUrl: "https://gitlab.com/api/v4", repository: "team/bots/avatars" },
    ...{ pullRequest: 5, commit: head },
  });
  expect(await readRun(environment, { repository: "team/others" })).toMatchObject({
    host: { name: "github", repository: "team/others" },
    ...{ pullRequest: undefined, commit: undefined },
  });
});

test.each([
  [{ repository: "team/avatars" }, /The host of team\/avatars is unknown/],
  [{ repository: "https://git.example.com/team/avatars" }, /--host github, gitlab or gitea/],
  [{ repository: "https://user:hidden@github.com/team/avatars" }, /without a user name or token/],
  [{ repository: "https://github.com/team/avatars/pulls" }, /Write owner\/name/],
  [{ repository: "https://github.com/team/.." }, /Write owner\/name/],
  [{ host: "gitea" } as const, /The repository on gitea is unknown/],
])("rejects the options %o and suggests a fix", async (given, message) => {
  await expect(readRun({}, given)).rejects.toThrow(message);
});

test("reads the token of a code host only from that host's environment variables", () => {
  const environment = { GITHUB_TOKEN: " gh ", GITLAB_TOKEN: "", FORGEJO_TOKEN: "fj", CI_JOB_TOKEN: "job" };
  const token = readToken(environment, "github");
  expect([token.variable, token.reveal()]).toEqual(["GITHUB_TOKEN", "gh"]);
  expect(readToken(environment, "gitea").variable).toBe("FORGEJO_TOKEN");
  expect(() => readToken(environment, "gitlab")).toThrow(/Set GITLAB_TOKEN\./);
});
