import { stat } from "node:fs/promises";
import path from "node:path";
import { startProgram } from "../programs/index.js";
import { buildGitEnvironment, type GitSetting, settings } from "./environment.js";
import { describeCommand, GitError, toGitError } from "./git-error.js";

export interface GitOptions {
  /** Absolute path to the folder to run in. */
  readonly folder: string;
  /** The user's environment variables, including PATH, HOME and the credentials that CI sets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Signal that stops all running git processes. */
  readonly signal?: AbortSignal;
  /** Maximum duration of a git process, in ms. Default: 120,000. */
  readonly timeoutMs?: number;
  /** Additional settings, such as a header with a token. Like `git -c`, but hidden from process lists. */
  readonly config?: readonly GitSetting[];
  /** Environment variables for every git process, as in {@link GitRunOptions}. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface GitRunOptions {
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** Maximum size of stdout. Git is stopped when it writes more. Default: 500,000,000. */
  readonly maxBytes?: number;
  /** Exit codes that are not errors. Default: only 0. */
  readonly exits?: readonly number[];
  /** Environment variables for this git process, such as GIT_INDEX_FILE or GIT_AUTHOR_NAME. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Signal that replaces `signal` of {@link GitOptions}. Null means that this process cannot be cancelled. */
  readonly signal?: AbortSignal | null;
}

export interface GitOutput {
  readonly exit: number;
  readonly stdout: Buffer;
  /** Raw error output, which may contain credentials and control characters. */
  readonly stderr: string;
}

export interface Git {
  readonly folder: string;
  /**
   * Runs git without a shell. The first argument is the subcommand. Callers put untrusted arguments after
   * `--end-of-options` or `--`, or check them (`isRefName`, `isCommitId`).
   *
   * @throws GitError
   */
  run(args: readonly string[], options?: GitRunOptions): Promise<GitOutput>;
  /** Runs git and returns stdout as text, without the final line break. */
  readText(args: readonly string[], options?: GitRunOptions): Promise<string>;
}

/** First git version that supports GIT_CONFIG_GLOBAL. */
const oldestGit = [2, 32] as const;
const defaultTimeoutMs = 120_000;
/** Default limit for stdout in bytes, near the maximum length of a JavaScript string. */
const defaultMaxBytes = 500_000_000;
/** Time between SIGTERM and SIGKILL, for git to remove its lock files. */
const graceMs = 2_000;
/** Number of trailing bytes of stderr to keep. */
const maxStderrBytes = 65_536;

/** Values of PATH whose git version has been checked, so that each is checked once. */
const checkedPaths = new Set<string>();

/**
 * Opens git in a folder, which need not be in a repository (see `openRepository`).
 *
 * @throws GitError `git-missing`, `git-too-old`
 */
export async function openGit(options: GitOptions): Promise<Git> {
  const git = createGit(options);
  const found = options.environment.PATH ?? "";
  if (checkedPaths.has(found)) return git;
  const version = await git.readText(["version"]);
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(version) ?? [];
  const [oldestMajor, oldestMinor] = oldestGit;
  if (Number(major) * 1_000 + Number(minor) < oldestMajor * 1_000 + oldestMinor)
    throw new GitError(
      "git-too-old",
      "git version",
      `avatarops needs git ${oldestGit.join(".")} or later, but found ${version}. Install a newer version of git.`,
    );
  checkedPaths.add(found);
  return git;
}

/** Subcommands that show differences. The user may have configured external programs for them. */
const comparing = new Set(["diff", "diff-files", "diff-index", "diff-tree", "log", "show"]);
/** Subcommands that may run configured filters (clean, smudge, process) or merge drivers. */
const filtering = new Set(
  "add archive checkout checkout-index clone commit diff diff-files diff-index merge merge-tree read-tree reset restore stash status switch update-index worktree".split(
    " ",
  ),
);

function createGit(options: GitOptions): Git {
  let filtersOff: Promise<readonly string[]> | undefined;

  async function run(args: readonly string[], runOptions: GitRunOptions = {}): Promise<GitOutput> {
    const [subcommand = "", ...rest] = args;
    if (filtering.has(subcommand)) filtersOff ??= listFilterOverrides();
    const more = filtering.has(subcommand) ? ((await filtersOff) ?? []) : [];
    const plain = comparing.has(subcommand) ? ["--no-ext-diff", "--no-textconv"] : [];
    const all = ["--no-pager", ...settings, ...more, subcommand, ...plain, ...rest];
    const output = await runProgram(all, args, options, runOptions);
    if (!(runOptions.exits ?? [0]).includes(output.exit)) throw toGitError(args, output.exit, output.stderr);
    return output;
  }

  async function readText(args: readonly string[], runOptions?: GitRunOptions): Promise<string> {
    return (await run(args, runOptions)).stdout.toString("utf8").replace(/\r?\n$/, "");
  }

  /** Returns settings that turn configured filters off, and make configured merge drivers report a conflict. */
  async function listFilterOverrides(): Promise<readonly string[]> {
    const configured = "^(filter\\.|merge\\..*\\.driver$)";
    const names = await readText(["config", "--null", "--name-only", "--get-regexp", configured], {
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

  return { folder: options.folder, run, readText: readText };
}

async function runProgram(
  all: readonly string[],
  args: readonly string[],
  { folder, environment, config = [], variables, ...given }: GitOptions,
  options: GitRunOptions,
): Promise<GitOutput> {
  const command = describeCommand(args);
  const signal = options.signal === null ? undefined : (options.signal ?? given.signal);
  if (signal?.aborted) throw createCancelledError(command);
  const env = {
    ...buildGitEnvironment(environment, config),
    // Keeps git from searching the parent folders. Only `openRepository` does that.
    GIT_CEILING_DIRECTORIES: path.dirname(folder),
    ...variables,
    ...options.environment,
  };
  let stoppedFor: GitError | undefined;
  let kill: NodeJS.Timeout | undefined;
  const stop = (why: GitError) => {
    stoppedFor ??= why;
    started.stop("SIGTERM");
    kill ??= setTimeout(() => started.stop("SIGKILL"), graceMs);
  };
  const { input, maxBytes = defaultMaxBytes } = options;
  const tooMuch = `\`${command}\` wrote more than ${maxBytes / 1_000_000} MB, so it was stopped.`;
  const onTooMuch = () => stop(new GitError("too-large", command, tooMuch));
  const limits = { stderrBytes: maxStderrBytes, maxBytes, onTooMuch };
  const started = startProgram("git", all, { cwd: folder, env, input, ...limits });
  const limitMs = options.timeoutMs ?? given.timeoutMs ?? defaultTimeoutMs;
  const late = `\`${command}\` did not finish within ${limitMs / 1_000} s and was stopped. Check the remote (\`git remote -v\`) and the network.`;
  const timer = setTimeout(() => stop(new GitError("timeout", command, late)), limitMs);
  const cancel = () => stop(createCancelledError(command));
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const output = await started.ended;
    if ("system" in output) throw await toStartError(output.system, command, folder);
    if (stoppedFor) throw stoppedFor;
    if (typeof output.exit === "string") throw toGitError(args, output.exit, output.stderr);
    return { ...output, exit: output.exit };
  } finally {
    clearTimeout(timer);
    clearTimeout(kill);
    signal?.removeEventListener("abort", cancel);
  }
}

/**
 * Creates the error for a program that did not start. Sets no `cause`, because the system's error contains all
 * arguments, including URLs with credentials.
 */
async function toStartError(system: string, command: string, folder: string): Promise<GitError> {
  // The system reports a missing folder and a missing program with the same code.
  const isThere = await stat(folder).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (!isThere) return new GitError("no-folder", command, `The folder ${folder} does not exist.`);
  if (system === "ENOENT")
    return new GitError("git-missing", command, "git is not on your PATH. Install git.");
  return new GitError("failed", command, `git could not be started: the system reported ${system}.`);
}

function createCancelledError(command: string): GitError {
  return new GitError("cancelled", command, `\`${command}\` was stopped.`);
}
