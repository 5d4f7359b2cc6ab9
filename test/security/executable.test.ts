// @module-tag ci
/** Tests an executable in a folder writable by other users. */

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findBuilt } from "../built.js";
import { newFolder } from "../cli/hosting.js";

test("loads no package from the executable's own checkout or from a shared folder", async () => {
  const folder = await newFolder();
  const ran = path.join(folder, "ran");
  const own = path.join(await newFolder(), "inside");
  cpSync(findBuilt("cli"), path.join(own, "dist/cli"), { recursive: true });
  cpSync("package.json", path.join(own, "package.json"));
  const repository = path.join(folder, "repository");
  mkdirSync(path.join(repository, "tools"), { recursive: true });
  const files = "state: postgres://127.0.0.1:9/ops?name=a\ncontexts: { a: { name: A, prompt: B } }\n";
  writeFileSync(path.join(repository, "avatarops.yaml"), files);
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
    ...{ AVATAROPS_BASE_URL: "http://127.0.0.1:9", AVATAROPS_API_KEY: "key" },
  };
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
      cwd: repository,
      env,
    });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "avatarops.yaml");
  git("commit", "--quiet", "--message", "a");
  /** Plans a fork's checkout, with the executable in one folder and a planted package in another. */
  const plan = (where: string, planted: string, mode = 0o755) => {
    const pg = path.join(planted, "node_modules/pg");
    mkdirSync(pg, { recursive: true });
    mkdirSync(where, { recursive: true });
    chmodSync(where, mode);
    writeFileSync(path.join(pg, "package.json"), '{ "name": "pg", "main": "index.js" }');
    writeFileSync(
      path.join(pg, "index.js"),
      `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");\n`,
    );
    // Imitates the values that Node reports in a single executable application.
    const preload = path.join(folder, "executable.cjs");
    const program = JSON.stringify(path.join(where, "avatarops"));
    writeFileSync(preload, `require("node:sea").isSea = () => true;\nprocess.execPath = ${program};\n`);
    const argv = [
      "--require",
      preload,
      path.join(own, "dist/cli/main.js"),
      "plan",
      "--untrusted",
      "--base",
      "main",
    ];
    const { stderr } = spawnSync(process.execPath, argv, { cwd: repository, env, encoding: "utf8" });
    rmSync(path.join(planted, "node_modules"), { recursive: true });
    return [/error\[missing-package\]/.test(stderr), existsSync(ran)];
  };
  const tools = path.join(repository, "tools");
  expect(plan(tools, repository)).toEqual([true, false]);
  expect(plan(tools, tools)).toEqual([true, false]);
  expect(plan(repository, repository)).toEqual([true, false]);
  const elsewhere = path.join(folder, "bin");
  expect(plan(elsewhere, folder)).toEqual([true, false]);
  expect(plan(elsewhere, elsewhere, 0o777)).toEqual([true, false]);
  expect(plan(elsewhere, elsewhere)).toEqual([false, true]);
});
