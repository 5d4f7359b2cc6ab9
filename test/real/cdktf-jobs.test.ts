// @module-tag night
/**
 * Runs the unchanged CDK Terrain and CDKTF pipelines in examples/ci on the app in docs/cdktf.md, with the real
 * command and terraform.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { type CommandName, findCommand } from "../../scripts/cdktf/commands.js";
import { findPassages } from "../../scripts/docs/passages.js";
import { createSampleDataset, type Emulator, startEmulator } from "../../src/emulator/index.js";
import { writtenFor } from "../cdktf/page.js";
import { git } from "../git/repositories.js";
import { adaptInstallLine, packInto, runProgram } from "../installing.js";
import { type Job, runJob } from "../pipelines/gitlab-runner.js";
import { runWithAct, type TriggerEvent } from "./act.js";

const page = "docs/cdktf.md";

for (const [name, written] of writtenFor)
  describe(`${name} app in a pipeline`, { tags: ["terraform", `${name}-command`] }, () => {
    let folder: string;
    let remote: string;
    let sha: string;
    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "avatarops-cdktf-jobs-"));
      const project = path.join(folder, "project");
      mkdirSync(project);
      await makeProject(project, name, written);
      git(project, "init", "--quiet", "--initial-branch=main");
      git(project, "add", "--all");
      git(project, "commit", "--quiet", "--message=begin");
      remote = `file://${project}`;
      sha = git(project, "rev-parse", "HEAD");
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    test("is diffed in a GitHub pull request and deployed after the merge", {
      tags: "act",
    }, async () => {
      const emulator = await startAccount();
      const base = { sha, repo: { full_name: "team/avatars" } };
      const occasion: TriggerEvent = {
        ...{ event: "pull_request", sha, ref: "refs/heads/main", repository: "team/avatars" },
        payload: { number: 7, pull_request: { number: 7, head: base, base } },
        vars: { AVATAROPS_BASE_URL: emulator.url },
        secrets: { AVATAROPS_API_KEY: "test-key", LLM_API_KEY: "a-key" },
        ...{ token: "job-token", environment: { CHECKOUT_FROM: remote }, temp: folder, version: "" },
      };
      const workflow = (name: string) =>
        written(readFileSync(`examples/ci/github/cdktn/${name}.yml`, "utf8"));
      const [diff] = await runWithAct(workflow("avatars-diff"), occasion);
      expect(diff, `${diff?.stdout}${diff?.stderr}`).toMatchObject({ name: "diff", exit: 0 });
      expect(diff?.summary).toContain("to add, 0 to change, 0 to destroy");
      expect(diff?.summary).not.toContain("a-key");
      expect(emulator.world.contexts).toEqual([]);
      const [deploy] = await runWithAct(workflow("avatars-deploy"), { ...occasion, event: "push" });
      expect(deploy, `${deploy?.stdout}${deploy?.stderr}`).toMatchObject({ name: "deploy", exit: 0 });
      expectDeployed(emulator);
    });

    test("is diffed in a GitLab merge request and deployed after the merge", async () => {
      const emulator = await startAccount();
      const text = written(readFileSync("examples/ci/gitlab/cdktn.gitlab-ci.yml", "utf8"));
      const jobs: Readonly<Record<string, Job>> = parse(text);
      const pipeline: { readonly variables: Readonly<Record<string, string>> } = parse(text);
      const variables = {
        ...pipeline.variables,
        ...{ AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key", TF_VAR_llm_api_key: "a-key" },
      };
      const run = (name: string) =>
        runJob({ ...jobs[jobs[name]?.extends ?? ""], ...jobs[name] }, { remote, sha, variables });
      const diff = await run("diff");
      expect(diff, diff.stdout + diff.stderr).toMatchObject({
        exit: 0,
        stdout: expect.stringContaining("to add, 0 to change, 0 to destroy"),
      });
      expect(emulator.world.contexts).toEqual([]);
      const deploy = await run("deploy");
      expect(deploy, deploy.stdout + deploy.stderr).toMatchObject({ exit: 0 });
      expectDeployed(emulator);
    });

    async function startAccount(): Promise<Emulator> {
      const emulator = await startEmulator({
        world: { ...createSampleDataset(Date.now()), contexts: [], secrets: [] },
      });
      onTestFinished(() => emulator.close());
      return emulator;
    }
  });

function expectDeployed({ world, secretValue }: Emulator): void {
  expect(world.contexts.map(({ name }) => name)).toEqual(["Returns desk"]);
  expect(world.secrets.map(({ id }) => secretValue(id))).toEqual(["a-key"]);
}

/** Creates the project as docs/cdktf.md describes, with the package and the command from this machine. */
async function makeProject(
  folder: string,
  name: CommandName,
  written: (text: string) => string,
): Promise<void> {
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  write("main.ts", written(findPassages(page, "ts")[0] ?? ""));
  const [settings = "", compiler = ""] = findPassages(page, "json");
  write("cdktf.json", settings);
  write("tsconfig.json", compiler);
  write("prompts/returns.md", "You help visitors.\n");
  const command = findCommand(name);
  write(
    `${name}-cli/command.js`,
    `#!/usr/bin/env node\nrequire(require("fs").realpathSync(${JSON.stringify(command)}));\n`,
  );
  write(
    `${name}-cli/package.json`,
    JSON.stringify({ name: `${name}-cli`, version: "0.21.0", bin: { [name]: "command.js" } }),
  );
  const archive = await packInto(folder);
  const lines = written(findPassages(page, "sh")[0] ?? "")
    .trim()
    .split("\n")
    .map((line) =>
      line.startsWith("npm install ") ? adaptInstallLine(`${line} ./${name}-cli`, archive) : line,
    );
  await runProgram("bash", ["-ec", lines.join("\n")], { cwd: folder });
  rmSync(path.join(folder, "node_modules"), { recursive: true });
}
