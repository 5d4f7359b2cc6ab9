import { spawn } from "node:child_process";
import path from "node:path";
import { version } from "../src/base/version/index.js";

const repository = path.resolve(import.meta.dirname, "..");

/** Packs the last build as `npm publish` would and returns the archive's path. */
export async function packInto(folder: string): Promise<string> {
  // Package scripts would rebuild while other tests use the build.
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  await runProgram("npm", pack, { cwd: repository });
  return path.join(folder, `avatarops-${version}.tgz`);
}

/** Replaces our package in an install line with the archive, and skips the audit and the funding message. */
export function adaptInstallLine(line: string, archive: string): string {
  const [, install = "", packages = ""] = /^(npm install(?: --\S+)*) (.*)$/.exec(line) ?? [];
  const named = packages.split(" ").map((name) => (/^(\.\.\/)?avatarops$/.test(name) ? archive : name));
  if (!named.includes(archive)) throw new Error(`${line} does not install avatarops.`);
  return `${install} --prefer-offline --no-audit --no-fund ${named.map((name) => `'${name}'`).join(" ")}`;
}

export interface Surroundings {
  readonly cwd: string;
  /** Environment variables. Default: the tests' variables. */
  readonly env?: NodeJS.ProcessEnv;
  /** Text for stdin. */
  readonly typed?: string;
}

export interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program and returns its result for any exit code. */
export function execute(program: string, args: readonly string[], given: Surroundings): Promise<Ended> {
  const child = spawn(program, args, { cwd: given.cwd, env: given.env, stdio: "pipe" });
  child.stdin.on("error", () => {}).end(given.typed ?? "");
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text) => {
      texts[name] += text;
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) => resolve({ exit, ...texts }));
  });
}

/** Runs a program that must succeed and returns stdout and stderr. */
export async function runProgram(
  program: string,
  args: readonly string[],
  given: Surroundings,
): Promise<string> {
  const { exit, stdout, stderr } = await execute(program, args, given);
  if (exit === 0) return stdout + stderr;
  throw new Error(`${program} ${args.join(" ")} ended with ${exit}:\n${stdout}${stderr}`);
}
