import { stat } from "node:fs/promises";
import path from "node:path";
import { startProgram } from "../programs/index.js";
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
  let stoppedFor: GitError | undefined;
  let kill: NodeJS.Timeout | undefined;
  const stop = (why: GitError) => {
    stoppedFor ??= why;
    started.stop("SIGTERM");
    kill ??= setTimeout(() => started.stop("SIGKILL"), graceMs);
  };
  const { input, maxBytes = defaultMaxBytes } = options;
  const tooMuch = `\`${command}\` wrote more than ${maxBytes / 1_000_000} MB, which is too much, and was stopped.`;
  const onTooMuch = () => stop(new GitError("too-large", command, tooMuch));
  const limits = { stderrBytes: longestTalk, maxBytes, onTooMuch };
  const started = startProgram("git", all, { cwd: folder, env, input, ...limits });
  const limitMs = options.timeoutMs ?? given.timeoutMs ?? defaultTimeoutMs;
  const late = `\`${command}\` did not end within ${limitMs / 1_000} s and was stopped. Check the remote (\`git remote -v\`) and the network.`;
  const timer = setTimeout(() => stop(new GitError("timeout", command, late)), limitMs);
  const cancel = () => stop(cancelled(command));
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const output = await started.ended;
    if ("system" in output) throw await notStarted(output.system, command, folder);
    if (stoppedFor) throw stoppedFor;
    if (typeof output.exit === "string") throw toGitError(args, output.exit, output.stderr);
    return { ...output, exit: output.exit };
  } finally {
    clearTimeout(timer);
    clearTimeout(kill);
    signal?.removeEventListener("abort", cancel);
  }
}

/** Without the system's error as the cause: it has all arguments, and an address in them its credentials. */
async function notStarted(system: string, command: string, folder: string): Promise<GitError> {
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
