import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import path from "node:path";
import { kill as signalProcess } from "node:process";
import { type GitSetting, gitEnvironment, settings } from "./environment.js";
import { describeCommand, GitError, toGitError } from "./git-error.js";

export interface GitOptions {
  /** Absolute. */
  readonly folder: string;
  /** The user's, with PATH, HOME and what CI set for credentials. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Stops each git that runs. */
  readonly signal?: AbortSignal;
  /** Default: 120,000. */
  readonly timeoutMs?: number;
  /** More settings, as `git -c` takes them, e.g. a header with a token: no list of processes shows them. */
  readonly config?: readonly GitSetting[];
  /** Variables of every run, as in {@link RunOptions}. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** Git is stopped when it writes more to stdout, in bytes. Default: 500,000,000. */
  readonly maxBytes?: number;
  /** Exit codes that are an answer. Default: 0 only. */
  readonly exits?: readonly number[];
  /** Variables of this run, e.g. GIT_INDEX_FILE or GIT_AUTHOR_NAME. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Instead of the signal of all runs; null: this run must not be stopped half-way. */
  readonly signal?: AbortSignal | null;
}

export interface GitOutput {
  readonly exit: number;
  readonly stdout: Buffer;
  /** As git wrote it: it may contain credentials and control characters. */
  readonly stderr: string;
}

export interface Git {
  readonly folder: string;
  /**
   * Runs git with a list of arguments, without a shell. The first one is the subcommand. What comes from outside
   * stands after `--end-of-options` or `--`, or was checked (`isRefName`, `isCommitId`).
   *
   * @throws GitError
   */
  run(args: readonly string[], options?: RunOptions): Promise<GitOutput>;
  /** The same; returns stdout as text, without the line end at its end. */
  text(args: readonly string[], options?: RunOptions): Promise<string>;
}

/** Because of GIT_CONFIG_GLOBAL. */
const oldestGit = [2, 32] as const;
const defaultTimeoutMs = 120_000;
/** No text is much longer in JavaScript. */
const defaultMaxBytes = 500_000_000;
/** After it was asked to stop; git removes its lock files then. */
const graceMs = 2_000;
/** The end of what git wrote to stderr, in bytes. */
const longestTalk = 65_536;

/** The values of PATH with which a git was found that is not too old: each is asked once. */
const recentEnough = new Set<string>();

/**
 * The git program in a folder, which need not be in a repository (see `openRepository`).
 *
 * @throws GitError `git-missing`, `git-too-old`
 */
export async function openGit(options: GitOptions): Promise<Git> {
  const git = inFolder(options);
  const found = options.environment.PATH ?? "";
  if (recentEnough.has(found)) return git;
  const version = await git.text(["version"]);
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(version) ?? [];
  const [oldestMajor, oldestMinor] = oldestGit;
  if (Number(major) * 1_000 + Number(minor) < oldestMajor * 1_000 + oldestMinor)
    throw new GitError(
      "git-too-old",
      "git version",
      `avatarops needs git ${oldestGit.join(".")} or later, and this is ${version}. Install a later git.`,
    );
  recentEnough.add(found);
  return git;
}

/** Subcommands that show differences: a program of the user's configuration may take part. */
const comparing = new Set(["diff", "diff-files", "diff-index", "diff-tree", "log", "show"]);
/** Subcommands that compare, merge or write files, for which filters (clean, smudge, process) and merge drivers may be configured. */
const filtering = new Set(
  "add archive checkout checkout-index clone commit diff diff-files diff-index merge merge-tree read-tree reset restore stash status switch update-index worktree".split(
    " ",
  ),
);

function inFolder(options: GitOptions): Git {
  let filtersOff: Promise<readonly string[]> | undefined;

  async function run(args: readonly string[], runOptions: RunOptions = {}): Promise<GitOutput> {
    const [subcommand = "", ...rest] = args;
    if (filtering.has(subcommand)) filtersOff ??= withoutFilters();
    const more = filtering.has(subcommand) ? ((await filtersOff) ?? []) : [];
    const plain = comparing.has(subcommand) ? ["--no-ext-diff", "--no-textconv"] : [];
    const all = ["--no-pager", ...settings, ...more, subcommand, ...plain, ...rest];
    const output = await runProgram(all, args, options, runOptions);
    if (!(runOptions.exits ?? [0]).includes(output.exit)) throw toGitError(args, output.exit, output.stderr);
    return output;
  }

  async function text(args: readonly string[], runOptions?: RunOptions): Promise<string> {
    return (await run(args, runOptions)).stdout.toString("utf8").replace(/\r?\n$/, "");
  }

  /** Settings that put an empty command in the place of each configured filter, and a conflict in that of a merge driver. */
  async function withoutFilters(): Promise<readonly string[]> {
    const configured = "^(filter\\.|merge\\..*\\.driver$)";
    const names = await text(["config", "--null", "--name-only", "--get-regexp", configured], {
      exits: [0, 1],
    });
    const drivers = new Set(names.split("\0").map((name) => name.slice(0, name.lastIndexOf("."))));
    drivers.delete("");
    return [...drivers].flatMap((driver) =>
      (driver.startsWith("merge.")
        ? ["driver=false"]
        : ["clean=", "smudge=", "process=", "required=false"]
      ).flatMap((part) => ["-c", `${driver}.${part}`]),
    );
  }

  return { folder: options.folder, run, text };
}

async function runProgram(
  all: readonly string[],
  args: readonly string[],
  { folder, environment, config = [], variables, ...given }: GitOptions,
  options: RunOptions,
): Promise<GitOutput> {
  const command = describeCommand(args);
  const signal = options.signal === null ? undefined : (options.signal ?? given.signal);
  if (signal?.aborted) throw cancelled(command);
  const env = {
    ...gitEnvironment(environment, config),
    // Only `openRepository` looks for a repository in the folders above.
    GIT_CEILING_DIRECTORIES: path.dirname(folder),
    ...variables,
    ...options.environment,
  };
  const child = start(all, command, folder, env);
  let stoppedFor: GitError | undefined;
  let kill: NodeJS.Timeout | undefined;
  const stop = (why: GitError) => {
    stoppedFor ??= why;
    endGroup(child, "SIGTERM");
    kill ??= setTimeout(() => endGroup(child, "SIGKILL"), graceMs);
  };
  const limitMs = options.timeoutMs ?? given.timeoutMs ?? defaultTimeoutMs;
  const late = `\`${command}\` did not end within ${limitMs / 1_000} s and was stopped. Check the remote (\`git remote -v\`) and the network.`;
  const timer = setTimeout(() => stop(new GitError("timeout", command, late)), limitMs);
  const cancel = () => stop(cancelled(command));
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const { input = "", maxBytes = defaultMaxBytes } = options;
    const tooMuch = `\`${command}\` wrote more than ${maxBytes / 1_000_000} MB, which is too much, and was stopped.`;
    const onTooMuch = () => stop(new GitError("too-large", command, tooMuch));
    const output = await readOutput(child, { input, maxBytes, onTooMuch }, command, folder);
    if (stoppedFor) throw stoppedFor;
    if (typeof output.exit === "string") throw toGitError(args, output.exit, output.stderr);
    return { ...output, exit: output.exit };
  } finally {
    clearTimeout(timer);
    clearTimeout(kill);
    signal?.removeEventListener("abort", cancel);
  }
}

/** Git leads a session of its own: it and what it starts have no terminal to ask at, and are stopped together. */
function start(
  args: readonly string[],
  command: string,
  cwd: string,
  env: Record<string, string | undefined>,
): ChildProcess {
  try {
    return spawn("git", args, { cwd, env, stdio: "pipe", detached: true, windowsHide: true });
  } catch {
    // Thrown, not emitted, for what can never be an argument, e.g. a NUL byte.
    throw new GitError("failed", command, `\`${command}\` could not be started.`);
  }
}

function readOutput(
  child: ChildProcess,
  {
    input,
    maxBytes,
    onTooMuch,
  }: { readonly input: string | Uint8Array; readonly maxBytes: number; readonly onTooMuch: () => void },
  command: string,
  folder: string,
): Promise<{ exit: number | string; stdout: Buffer; stderr: string }> {
  const stdout: Buffer[] = [];
  let length = 0;
  let stderr = Buffer.alloc(0);
  child.stdout?.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) onTooMuch();
    else stdout.push(chunk);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-longestTalk);
  });
  // It may end without reading everything; its exit code says why.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  return new Promise((resolve) => {
    // Settled at once: "close" follows.
    child.once("error", (error) =>
      resolve(notStarted(error, command, folder).then((why) => Promise.reject(why))),
    );
    child.once("close", (code, signal) =>
      resolve({
        exit: code ?? signal ?? "unknown",
        stdout: Buffer.concat(stdout),
        stderr: stderr.toString("utf8"),
      }),
    );
  });
}

function endGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    signalProcess(-child.pid, signal);
  } catch {
    // No such group: all have ended, or the system (Windows) has no groups.
    child.kill(signal);
  }
  // A process that left the group may keep the pipes open; do not wait for it.
  if (signal === "SIGKILL") for (const pipe of [child.stdout, child.stderr]) pipe?.destroy();
}

/** Without the system's error as the cause: it has all arguments, and an address in them its credentials. */
async function notStarted(error: unknown, command: string, folder: string): Promise<GitError> {
  const system = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  // The system reports a missing folder and a missing program alike.
  const isThere = await stat(folder).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (!isThere) return new GitError("no-folder", command, `There is no folder ${folder}.`);
  if (system === "ENOENT")
    return new GitError("git-missing", command, "There is no git on your PATH. Install git.");
  return new GitError("failed", command, `git could not be started: the system reports ${system}.`);
}

function cancelled(command: string): GitError {
  return new GitError("cancelled", command, `\`${command}\` was stopped.`);
}
