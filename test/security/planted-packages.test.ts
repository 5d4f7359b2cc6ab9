// @module-tag ci
/** Packages that a change or a fork planted in its checkout. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../cli/hosting.js";
import { startFork } from "./fork.js";

test("packages that a fork planted are not loaded", async () => {
  const { execFile } = await import("node:child_process");
  const { promisify } = await import("node:util");
  const fork = await startFork();
  const ran = path.join(await newFolder(), "ran");
  const evil = `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");\n`;
  for (const name of ["avatarops", "yaml", "zod", "undici", "commander", "constructs", "tinyglobby"]) {
    mkdirSync(path.join(fork.folder, "node_modules", name), { recursive: true });
    await fork.write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
    await fork.write(`node_modules/${name}/index.js`, evil);
  }
  await fork.propose({
    ".npmrc": "script-shell=./evil.sh\n",
    "package.json": '{ "type": "module" }',
    "prompts/desk.md": "Be brief.\n",
  });
  const bin = path.resolve(import.meta.dirname, "../../dist/cli/main.js");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [bin, "plan", "--untrusted", "--base", "main"],
    {
      cwd: fork.folder,
      env: { PATH: process.env.PATH, AVATAROPS_BASE_URL: fork.emulator.url, AVATAROPS_API_KEY: "test-key" },
    },
  );
  expect(stdout).toContain("context.desk");
  expect(existsSync(ran)).toBe(false);
});

test("an optional package that a change planted is not loaded by sync, nor for a fork", async () => {
  const folder = await newFolder();
  const ran = path.join(folder, "ran");
  const repository = path.join(folder, "repository");
  const pg = path.join(repository, "node_modules/pg");
  mkdirSync(pg, { recursive: true });
  writeFileSync(path.join(pg, "package.json"), '{ "name": "pg", "main": "index.js" }');
  writeFileSync(path.join(pg, "index.js"), `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");\n`);
  const files = "state: postgres://127.0.0.1:9/ops?name=a\ncontexts: { a: { name: A, prompt: B } }\n";
  writeFileSync(path.join(repository, "avatarops.yaml"), files);
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
    ...{ AVATAROPS_BASE_URL: "http://127.0.0.1:9", AVATAROPS_API_KEY: "key" },
  };
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  for (const args of [
    ["init", "--initial-branch=main"],
    ["add", "--all", "--force"],
    ["commit", "-m", "a"],
  ])
    execFileSync("git", [...who, ...args], { cwd: repository, env });
  // An installation without optional packages, but for those that sync needs at once.
  const own = path.join(folder, "installed");
  cpSync("dist/cli", path.join(own, "dist/cli"), { recursive: true });
  cpSync("package.json", path.join(own, "package.json"));
  mkdirSync(path.join(own, "node_modules"));
  for (const name of ["pino", "prom-client"])
    symlinkSync(path.resolve("node_modules", name), path.join(own, "node_modules", name));
  const start = (...args: string[]) =>
    spawn(process.execPath, [path.join(own, "dist/cli/main.js"), ...args], { cwd: repository, env });
  const said = async (child: ReturnType<typeof start>) => {
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (more: string) => {
        text += more;
        if (text.includes('"msg":"cycle"')) child.kill("SIGTERM");
      });
    await once(child, "close");
    return text;
  };
  const synced = await said(start("sync", "--repo", repository, "--listen", "127.0.0.1:0"));
  expect(synced).toContain("missing-package");
  const fork = await said(start("plan", "--untrusted", "--base", "main"));
  expect(fork).toContain("error[missing-package]");
  expect(existsSync(ran)).toBe(false);
  // It is one that a plan of trusted files would load.
  await said(start("plan"));
  expect(existsSync(ran)).toBe(true);
});

test("an executable loads no package from the checkout that it lies in, nor from where others may write", async () => {
  const folder = await newFolder();
  const ran = path.join(folder, "ran");
  const own = path.join(await newFolder(), "inside");
  cpSync("dist/cli", path.join(own, "dist/cli"), { recursive: true });
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
  /** Plans the checkout as that of a fork, with an executable that lies in a folder, and a package planted in another. */
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
    // What Node says in an executable.
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
