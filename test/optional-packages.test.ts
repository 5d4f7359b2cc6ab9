// @module-tag ci
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { execute, packInto, runProgram } from "./installing.js";

/*
 * Tests optional packages with the installed command, packed from the last build. If a package is missing, the error
 * names it. Once the package is installed, the command finds it.
 */

let folder: string;
/** Project folder outside any installation. */
let home: string;
let prefix: string;
let project: string;

const npm = {
  ...process.env,
  npm_config_prefer_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
};

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "avatarops-optional-"));
  home = mkdtempSync(path.join(tmpdir(), "avatarops-beside-"));
  prefix = path.join(folder, "global");
  project = path.join(home, "team/bots/support");
  const archive = await packInto(folder);
  await runProgram("npm", ["install", "--global", "--prefix", prefix, archive], { cwd: folder, env: npm });
  mkdirSync(project, { recursive: true });
  execFileSync("git", ["init", "--quiet"], { cwd: path.join(home, "team") });
  writeFileSync(
    path.join(project, "avatarops.yaml"),
    `state: postgres://127.0.0.1:9/ops?name=production
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !aws-secrets-manager llm }
`,
  );
});

afterAll(() => {
  for (const made of [folder, home]) rmSync(made, { recursive: true, force: true });
});

const createEnvironment = () => ({
  PATH: process.env.PATH,
  HOME: folder,
  AVATAROPS_BASE_URL: "http://127.0.0.1:9",
  AVATAROPS_API_KEY: "key",
});

function runAvatarops(args: readonly string[]) {
  return execute(path.join(prefix, "bin/avatarops"), args, { cwd: project, env: createEnvironment() });
}

/** Returns the recommended command in backticks. */
function findRecommended(stderr: string): string {
  return /[Rr]un\s+`([^`]*)`/.exec(stderr)?.[1]?.replace(/\s+/g, " ") ?? stderr;
}

test("names a missing optional package and finds it once installed", async () => {
  const planned = await runAvatarops(["plan"]);
  expect(planned.exit).toBe(1);
  expect(planned.stderr).toContain("error[missing-package]");
  expect(findRecommended(planned.stderr)).toBe("npm install pg");
  expect(planned.stderr).not.toMatch(/disk|unreadable/);
  const followed = await runAvatarops(["sync", "--repo", path.join(home, "team")]);
  expect(findRecommended(followed.stderr)).toBe("npm install prom-client");
  expect(followed.stderr.replace(/\s+/g, " ")).toContain("with --global if avatarops is installed globally");
  const install = ["install", "--global", "--prefix", prefix, "prom-client"];
  await runProgram("npm", install, { cwd: project, env: npm });
  const again = await runAvatarops(["sync", "--repo", path.join(home, "team"), "--listen", "203.0.113.1:1"]);
  expect(again.stderr).toContain("error[listen]");
});

test("finds optional packages in any folder from the project up to the repository root", async () => {
  const plant = (where: string) => {
    const pg = path.join(where, "node_modules/pg");
    mkdirSync(pg, { recursive: true });
    writeFileSync(path.join(pg, "package.json"), '{ "name": "pg", "version": "8.13.0", "main": "index.js" }');
    writeFileSync(
      path.join(pg, "index.js"),
      `exports.Client = class { on() {} async connect() { throw Object.assign(new Error("the pg beside the project"), { code: "28P01" }) } async end() {} };`,
    );
    return pg;
  };
  const around = plant(home);
  expect((await runAvatarops(["state", "list"])).stderr).toContain("error[missing-package]");
  rmSync(path.dirname(around), { recursive: true });

  plant(path.join(home, "team"));
  expect((await runAvatarops(["state", "list"])).stderr).toContain("the pg beside the project");
  rmSync(path.join(home, "team/node_modules"), { recursive: true });
});
