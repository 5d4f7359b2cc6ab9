import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "./cli/hosting.js";
import { execute, runProgram } from "./installing.js";

const script = path.resolve("scripts/install-missing.mjs");
const installs = {
  exit: 0,
  stdout: "Installing and building missing parts: about a minute …\n",
  stderr: "",
};
const silent = { exit: 0, stdout: "", stderr: "" };

/** Creates a clone without third-party packages. */
async function newClone() {
  const cwd = await newFolder();
  const write = (file: string, content: object) => writeFile(path.join(cwd, file), JSON.stringify(content));
  const add = async (name: string) => {
    await mkdir(path.join(cwd, "packages", name), { recursive: true });
    await write(`packages/${name}/package.json`, { name, version: "1.0.0" });
    await runProgram("npm", ["install", "--package-lock-only", "--no-audit", "--no-fund"], { cwd });
  };
  await write("package.json", {
    name: "clone",
    workspaces: ["packages/*"],
    scripts: { prepare: "echo built" },
  });
  await add("left");
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_ENV: "production" };
  return { cwd, write, add, run: () => execute(process.execPath, [script], { cwd, env }) };
}

test("installs missing packages in a clone, and prints nothing if none are missing", async () => {
  const { cwd, run, add } = await newClone();
  expect(await run()).toEqual(installs);
  expect(await run()).toEqual(silent);
  await add("right");
  expect(await run()).toEqual(installs);
  expect(await run()).toEqual(silent);
  await rm(path.join(cwd, "node_modules"), { recursive: true });
  expect(await run()).toEqual(installs);
});

test("fails with npm's message if packages cannot be installed", async () => {
  const { run, write } = await newClone();
  await write("package.json", { name: "clone", scripts: { prepare: "echo went wrong && exit 3" } });
  const { exit, stdout, stderr } = await run();
  expect([exit, stdout]).toEqual([1, installs.stdout]);
  expect(stderr).toContain("went wrong\n");
  expect(stderr).toMatch(/`npm ci` failed\.\n$/);
});
