import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { readMachineIdentity } from "../../src/core/state/index.js";
import type { Dataset, Emulator, EmulatorOptions } from "../../src/emulator/index.js";
import type { ExitCode } from "../../src/entrypoints/cli/exit-code.js";
import type { Host } from "../../src/entrypoints/cli/host.js";
import { run } from "../../src/entrypoints/cli/run.js";
import { startEmulator } from "../documented-emulator.js";
import { expectDocumented } from "../documents/documented.js";

/** Outcome of one command line. Each printed document is validated against its JSON Schema. */
export interface CommandResult {
  readonly exit: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** Overrides of terminal and machine properties. */
export interface Setting {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The user's input at a terminal. A function is called when the command waits for input. */
  readonly typed?: string | (() => string | Promise<string>);
  readonly columns?: number;
  /** Whether stderr is a terminal. Default: false. */
  readonly talksToTerminal?: boolean;
  readonly hostname?: string;
  /** Default: the test's pid. */
  readonly pid?: number;
  readonly identify?: Host["identify"];
  /** Default: the project's folder. */
  readonly cwd?: string;
  /** Default: this machine's platform. */
  readonly platform?: string;
  /** Default: almost no waiting. */
  readonly waits?: Host["waits"];
  /** The clock, in ms. */
  readonly now?: () => number;
  /** The clock for durations, in ms. */
  readonly monotonic?: () => number;
  /** Waits, in ms. */
  readonly sleep?: Host["sleep"];
  /** Overrides access to external systems. */
  readonly outside?: Host["outside"];
  /** Overrides pauses, such as those between polls. */
  readonly pause?: Host["pause"];
  /** Receives a function that stops the command, as Ctrl-C does. */
  readonly onStoppable?: (stop: (signal: string) => void) => void;
  /** Called with each result when it is written, for commands that run until stopped. */
  readonly onStdout?: (text: string) => void;
  /** Receives a function that closes the stdout pipe. */
  readonly onClosable?: (close: () => void) => void;
}

/** Runs one command line in a folder, without the machine's environment variables. */
export async function runIn(
  folder: string,
  argv: readonly string[],
  setting: Setting = {},
): Promise<CommandResult> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const { typed, columns = 80 } = setting;
  const interactive = typed !== undefined;
  const listen: Host["onStop"] = (callback) => {
    setting.onStoppable?.(callback);
    return () => {};
  };
  const host: Host = {
    ...nodeSystem,
    cwd: folder,
    environment: { XDG_CACHE_HOME: cacheHome, ...setting.environment },
    stdin: () => Readable.from(typed === undefined ? [] : typeKeys(typed)),
    stdout: {
      columns,
      isTTY: false,
      write(text) {
        setting.onStdout?.(text);
        return stdout.push(text) > 0;
      },
    },
    stderr: { columns, isTTY: setting.talksToTerminal ?? false, write: (text) => stderr.push(text) > 0 },
    interactive,
    pid: setting.pid ?? process.pid,
    hostname: setting.hostname ?? "test-host",
    ...(setting.outside ? { outside: setting.outside } : {}),
    ...(setting.sleep ? { sleep: setting.sleep } : {}),
    ...(setting.identify ? { identify: setting.identify } : {}),
    platform: setting.platform ?? `${process.platform}_${process.arch}`,
    resolve: (given) => path.resolve(folder, given),
    now: setting.now ?? Date.now,
    monotonic: setting.monotonic ?? nodeSystem.monotonic,
    ...(setting.pause ? { pause: setting.pause } : {}),
    waits: setting.waits ?? { backoffMs: 1, settleMs: 0, tickMs: 0, storeMs: 1_000 },
    onStop: listen,
    onInterrupt: listen,
    onOutputLost(callback) {
      setting.onClosable?.(callback);
      return () => {};
    },
  };
  const exit = await run(argv, host);
  await expectDocumented(stdout.join(""));
  return { exit, stdout: stdout.join(""), stderr: stderr.join("") };
}

/** Cache folder shared by all runs in this process. */
export const cacheHome = mkdtempSync(path.join(tmpdir(), "avatarops-caches-"));
process.once("exit", () => rmSync(cacheHome, { recursive: true, force: true }));

/** Setting that lets a run check the processes on this machine. */
export const localMachine: Setting = { hostname: hostname(), identify: readMachineIdentity };

/** Creates an `onStoppable` and the function that stops the command. */
export function createStopper() {
  let ask: ((signal: string) => void) | undefined;
  return {
    stop: (signal: string): void => ask?.(signal),
    onStoppable(given: (signal: string) => void) {
      ask = given;
    },
  };
}

/** Yields input lazily, so that a function is not called before the command asks. */
async function* typeKeys(typed: NonNullable<Setting["typed"]>): AsyncGenerator<string> {
  yield typeof typed === "string" ? typed : typed();
}

/** Creates a folder for one test and removes it afterward. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-cli-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the time in ms with a nonzero last digit, so that it never resembles a coarser clock. */
function readFineClock(): number {
  const ms = Date.now();
  return ms % 10 === 0 ? ms + 1 : ms;
}

/** Starts an emulator for one test. */
async function newEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ now: readFineClock, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

/** A project folder, its account, and the command. */
export interface Project {
  readonly folder: string;
  readonly emulator: Emulator;
  /** Runs `avatarops` in the folder. */
  avatarops(...argv: string[]): Promise<CommandResult>;
  /** Runs `avatarops` with other settings and additional environment variables. */
  avataropsWith(setting: Setting, ...argv: string[]): Promise<CommandResult>;
  /** Runs a command that must succeed. */
  expectDone(...argv: string[]): Promise<CommandResult>;
  /** Runs a command that must print the reason to stderr, and exit with this code (default: 1). */
  expectRefused(argv: readonly string[], why: string, exit?: ExitCode): Promise<void>;
  /** Returns the JSON that a command prints, regardless of its exit code. */
  json(...argv: string[]): Promise<ReturnType<typeof JSON.parse>>;
  has(file: string): boolean;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Applies, then expects an empty plan. */
  expectApplied(...argv: string[]): Promise<CommandResult>;
  /** Expects an empty plan. */
  expectNothingToDo(...argv: string[]): Promise<void>;
}

/** A project's initial files and account. */
export interface ProjectSetup {
  /** File contents by path. Without `avatarops.yaml` the folder has no manifest. */
  readonly files?: Readonly<Record<string, string>>;
  readonly world?: Dataset;
  readonly emulator?: EmulatorOptions;
  /** Environment variables in addition to base URL and key. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startProject({ files = {}, world, ...given }: ProjectSetup = {}): Promise<Project> {
  const folder = await newFolder();
  const emulator = await newEmulator({ ...(world ? { world } : {}), ...given.emulator });
  const environment = {
    AVATAROPS_BASE_URL: emulator.url,
    AVATAROPS_API_KEY: "test-key",
    ...given.environment,
  };
  const project: Project = {
    folder,
    emulator,
    avatarops: (...argv) => runIn(folder, argv, { environment }),
    avataropsWith: (setting, ...argv) =>
      runIn(setting.cwd ?? folder, argv, {
        ...setting,
        environment: { ...environment, ...setting.environment },
      }),
    has: (file) => existsSync(path.join(folder, file)),
    read: (file) => readFile(path.join(folder, file), "utf8"),
    async write(file, text) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), text);
    },
    expectDone: (...argv) => expectSuccess(project.avatarops(...argv)),
    async expectRefused(argv, why, exit = 1) {
      const ran = await project.avatarops(...argv);
      expect(ran, argv.join(" ")).toMatchObject({ exit, stderr: matchText(why) });
    },
    json: async (...argv) => JSON.parse((await project.avatarops(...argv, "--format", "json")).stdout),
    async expectApplied(...argv) {
      const ran = await project.expectDone("apply", "--auto-approve", ...argv);
      await project.expectNothingToDo();
      return ran;
    },
    async expectNothingToDo(...argv) {
      await project.expectDone("plan", "--detailed-exitcode", ...argv);
    },
  };
  for (const [file, text] of Object.entries(files)) await project.write(file, text);
  return project;
}

export async function expectSuccess(running: Promise<CommandResult>): Promise<CommandResult> {
  const ran = await running;
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
  return ran;
}

/** Starts a project and applies it. */
export async function startAndApply(setup: ProjectSetup = {}): Promise<Project> {
  const project = await startProject(setup);
  await project.expectDone("apply", "-y");
  return project;
}

/** Message that each command prints when it writes a state in a folder without git. */
export const comparedWithoutGit =
  "Without git, avatarops checks only the state's environment, not its project.\n";

/** Matches output that contains this string, regardless of line breaks. */
export function matchText(text: string): string {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/ /g, "\\s+");
  return expect.stringMatching(escaped) as string;
}
