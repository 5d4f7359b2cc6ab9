import { abbreviate } from "../text/index.js";
import { plainText } from "./names.js";

export type GitErrorCode =
  | "git-missing" // there is no git on PATH
  | "git-too-old" // older than `oldestGit`
  | "no-folder" // the folder to run in does not exist
  | "not-a-repository" // the folder is in no repository
  | "damaged" // there is a `.git`, and git does not take it for a repository
  | "dubious-ownership" // the repository belongs to another user, and git will not use it
  | "unreachable" // the remote does not answer, or there is no repository at its address
  | "refused" // the remote answers, and says no: credentials, permissions, hooks of the server
  | "timeout" // stopped at the time limit
  | "cancelled" // stopped by the caller
  | "too-large" // it writes more than anybody can read
  | "failed"; // anything else: `stderr` says what

/** Git could not do what it was asked. The message is a complete sentence, without credentials. */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly code: GitErrorCode;
  /** E.g. `git push origin refs/heads/main`, without credentials. */
  readonly command: string;
  /** The last lines that git wrote to stderr, without credentials and control characters. */
  readonly stderr: string;

  constructor(code: GitErrorCode, command: string, message: string, stderr = "") {
    super(message);
    this.code = code;
    this.command = command;
    this.stderr = stderr;
  }
}

/** For `catch`, where it is enough that git cannot tell or do something: throws all else, and a stop. */
export function ignoreGitFailure(error: unknown): undefined {
  if (!(error instanceof GitError) || error.code === "cancelled") throw error;
}

/** What git's messages mean, in the language C. The first that matches counts. */
const meanings: readonly (readonly [GitErrorCode, RegExp, string])[] = [
  [
    "dubious-ownership",
    /dubious ownership|unsafe repository/,
    "The repository belongs to another user. If you trust it, run `git config --global --add safe.directory` with its path.",
  ],
  [
    "not-a-repository",
    /^fatal: (?:not a git(?:dir| repository)|cannot use bare repository)/m,
    "Run the command in a clone of the repository.",
  ],
  [
    "refused",
    /remote rejected|hook declined|Permission (denied|to )|Authentication failed|could not read (Username|Password)|terminal prompts disabled|returned error: 40[134]|Repository not found|access denied|not exported|service not enabled|Host key verification failed|not allowed|HTTP Basic: Access denied/i,
    "Check the credentials and permissions for this remote.",
  ],
  [
    "unreachable",
    /certificate|ca cert|CAfile/i,
    "If the certificate of the server is one of your own, say who signed it: `git config --global http.sslCAInfo FILE`, or the variable GIT_SSL_CAINFO.",
  ],
  [
    "unreachable",
    /Could not resolve host|Connection (refused|timed out|reset)|unable to (access|connect|look up)|Could not read from remote repository|does not appear to be a git repository|early EOF|hung up|RPC failed|No such remote|Operation (timed out|too slow)|Network is unreachable|No route to host|ssl|returned error: (5\d\d|408|429)/i,
    "Check the address of the remote (`git remote -v`) and the network.",
  ],
];

/** The error of a git that ended with another exit code than expected. */
export function toGitError(args: readonly string[], exit: number | string, stderr: string): GitError {
  const command = describeCommand(args);
  const last = lastLines(stderr);
  const how = typeof exit === "number" ? `ended with exit code ${exit}` : `was ended by signal ${exit}`;
  const [code, , advice] = meanings.find(([, pattern]) => pattern.test(stderr)) ?? ["failed", undefined, ""];
  const what =
    last === "" ? `\`${command}\` ${how}.` : `\`${command}\` ${how}: ${last.replaceAll("\n", " | ")}.`;
  return new GitError(code, command, advice === "" ? what : `${what} ${advice}`, last);
}

/** A command line for messages. */
export function describeCommand(args: readonly string[]): string {
  const words = plainText(["git", ...args].join(" "));
  return abbreviate(words, 200);
}

/** The end of what git wrote, where it says why: without progress, hints and credentials. */
function lastLines(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .map((line) => plainText(line).trim())
    .filter((line) => line !== "" && !/^(hint|remote: *$)/.test(line));
  // A low surrogate at the start has lost its other half.
  return lines
    .slice(-6)
    .join("\n")
    .slice(-1_000)
    .replace(/^[\uDC00-\uDFFF]/, "")
    .replace(/\.$/, "");
}
