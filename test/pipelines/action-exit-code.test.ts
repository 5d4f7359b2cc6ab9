import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { findBuilt } from "../built.js";
import { cacheHome, newFolder, type Project, startAndApply } from "../cli/hosting.js";

/* Tests the Action's command step without a runner, with the built command. */

const root = path.resolve(import.meta.dirname, "../..");
const { runs } = parse(await readFile(path.join(root, "action.yml"), "utf8")) as {
  runs: { steps: { id?: string; run?: string }[] };
};
const script = runs.steps.find(({ id }) => id === "run")?.run ?? "";

const secret = `secrets:
  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !file key.txt }
`;

/** Starts an applied project whose secret was rotated. */
async function startRotated() {
  const project = await startAndApply({ files: { "avatarops.yaml": secret, "key.txt": "sk-0123456789" } });
  await project.write("key.txt", "sk-9876543210");
  return project;
}

async function startHeld() {
  const project = await startRotated();
  await project.expectDone("hold", "--reason", "incident 42");
  return project;
}

async function runMode(project: Project, mode: string, inputs: Readonly<Record<string, string>> = {}) {
  const temp = await newFolder();
  await mkdir(path.join(temp, "bin"));
  const command = path.join(temp, "bin/avatarops");
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${findBuilt()}" "$@"\n`);
  await chmod(command, 0o755);
  const child = spawn("bash", ["-e", "-o", "pipefail", "-c", script], {
    cwd: project.folder,
    env: {
      PATH: `${path.join(temp, "bin")}:${process.env.PATH}`,
      HOME: temp,
      NODE_COMPILE_CACHE: cacheHome,
      AVATAROPS_BASE_URL: project.emulator.url,
      AVATAROPS_API_KEY: "test-key",
      GITHUB_OUTPUT: path.join(temp, "output.txt"),
      GITHUB_STEP_SUMMARY: path.join(temp, "summary.md"),
      ...{ MODE: mode, REPORT: "none", UNTRUSTED: "false", ...inputs },
    },
  });
  const log = text(child.stdout);
  const [exit] = (await once(child, "close")) as [number];
  const output = await readFile(path.join(temp, "output.txt"), "utf8");
  const summary = await readFile(path.join(temp, "summary.md"), "utf8").catch(() => "");
  return { exit, output, log: await log, summary, secrets: project.emulator.world.secrets.length };
}

test("fails the Action's job if rotations are on hold", async () => {
  const ran = await runMode(await startHeld(), "rotations");
  expect(ran).toMatchObject({ exit: 7, output: "exit-code=7\n", secrets: 1 });
});

test("applies changes despite the gates named in the Action's `allow` input", async () => {
  const project = await startHeld();
  const { digest } = await project.json("plan");
  const ran = await runMode(project, "apply", { DIGEST: digest, ALLOW: "threshold held" });
  expect(ran, ran.log).toMatchObject({ exit: 0, secrets: 2 });
});

test("lets the Action's job succeed in drift mode if drift is found", async () => {
  expect(await runMode(await startHeld(), "drift")).toMatchObject({ exit: 0 });
});

test("prints the Action's apply outcome as text and as a Markdown summary", async () => {
  const project = await startRotated();
  const { digest } = await project.json("plan");
  const ran = await runMode(project, "apply", { DIGEST: digest });
  expect(ran, ran.log).toMatchObject({ exit: 0, output: "exit-code=0\n", secrets: 2 });
  expect(ran.log).toMatch(/^[^#<|]*superseded +secret\.llm[^#<|]*1 applied/);
  expect(ran.summary).toMatch(/^### .*1 applied/);
});
