import { spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";

/*
 * Runs the real terraform in a temporary folder, without the host's configuration file, plugin cache or update check.
 */

/** The tested program. `TERRAFORM=tofu npx vitest run test/terraform` tests with OpenTofu. */
const tested = process.env.TERRAFORM ?? "terraform";

const version = spawnSync(tested, ["version"], { encoding: "utf8" });

/** Tested program and its version. `minor` is 12 for version 1.12.6. */
export const testedCore = {
  program: tested,
  isOpenTofu: isOpenTofu(tested),
  minor: Number(/^\w+ v1\.(\d+)/m.exec(version.stdout ?? "")?.[1]),
};

/** Returns the registry for provider addresses without a host. */
export function findRegistry(program = tested): string {
  return isOpenTofu(program) ? "registry.opentofu.org" : "registry.terraform.io";
}

function isOpenTofu(program: string): boolean {
  return path.basename(program) === "tofu";
}

/** Result of a terraform command, without ANSI colors. */
export interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Workspace {
  readonly folder: string;
  /** Writes or replaces files. Undefined removes a file. */
  write(files: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** Runs a command, such as `run("plan", "-parallelism=1")`, and returns its result even if it fails. */
  run(...args: string[]): Promise<Ran>;
  /** Runs a command like `run`, but with additional environment variables. */
  runWith(environment: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran>;
  /** Starts a command and returns its process, for tests that interrupt it. */
  start(...args: string[]): { readonly pid: number; kill(signal: NodeJS.Signals): void; ended: Promise<Ran> };
  /** Runs a command that must succeed and returns its output without colors. */
  succeed(...args: string[]): Promise<string>;
  /** Runs a command that must fail and returns its output, with frames removed and wrapped lines joined. */
  fail(...args: string[]): Promise<string>;
  /** Asserts that `apply -auto-approve` succeeds and that the next plan is empty. */
  settle(...args: string[]): Promise<string>;
  /** Asserts that the plan is empty. */
  expectNothingToDo(...args: string[]): Promise<void>;
  /** Returns a resource's values in the state. */
  stateOf(address: string): Promise<Readonly<Record<string, unknown>>>;
  /** Returns the content of the state file. */
  stateText(): Promise<string>;
}

export interface WorkspaceOptions {
  readonly files: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Content of terraform's own configuration file (`provider_installation { … }`). */
  readonly cliConfig?: string;
  /** Program to run instead of the tested one. */
  readonly program?: string;
}

/** Creates a folder with a configuration and removes it after the test. */
export async function newWorkspace({
  files,
  environment,
  cliConfig = "",
  program = tested,
}: WorkspaceOptions): Promise<Workspace> {
  const root = await mkdtemp(path.join(tmpdir(), "avatarops-tf-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = path.join(root, "work");
  const home = path.join(root, "home");
  await Promise.all([mkdir(folder), mkdir(home)]);
  await writeFile(path.join(root, "terraformrc"), cliConfig);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: process.env.TMPDIR,
    TF_CLI_CONFIG_FILE: path.join(root, "terraformrc"),
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    ...environment,
  };

  const startWith = (more: Readonly<Record<string, string>>, args: readonly string[]) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...env, ...more },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const texts = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => {
      texts.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      texts.stderr += text;
    });
    const ended = new Promise<Ran>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (exit) =>
        resolve({ exit, stdout: stripStyles(texts.stdout), stderr: stripStyles(texts.stderr) }),
      );
    });
    const { pid = 0 } = child;
    // Signals the process group, as Ctrl-C does in a terminal, so the provider also receives the signal.
    return { pid, ended, kill: (signal: NodeJS.Signals) => process.kill(-pid, signal) };
  };
  const start: Workspace["start"] = (...args) => startWith({}, args);
  const run: Workspace["run"] = (...args) => start(...args).ended;

  const workspace: Workspace = {
    folder,
    start,
    run,
    runWith: (more, ...args) => startWith(more, args).ended,
    async write(changed) {
      for (const [name, text] of Object.entries(changed)) {
        const file = path.join(folder, name);
        if (text === undefined) await rm(file, { force: true });
        else {
          await mkdir(path.dirname(file), { recursive: true });
          await writeFile(file, text);
        }
      }
    },
    async succeed(...args) {
      const { exit, stdout, stderr } = await run(...args);
      if (exit !== 0) throw new Error(`terraform ${args.join(" ")} failed:\n${stdout}\n${stderr}`);
      return stdout;
    },
    async fail(...args) {
      const { exit, stdout, stderr } = await run(...args);
      expect(exit, `terraform ${args.join(" ")} did not fail:\n${stdout}`).not.toBe(0);
      return removeFrames(`${stdout}\n${stderr}`);
    },
    async settle(...args) {
      const applied = await workspace.succeed("apply", "-auto-approve", ...args);
      await workspace.expectNothingToDo();
      return removeFrames(applied);
    },
    async expectNothingToDo(...args) {
      const { exit, stdout, stderr } = await run("plan", "-detailed-exitcode", ...args);
      expect(exit, `The plan is not empty:\n${stdout}\n${stderr}`).toBe(0);
    },
    async stateOf(address) {
      const { values } = JSON.parse(await workspace.succeed("show", "-json"));
      const found = listResources(values?.root_module).find((one) => one.address === address);
      if (!found) throw new Error(`There is no ${address} in the state.`);
      return found.values;
    },
    stateText: () => readFile(path.join(folder, "terraform.tfstate"), "utf8"),
  };
  await workspace.write(files);
  return workspace;
}

interface Module {
  readonly resources?: { readonly address: string; readonly values: Record<string, unknown> }[];
  readonly child_modules?: Module[];
}

function listResources(module: Module | undefined): { address: string; values: Record<string, unknown> }[] {
  return [...(module?.resources ?? []), ...(module?.child_modules ?? []).flatMap(listResources)];
}

function stripStyles(text: string): string {
  return text.replace(/\u001b\[[0-9;]*m/g, "");
}

/** Removes the frames of diagnostics and joins wrapped lines. */
function removeFrames(text: string): string {
  return text
    .replace(/^[│╷╵] ?/gm, "")
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/\n(?=\S)/g, " "))
    .join("\n");
}
