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

/** What came of one command line. Every document that a test makes is held to its JSON Schema. */
export interface Ran {
  readonly exit: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a test puts in the place of a terminal's facts. */
export interface Setting {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Somebody at a terminal, who types this; a function is called when the command waits for it. */
  readonly typed?: string | (() => string | Promise<string>);
  readonly columns?: number;
  /** Talk goes to a terminal. Default: to a pipe. */
  readonly talksToTerminal?: boolean;
  readonly hostname?: string;
  /** Default: the process of the test. */
  readonly pid?: number;
  readonly identify?: Host["identify"];
  /** Default: the project's folder. */
  readonly cwd?: string;
  /** Default: the one the tests run on. */
  readonly platform?: string;
  /** Default: hardly any. */
  readonly waits?: Host["waits"];
  /** The clock, in ms. */
  readonly now?: () => number;
  /** What stands in for the world outside. */
  readonly outside?: Host["outside"];
  /** Waits of `sync`. */
  readonly pause?: Host["pause"];
  /** Hands out how to ask the command to stop, as Ctrl-C does. */
  readonly onStoppable?: (stop: (signal: string) => void) => void;
  /** Hears results as they are written, of commands that go on until they are stopped. */
  readonly onStdout?: (text: string) => void;
  /** Hands out how to close the pipe that results go to. */
  readonly onClosable?: (close: () => void) => void;
}

/** Runs one command line in a folder, with nothing of the machine's environment. */
export async function runIn(folder: string, argv: readonly string[], setting: Setting = {}): Promise<Ran> {
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
    stdin: () => Readable.from(typed === undefined ? [] : keystrokes(typed)),
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
    ...(setting.identify ? { identify: setting.identify } : {}),
    platform: setting.platform ?? `${process.platform}_${process.arch}`,
    resolve: (given) => path.resolve(folder, given),
    now: setting.now ?? Date.now,
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

/** The user's cache folder, for all runs of this process. */
export const cacheHome = mkdtempSync(path.join(tmpdir(), "avatarops-caches-"));
process.once("exit", () => rmSync(cacheHome, { recursive: true, force: true }));

/** The setting of a run that sees the processes of this machine. */
export const onThisMachine: Setting = { hostname: hostname(), identify: readMachineIdentity };

/** For `onStoppable`, and to ask the command to stop then. */
export function stopper() {
  let ask: ((signal: string) => void) | undefined;
  return {
    stop: (signal: string): void => ask?.(signal),
    onStoppable(given: (signal: string) => void) {
      ask = given;
    },
  };
}

/** A generator runs when it is read from: not before the question is asked. */
async function* keystrokes(typed: NonNullable<Setting["typed"]>): AsyncGenerator<string> {
  yield typeof typed === "string" ? typed : typed();
}

/** A folder of its own for one test, gone afterwards. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-cli-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A clock whose every moment shows that it is not one of seconds: a third decimal of 0 would leave that open. */
function fineNow(): number {
  const ms = Date.now();
  return ms % 10 === 0 ? ms + 1 : ms;
}

/** An emulator for one test. */
async function newEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ now: fineNow, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

/** A project folder, an account of its own, and the command between them. */
export interface Project {
  readonly folder: string;
  readonly emulator: Emulator;
  /** Runs `avatarops` in the folder. */
  avatarops(...argv: string[]): Promise<Ran>;
  /** The same, with other facts of the terminal and more environment. */
  avataropsWith(setting: Setting, ...argv: string[]): Promise<Ran>;
  /** Runs what must succeed. */
  expectDone(...argv: string[]): Promise<Ran>;
  /** Runs what must end with 1, and say why on stderr. */
  expectRefused(argv: readonly string[], why: string): Promise<void>;
  /** The JSON that a command prints, however it ends. */
  json(...argv: string[]): Promise<ReturnType<typeof JSON.parse>>;
  has(file: string): boolean;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Applies, and fails unless that succeeds and planning finds nothing to do then. */
  expectApplied(...argv: string[]): Promise<Ran>;
  /** Fails unless planning finds nothing to do. */
  expectNothingToDo(...argv: string[]): Promise<void>;
}

/** What a project begins with. */
export interface Beginning {
  /** Texts by path. Without `avatarops.yaml` the folder has no manifest. */
  readonly files?: Readonly<Record<string, string>>;
  readonly world?: Dataset;
  readonly emulator?: EmulatorOptions;
  /** Beside the address and the key. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startProject({ files = {}, world, ...given }: Beginning = {}): Promise<Project> {
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
    expectDone: (...argv) => succeed(project.avatarops(...argv)),
    async expectRefused(argv, why) {
      const ran = await project.avatarops(...argv);
      expect(ran, argv.join(" ")).toMatchObject({ exit: 1, stderr: saying(why) });
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

/** Fails unless the command succeeds. */
export async function succeed(running: Promise<Ran>): Promise<Ran> {
  const ran = await running;
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
  return ran;
}

/** A project that is applied. */
export async function startApplied(beginning: Beginning = {}): Promise<Project> {
  const project = await startProject(beginning);
  await project.expectDone("apply", "-y");
  return project;
}

/** The message of each command that writes a state in a folder without git. */
export const comparedWithoutGit = "Without git, only the environment of the state was compared.\n";

/** Matches output that holds this text, wherever its lines were broken. */
export function saying(text: string): string {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/ /g, "\\s+");
  return expect.stringMatching(escaped) as string;
}
