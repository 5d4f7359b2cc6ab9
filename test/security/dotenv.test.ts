// @module-tag ci
/**
 * Tests variables from a `--dotenv` file, which may be committed. The variables must affect only `!env` and a
 * documented list of settings.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { environmentFileNames } from "../../src/entrypoints/cli/environment.js";
import { findBuilt } from "../built.js";
import { matchText, type Project, startProject } from "../cli/hosting.js";
import { commitAll, git } from "../git/repositories.js";
import { canary, joinStreams, startThief } from "./thief.js";

const desk = "contexts: { desk: { name: Desk, prompt: Be kind. } }\n";
const formatManifest = (source: string) =>
  `${desk}secrets: { llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} } }\n`;
const pinned = { AVATAROPS_PIN: "1" };
const tokens = { GH_TOKEN: canary, GITLAB_TOKEN: canary, GITEA_TOKEN: canary, PATH: process.env.PATH ?? "" };

const toFile = (variables: Readonly<Record<string, string>>) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

/** Job variables of each code host, as a `--dotenv` file could set them. */
const jobs: Readonly<Record<string, (url: string) => Readonly<Record<string, string>>>> = {
  GitHub: (url) => ({
    ...{ GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: url, GITHUB_API_URL: url },
    ...{ GITHUB_REPOSITORY: "team/avatars", GITHUB_REF: "refs/pull/7/merge" },
  }),
  GitLab: (url) => ({
    ...{ GITLAB_CI: "true", CI_SERVER_URL: url, CI_API_V4_URL: url, CI_PROJECT_PATH: "team/avatars" },
    CI_MERGE_REQUEST_IID: "7",
  }),
  Gitea: (url) => ({
    ...{ GITEA_ACTIONS: "true", GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: url, GITHUB_API_URL: url },
    ...{ GITHUB_REPOSITORY: "team/avatars", GITHUB_REF: "refs/pull/7/merge" },
  }),
};

function begin(project: Project): string {
  git(project.folder, "init", "--quiet", "--initial-branch=main");
  return commitAll(project.folder);
}

describe.each([
  ["pinned", pinned],
  ["unpinned", {}],
])("dotenv file with %s credentials", (_, pin) => {
  test.each(Object.keys(jobs))("sends no %s token to an address from the file", async (name) => {
    const thief = await startThief();
    const variables = jobs[name]?.(thief.url) ?? {};
    const project = await startProject({
      files: { "avatarops.yaml": desk, ".env": toFile(variables) },
      environment: { ...tokens, ...pin },
    });
    const commit = begin(project);
    const withCommit = { ...variables, GITHUB_SHA: commit, CI_COMMIT_SHA: commit };
    await project.write(".env", toFile(withCommit));
    for (const command of [["plan"], ["apply", "-y"], ["review"], ["apply", "--reviewed"]])
      await project.avatarops(...command, "--dotenv", ".env");
    expect(thief.heard()).toBe("");
    // Checks that the same variables do take effect when set in the environment.
    await project.avataropsWith({ environment: withCommit }, "review");
    expect(thief.heard()).toContain(canary);
  });

  test("passes no settings from the file to git", async () => {
    const thief = await startThief();
    const settings = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.${thief.url}/.insteadOf`,
      GIT_CONFIG_VALUE_0: "https://git.invalid/",
    };
    const project = await startProject({
      files: {
        "avatarops.yaml": `state: git+refs://origin/avatarops/production\n${desk}`,
        ".env": toFile(settings),
      },
      environment: { ...tokens, ...pin },
    });
    begin(project);
    git(project.folder, "remote", "add", "origin", "https://git.invalid/team/avatars.git");
    await project.avatarops("plan", "--dotenv", ".env");
    expect(thief.heard()).toBe("");
    await project.avataropsWith({ environment: settings }, "plan");
    expect(thief.heard()).toContain("/team/avatars.git/info/refs");
  });

  test("supplies a value for !env", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": formatManifest("!env LLM_API_KEY"), ".env": "LLM_API_KEY=sk-of-the-file\n" },
      environment: pin,
    });
    await project.expectDone("apply", "-y", "--dotenv", ".env");
    const { world, secretValue } = project.emulator;
    expect(world.secrets.map(({ id }) => secretValue(id))).toContain("sk-of-the-file");
  });
});

test("warns that a known setting in a dotenv file is only readable with !env", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": desk, ".env": "HTTPS_PROXY=http://127.0.0.1:9\nOTHER=x\n" },
  });
  const planned = await project.avatarops("plan", "--dotenv", ".env");
  expect(planned).toMatchObject({
    exit: 0,
    stderr: matchText("A --dotenv file can set HTTPS_PROXY only for !env"),
  });
  expect(planned.stderr).not.toContain("OTHER");
});

test("reads no code host token from a dotenv file if AVATAROPS_PIN is set, even for !env", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": formatManifest("!env GH_TOKEN"), ".env": "GH_TOKEN=of-the-file\n" },
    environment: pinned,
  });
  const applied = await project.avatarops("apply", "-y", "--dotenv", ".env");
  expect(joinStreams(applied)).toEqual(matchText("environment variable GH_TOKEN is not set"));
});

describe("dotenv file with NODE_OPTIONS", () => {
  const files = {
    "avatarops.yaml": desk,
    ".env": "NODE_OPTIONS=--require=./planted.cjs\n",
    "planted.cjs": 'require("node:fs").writeFileSync("ran", "");\n',
  };

  test.each([
    ["plan", "--dotenv", ".env"],
    ["plan", "--dotenv=.env"],
  ])("runs no code in the installed command (%s %s)", async (...argv) => {
    const { folder, emulator } = await startProject({ files });
    const env = { ...process.env, AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
    const ran = promisify(execFile)(process.execPath, [findBuilt(), ...argv], { cwd: folder, env });
    await expect(ran).resolves.toMatchObject({
      stderr: matchText("A --dotenv file can set NODE_OPTIONS only for !env"),
    });
    expect(existsSync(path.join(folder, "ran"))).toBe(false);
  });

  test("is rejected when loaded with Node's --env-file", async () => {
    const project = await startProject({ files });
    for (const option of [["--env-file", ".env"], ["--env-file=.env"]])
      await project.expectRefused(["plan", ...option], "Use --dotenv FILE.");
  });
});

test("documents every variable that a dotenv file can set", () => {
  const page = readFileSync("docs/commands.md", "utf8");
  const [, section = ""] = page.split("\n### Variables of a file\n");
  const [, table = ""] = /\n(\| for \|(?:.+\n)+)/.exec(section) ?? [];
  const documented = [...table.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name);
  expect(new Set(documented)).toEqual(new Set(Object.values(environmentFileNames).flat()));
});
